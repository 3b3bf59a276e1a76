//! Reading a git config file for one question: does it name a program that git would run?
//!
//! Git is not asked, since asking it is running it. The file is read by git's own grammar; whatever is not plainly that
//! grammar makes the answer unknown.

/// One setting: section and key in lower case, the subsection as written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) section: String,
    pub(crate) subsection: String,
    pub(crate) key: String,
    /// Absent for a key without `=`, which means true.
    pub(crate) value: Option<String>,
}

/// Every setting of a config text; `None` if it is not plainly in git's grammar.
pub(crate) fn settings(text: &str) -> Option<Vec<Setting>> {
    let mut chars = text.strip_prefix('\u{feff}').unwrap_or(text).chars().peekable();
    let mut found = Vec::new();
    let (mut section, mut subsection) = (String::new(), String::new());
    while let Some(c) = chars.peek().copied() {
        match c {
            _ if c.is_ascii_whitespace() => {
                chars.next();
            }
            '#' | ';' => while chars.next_if(|c| *c != '\n').is_some() {},
            '[' => {
                chars.next();
                (section, subsection) = header(&mut chars)?;
            }
            _ if c.is_ascii_alphabetic() && !section.is_empty() => {
                let mut key = String::new();
                while let Some(c) = chars.next_if(|c| c.is_ascii_alphanumeric() || *c == '-') {
                    key.push(c.to_ascii_lowercase());
                }
                while chars.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
                let value = match chars.peek() {
                    Some('=') => {
                        chars.next();
                        Some(read_value(&mut chars)?)
                    }
                    None | Some('\n' | '\r' | '#' | ';') => None,
                    Some(_) => return None,
                };
                found.push(Setting { section: section.clone(), subsection: subsection.clone(), key, value });
            }
            _ => return None,
        }
    }
    Some(found)
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// `[section]`, `[section.sub]` or `[section "sub"]`, after the bracket.
fn header(chars: &mut Chars<'_>) -> Option<(String, String)> {
    let mut name = String::new();
    while let Some(c) = chars.next_if(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.')) {
        name.push(c.to_ascii_lowercase());
    }
    while chars.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
    let mut subsection = String::new();
    if chars.next_if_eq(&'"').is_some() {
        loop {
            match chars.next()? {
                '"' => break,
                '\\' => subsection.push(chars.next()?),
                '\n' => return None,
                c => subsection.push(c),
            }
        }
    } else if let Some((section, rest)) = name.clone().split_once('.') {
        (name, subsection) = (section.into(), rest.into());
    }
    (chars.next()? == ']' && !name.is_empty()).then_some((name, subsection))
}

/// A value up to the end of its line: quotes, escapes, continuation, comments.
fn read_value(chars: &mut Chars<'_>) -> Option<String> {
    let (mut value, mut quoted) = (String::new(), false);
    loop {
        match chars.next() {
            None | Some('\n') => return (!quoted).then(|| value.trim().to_owned()),
            Some('"') => quoted = !quoted,
            Some('\\') => match chars.next()? {
                '\n' => {}
                '\r' if chars.next_if_eq(&'\n').is_some() => {}
                'n' => value.push('\n'),
                't' => value.push('\t'),
                'b' => value.push('\u{8}'),
                c @ ('"' | '\\') => value.push(c),
                _ => return None,
            },
            Some('#' | ';') if !quoted => while chars.next_if(|c| *c != '\n').is_some() {},
            Some(c) => value.push(c),
        }
    }
}

/// The name of the setting, if git could run a program because of it while it only reads.
pub(crate) fn names_program(setting: &Setting) -> Option<String> {
    let off = matches!(setting.value.as_deref(), Some("false" | "no" | "off" | "0" | ""));
    let sub = !setting.subsection.is_empty();
    let names = match (setting.section.as_str(), setting.key.as_str()) {
        ("core", "fsmonitor") | ("log", "showsignature") => !off,
        ("core", "pager" | "editor" | "askpass" | "sshcommand" | "gitproxy" | "alternaterefscommand") => true,
        ("core", "hookspath") => true,
        ("pager" | "include" | "includeif", _) => true,
        ("diff", "external") => true,
        ("diff", "command" | "textconv") => sub,
        ("filter", "clean" | "smudge" | "process") => true,
        ("gpg", "program" | "defaultkeycommand") => true,
        ("credential", "helper") => true,
        ("remote", "vcs" | "uploadpack" | "receivepack" | "proxy") => true,
        ("uploadpack", "packobjectshook") => true,
        ("merge", "driver") => true,
        ("trailer", "command" | "cmd") => true,
        ("interactive", "difffilter") | ("sequence", "editor") => true,
        _ => false,
    };
    names.then(|| {
        let dot = if sub { "." } else { "" };
        format!("{}{dot}{}.{}", setting.section, setting.subsection, setting.key)
    })
}

#[cfg(test)]
mod tests {
    use super::{names_program, settings};

    fn named(text: &str) -> Option<Vec<String>> {
        settings(text).map(|found| found.iter().filter_map(names_program).collect())
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(
            named(text).as_deref(),
            Some(&expected.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>()[..]),
            "{text}"
        );
    }

    #[test]
    fn an_ordinary_repository_names_nothing() {
        check(
            "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n\
             [remote \"origin\"]\n\turl = git@example.com:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\
             [branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n; comment\n# another\n[user]\n\tname = A B\n",
            &[],
        );
        check("[core]\nfsmonitor = false\n", &[]);
    }

    #[test]
    fn settings_that_name_programs_are_found_however_written() {
        check("[core]\n\tfsmonitor = ./evil\n", &["core.fsmonitor"]);
        check("[CORE] FsMonitor=\"./evil\" # x\n", &["core.fsmonitor"]);
        check("[core]\nfsmonitor\n", &["core.fsmonitor"]);
        check("[core]\n\tpager = le\\\nss\n", &["core.pager"]);
        check("[diff \"x\"]\n\ttextconv = ./evil\n", &["diff.x.textconv"]);
        check("[diff.x]\ncommand=./evil", &["diff.x.command"]);
        check("[filter \"a b\\\"c\"]\nprocess = e", &["filter.a b\"c.process"]);
        check(
            "[include]\npath = ../evil\n[includeIf \"gitdir:/\"]\npath=x",
            &["include.path", "includeif.gitdir:/.path"],
        );
        check("[pager]\nstatus = ./evil", &["pager.status"]);
        check("[log]\nshowSignature = true\n[gpg]\nprogram=./e", &["log.showsignature", "gpg.program"]);
        check("\u{feff}[core]fsmonitor=x", &["core.fsmonitor"]);
    }

    #[test]
    fn what_is_not_plainly_a_config_is_unknown() {
        for text in [
            "core]\n",
            "[core\n",
            "[core]\nfsmonitor ! x\n",
            "[a \"b]\nx=1",
            "[core]\nx = \"open\ny=1",
            "x = 1\n",
            "[]\n",
            "[a]\nx=\\q\n",
        ] {
            assert_eq!(named(text), None, "{text}");
        }
    }
}
