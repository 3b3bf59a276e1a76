//! Lines for a shell, for agents that start their hooks by one.

/// What the line does when the hook cannot be started, is killed or fails in any way: some agents take every exit code but
/// 2, and 2 without a word, for a hook that does not mind.
const GUARD: &str = r#""$0" "$@" && exit 0; echo "sekisho: the hook ended with $?, so the call is blocked; see: sekisho doctor" >&2; exit 2"#;

/// A line that starts a program, and blocks if that does not go well. Any shell a user may have reads it the same way.
pub(super) fn fail_closed_line(words: &[String]) -> String {
    line(["/bin/sh", "-c", GUARD].into_iter().chain(words.iter().map(String::as_str)))
}

/// A line with these words.
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

/// The words of a line as a shell would split it, as far as quotes and backslashes go. What else a shell knows is left as
/// it stands: this is to recognise our own lines, and nothing is decided by it.
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
    fn a_line_has_the_words_it_was_made_of() {
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
