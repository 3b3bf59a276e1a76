//! The part of sed's language that only prints. Anything else is refused, including `w`, `r`, `e`, `i` and
//! branches.

use super::arguments::ParsedArguments;
use super::command_profile::InnerCommand;
use super::detail_code::Detail;
use super::program_entry::ProgramEntry;
use super::shared_enums::ShellKind;
use crate::word::Word;

/// Whether the script only selects, changes and prints lines.
pub(super) fn only_prints(script: &str) -> bool {
    let mut reader = SedParser { rest: script };
    let mut open = 0_usize;
    loop {
        reader.skip(|c| c == ';' || c.is_ascii_whitespace());
        let Some(next) = reader.peek() else { return open == 0 };
        if next == '}' {
            let Some(outer) = open.checked_sub(1) else { return false };
            open = outer;
            reader.take();
        } else {
            if !reader.addresses() {
                return false;
            }
            reader.skip(|c| c == '!' || c == ' ');
            if reader.peek() == Some('{') {
                open += 1;
                reader.take();
                continue;
            }
            if !reader.command() {
                return false;
            }
        }
        reader.skip(|c| c == ' ' || c == '\t');
        if !matches!(reader.peek(), None | Some(';' | '\n' | '}')) {
            return false;
        }
    }
}

/// The scripts of a sed command, with the words that contain them.
pub(super) fn scripts(
    entry: &ProgramEntry,
    words: &[Word],
    scan: &ParsedArguments<'_>,
) -> Vec<(Word, String)> {
    let spec = &entry.data.operands;
    let options = scan.options.iter().filter(|seen| seen.name.is_in("e expression"));
    let given = options.filter_map(|seen| seen.value_word(words));
    let first = scan.operands.first().filter(|_| !scan.has(&spec.first_unless)).and_then(|at| words.get(*at));
    let all = given.chain(first.cloned());
    all.filter_map(|word| Some((word.literal()?.into_owned(), word)))
        .map(|(text, word)| (word, text))
        .collect()
}

/// The commands that `e` and `s///e` run, wherever a command of the script could begin.
pub(super) fn runs(script: &str, word: &Word) -> Vec<InnerCommand> {
    let mut found = Vec::new();
    let starts = std::iter::once(0).chain(script.match_indices([';', '\n', '{', '}']).map(|(at, _)| at + 1));
    for start in starts {
        let mut reader = SedParser { rest: script.get(start..).unwrap_or_default() };
        reader.skip(|c| c.is_ascii_whitespace());
        if !reader.addresses() {
            continue;
        }
        reader.skip(|c| c == '!' || c == ' ');
        let text = match reader.take() {
            Some('e') => reader.rest.lines().next().map(str::trim),
            Some('s') => reader.replacement_run(),
            _ => None,
        };
        let Some(text) = text else { continue };
        found.push(if text.is_empty() {
            InnerCommand::Unknown { word: 0, why: Detail::SedRuns }
        } else {
            InnerCommand::Text { words: vec![Word::new(word.span, text)], shell: ShellKind::Sh }
        });
    }
    found
}

struct SedParser<'s> {
    rest: &'s str,
}

impl<'s> SedParser<'s> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let taken = chars.next();
        self.rest = chars.as_str();
        taken
    }

    fn skip(&mut self, wanted: impl Fn(char) -> bool) {
        self.rest = self.rest.trim_start_matches(wanted);
    }

    fn addresses(&mut self) -> bool {
        match self.address() {
            None => return false,
            Some(false) => return true,
            Some(true) => {}
        }
        self.skip(|c| c == ' ');
        if self.peek() == Some(',') {
            self.take();
            self.skip(|c| c == ' ');
            if matches!(self.peek(), Some('+' | '~')) {
                self.take();
                return self.number();
            }
            if self.address() != Some(true) {
                return false;
            }
            self.skip(|c| c == ' ');
        }
        true
    }

    /// Parses one address: `Some(false)` if there is none, `None` if it is malformed.
    fn address(&mut self) -> Option<bool> {
        match self.peek() {
            Some('$') => {
                self.take();
            }
            Some(c) if c.is_ascii_digit() => {
                self.number();
                if self.peek() == Some('~') {
                    self.take();
                    self.number();
                }
            }
            Some('/') => {
                self.take();
                if !self.delimited('/', true) {
                    return None;
                }
                self.skip(|c| c == 'I' || c == 'M');
            }
            _ => return Some(false),
        }
        Some(true)
    }

    fn number(&mut self) -> bool {
        let before = self.rest.len();
        self.skip(|c| c.is_ascii_digit());
        self.rest.len() < before
    }

    /// Consumes up to and including the delimiter. A bracket that is open at a delimiter is parsed
    /// differently by different seds, so it is refused, and so is a newline.
    fn delimited(&mut self, delimiter: char, pattern: bool) -> bool {
        let mut bracket = false;
        while let Some(c) = self.take() {
            match c {
                '\n' => return false,
                '\\' if matches!(self.peek(), None | Some('\n')) => return false,
                '\\' if bracket => return false,
                '\\' => {
                    self.take();
                }
                _ if c == delimiter => return !bracket,
                '[' if pattern && !bracket => {
                    bracket = true;
                    // Implementations of sed differ in whether a `]` here closes the bracket.
                    if self.rest.trim_start_matches('^').starts_with(']') {
                        return false;
                    }
                }
                ']' if pattern => bracket = false,
                _ => {}
            }
        }
        false
    }

    fn command(&mut self) -> bool {
        match self.take() {
            Some('p' | '=' | 'd' | 'D' | 'P' | 'g' | 'G' | 'h' | 'H' | 'x' | 'n' | 'N' | 'z' | 'F') => true,
            Some('q' | 'Q' | 'l') => {
                self.skip(|c| c == ' ');
                self.skip(|c| c.is_ascii_digit());
                true
            }
            Some('s') => self.two_parts(true) && self.flags(),
            Some('y') => self.two_parts(false),
            _ => false,
        }
    }

    fn two_parts(&mut self, pattern: bool) -> bool {
        match self.take() {
            // Other delimiters are legal, but these are the ones people use.
            Some(c @ ('/' | '|' | ',' | '#' | ':' | '@' | '%' | '!' | '_')) => {
                self.delimited(c, pattern) && self.delimited(c, false)
            }
            _ => false,
        }
    }

    /// The replacement of `s`, if the flag `e` runs it.
    fn replacement_run(&mut self) -> Option<&'s str> {
        let delimiter = self.take()?;
        let _ = self.delimited(delimiter, false);
        let replacement = self.rest;
        let _ = self.delimited(delimiter, false);
        let length = replacement.len().checked_sub(self.rest.len() + delimiter.len_utf8())?;
        let flags = self.rest.chars().take_while(char::is_ascii_alphanumeric).collect::<String>();
        let runs = flags.split('w').next().is_some_and(|flags| flags.contains('e'));
        replacement.get(..length).filter(|_| runs)
    }

    fn flags(&mut self) -> bool {
        self.skip(|c| matches!(c, 'g' | 'p' | 'i' | 'I' | 'm' | 'M') || c.is_ascii_digit());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::only_prints;

    #[test]
    fn scripts_that_only_print() {
        for script in [
            "1,5p",
            "10p",
            "$p",
            "$=",
            "5q",
            "1,10p;12p",
            "/a/,/b/p",
            "/a/Ip",
            "1~2p",
            "2,+3p",
            "/x/!d",
            "s/a/b/",
            "s/a/b/gp",
            "s|a/b|c|2",
            "/x/{s/a/b/;p}",
            "/[a-z]/p",
            "1d;$d",
            "/a/{=;p}",
            "y/abc/xyz/",
            "s/\\/x/y/",
            "1!G;h;$!d",
            "",
            "/^fn/,/^}/p",
        ] {
            assert!(only_prints(script), "{script}");
        }
    }

    #[test]
    fn scripts_that_do_more_or_are_ambiguous() {
        for script in [
            "w out",
            "1w out",
            "s/a/b/w out",
            "s/a/b/e",
            "s/a/b/ge",
            "e",
            "1e touch x",
            "r f",
            "1,5p;w f",
            "W f",
            "R f",
            "a text",
            "i\\",
            "c\\",
            "/a/w f",
            "s/[/]w f/b/",
            "p}",
            "{p",
            "b",
            ":a;ba",
            "s/a/b\\",
            "#n\nw f",
            "p w f",
            "s/a/b/\nw f",
            "1,p",
            "\\,a,p",
            "s/a\n/b/",
            "s/[\\]/x/w f",
            "v",
            "1,5pw f",
            "M",
            "s/[]/a/;s/b/]/;s/e;/x/p",
            "s/[^]/a/;s/b/]/;s/e;/x/p",
            "/[]]/p",
        ] {
            assert!(!only_prints(script), "{script}");
        }
    }
}
