//! Where a shell that is kept may be after a text.

use sekisho_shell::Budget;
use sekisho_shell::script::OpaqueKind;
use sekisho_shell::word::{Piece, Word};

use super::execution_plan::{ExecutionPlan, PlanText, Step};
use super::working_directories::WorkingDirectories;

/// Where a shell is during a text and after it, if it began in one of some directories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShellPlaces {
    /// One of these directories, and nowhere else. Absolute, perhaps with `..` in it.
    Known(Vec<String>),
    /// Perhaps in another directory.
    Unknown,
    /// Perhaps in another directory, and what `cd` does may have changed.
    Changed,
}

/// Variables that say where `cd` goes, or that a shell runs by itself.
const VARIABLES: [&str; 7] = ["CDPATH", "DIRSTACK", "HOME", "OLDPWD", "PROMPT_COMMAND", "PS0", "PWD"];
/// Commands that set the variables in their arguments.
const SETTERS: [&str; 9] =
    ["declare", "export", "getopts", "local", "mapfile", "printf", "read", "readonly", "typeset"];
/// Options of the shell that change neither `cd` nor what a name runs.
const OPTIONS: [&str; 27] = [
    "+e",
    "+eu",
    "+o",
    "+u",
    "+x",
    "--",
    "-e",
    "-eo",
    "-eu",
    "-euo",
    "-eux",
    "-euxo",
    "-o",
    "-q",
    "-s",
    "-u",
    "-ue",
    "-ux",
    "-x",
    "dotglob",
    "errexit",
    "extglob",
    "globstar",
    "nocasematch",
    "nounset",
    "nullglob",
    "pipefail",
];
/// Shells, which read what follows if they are given nothing else.
const SHELLS: [&str; 7] = ["ash", "bash", "dash", "fish", "ksh", "sh", "zsh"];

/// Where a shell may be during a text and after it. It begins in one of the `starts`.
pub fn shell_places(text: &str, starts: &[String], home: Option<&str>) -> ShellPlaces {
    let mut budget = Budget::default();
    let mut places: Vec<String> = Vec::new();
    let mut is_known = true;
    for start in starts {
        let (plan, end) = ExecutionPlan::followed(budget, text, Some(start), home);
        if plan.budget.is_spent() {
            return ShellPlaces::Changed;
        }
        match effect(&plan) {
            Effect::Follows => {}
            Effect::Leads => is_known = false,
            Effect::Changes => return ShellPlaces::Changed,
        }
        let passed = plan.steps.iter().map(Step::redirect_directories);
        for directory in passed.chain([&end]).flat_map(WorkingDirectories::iter) {
            match directory {
                None => is_known = false,
                Some(directory) if places.iter().any(|place| place == directory) => {}
                Some(directory) => places.push(directory.to_owned()),
            }
        }
        budget = plan.budget;
    }
    if is_known { ShellPlaces::Known(places) } else { ShellPlaces::Unknown }
}

/// What a text does to the shell, as far as directories are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    /// Its `cd`s lead where the plan says.
    Follows,
    /// They may lead elsewhere.
    Leads,
    /// Those of later texts may, too.
    Changes,
}

fn effect(plan: &ExecutionPlan) -> Effect {
    let moves = plan.steps.iter().any(moves_shell);
    let of_texts = plan.texts.iter().map(|text| effect_of_text(text, moves));
    let of_steps = plan.steps.iter().map(effect_of_step);
    of_texts.chain(of_steps).max().unwrap_or(Effect::Follows)
}

/// Assignments, functions, and what was not understood.
fn effect_of_text(text: &PlanText, moves: bool) -> Effect {
    let assigns = |name: &str| VARIABLES.contains(&name);
    if text.script.assignments.iter().any(|one| assigns(&one.name) && !one.temporary) {
        return Effect::Changes;
    }
    let mut effect = Effect::Follows;
    // For one command only, which may be `cd`.
    if moves && text.script.assignments.iter().any(|one| assigns(&one.name)) {
        effect = Effect::Leads;
    }
    for part in &text.script.opaque {
        let source = text.source.get(part.span.start as usize..part.span.end as usize).unwrap_or_default();
        effect = effect.max(match part.kind {
            OpaqueKind::Function if defines_command(source) => Effect::Changes,
            // It may run more than once, and in another order.
            OpaqueKind::Function
            | OpaqueKind::Construct
            | OpaqueKind::HiddenCharacter
            | OpaqueKind::TooDeep
            | OpaqueKind::TooLong
            | OpaqueKind::Unparsed
                if moves =>
            {
                Effect::Leads
            }
            _ => Effect::Follows,
        });
    }
    effect
}

/// Whether a definition gives another meaning to a command that changes the directory, or that runs one.
fn defines_command(definition: &str) -> bool {
    let name = definition.trim_start().strip_prefix("function ").unwrap_or(definition).trim_start();
    let name = name.split(|c: char| c.is_whitespace() || c == '(' || c == '{').next().unwrap_or_default();
    matches!(name, "cd" | "pushd" | "popd" | "builtin" | "command" | "eval")
}

fn moves_shell(step: &Step) -> bool {
    let name = step.words.first().and_then(|word| word.literal());
    matches!(name.as_deref(), Some("cd" | "pushd" | "popd"))
}

fn effect_of_step(step: &Step) -> Effect {
    let Some((name, arguments)) = step.words.split_first() else { return Effect::Follows };
    let Some(literal) = name.literal() else {
        // A path is no builtin.
        let is_path =
            name.pieces.iter().any(|piece| matches!(piece, Piece::Literal(text) if text.contains('/')));
        return if is_path { Effect::Follows } else { Effect::Leads };
    };
    let literals = || arguments.iter().map(Word::literal);
    let is_rotation = |word: &Word| word.prefix().starts_with(['+', '-']);
    match literal.as_ref() {
        // `-n` does not move, and a number leads back to a place that may be forgotten.
        "pushd" | "popd" if arguments.iter().any(is_rotation) => Effect::Leads,
        "pushd" if arguments.is_empty() => Effect::Leads,
        "autoload" | "bind" | "chdir" | "disable" | "enable" | "setopt" | "unsetopt" | "zmodload" => {
            Effect::Changes
        }
        "alias" | "complete" | "trap" if literals().any(|text| text.is_none_or(|text| mentions(&text))) => {
            Effect::Changes
        }
        "eval" if literals().any(|text| text.is_none()) => Effect::Changes,
        "exec" if !arguments.is_empty() => Effect::Changes,
        "set" | "shopt" if !sets_known_options(arguments) => Effect::Changes,
        setter if SETTERS.contains(&setter) && sets_variables(setter, arguments) => Effect::Changes,
        shell if SHELLS.contains(&shell) && arguments.is_empty() => Effect::Changes,
        _ => Effect::Follows,
    }
}

fn sets_known_options(arguments: &[Word]) -> bool {
    let words: Option<Vec<_>> = arguments.iter().map(Word::literal).collect();
    words.is_some_and(|words| {
        let options = words.iter().take_while(|word| word.as_ref() != "--");
        options.clone().all(|word| OPTIONS.contains(&word.as_ref()))
    })
}

/// Whether a command sets one of the variables, or one that is not known.
fn sets_variables(setter: &str, arguments: &[Word]) -> bool {
    if setter == "printf" && arguments.first().is_none_or(|word| word.literal().as_deref() != Some("-v")) {
        return false;
    }
    // In a format or a value the name is only text.
    let names = if setter == "printf" { arguments.get(1..2).unwrap_or_default() } else { arguments };
    names.iter().any(|word| {
        let start = word.prefix();
        let name = start.split(['=', '[', '+']).next().unwrap_or_default();
        let is_cut = word.literal().is_none() && !start.contains('=');
        is_cut || VARIABLES.contains(&name)
    })
}

/// Whether a text that is run later may change the directory.
fn mentions(text: &str) -> bool {
    let is_name = |word: &str| matches!(word, "cd" | "chdir" | "popd" | "pushd");
    text.split(|c: char| !c.is_ascii_alphanumeric()).any(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str) -> ShellPlaces {
        shell_places(text, &["/p".to_owned()], Some("/home/u"))
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let ShellPlaces::Known(mut found) = places(text) else { panic!("{text}: {:?}", places(text)) };
        found.sort_unstable();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn known_changes_are_followed() {
        for text in [
            "ls",
            "x=$(date); echo $x",
            "git -C /x log",
            "printf $'a\\n'",
            "echo 'cd x'",
            "cat <<'E'\ncd x\nE",
            "# cd x",
            "git commit -m 'fix cd'",
            "MSG='cd to x'; git commit -m \"$MSG\"",
            "grep -rn autocd .",
            "ENV=prod npm test",
            "HOME=/tmp npm test",
            "export PATH=\"$HOME/bin:$PATH\"",
            "\"$VIRTUAL_ENV/bin/python\" x.py",
            "set -euo pipefail; shopt -s nullglob",
            "printf '%s\\n' $x",
            "cat x | while read -r line; do echo $line; done",
            "f() { ls; }; f",
        ] {
            check(text, &["/p"]);
        }
        check("cd .git", &["/p", "/p/.git"]);
        check("c\\d /x", &["/p", "/x"]);
        check("cd -- '.g'it/", &["/p", "/p/.git"]);
        check("$'\\143d' x", &["/p", "/p/x"]);
        check("cd sub && cargo test 2>&1", &["/p", "/p/sub"]);
        check("(cd sub && make) | tail", &["/p", "/p/sub"]);
        check("builtin cd x", &["/p", "/p/x"]);
        check("eval cd 'y'", &["/p", "/p/y"]);
        check("cat <<E\nit's\nE\ncd x", &["/p", "/p/x"]);
        check("cd ~ && ls", &["/home/u", "/p"]);
        check("cd $PWD/src && ls", &["/p", "/p/src"]);
        check("cd sub && cd .. && ls", &["/p", "/p/sub", "/p/sub/.."]);
        check("cd src && cd - && cd .git", &["/p", "/p/.git", "/p/src"]);
    }

    #[test]
    fn changes_that_are_not_told_lead_anywhere() {
        for text in [
            "cd $x",
            "cd \"$(pwd)\"",
            "cd *",
            "x=$(a); $x y",
            "for i in 1 2 3; do cd ..; done",
            "f() { cd ..; }; f; f",
            "pushd +1",
            "pushd -n none",
            "cd -P lnk/..",
            "CDPATH=/x cd y",
        ] {
            assert_eq!(places(text), ShellPlaces::Unknown, "{text}");
        }
    }

    #[test]
    fn what_changes_later_commands_is_told() {
        for text in [
            "alias q='cd x'",
            "alias cd=ls",
            "trap 'cd x' DEBUG",
            "eval \"$x\"",
            "CDPATH=/x; ls",
            "export CDPATH=.git",
            "declare OLDPWD=.git",
            "read CDPATH",
            "printf -v CDPATH .git",
            "export $(cat .env)",
            "shopt -s autocd",
            "shopt -s auto''cd",
            "shopt -s cdable_vars",
            "set -P",
            "set -o physical",
            "setopt AUTO_CD",
            "chdir x",
            "env -C .git bash",
            "exec env -C .git bash",
            "cd() { :; }",
            "function cd { :; }",
            "enable -n cd",
        ] {
            assert_eq!(places(text), ShellPlaces::Changed, "{text}");
        }
    }
}
