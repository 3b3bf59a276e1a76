//! Options of shells that export every variable.

use sekisho_policy::PlannedCommands;

use super::ForbiddenCode;
use super::resolved_arguments::Argument;

const SHELLS: [&str; 9] = ["bash", "sh", "dash", "ash", "ksh", "mksh", "rbash", "zsh", "yash"];

pub(super) fn is_shell(program: &Argument) -> bool {
    SHELLS.iter().any(|name| program.runs(name))
}

/// Whether a word is the option `allexport`, or `keyword`, which exports assignments behind a command's name. Some
/// shells ignore case and underscores.
pub(super) fn is_export_option(word: &Argument) -> bool {
    word.text.replace('_', "").eq_ignore_ascii_case("allexport") || word.text == "keyword"
}

/// Whether the options of `set` or of a shell export variables: `-a`, `-k`, `-o allexport` or `-o keyword`, in any bundle.
pub(super) fn exports_all(words: &[Argument]) -> bool {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        let Some(letters) = text.strip_prefix(['-', '+']).filter(|letters| !letters.is_empty()) else {
            return false;
        };
        if letters.starts_with('-') {
            // `--` ends the options of `set`; a shell has long ones.
            match letters {
                "-" => return false,
                "-rcfile" | "-init-file" => drop(words.next()),
                _ => {}
            }
            continue;
        }
        let switches_on = text.starts_with('-');
        if switches_on && letters.contains(['a', 'k']) {
            return true;
        }
        // Each takes its value from the next word, wherever it is in the bundle.
        for _ in letters.matches(['o', 'O']) {
            if words.next().is_some_and(is_export_option) && switches_on {
                return true;
            }
        }
    }
    false
}

/// `SHELLOPTS=allexport sh`, `SHELLOPTS=keyword sh`.
pub(super) fn exports_by_assignment(plan: &PlannedCommands) -> Option<ForbiddenCode> {
    let sets = |value: &str| value.split(':').any(|option| matches!(option, "allexport" | "keyword"));
    let found = plan
        .assignments
        .iter()
        .any(|(name, value)| name == "SHELLOPTS" && value.literal().is_some_and(|value| sets(&value)));
    found.then_some(ForbiddenCode::ExportVariable)
}
