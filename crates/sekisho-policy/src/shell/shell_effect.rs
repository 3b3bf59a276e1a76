//! What a text does to the shell that runs it: whether its changes of directory lead where the plan says, and whether those
//! of later texts still do.

use std::borrow::Cow;

use sekisho_shell::script::{Assignment, Command, CommandOrigin, OpaqueKind, RedirectKind, ScriptItem};
use sekisho_shell::word::{Piece, Span, Word};

use super::execution_plan::{ExecutionPlan, PlanText, Step};

/// Variables that say where `cd` goes, what a name means, or what a shell runs by itself.
const VARIABLES: [&str; 15] = [
    "BASH_ALIASES",
    "CDPATH",
    "DIRSTACK",
    "HOME",
    "OLDPWD",
    "PROMPT_COMMAND",
    "PS0",
    "PWD",
    "aliases",
    "cdpath",
    "chpwd_functions",
    "dirstack",
    "functions",
    "precmd_functions",
    "preexec_functions",
];
/// Commands that set the variables in their arguments.
const SETTERS: [&str; 16] = [
    "declare",
    "export",
    "float",
    "getopts",
    "integer",
    "let",
    "local",
    "mapfile",
    "printf",
    "read",
    "readarray",
    "readonly",
    "typeset",
    "unset",
    "vared",
    "wait",
];
/// Builtins before which an assignment lasts, in some shells.
const SPECIAL_BUILTINS: [&str; 14] = [
    ".", ":", "eval", "exec", "exit", "export", "readonly", "return", "set", "shift", "source", "times",
    "trap", "unset",
];
/// Commands that run others in the shell itself.
const RUNS_HERE: [&str; 6] = [".", "builtin", "command", "eval", "source", "time"];
/// Letters and names of options of the shell that change neither `cd` nor what a name runs.
const LETTERS: &str = "abefhHmnouvxCE";
const OPTIONS: [&str; 24] = [
    "allexport",
    "braceexpand",
    "checkwinsize",
    "dotglob",
    "emacs",
    "errexit",
    "errtrace",
    "expand_aliases",
    "extglob",
    "failglob",
    "globstar",
    "histappend",
    "histexpand",
    "inherit_errexit",
    "monitor",
    "nocaseglob",
    "nocasematch",
    "noclobber",
    "nounset",
    "nullglob",
    "pipefail",
    "verbose",
    "vi",
    "xtrace",
];
/// Shells, which read what follows if they are given nothing else.
const SHELLS: [&str; 7] = ["ash", "bash", "dash", "fish", "ksh", "sh", "zsh"];

/// What a text does to the shell, as far as directories are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Effect {
    /// Its `cd`s lead where the plan says.
    Follows,
    /// They may lead elsewhere.
    Leads,
    /// Those of later texts may, too.
    Changes,
}

/// What running a plan does to the shell.
pub(super) fn effect(plan: &ExecutionPlan) -> Effect {
    let own: Vec<bool> =
        plan.texts.iter().map(|text| text.parent.is_none_or(|at| runs_here(plan, at))).collect();
    let is_own = |text: usize| own.get(text).copied().unwrap_or(true);
    let moves = plan.steps.iter().any(|step| is_own(step.text) && moves_shell(step));
    let texts = plan.texts.iter().enumerate().filter(|(at, _)| is_own(*at));
    let steps = plan.steps.iter().filter(|step| is_own(step.text));
    let of_texts = texts.map(|(_, text)| effect_of_text(text, moves));
    let of_steps = steps.map(|step| effect_of_step(plan, step));
    of_texts.chain(of_steps).max().unwrap_or(Effect::Follows)
}

/// Whether what a command runs is run by the shell itself.
pub(super) fn runs_here(plan: &ExecutionPlan, at: usize) -> bool {
    let mut next = Some(at);
    while let Some(step) = next.and_then(|at| plan.steps.get(at)) {
        if !step.words.first().and_then(Word::literal).is_some_and(|name| RUNS_HERE.contains(&name.as_ref()))
        {
            return false;
        }
        next = step.parent.filter(|parent| Some(*parent) < next);
    }
    true
}

/// Assignments, functions, and what was not understood.
fn effect_of_text(text: &PlanText, moves: bool) -> Effect {
    let written = |span: Span| text.source.get(span.start as usize..span.end as usize).unwrap_or_default();
    let is_moving = |command: &Command| {
        command.origin == CommandOrigin::Function
            && (mentions(written(command.span))
                || command.words.first().and_then(Word::literal).is_some_and(|name| mentions(&name)))
    };
    let mut effect = Effect::Follows;
    if text.script.commands.iter().any(is_moving) {
        effect = Effect::Changes;
    }
    for part in &text.script.opaque {
        let source = written(part.span);
        effect = effect.max(match part.kind {
            OpaqueKind::Function if defines_command(source) || mentions(source) => Effect::Changes,
            OpaqueKind::Function => Effect::Follows,
            // It is an end of the line for some terminals.
            OpaqueKind::HiddenCharacter => Effect::Leads,
            OpaqueKind::Unparsed if mentions(source) && source.contains(['(', '{']) => Effect::Changes,
            // It may run more than once, and in another order.
            OpaqueKind::Construct | OpaqueKind::TooDeep | OpaqueKind::TooLong | OpaqueKind::Unparsed
                if moves || mentions(source) =>
            {
                Effect::Leads
            }
            _ => Effect::Follows,
        });
    }
    effect.max(effect_of_assignments(text))
}

fn effect_of_assignments(text: &PlanText) -> Effect {
    let assigns = |at: &usize| {
        text.script.assignments.get(*at).is_some_and(|one| VARIABLES.contains(&one.name.as_str()))
    };
    let lasts = |one: &Assignment| VARIABLES.contains(&one.name.as_str()) && !one.temporary;
    if text.script.assignments.iter().any(lasts) {
        return Effect::Changes;
    }
    let commands = text.script.commands.iter().filter(|command| command.assignments.iter().any(assigns));
    let of_command = |name: Option<&Word>| match name.and_then(Word::literal).as_deref() {
        Some("cd" | "pushd" | "popd" | "builtin" | "command") | None => Effect::Leads,
        Some(name) if SPECIAL_BUILTINS.contains(&name) => Effect::Changes,
        Some(_) => Effect::Follows,
    };
    commands.map(|command| of_command(command.words.first())).max().unwrap_or(Effect::Follows)
}

/// Whether a definition gives another meaning to a command that changes the directory, or that runs one.
fn defines_command(definition: &str) -> bool {
    let header = definition.split(['(', '{']).next().unwrap_or_default();
    let plain = header.replace(['\\', '\'', '"'], "");
    let is_one = |word: &str| matches!(word, "cd" | "pushd" | "popd" | "builtin" | "command" | "eval");
    plain.split(|c: char| !c.is_alphanumeric() && !"_-".contains(c)).any(is_one)
}

fn moves_shell(step: &Step) -> bool {
    let name = step.words.first().and_then(|word| word.literal());
    matches!(name.as_deref(), Some("cd" | "pushd" | "popd"))
}

fn effect_of_step(plan: &ExecutionPlan, step: &Step) -> Effect {
    let Some((name, arguments)) = step.words.split_first() else { return Effect::Follows };
    let Some(literal) = name.literal() else {
        return if is_path(name) { Effect::Follows } else { Effect::Leads };
    };
    let literals = || arguments.iter().map(Word::literal);
    let is_changing = |text: Option<Cow<'_, str>>| text.is_none_or(|text| mentions(&text));
    match literal.as_ref() {
        "cd" | "pushd" | "popd" if leads_elsewhere(plan, step, &literal, arguments) => Effect::Leads,
        // Of zsh and fish.
        "prevd" | "nextd" | "cdh" | "fc" => Effect::Leads,
        "noglob" | "nocorrect" | "-" | "repeat" | "and" | "or" | "not" if literals().any(is_changing) => {
            Effect::Leads
        }
        "autoload" | "bind" | "chdir" | "disable" | "enable" | "setopt" | "unsetopt" | "zmodload" => {
            Effect::Changes
        }
        "alias" | "complete" if literals().any(|text| text.is_none_or(|text| may_move(&text))) => {
            Effect::Changes
        }
        // At its end the shell goes nowhere else.
        "trap"
            if literals().skip(1).any(|signal| !matches!(signal.as_deref(), Some("EXIT" | "0")))
                && literals().any(|text| text.is_none_or(|text| may_move(&text))) =>
        {
            Effect::Changes
        }
        // It runs a text for each line.
        "mapfile" | "readarray" if arguments.iter().any(|word| is_option(word.prefix(), 'C')) => {
            Effect::Changes
        }
        "eval" if literals().any(|text| text.is_none()) => Effect::Changes,
        "exec" if arguments.iter().any(|word| word.literal().is_none_or(|text| is_shell(&text))) => {
            Effect::Changes
        }
        "set" | "shopt" if !sets_known_options(&literal, arguments) => Effect::Changes,
        setter if SETTERS.contains(&setter) && sets_variables(setter, arguments, source_of(plan, step)) => {
            Effect::Changes
        }
        program
            if reads_what_follows(program, arguments)
                && runs_beside(plan, step)
                && !has_own_input(plan, step) =>
        {
            Effect::Changes
        }
        _ => Effect::Follows,
    }
}

/// Whether a word has an option of one letter, perhaps behind others.
fn is_option(word: &str, letter: char) -> bool {
    word.starts_with('-') && word.contains(letter)
}

/// A path is no builtin. A variable may be more than one word.
fn is_path(name: &Word) -> bool {
    let has_slash =
        name.pieces.iter().any(|piece| matches!(piece, Piece::Literal(text) if text.contains('/')));
    let begins = ["/", "./", "../"].iter().any(|start| name.prefix().starts_with(start));
    begins || has_slash && !name.may_split()
}

/// Whether a change of directory may lead elsewhere than the plan says.
fn leads_elsewhere(plan: &ExecutionPlan, step: &Step, name: &str, arguments: &[Word]) -> bool {
    let is_rotation = |word: &Word| {
        let start = word.prefix();
        start.starts_with('+')
            || start.starts_with('-') && (name != "cd" || start.len() > 1 && start != "--" && start != "-L")
    };
    // An attribute of the variable may change its value.
    let source = source_of(plan, step);
    let source = source.get(step.span.start as usize..step.span.end as usize).unwrap_or_default();
    let source = ["${HOME}", "$HOME", "${PWD}", "$PWD"]
        .iter()
        .fold(source.to_owned(), |text, known| text.replace(known, ""));
    arguments.iter().any(is_rotation)
        || (name == "pushd" && arguments.is_empty())
        || source.contains(['$', '`'])
}

/// The text that contains a command.
fn source_of<'p>(plan: &'p ExecutionPlan, step: &Step) -> &'p str {
    plan.texts.get(step.text).map(|text| text.source.as_str()).unwrap_or_default()
}

fn is_shell(program: &str) -> bool {
    SHELLS.contains(&program.rsplit('/').next().unwrap_or_default())
}

/// Options of shells that take the next word.
const VALUED: [&str; 5] = ["--init-file", "--rcfile", "+O", "-O", "-o"];
/// Programs that run another one with their own input, on this machine.
const WRAPPERS: [&str; 7] = ["env", "exec", "nice", "nohup", "setsid", "stdbuf", "sudo"];

/// Whether a program reads the commands that come next: a shell without a script, or another user's shell.
fn reads_what_follows(program: &str, arguments: &[Word]) -> bool {
    let words: Vec<Option<Cow<'_, str>>> = arguments.iter().map(Word::literal).collect();
    let known = || words.iter().flatten().map(|word| word.as_ref());
    let has_text = known().any(|word| {
        word == "--command" || word.starts_with('-') && !word.starts_with("--") && word.contains('c')
    });
    if known().any(|word| matches!(word, "--version" | "--help")) {
        return false;
    }
    match program.rsplit('/').next().unwrap_or_default() {
        "su" => !has_text,
        "newgrp" => true,
        "sudo" => {
            let are_options =
                words.iter().all(|word| word.as_ref().is_some_and(|word| word.starts_with('-')));
            are_options && known().any(|word| !matches!(word, "-v" | "-k" | "-V" | "-l"))
        }
        _ if is_shell(program) => !has_text && (known().any(|word| word == "-s") || !has_script(&words)),
        _ => false,
    }
}

/// Whether a shell gets the name of a script.
fn has_script(words: &[Option<Cow<'_, str>>]) -> bool {
    let mut is_value = false;
    words.iter().any(|word| {
        let text = word.as_deref().unwrap_or_default();
        let is_operand = !is_value && !text.starts_with(['-', '+']);
        is_value = VALUED.contains(&text);
        is_operand
    })
}

/// Whether a command runs beside the shell, with its input: not in a container, and not on another machine.
fn runs_beside(plan: &ExecutionPlan, step: &Step) -> bool {
    let mut next = step.parent;
    while let Some((at, step)) = next.and_then(|at| Some((at, plan.steps.get(at)?))) {
        let name = step.words.first().and_then(Word::literal);
        if !name.is_some_and(|name| WRAPPERS.contains(&name.as_ref()) || RUNS_HERE.contains(&name.as_ref())) {
            return false;
        }
        next = step.parent.filter(|parent| *parent < at);
    }
    true
}

/// Whether the input of a command is not that of the shell.
fn has_own_input(plan: &ExecutionPlan, step: &Step) -> bool {
    let mut outer = step;
    while let (None, Some(parent)) = (outer.command, outer.parent.and_then(|parent| plan.steps.get(parent))) {
        if parent.text != step.text {
            return false;
        }
        outer = parent;
    }
    let Some((text, at)) = plan.texts.get(outer.text).zip(outer.command) else { return false };
    let redirects =
        text.script.commands.get(at).map(|command| command.redirects.as_slice()).unwrap_or_default();
    let is_input = |at: &usize| {
        text.script.redirects.get(*at).is_some_and(|redirect| {
            matches!(
                redirect.kind,
                RedirectKind::Read | RedirectKind::HereDocument | RedirectKind::HereString
            )
        })
    };
    let items = text.script.items.iter();
    let before: Vec<&ScriptItem> =
        items.take_while(|item| !matches!(item, ScriptItem::Command(command) if *command == at)).collect();
    let joint = before.iter().rev().find_map(|item| match item {
        ScriptItem::Operator(operator) => Some(*operator),
        ScriptItem::Command(_) => Some(""),
        _ => None,
    });
    redirects.iter().any(is_input) || matches!(joint, Some("|" | "|&"))
}

fn sets_known_options(name: &str, arguments: &[Word]) -> bool {
    let words: Option<Vec<_>> = arguments.iter().map(Word::literal).collect();
    let is_known = |word: &str| match word.strip_prefix(['-', '+']) {
        Some("-") => true,
        Some(letters) if name == "shopt" => letters.chars().all(|letter| "supqo".contains(letter)),
        Some(letters) => letters.chars().all(|letter| LETTERS.contains(letter)),
        None => OPTIONS.contains(&word),
    };
    words.is_some_and(|words| {
        // Behind `--`, `set` sets arguments.
        let ends = |word: &str| word == "--" && name == "set";
        words.iter().take_while(|word| !ends(word)).all(|word| is_known(word))
    })
}

/// Whether a command sets one of the variables, or one that is not known.
fn sets_variables(setter: &str, arguments: &[Word], source: &str) -> bool {
    // In a format or a value the name is only text.
    let names = match (setter, arguments.first().map(Word::prefix)) {
        ("printf", Some("-v")) => arguments.get(1..2).unwrap_or_default(),
        ("printf", Some(first)) if first.starts_with("-v") => arguments.get(..1).unwrap_or_default(),
        ("printf", _) => return false,
        ("wait", _) if !arguments.iter().any(|word| word.prefix().starts_with("-p")) => return false,
        _ => arguments,
    };
    // Without the others, `cd` is what it was.
    let variables: &[&str] = if setter == "unset" { &["HOME", "OLDPWD", "PWD"] } else { &VARIABLES };
    let may_be_name = |start: &str| start.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_reference = |start: &str| {
        matches!(setter, "declare" | "typeset" | "local") && start.starts_with('-') && start.contains('n')
    };
    let mut is_value = false;
    names.iter().any(|word| {
        let start = word.prefix();
        // `read -p "Go $USER?" x`
        let is_skipped = std::mem::replace(
            &mut is_value,
            setter == "read" && start.starts_with('-') && start.ends_with(['p', 't', 'n', 'd']),
        );
        if is_skipped {
            return false;
        }
        let name = start.split(['=', '[', '+']).next().unwrap_or_default();
        let written = source.get(word.span.start as usize..word.span.end as usize).unwrap_or_default();
        // `m=(…)`
        let has_name = written.split_once('=').is_some_and(|(name, _)| !name.is_empty() && may_be_name(name));
        let is_cut = word.literal().is_none() && may_be_name(start) && !has_name;
        let is_one =
            |variable: &&str| name == *variable || start.starts_with('-') && name.ends_with(*variable);
        is_cut || is_reference(start) || variables.iter().any(is_one)
    })
}

/// Whether a text that is run later may change the directory, perhaps by a name that is not told.
fn may_move(text: &str) -> bool {
    const RUNNERS: [&str; 6] = [".", "builtin", "command", "coproc", "eval", "source"];
    let mut words = text.split(|c: char| c.is_whitespace() || "=;&|(){}'\"".contains(c));
    let is_computed =
        |part: &str| part.trim_start_matches([' ', '"', '\'', '{', '!']).starts_with(['$', '`']);
    mentions(text)
        || text.contains("$(")
        || words.any(|word| RUNNERS.contains(&word.trim_matches('\\')))
        || text.split([';', '&', '|', '\n', '(', '=']).any(is_computed)
}

/// Whether a text that is run later may change the directory.
fn mentions(text: &str) -> bool {
    let plain = text.replace(['\\', '\'', '"'], "");
    let is_name = |word: &str| matches!(word, "cd" | "chdir" | "popd" | "pushd");
    plain.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-').any(is_name)
}
