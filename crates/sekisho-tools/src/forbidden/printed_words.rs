//! Words that a command prints or searches for, and does not open.

use super::resolved_arguments::Argument;

/// Programs that print their arguments.
const PRINTERS: [&str; 2] = ["echo", "printf"];
/// Programs whose first operand is what they search for. `ag` is none of them: its options may or may not have a value.
const SEARCHERS: [&str; 4] = ["grep", "egrep", "fgrep", "rg"];
/// Letters of their options that have a value in every one of them that has the option.
const VALUES: &str = "efmABCdDgtjM";

/// The words of a command that are only text to it: what `echo` prints, or the expression of `grep`.
#[derive(Clone, Copy)]
pub(super) enum TextWords {
    None,
    /// The word at this place.
    One(usize),
    /// All words behind the program.
    Arguments,
}

impl TextWords {
    /// Reads the whole command, so this is done once for all of its words.
    pub(super) fn of(arguments: &[Argument]) -> TextWords {
        let Some(program) = arguments.first() else { return TextWords::None };
        if PRINTERS.iter().any(|name| program.text == *name) {
            // `printf -v name value` sets a variable.
            let sets_variable = arguments.get(1).is_some_and(|word| word.text == "-v");
            return if sets_variable { TextWords::None } else { TextWords::Arguments };
        }
        let is_searcher = SEARCHERS.iter().any(|name| program.runs(name));
        let place = if is_searcher { expression(arguments) } else { None };
        place.map_or(TextWords::None, TextWords::One)
    }

    /// Whether the word at a place is one of them.
    pub(super) fn contains(self, at: usize) -> bool {
        match self {
            TextWords::None => false,
            TextWords::One(place) => place == at,
            TextWords::Arguments => at > 0,
        }
    }
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
            assert_eq!(TextWords::of(&words).contains(at), expected, "{text} {at}");
        }
    }
}
