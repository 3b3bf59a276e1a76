//! Settings in texts that git reads: config files, and the variable `GIT_CONFIG_PARAMETERS`.

use std::str::Chars;

/// The aliases in the text of a config file: their names in lower case, and what they stand for.
pub(super) fn aliases_in_config(text: &str) -> Vec<(String, String)> {
    let settings = settings_in_config(text).into_iter();
    let aliases = settings.filter(|(section, _, _)| section.starts_with("alias"));
    aliases.map(|(_, name, value)| (name, value)).collect()
}

/// The settings in the text of a config file: section and name in lower case, and the value.
pub(super) fn settings_in_config(text: &str) -> Vec<(String, String, String)> {
    let text = text.replace("\r\n", "\n");
    let mut letters = text.chars();
    let mut current = String::new();
    let mut found = Vec::new();
    while let Some(first) = letters.next() {
        match first {
            '#' | ';' => drop(up_to(&mut letters, &['\n'])),
            '[' => {
                let (section, _) = up_to(&mut letters, &[']', '\n']);
                current = section.trim().to_ascii_lowercase();
            }
            first if first.is_whitespace() => {}
            first => {
                let (rest, end) = up_to(&mut letters, &['=', '\n']);
                if end == Some('=') {
                    let value = value(&mut letters);
                    let name = format!("{first}{rest}").trim().to_ascii_lowercase();
                    found.push((current.clone(), name, value));
                }
            }
        }
    }
    found
}

/// The text up to one of some letters, and that letter.
fn up_to(letters: &mut Chars<'_>, ends: &[char]) -> (String, Option<char>) {
    let mut before = String::new();
    for c in letters.by_ref() {
        if ends.contains(&c) {
            return (before, Some(c));
        }
        before.push(c);
    }
    (before, None)
}

/// The value of a setting. A backslash at the end of a line continues it.
fn value(letters: &mut Chars<'_>) -> String {
    let mut value = String::new();
    let (mut is_quoted, mut is_comment) = (false, false);
    while let Some(c) = letters.next() {
        match c {
            '\n' => break,
            _ if is_comment => {}
            '#' | ';' if !is_quoted => is_comment = true,
            '"' => is_quoted = !is_quoted,
            '\\' => match letters.next() {
                Some('\n') | None => {}
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some(c) => value.push(c),
            },
            c => value.push(c),
        }
    }
    value.trim().to_owned()
}

/// The settings in `GIT_CONFIG_PARAMETERS`: `'name'='value'`, and `'name=value'` as git wrote it before 2.31.
pub(super) fn settings_in_parameters(text: &str) -> Vec<(String, String)> {
    let (mut name, mut current, mut is_quoted) = (None, String::new(), false);
    let mut found = Vec::new();
    let mut letters = text.chars();
    loop {
        match letters.next() {
            Some('\'') => is_quoted = !is_quoted,
            Some(c) if is_quoted => current.push(c),
            Some('\\') => current.extend(letters.next()),
            Some('=') if name.is_none() => name = Some(std::mem::take(&mut current)),
            Some(c) if !c.is_whitespace() => current.push(c),
            end => {
                let whole = std::mem::take(&mut current);
                found.extend(match name.take() {
                    Some(name) => Some((name, whole)),
                    None => whole.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned())),
                });
                if end.is_none() {
                    return found;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(found: &[(String, String)]) -> Vec<(&str, &str)> {
        found.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }

    #[test]
    fn config_is_read_as_git_does() {
        for (text, expected) in [
            ("[alias]\np = push", &[("p", "push")][..]),
            ("[ALIAS]P=push", &[("p", "push")]),
            ("[alias]\n\tp = pu\\\nsh\n\tq = \"!r\"m # x\n", &[("p", "push"), ("q", "!rm")]),
            ("[alias] p = !x a[1] \"; y\"", &[("p", "!x a[1] ; y")]),
            ("[alias]\n# a = b\\\np = push", &[("p", "push")]),
            ("[core]\np = push\n[user] name = x", &[]),
            ("[alias", &[]),
            ("[alias]\np", &[]),
        ] {
            assert_eq!(pairs(&aliases_in_config(text)), expected, "{text}");
        }
    }

    #[test]
    fn parameters_are_read_in_both_forms() {
        for (text, expected) in [
            ("'alias.p'='push'", &[("alias.p", "push")][..]),
            ("'alias.p'=''\\!'rm x=y' 'a.b'='c'", &[("alias.p", "!rm x=y"), ("a.b", "c")]),
            ("'alias.p=push' 'a.b=c=d'", &[("alias.p", "push"), ("a.b", "c=d")]),
            ("'a.b'", &[]),
            ("", &[]),
            ("'", &[]),
        ] {
            assert_eq!(pairs(&settings_in_parameters(text)), expected, "{text}");
        }
    }
}
