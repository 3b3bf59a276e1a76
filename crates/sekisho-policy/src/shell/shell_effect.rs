//! What a text does to the shell that runs it: whether its changes of directory lead where the plan says, and whether those
//! of later texts still do.

mod arithmetic;
mod later_texts;
mod reading_shells;

use std::borrow::Cow;

use sekisho_shell::script::{Assignment, Command, CommandOrigin, OpaqueKind};
use sekisho_shell::word::{Piece, Span, Word};

use self::arithmetic::assigns_in_arithmetic;
use self::later_texts::{alias_may_move, may_move};
use self::reading_shells::{is_shell, reads_what_follows, with_parents};
use super::directory_settings::{SETTERS, VARIABLES, mentions, sets_known_options, sets_variables};
use super::execution_plan::{ExecutionPlan, PlanText, Step};

/// Builtins before which an assignment lasts, in some shells.
const SPECIAL_BUILTINS: [&str; 14] = [
    ".", ":", "eval", "exec", "exit", "export", "readonly", "return", "set", "shift", "source", "times",
    "trap", "unset",
];
/// Commands that run others in the shell itself.
const RUNS_HERE: [&str; 6] = [".", "builtin", "command", "eval", "source", "time"];
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
    // Another program may run a shell that takes the next texts.
    if plan.steps.iter().any(|step| reads_what_follows(plan, step)) {
        return Effect::Changes;
    }
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

/// Whether a redirect sets one of the variables: `{HOME}<x`.
fn sets_by_redirect(text: &PlanText) -> bool {
    let is_one = |operator: &str| {
        let name = operator.strip_prefix('{').and_then(|rest| rest.split('}').next());
        name.is_some_and(|name| VARIABLES.contains(&name))
    };
    text.script.redirects.iter().any(|redirect| is_one(&redirect.operator))
}

fn effect_of_assignments(text: &PlanText) -> Effect {
    let assigns = |at: &usize| {
        text.script.assignments.get(*at).is_some_and(|one| VARIABLES.contains(&one.name.as_str()))
    };
    let lasts = |one: &Assignment| VARIABLES.contains(&one.name.as_str()) && !one.temporary;
    if text.script.assignments.iter().any(lasts) || sets_by_redirect(text) || assigns_in_arithmetic(text) {
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
        return match () {
            () if is_path(name) => Effect::Follows,
            // Every call of the function may be a `cd`.
            () if is_in_function(plan, step) => Effect::Changes,
            () => Effect::Leads,
        };
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
        "alias" if literals().any(|text| text.is_none_or(|text| alias_may_move(plan, &text))) => {
            Effect::Changes
        }
        "complete" if literals().any(|text| text.is_none_or(|text| may_move(plan, &text))) => Effect::Changes,
        // At its end the shell goes nowhere else.
        "trap"
            if literals().skip(1).any(|signal| !matches!(signal.as_deref(), Some("EXIT" | "0")))
                && literals().any(|text| text.is_none_or(|text| may_move(plan, &text))) =>
        {
            Effect::Changes
        }
        // It runs a text for each line.
        "mapfile" | "readarray" if arguments.iter().any(|word| is_option(word.prefix(), 'C')) => {
            Effect::Changes
        }
        "eval" if literals().any(|text| text.is_none()) => Effect::Changes,
        "." | "source" if literals().any(|text| text.is_none()) && is_in_function(plan, step) => {
            Effect::Changes
        }
        "builtin" | "command" if runs_computed(arguments) && is_in_function(plan, step) => Effect::Changes,
        "exec" if arguments.iter().any(|word| word.literal().is_none_or(|text| is_shell(&text))) => {
            Effect::Changes
        }
        "set" | "shopt" if !sets_known_options(&literal, arguments) => Effect::Changes,
        setter if SETTERS.contains(&setter) && sets_variables(setter, arguments, source_of(plan, step)) => {
            Effect::Changes
        }
        _ => Effect::Follows,
    }
}

/// Whether `command` runs one with a computed name. With `-v` it runs none.
fn runs_computed(arguments: &[Word]) -> bool {
    let finds = arguments.first().is_some_and(|word| matches!(word.prefix(), "-v" | "-V"));
    let name = arguments.iter().find(|word| !word.prefix().starts_with('-'));
    !finds && name.is_some_and(|name| name.literal().is_none() && !is_path(name))
}

/// Whether a command is in the body of a function, or run by one there.
fn is_in_function(plan: &ExecutionPlan, step: &Step) -> bool {
    with_parents(plan, step).any(|step| {
        let script = plan.texts.get(step.text).map(|text| &text.script);
        let command = step.command.and_then(|at| script?.commands.get(at));
        command.is_some_and(|command| command.origin == CommandOrigin::Function)
    })
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
