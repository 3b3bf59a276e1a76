//! Shell command lines, for agents that start their hooks through a shell.

/// The script of the line. It blocks when the hook cannot be started, is killed or fails in any way: some
/// agents treat every exit code except 2 as consent, and also 2 without output.
const GUARD: &str = r#""$0" "$@" && exit 0; echo "sekisho: the hook ended with $?, so the call is blocked; see: sekisho doctor" >&2; exit 2"#;

/// A line that starts a program and blocks if it fails. It means the same in every shell that a user may
/// have.
pub(super) fn fail_closed_line(words: &[String]) -> String {
    line(["/bin/sh", "-c", GUARD].into_iter().chain(words.iter().map(String::as_str)))
}

/// A line of these words, quoted.
pub(super) fn line<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.map(quoted).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:=@%,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Splits a line into words as a shell would, as far as quotes and backslashes go. Other shell syntax is left
/// as it is: this only recognises our own lines, and nothing is decided by it.
pub(super) fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut begun) = (Vec::new(), String::new(), false);
    let mut quote = None;
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('\''), c) => word.push(c),
            (None, '\'' | '"') => (quote, begun) = (Some(c), true),
            (_, '\\') => word.extend(rest.next()),
            (None, c) if c.is_whitespace() => {
                if begun || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            (_, c) => word.push(c),
        }
    }
    if begun || !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn line_splits_into_its_words() {
        for of in [
            &["/opt/sekisho-hook", "codex", "--installation", "/home/u/a.json"][..],
            &["/opt/with blank/it's", "", "$HOME", "a\\b", "`x`", "é\"q\""],
        ] {
            let line = fail_closed_line(&owned(of));
            let words = words(&line);
            assert_eq!(words[..2], owned(&["/bin/sh", "-c"]));
            assert_eq!(words[3..], owned(of), "{line}");
        }
        assert_eq!(words(" a  'b c'd \"e\\\"f\" "), owned(&["a", "b cd", "e\"f"]));
        assert_eq!(words(""), owned(&[]));
    }
}
