//! Words that a command prints or searches for, and does not open.

use super::resolved_arguments::Argument;

/// Programs that print their arguments.
const PRINTERS: [&str; 2] = ["echo", "printf"];
/// Programs whose first operand is what they search for. `ag` is none of them: its options may or may not have a value.
const SEARCHERS: [&str; 4] = ["grep", "egrep", "fgrep", "rg"];
/// Letters of their options that have a value in every one of them that has the option.
const VALUES: &str = "efmABCdDgtjM";

/// Whether a word of a command is only text to it: what `echo` prints, or the expression of `grep`.
pub(super) fn is_only_text(arguments: &[Argument], at: usize) -> bool {
    let Some(program) = arguments.first().filter(|_| at > 0) else { return false };
    if PRINTERS.iter().any(|name| program.text == *name) {
        // `printf -v name value` sets a variable.
        return arguments.get(1).is_none_or(|word| word.text != "-v");
    }
    SEARCHERS.iter().any(|name| program.runs(name)) && expression(arguments) == Some(at)
}

/// The place of the expression. `None` if an option gives it, or may.
fn expression(arguments: &[Argument]) -> Option<usize> {
    let is_given = |text: &str| match text.strip_prefix('-') {
        Some(long) if long.starts_with('-') => !long.contains("color") && !long.contains("line-number"),
        Some(short) => short.contains(['e', 'f']),
        None => false,
    };
    let options = arguments.iter().take_while(|word| word.text != "--");
    if options.skip(1).any(|word| is_given(&word.text)) {
        return None;
    }
    let mut at = 1;
    while let Some(letters) = arguments.get(at)?.text.strip_prefix('-').filter(|letters| !letters.is_empty())
    {
        at += 1;
        if letters == "-" {
            break;
        }
        let takes_value = letters.len() == 1 && VALUES.contains(letters);
        at += usize::from(takes_value);
    }
    arguments.get(at).map(|_| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_told_from_files() {
        for (text, at, expected) in [
            ("echo a b", 2, true),
            ("printf -v a b", 3, false),
            ("cat a", 1, false),
            ("grep a b", 1, true),
            ("grep a b", 2, false),
            ("grep -rn a b", 2, true),
            ("grep -e a b", 3, false),
            ("grep -A 1 a b", 3, true),
            ("grep --file=x a", 2, false),
            ("grep -f x a", 3, false),
        ] {
            let words: Vec<Argument> = text.split(' ').map(Argument::literal).collect();
            assert_eq!(is_only_text(&words, at), expected, "{text} {at}");
        }
    }
}
