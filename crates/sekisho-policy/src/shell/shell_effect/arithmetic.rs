//! Variables that are set where bash evaluates arithmetic: `((HOME=5))`, `x[HOME=5]=1`, `${PATH:HOME=5}`.

use sekisho_shell::script::{Assignment, Command, OpaqueKind};
use sekisho_shell::word::Word;

use super::super::directory_settings::{SETTERS, VARIABLES};
use super::super::execution_plan::PlanText;

/// Whether a text may set one of the variables in arithmetic.
pub(super) fn assigns_in_arithmetic(text: &PlanText) -> bool {
    if !evaluates(text) {
        return false;
    }
    // Bash removes quotes in arithmetic.
    assigns(&without_known(text).replace(['\\', '\'', '"'], ""))
}

/// A text without the names of variables that its own assignments set.
fn without_known(text: &PlanText) -> String {
    let mut source = text.source.clone();
    for one in text.script.assignments.iter().filter(|one| VARIABLES.contains(&one.name.as_str())) {
        let start = one.span.start as usize;
        let name = start..start + one.name.len();
        if source.get(name.clone()) == Some(one.name.as_str()) {
            source.replace_range(name, &"_".repeat(one.name.len()));
        }
    }
    source
}

/// Whether bash may evaluate arithmetic in a text, or in a value that it sets.
fn evaluates(text: &PlanText) -> bool {
    let source = text.source.as_str();
    let is_evaluated = |kind: OpaqueKind| {
        matches!(
            kind,
            OpaqueKind::Arithmetic | OpaqueKind::Array | OpaqueKind::Conditional | OpaqueKind::Expansion
        )
    };
    // Its variable may be a number.
    let is_expression = |one: &Assignment| {
        let value = one.value.prefix().trim_start();
        VARIABLES.iter().any(|name| value.starts_with(name))
    };
    ["((", "$[", "[["].iter().any(|mark| source.contains(mark))
        || source.contains("${") && source.contains([':', '['])
        || text.script.opaque.iter().any(|part| is_evaluated(part.kind))
        || text.script.assignments.iter().any(is_expression)
        || text.script.commands.iter().any(evaluates_arguments)
}

/// Whether a command evaluates an argument: a subscript, or a value of a variable that it makes a number.
fn evaluates_arguments(command: &Command) -> bool {
    let Some((name, arguments)) = command.words.split_first() else { return false };
    let name = name.literal().unwrap_or_default();
    let has = |part: char| arguments.iter().filter_map(Word::literal).any(|word| word.contains(part));
    match name.as_ref() {
        "float" | "integer" | "let" => true,
        "declare" | "local" | "typeset" => has('[') || has('i'),
        "[" | "test" => has('['),
        name => SETTERS.contains(&name) && has('['),
    }
}

/// Whether arithmetic in a text may set one of the variables.
fn assigns(text: &str) -> bool {
    let mut places = VARIABLES
        .iter()
        .flat_map(|name| text.match_indices(name).map(|(start, found)| (start, start + found.len())));
    let is_set = |(start, end): (usize, usize)| {
        let (before, after) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_word = !before.ends_with(|c: char| is_part(c) || c == '$') && !after.starts_with(is_part);
        is_word && (before.ends_with("++") || before.ends_with("--") || begins(before) && is_assigned(after))
    };
    places.any(is_set)
}

/// Whether an expression, or a command, may begin behind a text.
fn begins(before: &str) -> bool {
    const COMPARISONS: [&str; 6] = ["-eq", "-ge", "-gt", "-le", "-lt", "-ne"];
    let line = before.trim_end();
    line.is_empty()
        || line.ends_with(|c: char| "([{,:;=?+*&|<>!~^%-".contains(c))
        || COMPARISONS.iter().any(|one| line.ends_with(one))
}

/// Whether an operator that assigns follows. No number begins with a slash or a dot.
fn is_assigned(after: &str) -> bool {
    let after = after.trim_start();
    let steps = ["++", "--", "<<=", ">>="].iter().any(|operator| after.starts_with(operator));
    let rest = after.trim_start_matches(['+', '-', '*', '/', '%', '&', '|', '^']);
    let value = rest.strip_prefix('=').filter(|_| after.len() - rest.len() < 2);
    steps || value.is_some_and(|value| !value.starts_with(['=', '~', '/', '.']))
}
