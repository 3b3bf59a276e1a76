//! Scripts that can run nothing but what is written in them: they need not be followed to their end.
//!
//! Every command is a builtin that only prints, compares, counts and sets, or a function of the script. No text in it
//! can become a substitution, so arithmetic evaluates only numbers and names.

use std::collections::BTreeSet;

use super::parser::parse;
use super::spans::{End, length_until};
use super::syntax::{Command, List, Redirect, Stage};

const BUILTINS: [&str; 24] = [
    ":", "[", "break", "continue", "echo", "exit", "expr", "false", "let", "local", "printf", "read",
    "return", "seq", "shift", "sleep", "test", "time", "true", "unset", "wait", "bc", "date", "wc",
];
/// Variables that change what a shell runs.
const WATCHED: [&str; 10] =
    ["PATH", "IFS", "ENV", "BASH", "PROMPT", "PS", "SHELL", "LD_", "EDITOR", "FCEDIT"];

/// Whether a text is such a script. In doubt it is not.
pub(super) fn is_plain(text: &str) -> bool {
    // Quotes and backslashes could hide a substitution until a value is evaluated.
    let has_lone_sign = text.split('$').skip(1).any(|rest| {
        !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || "_{(@*#?!-".contains(c)) && !rest.is_empty()
    });
    let is_hidden = text.contains(['\'', '\\', '`']) || text.ends_with('$') || has_lone_sign;
    if is_hidden || ["<(", ">(", "<<"].iter().any(|operator| text.contains(operator)) {
        return false;
    }
    let script = parse(text);
    let mut functions = BTreeSet::new();
    names_in(&script.steps, &mut functions);
    !script.is_cut && is_plain_list(&script.steps, &functions)
}

/// The functions that a list defines.
fn names_in(list: &List, names: &mut BTreeSet<String>) {
    for stage in list.iter().flat_map(|step| &step.stages) {
        match &stage.command {
            Command::Function { name, .. } => drop(names.insert(name.clone())),
            Command::Group(list) => names_in(list, names),
            _ => {}
        }
    }
}

fn is_plain_list(list: &List, functions: &BTreeSet<String>) -> bool {
    list.iter().flat_map(|step| &step.stages).all(|stage| is_plain_stage(stage, functions))
}

fn is_plain_stage(stage: &Stage, functions: &BTreeSet<String>) -> bool {
    let list = |list: &List| is_plain_list(list, functions);
    let word = |word: &String| is_plain_word(word, functions);
    let to_descriptor = |redirect: &Redirect| redirect.operator == ">&" || redirect.target == "/dev/null";
    let is_plain = match &stage.command {
        Command::Simple { assignments, words } => {
            let sets_watched =
                assignments.iter().any(|text| WATCHED.iter().any(|name| text.starts_with(name)));
            let is_known = words
                .first()
                .is_none_or(|name| BUILTINS.contains(&name.as_str()) || functions.contains(name));
            !sets_watched && is_known && assignments.iter().all(word) && words.iter().all(word)
        }
        Command::Group(inner) | Command::Subshell(inner) | Command::Background(inner) => list(inner),
        Command::If(branches, otherwise) => {
            branches.iter().all(|(condition, branch)| list(condition) && list(branch)) && list(otherwise)
        }
        Command::While { condition, body, .. } => list(condition) && list(body),
        Command::For { words, body, .. } => words.iter().flatten().all(word) && list(body),
        Command::CountedFor { header, body } => header.iter().all(word) && list(body),
        Command::Case { subject, branches } => {
            word(subject)
                && branches.iter().all(|branch| branch.patterns.iter().all(word) && list(&branch.body))
        }
        Command::Function { body, .. } => is_plain_stage(body, functions),
        Command::Arithmetic(text) | Command::Condition(text) => word(text),
        Command::Coprocess { .. } => false,
    };
    is_plain && stage.redirects.iter().all(to_descriptor)
}

/// Whether the substitutions in a word are plain too.
fn is_plain_word(word: &str, functions: &BTreeSet<String>) -> bool {
    let mut rest = word;
    while let Some((_, inner)) = rest.split_once("$(") {
        let Some(length) = length_until(inner, End::Parenthesis) else { return false };
        let whole = inner.get(..length).unwrap_or_default();
        let sum = whole.strip_prefix('(').and_then(|sum| sum.strip_suffix(')'));
        let is_plain = match sum {
            Some(sum) => is_plain_word(sum, functions),
            None => {
                let script = parse(whole);
                !script.is_cut && is_plain_list(&script.steps, functions)
            }
        };
        if !is_plain {
            return false;
        }
        rest = inner.get(length..).unwrap_or_default();
    }
    !word.contains("${!") && !word.contains("@P}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scripts_run_only_what_is_written() {
        for text in [
            "fib() { if [ $1 -lt 2 ]; then echo $1; else echo $(($(fib $(($1 - 1))) + $(fib $(($1 - 2))))); fi; }; fib 30",
            "f() { [ \"$1\" = 0 ] && return; f $(($1 - 1)); }; f 100",
        ] {
            assert!(is_plain(text), "{text}");
        }
        for text in [
            "f() { $1; f; }; f a",
            "f() { rm \"$1\"; f; }; f a",
            "f() { printf 'a[$(x)]'; f; }; f",
            "f() { printf \\\\x72; f; }; f",
            "f() { echo x > y; f; }; f",
            "f() { PATH=x; f; }; f",
            "eval \"$x\"",
            "x=\"a[$\"; y=\"(z)]\"; echo $((\"$x$y\"))",
            "x=$(rev); echo $x",
        ] {
            assert!(!is_plain(text), "{text}");
        }
    }
}
