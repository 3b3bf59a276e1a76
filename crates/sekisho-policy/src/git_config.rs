//! Parses git's config files by git's own grammar, byte for byte.
//!
//! Git itself is not used, because asking git means running it. A file that git would reject, or that git
//! versions parse differently (a NUL cuts names and values short), is an error, and its settings are unknown.

/// The text is not one that every git version parses the same way.
#[derive(Debug, PartialEq, Eq)]
pub struct MalformedConfig;

/// The name of a setting: `section.key` or `section.subsection.key`. Section and key are in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingName<'a> {
    whole: &'a [u8],
    /// The part before the first dot.
    pub section: &'a [u8],
    /// The part between the first and the last dot, including what follows a dot in the section name.
    pub subsection: Option<&'a [u8]>,
    /// The part after the last dot.
    pub key: &'a [u8],
}

impl<'a> SettingName<'a> {
    /// Splits a name at its first and last dot, as git does.
    pub fn new(whole: &'a [u8]) -> Option<SettingName<'a>> {
        let first = memchr::memchr(b'.', whole)?;
        let last = memchr::memrchr(b'.', whole)?;
        let subsection = if first == last { None } else { Some(whole.get(first + 1..last)?) };
        Some(SettingName { whole, section: whole.get(..first)?, subsection, key: whole.get(last + 1..)? })
    }

    /// The name for people; bytes that are not UTF-8 are replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.whole).into_owned()
    }
}

/// Calls `each` for every setting of a config text, in order. The value is absent for a key without `=`,
/// which means true.
pub fn settings(
    text: &[u8],
    mut each: impl FnMut(SettingName<'_>, Option<&[u8]>),
) -> Result<(), MalformedConfig> {
    if memchr::memchr(0, text).is_some() {
        return Err(MalformedConfig);
    }
    let mut source = Source { rest: text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text), ended: false };
    let (mut name, mut value) = (Vec::new(), Vec::new());
    let mut section = 0;
    loop {
        match source.next() {
            b'\n' if source.ended => return Ok(()),
            c if is_blank(c) => {}
            b'#' | b';' => source.skip_line(),
            b'[' => {
                name.clear();
                header(&mut source, &mut name)?;
                name.push(b'.');
                section = name.len();
            }
            c if c.is_ascii_alphabetic() => {
                name.truncate(section);
                name.push(c.to_ascii_lowercase());
                let has_value = key_and_value(&mut source, &mut name, &mut value)?;
                // A key before any section has no dot.
                let name = SettingName::new(&name).ok_or(MalformedConfig)?;
                each(name, has_value.then_some(value.as_slice()));
            }
            _ => return Err(MalformedConfig),
        }
    }
}

/// The text, with CR LF read as LF and an LF at its end.
struct Source<'a> {
    rest: &'a [u8],
    ended: bool,
}

impl Source<'_> {
    fn next(&mut self) -> u8 {
        if self.rest.starts_with(b"\r\n") {
            self.rest = self.rest.get(1..).unwrap_or_default();
        }
        let Some((first, rest)) = self.rest.split_first() else {
            self.ended = true;
            return b'\n';
        };
        self.rest = rest;
        *first
    }

    /// Skips to the end of the line, which is left to be read.
    fn skip_line(&mut self) {
        let line = memchr::memchr(b'\n', self.rest).unwrap_or(self.rest.len());
        self.rest = self.rest.get(line..).unwrap_or_default();
    }
}

fn is_blank(c: u8) -> bool {
    matches!(c, b' ' | b'\t' | b'\n' | b'\r')
}

fn is_key(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'-'
}

/// Parses `[section]`, `[section.sub]`, `[section "sub"]` or `[section.sub "sub"]`, after the bracket.
fn header(source: &mut Source<'_>, name: &mut Vec<u8>) -> Result<(), MalformedConfig> {
    let mut c = loop {
        match source.next() {
            b']' => return Ok(()),
            c if is_blank(c) => break c,
            c if is_key(c) || c == b'.' => name.push(c.to_ascii_lowercase()),
            _ => return Err(MalformedConfig),
        }
    };
    while is_blank(c) {
        if c == b'\n' {
            return Err(MalformedConfig);
        }
        c = source.next();
    }
    if c != b'"' {
        return Err(MalformedConfig);
    }
    name.push(b'.');
    loop {
        match source.next() {
            b'\n' => return Err(MalformedConfig),
            b'"' => break,
            b'\\' => match source.next() {
                b'\n' => return Err(MalformedConfig),
                c => name.push(c),
            },
            c => name.push(c),
        }
    }
    if source.next() == b']' { Ok(()) } else { Err(MalformedConfig) }
}

/// Parses the rest of a key, and its value. Returns false if there is no `=`.
fn key_and_value(
    source: &mut Source<'_>,
    name: &mut Vec<u8>,
    value: &mut Vec<u8>,
) -> Result<bool, MalformedConfig> {
    let mut c = source.next();
    while is_key(c) {
        name.push(c.to_ascii_lowercase());
        c = source.next();
    }
    while matches!(c, b' ' | b'\t') {
        c = source.next();
    }
    match c {
        b'\n' => Ok(false),
        b'=' => read_value(source, value).map(|()| true),
        _ => Err(MalformedConfig),
    }
}

/// Parses a value up to the end of its line: quotes, escapes, continuation, comments. Surrounding blanks are
/// cut.
fn read_value(source: &mut Source<'_>, value: &mut Vec<u8>) -> Result<(), MalformedConfig> {
    value.clear();
    let mut quoted = false;
    // Where trailing unquoted blanks begin.
    let mut blanks = None;
    loop {
        let c = source.next();
        match c {
            b'\n' if quoted => return Err(MalformedConfig),
            b'\n' => break,
            _ if !quoted && is_blank(c) => {
                if !value.is_empty() {
                    blanks.get_or_insert(value.len());
                    value.push(c);
                }
                continue;
            }
            b'#' | b';' if !quoted => {
                source.skip_line();
                break;
            }
            _ => blanks = None,
        }
        match c {
            b'"' => quoted = !quoted,
            b'\\' => match source.next() {
                b'\n' => {}
                b'n' => value.push(b'\n'),
                b't' => value.push(b'\t'),
                b'b' => value.push(8),
                c @ (b'"' | b'\\') => value.push(c),
                _ => return Err(MalformedConfig),
            },
            c => value.push(c),
        }
    }
    value.truncate(blanks.unwrap_or(value.len()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{MalformedConfig, settings};

    fn read(text: &[u8]) -> Result<Vec<String>, MalformedConfig> {
        let mut found = Vec::new();
        settings(text, |name, value| {
            let value = value.map(|value| format!("={}", String::from_utf8_lossy(value)));
            found.push(format!("{}{}", name.text(), value.unwrap_or_default()));
        })?;
        Ok(found)
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let expected: Vec<String> = expected.iter().map(|line| (*line).to_owned()).collect();
        assert_eq!(read(text.as_bytes()), Ok(expected), "{text:?}");
    }

    #[test]
    fn names_match_git() {
        check("[A \"B\"] K=v", &["a.B.k=v"]);
        check("[A.B] K=v", &["a.b.k=v"]);
        check("[A.B \"C\"] K=v", &["a.b.C.k=v"]);
        check("[a \"\"]k=v\n[a.]k=v", &["a..k=v", "a..k=v"]);
        check("[a][b]k=v", &["b.k=v"]);
        check("[a \t\"b\\c\\\"d]\"]k-1", &["a.bc\"d].k-1"]);
        check("[a]\r\nk = v\r\n\tl\r\n", &["a.k=v", "a.l"]);
        check("\u{feff}[core]fsmonitor=x", &["core.fsmonitor=x"]);
        check("# c \\\n[a]k=v ; [b]\n;c", &["a.k=v"]);
        check("[]k=v", &[".k=v"]);
        check("", &[]);
    }

    #[test]
    fn values_match_git() {
        for (written, value) in [
            (" v \t ", "v"),
            (" a  b ", "a  b"),
            ("\"v \" ", "v "),
            ("v;c", "v"),
            ("v #c\\", "v"),
            ("\"v;#\"c", "v;#c"),
            ("a\\\n  b", "a  b"),
            ("a\\\r\nb", "ab"),
            ("a \\\n", "a "),
            ("\\t\\n\\b\\\\\\\"", "\t\n\u{8}\\\""),
            ("a\"b c\"d", "ab cd"),
            ("\u{b}v", "\u{b}v"),
            ("", ""),
            (" ; c", ""),
            ("v\r", "v"),
        ] {
            check(&format!("[a]k={written}"), &[&format!("a.k={value}")]);
        }
        check("[a]k\n[a]k =", &["a.k", "a.k="]);
    }

    #[test]
    fn what_git_rejects_is_rejected() {
        for text in [
            "core]\n",
            "[core",
            "[a ]k=v",
            "[ a]k=v",
            "[a \"b\" ]k=v",
            "[a#b]k=v",
            "[a\n]k=v",
            "[a \n\"b\"]k=v",
            "[a \"b\nc\"]k=v",
            "[a \"b\\\nc\"]k=v",
            "[a]k ! x\n",
            "[a]k #x\n",
            "[a]k\rx\n",
            "[a]k=\"open\ny=1",
            "k=1\n",
            "[a]k=\\q\n",
            "[a]1k=v",
            "[a]k_l=v",
            "[core \"fsmonitor\0\"]k=v",
            "# \0",
            "\u{feff}\u{feff}[a]k=v",
        ] {
            assert_eq!(read(text.as_bytes()), Err(MalformedConfig), "{text:?}");
        }
        assert_eq!(read(b"[a]k=\xff"), Ok(vec!["a.k=\u{fffd}".to_owned()]));
    }
}
