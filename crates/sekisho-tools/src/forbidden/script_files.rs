//! Scripts that a text runs by their names and cannot have written.
//!
//! What such a text writes to other files is not run by it, so it is not searched as a shell text. In doubt it is.

use std::collections::BTreeSet;

use sekisho_policy::PlannedCommands;
use sekisho_shell::word::Word;

use super::budget::Budget;
use super::renamed_programs::file_name;
use super::resolved_arguments::Argument;
use super::shell_options::is_shell;

/// Programs that open no file that they are given, or only change its mode.
const OPENS_NONE: [&str; 14] =
    [":", "[", "[[", "cd", "chmod", "echo", "exit", "false", "printf", "pwd", "set", "sleep", "test", "true"];
/// Programs that write no file whose name or contents are not in their arguments. What a project's own programs do is not
/// known, whatever the text writes.
const HARMLESS: [&str; 24] = [
    "cargo",
    "cat",
    "date",
    "du",
    "egrep",
    "fgrep",
    "git",
    "go",
    "grep",
    "head",
    "ls",
    "mkdir",
    "npm",
    "pip",
    "pip3",
    "pnpm",
    "pytest",
    "rg",
    "shellcheck",
    "tail",
    "touch",
    "tsc",
    "wc",
    "yarn",
];
/// Options of shells that have no value, and with which the script is the next word.
const PLAIN_OPTIONS: &str = "efnuvx";

/// What a command does with scripts.
enum Script {
    /// It runs none.
    None,
    /// It runs the one with this file name.
    Named(String),
    /// It may run one, and it is not known which.
    Unknown,
}

/// Whether each script that a text runs is named, and nothing in the text may have made that file.
pub(super) fn are_of_others(plan: &PlannedCommands, commands: &[Vec<Argument>], budget: &Budget) -> bool {
    let mut names: BTreeSet<String> = BTreeSet::new();
    for command in &plan.commands {
        match script(&command.words) {
            Script::None => {}
            Script::Named(name) => drop(names.insert(name)),
            Script::Unknown => return false,
        }
    }
    let is_other = |name: &String, word: &Argument| {
        budget.spend(word.text.len())
            && !word.text.to_ascii_lowercase().contains(&name.to_ascii_lowercase())
            && !word.may_end_in(name)
    };
    let is_no_script = |word: &Argument| names.iter().all(|name| is_other(name, word));
    let is_target = |word: &Word| word.literal().is_some_and(|text| is_no_script(&Argument::literal(&text)));
    plan.redirect_targets.iter().all(is_target)
        && commands.iter().filter(|arguments| !arguments.first().is_some_and(runs_script)).all(|arguments| {
            let opens_none = arguments.first().is_some_and(|name| OPENS_NONE.contains(&name.text.as_str()));
            opens_none || is_harmless(arguments) && arguments.iter().all(is_no_script)
        })
}

fn runs_script(program: &Argument) -> bool {
    matches!(program.text.as_str(), "." | "source") || is_shell(program)
}

/// `bash -x a.sh`, `. a.sh`
fn script(words: &[Word]) -> Script {
    let Some((program, rest)) = words.split_first() else { return Script::None };
    let Some(program) = program.literal().map(|name| Argument::literal(&name)) else {
        return Script::Unknown;
    };
    if !runs_script(&program) {
        return Script::None;
    }
    let is_option = |word: &&Word| {
        let letters = word.literal().and_then(|text| text.strip_prefix('-').map(str::to_owned));
        letters
            .is_some_and(|letters| !letters.is_empty() && letters.chars().all(|c| PLAIN_OPTIONS.contains(c)))
    };
    let name = rest.iter().find(|word| !is_shell(&program) || !is_option(word)).and_then(Word::literal);
    match name.filter(|name| is_file(name)) {
        Some(name) => Script::Named(file_name(&name).to_owned()),
        None => Script::Unknown,
    }
}

/// Whether a word names a file that is no input: neither `-` nor `/dev/stdin`, in any directory.
fn is_file(name: &str) -> bool {
    let last = file_name(name);
    let is_descriptor = last == "stdin" || last.chars().all(|c| c.is_ascii_digit());
    !is_descriptor
        && !name.starts_with(['-', '+'])
        && !name.starts_with("/dev/")
        && !name.starts_with("/proc/")
}

/// Whether a command neither makes nor renames files by its arguments.
fn is_harmless(arguments: &[Argument]) -> bool {
    let Some((program, rest)) = arguments.split_first() else { return true };
    let is_module = || rest.first().is_some_and(|word| word.text == "-m");
    let is_python = ["python", "python3"].iter().any(|name| program.runs(name));
    HARMLESS.contains(&program.text.as_str()) || is_python && is_module()
}
