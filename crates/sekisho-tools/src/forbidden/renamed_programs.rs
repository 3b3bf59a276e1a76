//! Programs that the text gives another name: `hash -p`, `BASH_CMDS`, `BASH_ALIASES`, aliases, links and copies.

use std::collections::BTreeSet;

use sekisho_policy::PlannedCommands;
use sekisho_shell::word::Word;

use super::budget::Budget;
use super::git_push::joined;
use super::resolved_arguments::Argument;

/// Programs that make a file with the contents of another.
const COPIERS: [&str; 5] = ["ln", "cp", "mv", "install", "link"];

/// Gives the commands that use another name of a program to `note`, with the program itself.
pub(super) fn find(
    plan: &PlannedCommands,
    commands: &[Vec<Argument>],
    budget: &Budget,
    note: &mut dyn FnMut(&str),
) {
    for (name, program) in names(plan, commands) {
        for arguments in commands.iter().take_while(|_| budget.spend(1)) {
            if let Some((used, words)) = arguments.split_first()
                && name.as_deref().is_none_or(|name| without_dot(&used.text) == without_dot(name))
            {
                note(&format!("{program} {}", joined(words)));
            }
        }
    }
}

/// A name, and the program that it stands for. Without a name, any command may be meant.
fn names(plan: &PlannedCommands, commands: &[Vec<Argument>]) -> Vec<(Option<String>, String)> {
    let mut found = Vec::new();
    for (name, value) in &plan.assignments {
        if name.starts_with("BASH_CMDS") || name.starts_with("BASH_ALIASES") {
            found.push((None, value.literal().unwrap_or_default().into_owned()));
        }
    }
    for arguments in commands {
        let Some((program, rest)) = arguments.split_first() else { continue };
        if program.text == "hash" {
            found.extend(hashed(rest));
        }
        if COPIERS.iter().any(|name| program.runs(name)) {
            found.extend(copied(rest));
        }
    }
    found
}

/// `hash -p /bin/rm foo`, also in one word and with other options.
fn hashed(words: &[Argument]) -> Vec<(Option<String>, String)> {
    let Some(at) = words.iter().position(|word| word.text.contains('/')) else { return Vec::new() };
    let path = words.get(at).map(|word| word.text.as_str()).unwrap_or_default();
    let path = path.find('/').and_then(|from| path.get(from..)).unwrap_or_default();
    let names = words.iter().skip(at + 1).filter(|word| !word.text.starts_with('-'));
    names.map(|name| (Some(name.text.clone()), path.to_owned())).collect()
}

/// `cp /bin/rm doc/z`
fn copied(words: &[Argument]) -> Vec<(Option<String>, String)> {
    let files = words.iter().filter(|word| !word.text.starts_with('-'));
    let files: Vec<&str> = files.map(|word| word.text.as_str()).collect();
    match files.as_slice() {
        [program, name] => vec![(Some((*name).to_owned()), (*program).to_owned())],
        _ => Vec::new(),
    }
}

/// Whether the text itself writes the file that a command is run from: `echo … > doc/s; doc/s`.
pub(super) fn runs_written_file(plan: &PlannedCommands, commands: &[Vec<Argument>]) -> bool {
    let targets = plan.redirect_targets.iter().filter_map(Word::literal).map(|text| text.into_owned());
    let written = commands.iter().filter(|arguments| {
        let program = arguments.first().map(|program| program.text.as_str());
        program.is_some_and(|name| matches!(name, "tee" | "dd" | "cp" | "mv" | "install" | "chmod"))
    });
    let named = written.flatten().map(|word| word.text.trim_start_matches("of=").to_owned());
    let paths = targets.chain(named).filter(|path| path.len() < LONGEST_PATH);
    let written: BTreeSet<String> = paths.map(|path| without_dot(&path).to_owned()).collect();
    let runs =
        |program: &Argument| program.text.contains('/') && written.contains(without_dot(&program.text));
    commands.iter().filter_map(|arguments| arguments.first()).any(runs)
}

/// Longer targets are here-documents.
const LONGEST_PATH: usize = 4096;

fn without_dot(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}
