//! Numbers of jobs that a command takes from the number of processors.

use sekisho_shell::Budget;
use sekisho_shell::script::{Command, Script};
use sekisho_shell::word::{Piece, Word};

/// The number of jobs that stands for the number of processors.
const SOME_JOBS: &str = "8";

/// `-j$(nproc)` and `-j $(nproc)` are a number of jobs.
pub(super) fn know_jobs(commands: &mut [Command], script: &Script, source: &str, budget: &Budget) {
    if script.substitutions.is_empty() || !budget.spend(script.substitutions.len() + commands.len()) {
        return;
    }
    let counts = |word: &Word| {
        let written = source.get(word.span.start as usize..word.span.end as usize).unwrap_or_default();
        let written = written.strip_prefix(word.prefix()).unwrap_or_default().trim_matches('"');
        matches!(written, "$(nproc)" | "$(getconf _NPROCESSORS_ONLN)" | "$(sysctl -n hw.ncpu)")
    };
    for command in commands {
        let mut follows = false;
        for word in &mut command.words {
            let (option, is_number) = match word.pieces.as_slice() {
                [Piece::Substitution { .. }] => (None, follows),
                [Piece::Literal(option), Piece::Substitution { .. }] => {
                    (Some(option.clone()), matches!(option.as_str(), "-j" | "--jobs="))
                }
                _ => (None, false),
            };
            if is_number && counts(word) {
                *word = Word::new(word.span, option.unwrap_or_default() + SOME_JOBS);
            }
            follows = matches!(word.literal().as_deref(), Some("-j" | "--jobs"));
        }
    }
}
