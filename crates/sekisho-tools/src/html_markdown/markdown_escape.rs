//! Escapes words that Markdown would read as markup.

/// Where a word stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WordPlace {
    /// Nothing is before it on its line.
    pub(super) starts_line: bool,
    /// It is in a table.
    pub(super) is_in_cell: bool,
}

/// Writes a word so that Markdown shows it as it is.
pub(super) fn push_escaped(out: &mut String, word: &str, place: WordPlace) {
    if place.starts_line && push_line_start(out, word) {
        return;
    }
    if !word.bytes().any(is_special) {
        out.push_str(word);
        return;
    }
    let has_semicolon = word.contains(';');
    let mut before = None;
    let mut rest = word.chars().peekable();
    while let Some(c) = rest.next() {
        let after = rest.peek().copied();
        let is_markup = match c {
            '*' | '`' | '[' | ']' => true,
            '|' => place.is_in_cell,
            '_' => !is_within_word(before, after),
            '<' => after.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')),
            '\\' => after.is_some_and(|c| c.is_ascii_punctuation()),
            '&' => has_semicolon && after.is_some_and(|c| c.is_ascii_alphabetic() || c == '#'),
            '~' => after == Some('~') || before == Some('~'),
            _ => false,
        };
        if is_markup {
            out.push('\\');
        }
        out.push(c);
        before = Some(c);
    }
}

fn is_special(byte: u8) -> bool {
    matches!(byte, b'*' | b'`' | b'[' | b']' | b'|' | b'_' | b'<' | b'\\' | b'~' | b'&')
}

fn is_within_word(before: Option<char>, after: Option<char>) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    is_letter(before) && is_letter(after)
}

/// Writes a word that would begin a heading, a quotation, a list or a rule. False if it would not.
fn push_line_start(out: &mut String, word: &str) -> bool {
    let all = |c: char| word.chars().all(|own| own == c);
    let digits = word.trim_end_matches(['.', ')']);
    let is_number = digits.len() + 1 == word.len() && digits.len() < 10;
    if is_number && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        out.push_str(digits);
        out.push('\\');
        out.push_str(word.get(digits.len()..).unwrap_or_default());
        return true;
    }
    let is_markup = match word.chars().next() {
        Some('#') => all('#') && word.len() < 7,
        Some('-' | '+') => word.len() == 1 || all('-'),
        Some('=') => all('='),
        Some('>') => true,
        Some('~') => word.starts_with("~~~"),
        _ => false,
    };
    if is_markup {
        out.push('\\');
        out.push_str(word);
    }
    is_markup
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_look() {
        for (word, starts_line, expected) in [
            ("plain", true, "plain"),
            ("a*b", false, "a\\*b"),
            ("snake_case_name", false, "snake_case_name"),
            ("_x_", false, "\\_x\\_"),
            ("[hidden:", false, "\\[hidden:"),
            ("<script>", false, "\\<script>"),
            ("a<b", false, "a\\<b"),
            ("1<2", false, "1<2"),
            ("C:\\dir", false, "C:\\dir"),
            ("\\*", false, "\\\\\\*"),
            ("#", true, "\\#"),
            ("#", false, "#"),
            ("#tag", true, "#tag"),
            ("-", true, "\\-"),
            ("-5", true, "-5"),
            ("---", true, "\\---"),
            (">", true, "\\>"),
            ("1.", true, "1\\."),
            ("1.", false, "1."),
            ("1.5", true, "1.5"),
            ("12)", true, "12\\)"),
            ("a|b", false, "a|b"),
            ("&amp;", false, "\\&amp;"),
            ("a&b", false, "a&b"),
            ("~~x~~", false, "\\~\\~x\\~\\~"),
        ] {
            let mut out = String::new();
            push_escaped(&mut out, word, WordPlace { starts_line, is_in_cell: false });
            assert_eq!(out, expected, "{word}");
        }
        let mut out = String::new();
        push_escaped(&mut out, "a|b", WordPlace { starts_line: false, is_in_cell: true });
        assert_eq!(out, "a\\|b");
    }
}
