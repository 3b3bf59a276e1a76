//! Here-documents that are written to files as they are.

use sekisho_policy::{PlannedCommand, PlannedCommands};
use sekisho_shell::word::Word;

/// Programs that change no text, and open no file that their input names.
const PLAIN: [&str; 17] = [
    ":", "[", "cat", "cd", "chmod", "echo", "false", "head", "ls", "mkdir", "printf", "pwd", "tail", "tee",
    "test", "touch", "true",
];

/// Whether nothing in a text can change what it writes, or read it in another way: every word is written out, and every
/// program is plain or one of some others. In doubt it can.
pub(super) fn are_only_written(plan: &PlannedCommands, is_other: &dyn Fn(&str) -> bool) -> bool {
    let is_plain = |command: &PlannedCommand| is_plain(command, is_other);
    !plan.is_cut && plan.assignments.is_empty() && plan.commands.iter().all(is_plain)
}

fn is_plain(command: &PlannedCommand, is_other: &dyn Fn(&str) -> bool) -> bool {
    let words: Option<Vec<_>> = command.words.iter().map(Word::literal).collect();
    let Some(words) = words else { return false };
    let Some((program, rest)) = words.split_first() else { return true };
    // `wc --files0-from=-`, `date -f -`
    let reads_names = || rest.iter().any(|word| word.starts_with("--f") || word.starts_with("-f"));
    match program.as_ref() {
        "wc" | "date" => !reads_names(),
        name => PLAIN.contains(&name) || is_other(name),
    }
}

#[cfg(test)]
mod tests {
    use sekisho_policy::planned_commands;

    use super::are_only_written;

    #[test]
    fn documents_that_are_only_written_are_told_from_others() {
        for (text, expected) in [
            ("cat > a <<E\nx\nE", true),
            ("mkdir -p d && tee d/a <<'E'\nx\nE\nwc -l d/a", true),
            ("cat > a <<E\nx\nE\nxargs cat < a", false),
            ("cat $(cat <<E\nx\nE\n)", false),
            ("wc --files0-from=- <<E\nx\nE", false),
            ("PATH=d:$PATH; cat <<E\nx\nE", false),
            ("while read f; do cat \"$f\"; done <<E\nx\nE", false),
        ] {
            assert_eq!(are_only_written(&planned_commands(text), &|_| false), expected, "{text}");
        }
    }
}
