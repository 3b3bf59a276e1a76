//! Cuts texts between words.
//!
//! Texts are masked after they are cut. A secret that is cut in the middle may no longer be recognised, so a word is kept
//! whole or left out.

/// The beginning of a text, at most this many bytes, that ends between two words.
pub fn whole_words(text: &str, most: usize) -> &str {
    cut(text, most, &char::is_whitespace)
}

/// The beginning of a text, at most this many bytes, that ends between two words. If that leaves out more than half of
/// them, as in JSON without blanks, it ends between two values.
pub fn whole_values(text: &str, most: usize) -> &str {
    let words = whole_words(text, most);
    let separates = |c: char| c.is_whitespace() || "\"'`,;|&<>(){}[]".contains(c);
    if words.len() < text.len().min(most) / 2 { cut(text, most, &separates) } else { words }
}

/// The end of a text, at most this many bytes, that begins between two words.
pub fn whole_last_words(text: &str, most: usize) -> &str {
    let Some(left_out) = text.len().checked_sub(most).filter(|left_out| *left_out > 0) else { return text };
    let (before, rest) = text.split_at(text.ceil_char_boundary(left_out));
    if before.ends_with(char::is_whitespace) {
        return rest.trim_start();
    }
    rest.find(char::is_whitespace).map_or("", |at| rest.split_at(at).1.trim_start())
}

fn cut<'a>(text: &'a str, most: usize, separates: &dyn Fn(char) -> bool) -> &'a str {
    if text.len() <= most {
        return text;
    }
    let (head, rest) = text.split_at(text.floor_char_boundary(most));
    if rest.starts_with(separates) {
        return head.trim_end();
    }
    head.rfind(separates).map_or("", |at| head.split_at(at).0.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole_or_absent() {
        for (text, most, expected) in [
            ("", 3, ""),
            ("git push", 8, "git push"),
            ("git push", 7, "git"),
            ("git push", 4, "git"),
            ("git push", 3, "git"),
            ("git  push", 4, "git"),
            ("git push", 2, ""),
            ("größe é", 7, "größe"),
            ("größe é", 6, ""),
        ] {
            assert_eq!(whole_words(text, most), expected, "{text} {most}");
        }
    }

    #[test]
    fn last_words_are_whole_or_absent() {
        for (text, most, expected) in [
            ("git push", 8, "git push"),
            ("git push", 7, "push"),
            ("git push", 4, "push"),
            ("git push", 3, ""),
            ("é größe", 7, "größe"),
            ("é größe", 6, ""),
        ] {
            assert_eq!(whole_last_words(text, most), expected, "{text} {most}");
        }
    }

    #[test]
    fn values_are_whole_or_absent() {
        for (text, most, expected) in [
            (r#"{"a":"xyz","b":"uvw"}"#, 17, r#"{"a":"xyz","b":"#),
            (r#"{"a":"xyz","b":"uvw"}"#, 19, r#"{"a":"xyz","b":"uvw"#),
            ("one two three", 9, "one two"),
            ("a b,c,d,e", 8, "a b,c,d"),
            ("xyzxyz", 4, ""),
        ] {
            assert_eq!(whole_values(text, most), expected, "{text} {most}");
        }
    }
}
