//! What the escapes of a shell text mean.

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
