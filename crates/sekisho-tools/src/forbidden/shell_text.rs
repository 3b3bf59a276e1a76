//! Where parts of a shell text end, and what its escapes mean.

/// The length of a word.
pub(super) fn word_length(text: &str) -> usize {
    length_until(text, |c| c.is_whitespace() || matches!(c, ';' | '&' | '|' | ')' | '<' | '>'))
}

/// The length of a simple command.
pub(super) fn command_length(text: &str) -> usize {
    length_until(text, |c| matches!(c, ';' | '\n' | '&' | '|' | ')' | '}'))
}

/// The length up to an end that is in no quotes and in no braces of an expansion.
pub(super) fn length_until(text: &str, is_end: impl Fn(char) -> bool) -> usize {
    let (mut quote, mut is_escaped, mut braces, mut previous) = (None, false, 0_usize, ' ');
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if is_escaped => is_escaped = false,
            (None | Some('"'), '\\') => is_escaped = true,
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, '{') if previous == '$' => braces += 1,
            (None, '}') if braces > 0 => braces -= 1,
            (None, c) if braces == 0 && is_end(c) => return at,
            _ => {}
        }
        previous = c;
    }
    text.len()
}

/// Longer expansions are not followed, in characters.
pub(super) const MAX_EXPANSION: usize = 4096;

/// The length of an expansion up to its closing brace.
pub(super) fn brace_length(text: &str) -> Option<usize> {
    let end = text.char_indices().nth(MAX_EXPANSION).map_or(text.len(), |(at, _)| at);
    let text = text.get(..end)?;
    let length = length_until(text, |c| c == '}');
    (length < text.len()).then_some(length)
}

/// The text with the escapes that `printf` and `$'…'` know.
pub(super) fn unescaped(text: &str) -> String {
    let mut done = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        done.push_str(before);
        let digits = |from: usize, most: usize, radix: u32| {
            let digits = after.get(from..).unwrap_or_default();
            let count = digits.chars().take(most).take_while(|c| c.is_digit(radix)).count();
            let code = u32::from_str_radix(digits.get(..count).unwrap_or_default(), radix).ok();
            code.and_then(char::from_u32).map(|c| (c, from + count))
        };
        let (c, length) = match after.chars().next() {
            Some('x') => digits(1, 2, 16),
            Some('u') => digits(1, 4, 16),
            Some('U') => digits(1, 8, 16),
            Some('0'..='7') => digits(0, 3, 8),
            Some('n') => Some(('\n', 1)),
            Some('t') => Some(('\t', 1)),
            Some(c @ ('\\' | '\'' | '"')) => Some((c, 1)),
            _ => None,
        }
        .unwrap_or(('\\', 0));
        done.push(c);
        rest = after.get(length..).unwrap_or_default();
    }
    done + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_braces_and_escapes_belong_to_a_word() {
        for (text, expected) in [
            ("a b", 1),
            ("'a b' c", 5),
            ("a\\ b c", 4),
            ("${a# b} c", 7),
            ("\"a;b\";c", 5),
            ("a'", 2),
            ("", 0),
        ] {
            assert_eq!(word_length(text), expected, "{text}");
        }
        assert_eq!(brace_length("a}"), Some(1));
        assert_eq!(brace_length("a"), None);
    }

    #[test]
    fn escapes_are_resolved() {
        for (text, expected) in [
            ("\\x72m", "rm"),
            ("\\162\\155", "rm"),
            ("\\u0072m", "rm"),
            ("a\\nb", "a\nb"),
            ("\\", "\\"),
            ("\\xzz", "\\xzz"),
        ] {
            assert_eq!(unescaped(text), expected);
        }
    }
}
