//! What loops of a text assign, and whether they change directories.

use sekisho_shell::script::{Script, ScriptItem};

use super::directory_settings::mentions;

/// Positions of the assignments that `for` makes: they follow the word in the items.
pub(super) fn loop_assignments(script: &Script) -> Vec<usize> {
    let mut looped = Vec::new();
    let mut after_for = false;
    for item in &script.items {
        match item {
            ScriptItem::Operator("for") => after_for = true,
            ScriptItem::Operator("in") => {}
            ScriptItem::Assignment(at) if after_for => looped.push(*at),
            _ => after_for = false,
        }
    }
    looped
}

/// Whether a `cd` in a loop may run before a command that precedes it in the text, in the next iteration.
pub(super) fn may_repeat(script: &Script, source: &str) -> bool {
    const LOOPS: [&str; 4] = ["for", "while", "until", "select"];
    let moves = |at: usize| {
        let mut words = script.commands.get(at).into_iter().flat_map(|command| &command.words);
        let name = words.next().and_then(|word| word.literal()).unwrap_or_default();
        match name.as_ref() {
            "cd" | "pushd" | "popd" => true,
            // They run others here, perhaps from a text.
            "." | "builtin" | "command" | "eval" | "source" | "time" => {
                words.any(|word| word.literal().is_some_and(|text| mentions(&text)))
                    || mentions_outside_words(script, source, at)
            }
            _ => false,
        }
    };
    let mut outside: Vec<bool> = (0..script.commands.len()).map(moves).collect();
    if !outside.contains(&true) {
        return false;
    }
    let mut depth = 0_usize;
    for item in &script.items {
        match item {
            ScriptItem::Operator(word) if LOOPS.contains(word) => depth += 1,
            // A loop in braces has no `done`: everything after it counts as inside.
            ScriptItem::Operator("done") => depth = depth.saturating_sub(1),
            ScriptItem::Command(at) if depth > 0 && moves(*at) => return true,
            ScriptItem::Command(at) => outside.get_mut(*at).into_iter().for_each(|outside| *outside = false),
            _ => {}
        }
    }
    // The remaining commands are in substitutions, which the items do not include.
    outside.contains(&true) && LOOPS.iter().any(|word| source.contains(word))
}

/// Whether a command names one that changes the directory somewhere else than in its words: in a substitution, or in what it
/// reads.
fn mentions_outside_words(script: &Script, source: &str, at: usize) -> bool {
    let Some(command) = script.commands.get(at) else { return false };
    let written = source.get(command.span.start as usize..command.span.end as usize);
    let mut read = command.redirects.iter().filter_map(|at| script.redirects.get(*at));
    written.is_some_and(mentions)
        || read.any(|redirect| redirect.target.literal().is_some_and(|text| mentions(&text)))
}
