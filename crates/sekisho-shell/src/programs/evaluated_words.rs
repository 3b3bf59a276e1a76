//! Words that zsh evaluates as arithmetic, where bash takes them for numbers: operands of `exit`, arguments of `printf '%d'`,
//! the descriptor of `test -t`. A subscript in such a word can run commands: `exit 'a[$(rm x)]'`.

use super::arguments::{ParsedArguments, is_literal};
use super::table_schema::ArithmeticWords;
use crate::word::Word;

/// The positions of the evaluated words that are not written as numbers.
pub(super) fn evaluated_words(
    which: ArithmeticWords,
    words: &[Word],
    scan: &ParsedArguments<'_>,
) -> Vec<usize> {
    let candidates: Vec<usize> = match which {
        ArithmeticWords::Operands => scan.operands.clone(),
        ArithmeticWords::Terminal => {
            let is_terminal = |word: &Word| is_literal(word) && word.prefix() == "-t";
            let after = words.iter().enumerate().skip(1).filter(|(_, word)| is_terminal(word));
            after.map(|(at, _)| at + 1).collect()
        }
        ArithmeticWords::Conversions => {
            let Some((format, arguments)) = scan.operands.split_first() else { return Vec::new() };
            let format = words.get(*format).filter(|word| is_literal(word)).map(Word::prefix);
            let are_numbers = format.map_or(vec![true], argument_kinds);
            // A word that may become several moves the others.
            let moves = arguments.iter().any(|at| words.get(*at).is_some_and(Word::may_split));
            let any = moves && are_numbers.contains(&true);
            let kinds = are_numbers.iter().cycle();
            arguments.iter().zip(kinds).filter(|(_, number)| any || **number).map(|(at, _)| *at).collect()
        }
    };
    let is_written = |word: &Word| is_literal(word) && is_number(word.prefix());
    candidates.into_iter().filter(|at| words.get(*at).is_some_and(|word| !is_written(word))).collect()
}

/// For each argument that a format takes, whether it is evaluated.
fn argument_kinds(format: &str) -> Vec<bool> {
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
        kinds.extend(flags.chars().filter(|c| *c == '*').map(|_| true));
        kinds.push(!rest.starts_with(['s', 'b', 'q', 'Q', 'c']));
    }
    kinds
}

/// Whether a text is a number, or a quote and a character, whose code it then is. Anything else may be the name of a variable.
pub fn is_number(text: &str) -> bool {
    if text.starts_with(['\'', '"']) || text.is_empty() {
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
        for text in ["0", "-5", "+5", " 7 ", "1.5", ".5", "1.", "0x1F", "1e3", "1E-3", "'a", "\"a", ""] {
            assert!(is_number(text), "{text}");
        }
        for text in ["a", "1a", "a[1]", "0x", "1e", "e3", "-", ".", "1+b", "1 b", "16#ff", "psvar[$(x)]"] {
            assert!(!is_number(text), "{text}");
        }
    }

    #[test]
    fn conversions_tell_which_arguments_are_numbers() {
        for (format, expected) in [
            ("%s", vec![false]),
            ("%d %s", vec![true, false]),
            ("%-*s|%.*f", vec![true, false, true, true]),
            ("100%% %5.2f\\n", vec![true]),
            ("%%d", vec![]),
            ("%q%b%c", vec![false, false, false]),
            ("%(%F)T", vec![true, true]),
            ("%", vec![]),
        ] {
            assert_eq!(argument_kinds(format), expected, "{format}");
        }
    }
}
