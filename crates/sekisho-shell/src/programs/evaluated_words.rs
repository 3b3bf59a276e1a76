//! Words that zsh evaluates as arithmetic, where bash takes them for numbers: operands of `exit`, arguments of `printf '%d'`,
//! the descriptor of `test -t`. A subscript in such a word can run commands: `exit 'a[$(rm x)]'`.

use super::arguments::{ParsedArguments, is_literal};
use super::table_schema::ArithmeticWords;
use crate::word::Word;

/// What an argument of a format is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArgumentKind {
    Text,
    /// Evaluated. A quote in front gives the code of the character behind it.
    Number,
    /// `*`: evaluated, where zsh skips a quote in front.
    Width,
}

/// The positions of the evaluated words that are not written as numbers.
pub(super) fn evaluated_words(
    which: ArithmeticWords,
    words: &[Word],
    scan: &ParsedArguments<'_>,
) -> Vec<usize> {
    let candidates: Vec<(usize, ArgumentKind)> = match which {
        ArithmeticWords::Operands => scan.operands.iter().map(|at| (*at, ArgumentKind::Width)).collect(),
        ArithmeticWords::Terminal => {
            let is_terminal = |word: &Word| is_literal(word) && word.prefix() == "-t";
            let after = words.iter().enumerate().skip(1).filter(|(_, word)| is_terminal(word));
            after.map(|(at, _)| (at + 1, ArgumentKind::Width)).collect()
        }
        ArithmeticWords::Conversions => conversions(words, &scan.operands),
    };
    let is_written = |word: &Word, kind| {
        let quotes = kind == ArgumentKind::Number && word.prefix().starts_with(['\'', '"']);
        is_literal(word) && (quotes || is_number(word.prefix()))
    };
    let is_open =
        |(at, kind): &(usize, ArgumentKind)| words.get(*at).is_some_and(|word| !is_written(word, *kind));
    candidates.into_iter().filter(is_open).map(|(at, _)| at).collect()
}

/// The arguments of a format that are evaluated.
fn conversions(words: &[Word], operands: &[usize]) -> Vec<(usize, ArgumentKind)> {
    let Some((format, arguments)) = operands.split_first() else { return Vec::new() };
    let format = words.get(*format).filter(|word| is_literal(word)).map(Word::prefix);
    let kinds = format.map_or(vec![ArgumentKind::Width], argument_kinds);
    // A word that may become several moves the others.
    let moves = arguments.iter().any(|at| words.get(*at).is_some_and(Word::may_split));
    let any = moves && kinds.iter().any(|kind| *kind != ArgumentKind::Text);
    let each = arguments.iter().copied().zip(kinds.into_iter().cycle());
    if any {
        each.map(|(at, _)| (at, ArgumentKind::Width)).collect()
    } else {
        each.filter(|(_, kind)| *kind != ArgumentKind::Text).collect()
    }
}

/// What each argument is that a format takes.
fn argument_kinds(format: &str) -> Vec<ArgumentKind> {
    let mut kinds = Vec::new();
    let mut conversions = format.split('%').skip(1);
    while let Some(conversion) = conversions.next() {
        // `%%`
        if conversion.is_empty() {
            conversions.next();
            continue;
        }
        let flags = conversion
            .find(|c: char| !(c.is_ascii_digit() || "#- +'*.hlLjzt$".contains(c)))
            .unwrap_or(conversion.len());
        let (flags, rest) = conversion.split_at_checked(flags).unwrap_or_default();
        kinds.extend(flags.chars().filter(|c| *c == '*').map(|_| ArgumentKind::Width));
        let is_text = rest.starts_with(['s', 'b', 'q', 'Q', 'c']);
        kinds.push(if is_text { ArgumentKind::Text } else { ArgumentKind::Number });
    }
    kinds
}

/// Whether a text is a number or empty. Anything else may be the name of a variable.
pub fn is_number(text: &str) -> bool {
    if text.is_empty() {
        return true;
    }
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let text = text.trim().trim_start_matches(['-', '+']);
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return !hex.is_empty() && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    }
    let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let is_decimal = match number.split_once('.') {
        Some(("", part)) => digits(part),
        Some((whole, part)) => digits(whole) && (part.is_empty() || digits(part)),
        None => digits(number),
    };
    is_decimal && digits(exponent.trim_start_matches(['-', '+']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_that_no_variable_can_be_named_like() {
        for text in ["0", "-5", "+5", " 7 ", "1.5", ".5", "1.", "0x1F", "1e3", "1E-3", ""] {
            assert!(is_number(text), "{text}");
        }
        for text in
            ["a", "1a", "a[1]", "0x", "1e", "e3", "-", ".", "1+b", "1 b", "16#ff", "psvar[$(x)]", "'a", "\"a"]
        {
            assert!(!is_number(text), "{text}");
        }
    }

    #[test]
    fn conversions_tell_which_arguments_are_numbers() {
        use ArgumentKind::{Number, Text, Width};
        for (format, expected) in [
            ("%s", vec![Text]),
            ("%d %s", vec![Number, Text]),
            ("%-*s|%.*f", vec![Width, Text, Width, Number]),
            ("100%% %5.2f\\n", vec![Number]),
            ("%%d", vec![]),
            ("%q%b%c", vec![Text, Text, Text]),
            ("%(%F)T", vec![Number, Number]),
            ("%", vec![]),
        ] {
            assert_eq!(argument_kinds(format), expected, "{format}");
        }
    }
}
