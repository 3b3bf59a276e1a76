//! Bounds on values and operands where the value decides what happens.

use super::sed;

/// A bound, by the name the table gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// Any value; it is a path that is read.
    Read,
    /// Any value; it is a path that is written.
    Write,
    /// Known text.
    Literal,
    /// One of these words.
    OneOf(Vec<String>),
    /// A pretty format of git that starts no program.
    GitFormat,
    /// A `key=value` of git's config that starts no program.
    GitConfig,
    /// A script of sed that only prints.
    SedScript,
    /// A format of printf that sets no variable.
    PrintfFormat,
}

impl Check {
    /// The check of that name.
    pub(super) fn named(name: &str) -> Result<Check, String> {
        if let Some(list) = name.strip_prefix("one-of ") {
            return Ok(Check::OneOf(list.split_whitespace().map(str::to_owned).collect()));
        }
        match name {
            "read" => Ok(Check::Read),
            "write" => Ok(Check::Write),
            "literal" => Ok(Check::Literal),
            "git-format" => Ok(Check::GitFormat),
            "git-config" => Ok(Check::GitConfig),
            "sed-script" => Ok(Check::SedScript),
            "printf-format" => Ok(Check::PrintfFormat),
            _ => Err(format!("no check is called {name}")),
        }
    }

    /// Whether a value is within the bound; `None` is a computed one.
    pub(super) fn admits(&self, value: Option<&str>) -> Result<(), &'static str> {
        if matches!(self, Check::Read | Check::Write) {
            return Ok(());
        }
        let Some(value) = value else { return Err("the value is computed, and it matters here") };
        let (fine, why) = match self {
            Check::Read | Check::Write | Check::Literal => (true, ""),
            Check::OneOf(list) => {
                (list.iter().any(|item| item == value), "this value is not known to be harmless")
            }
            Check::GitFormat => (git_format(value), "the format can make git run a program"),
            Check::GitConfig => (git_config(value), "this setting of git is not known to be harmless"),
            Check::SedScript => {
                (sed::only_prints(value), "the sed script is not of the kind known to only print")
            }
            Check::PrintfFormat => (printf_format(value), "the format sets a variable"),
        };
        if fine { Ok(()) } else { Err(why) }
    }
}

/// `%G…` verifies signatures by a program the config names, also behind the modifiers `%+G`, `%-G`, `% G`;
/// a bare name could be an alias for such a format in the repository's config.
fn git_format(value: &str) -> bool {
    const NAMED: [&str; 9] =
        ["oneline", "short", "medium", "full", "fuller", "reference", "email", "mboxrd", "raw"];
    if NAMED.contains(&value) || value.is_empty() {
        return true;
    }
    if !value.contains('%') && !value.starts_with("format:") && !value.starts_with("tformat:") {
        return false;
    }
    if value.contains("signature") || value.contains("describe") {
        return false;
    }
    value.split('%').skip(1).all(|part| !part.trim_start_matches(['+', '-', ' ']).starts_with('G'))
}

/// Settings that agents pass, and that switch something off or change only how output looks.
fn git_config(value: &str) -> bool {
    const EXACT: [&str; 7] = [
        "core.fsmonitor=false",
        "core.fsmonitor=",
        "core.pager=cat",
        "core.pager=",
        "core.hookspath=/dev/null",
        "log.showsignature=false",
        "core.untrackedcache=false",
    ];
    let Some((key, setting)) = value.split_once('=') else { return false };
    let key = key.to_ascii_lowercase();
    if EXACT.iter().any(|known| known.split_once('=') == Some((key.as_str(), setting))) {
        return true;
    }
    let plain = matches!(setting, "true" | "false" | "always" | "never" | "auto" | "on" | "off" | "0" | "1");
    plain && (key == "core.quotepath" || key.starts_with("color.") || key.starts_with("advice."))
}

/// `%n` stores a count in the variable that the argument names.
fn printf_format(format: &str) -> bool {
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        if letter == '\\' {
            letters.next();
            continue;
        }
        if letter != '%' {
            continue;
        }
        let modifiers = |c: &char| c.is_ascii_digit() || "#- +'*.hlLjzt".contains(*c);
        match letters.by_ref().find(|c| !modifiers(c)) {
            Some('n' | '\\') => return false,
            Some('(') => {
                letters.by_ref().find(|c| *c == ')');
            }
            _ => {}
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_that_start_programs() {
        for harmful in
            ["%G?", "%+G?", "%h % GK", "%-GS", "alias", "%(describe)", "%(signature:grade)", "%%G%G?"]
        {
            assert!(!git_format(harmful), "{harmful}");
        }
        for harmless in ["%h %s", "oneline", "format:%an", "tformat:x", "%C(auto)%h%d %gd"] {
            assert!(git_format(harmless), "{harmless}");
        }
    }

    #[test]
    fn formats_that_set_variables() {
        for harmful in ["%n", "%5n", "a%-3ln", "%%%n", "%(x)T%n", "%\\x6e"] {
            assert!(!printf_format(harmful), "{harmful}");
        }
        for harmless in ["%s\\n", "%%n", "100%", "%5.2f|%q\\n", "%(%F)T", "\\%s"] {
            assert!(printf_format(harmless), "{harmless}");
        }
    }
}
