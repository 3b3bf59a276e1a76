//! Variables that a text assigns itself, such as `X=5; echo $X`.
//!
//! If a variable is assigned exactly once, and certainly before a word that uses it, its value there is known: a
//! literal value replaces the variable, so that rules and limits see the word as the program will. Another value is the
//! output of commands that are judged by themselves; the variable then counts as set, but its value stays unknown.

use std::collections::{HashMap, HashSet};

use sekisho_shell::Budget;
use sekisho_shell::script::{Assignment, Script, ScriptItem};
use sekisho_shell::word::{Piece, Span, Word};

use super::harmless_variables::is_assignable_name;

/// The cost of one item of a text, and of one assigned variable.
const ITEM: usize = 64;
/// The largest cost of a value that is kept: values that contain others could double in length with every assignment.
const LONGEST: usize = 4096;

/// What is known about the variables that one text assigns.
#[derive(Default)]
pub(crate) struct AssignedVariables {
    /// Positions of the assignments that only set such a variable, in order.
    pub(crate) assignments: Vec<usize>,
    /// The spans of the text's items, in order.
    places: Vec<Span>,
    /// By name. Each is assigned once.
    variables: HashMap<String, AssignedVariable>,
    /// The commands with a value that is split into words, by their position, with the words as zsh gives them, which splits
    /// no value.
    pub(crate) unsplit: Vec<(usize, Vec<Word>)>,
}

/// A variable, and where it is certainly set.
struct AssignedVariable {
    /// Its value, if that is known.
    value: Option<Vec<Piece>>,
    /// The first place at which it is set, and the first at which it no longer is.
    from: usize,
    until: usize,
}

impl AssignedVariables {
    /// Whether a variable with an unknown value is certainly set at a place.
    pub(crate) fn is_set(&self, span: Span, name: &str) -> bool {
        self.place_of(span).is_some_and(|place| self.variable_at(place, name).is_some())
    }

    fn place_of(&self, span: Span) -> Option<usize> {
        let last = self.places.partition_point(|place| place.start <= span.start).checked_sub(1)?;
        self.places.get(last).filter(|place| place.end >= span.end).map(|_| last)
    }

    fn variable_at(&self, place: usize, name: &str) -> Option<&AssignedVariable> {
        self.variables.get(name).filter(|variable| (variable.from..variable.until).contains(&place))
    }

    /// The known value of a variable at a place.
    fn value_at(&self, place: usize, name: &str) -> Option<&[Piece]> {
        self.variable_at(place, name)?.value.as_deref()
    }
}

/// Replaces variables by the literal values that the text assigns to them, and returns what else is known.
/// `looped` are the positions of assignments that loops make.
pub(super) fn replace_assigned(
    script: &mut Script,
    looped: &[usize],
    source: &str,
    budget: &Budget,
) -> AssignedVariables {
    let looped: HashSet<usize> = looped.iter().copied().collect();
    let is_candidate = |(at, assignment): (usize, &Assignment)| {
        !assignment.temporary && !looped.contains(&at) && is_assignable_name(&assignment.name)
    };
    if !script.assignments.iter().enumerate().any(is_candidate)
        || splits_otherwise(script)
        || !budget.spend(ITEM * (script.items.len() + script.commands.len() + looped.len()))
    {
        return AssignedVariables::default();
    }
    let mut scan =
        Scan { names: single_names(script, source), frames: vec![Frame::default()], ..Scan::default() };
    for (number, item) in script.items.iter().enumerate() {
        if !scan.enter(script, &looped, number, *item, budget) {
            return AssignedVariables::default();
        }
    }
    let mut found = scan.found;
    let mut unsplit = Vec::new();
    for (at, command) in script.commands.iter_mut().enumerate() {
        if command.words.iter().any(|word| split_value(word, &found, budget).is_some()) {
            let words = command.words.iter().cloned();
            let whole: Vec<Word> =
                words.flat_map(|word| replaced(word, &found, Context::Value, budget)).collect();
            // No program has blanks in its name.
            let name = whole.first().and_then(Word::literal).unwrap_or_default();
            if !name.contains(' ') {
                unsplit.push((at, whole));
            }
        }
        let words = std::mem::take(&mut command.words).into_iter();
        command.words = words.flat_map(|word| replaced(word, &found, Context::Argument, budget)).collect();
    }
    for redirect in &mut script.redirects {
        replace_one(&mut redirect.target, &found, Context::Single, budget);
    }
    for assignment in &mut script.assignments {
        replace_one(&mut assignment.value, &found, Context::Value, budget);
    }
    found.unsplit = unsplit;
    found
}

/// Whether the text may change where values are split into words: `IFS=,; files=a,.env; cat $files`.
fn splits_otherwise(script: &Script) -> bool {
    let names_it = |word: &Word| word.literal().is_some_and(|text| text.starts_with("IFS"));
    script.assignments.iter().any(|assignment| assignment.name == "IFS")
        || script.commands.iter().any(|command| command.words.iter().any(names_it))
}

/// The names that are assigned once, by a plain `=`, and not by `read`.
fn single_names(script: &Script, source: &str) -> HashMap<String, usize> {
    let mut names: HashMap<String, usize> = HashMap::new();
    for assignment in &script.assignments {
        *names.entry(assignment.name.clone()).or_default() += 1;
        let written = source.get(assignment.span.start as usize..).unwrap_or_default();
        let is_plain =
            written.strip_prefix(assignment.name.as_str()).is_some_and(|rest| rest.starts_with('='));
        if !is_plain {
            *names.entry(assignment.name.clone()).or_default() += 1;
        }
    }
    names.retain(|name, count| *count == 1 && is_assignable_name(name));
    // A word of any command may be the name of a variable that it sets.
    for command in &script.commands {
        let is_echo = command
            .words
            .first()
            .and_then(Word::literal)
            .is_some_and(|name| matches!(&*name, "echo" | "cat" | "ls"));
        for word in command.words.iter().skip(1).filter(|_| !is_echo) {
            if let Some(text) = word.literal() {
                names.remove(text.as_ref());
            }
        }
    }
    names
}

/// The variables that were set in one list of commands.
#[derive(Default)]
struct Frame {
    settled: Vec<String>,
    /// Those of the current and-or list, which may still turn out to run in the background.
    pending: Vec<String>,
}

#[derive(Default)]
struct Scan {
    names: HashMap<String, usize>,
    frames: Vec<Frame>,
    found: AssignedVariables,
}

impl Scan {
    /// Takes the next item. `false`: the text has a structure that is not followed here, or is too large.
    fn enter(
        &mut self,
        script: &Script,
        looped: &HashSet<usize>,
        number: usize,
        item: ScriptItem,
        budget: &Budget,
    ) -> bool {
        let span = match item {
            ScriptItem::Operator(operator) => return self.operator(operator),
            ScriptItem::Command(at) => script.commands.get(at).map(|it| it.span),
            ScriptItem::Redirect(at) => script.redirects.get(at).map(|it| it.span),
            ScriptItem::Assignment(at) => script.assignments.get(at).map(|it| it.span),
        };
        let Some(span) = span else { return false };
        self.found.places.push(span);
        if let ScriptItem::Assignment(at) = item
            && let Some(assignment) = script.assignments.get(at)
            && !assignment.temporary
            && !looped.contains(&at)
            && self.names.contains_key(&assignment.name)
        {
            match is_certain(script, number, budget) {
                None => return false,
                Some(false) => {}
                Some(true) => self.assign(at, assignment, budget),
            }
        }
        true
    }

    /// Notes an assignment that is made for certain.
    fn assign(&mut self, at: usize, assignment: &Assignment, budget: &Budget) {
        let mut value = assignment.value.clone();
        replace_one(&mut value, &self.found, Context::Value, budget);
        // It is set behind this place.
        let from = self.found.places.len();
        let variable = AssignedVariable { value: constant(&value), from, until: usize::MAX };
        self.found.assignments.push(at);
        self.found.variables.insert(assignment.name.clone(), variable);
        if let Some(frame) = self.frames.last_mut() {
            frame.pending.push(assignment.name.clone());
        }
    }

    /// From here on these variables are not known to be set.
    fn forget(&mut self, names: Vec<String>) {
        let until = self.found.places.len();
        for name in names {
            if let Some(variable) = self.found.variables.get_mut(&name) {
                variable.until = until;
            }
        }
    }

    fn leave_frame(&mut self) {
        if let Some(Frame { settled, pending }) = self.frames.pop() {
            self.forget(settled);
            self.forget(pending);
        }
    }

    fn operator(&mut self, operator: &str) -> bool {
        match operator {
            "if" | "while" | "until" | "for" | "(" | "{" => self.frames.push(Frame::default()),
            "fi" | "done" | ")" | "}" => self.leave_frame(),
            "elif" | "else" => {
                self.leave_frame();
                self.frames.push(Frame::default());
            }
            ";" | "then" | "do" => {
                if let Some(frame) = self.frames.last_mut() {
                    let pending = std::mem::take(&mut frame.pending);
                    frame.settled.extend(pending);
                }
            }
            "&" => {
                let pending = self.frames.last_mut().map(|frame| std::mem::take(&mut frame.pending));
                self.forget(pending.unwrap_or_default());
            }
            "|" | "|&" | "&&" | "||" | "!" | "in" | "time" | "[[" | "]]" => {}
            _ => return false,
        }
        !self.frames.is_empty()
    }
}

/// Whether an assignment is made whenever its list is reached, and by the shell itself. `None` if that costs too much.
fn is_certain(script: &Script, number: usize, budget: &Budget) -> Option<bool> {
    let is_assignment = |item: &&ScriptItem| matches!(item, ScriptItem::Assignment(_));
    let earlier = || script.items.iter().take(number).rev();
    let later = || script.items.iter().skip(number + 1);
    let beside = earlier().take_while(is_assignment).count() + later().take_while(is_assignment).count();
    if !budget.spend(beside) {
        return None;
    }
    let before = earlier().find(|item| !is_assignment(item));
    let after = later().find(|item| !is_assignment(item));
    let begins = match before {
        None => true,
        Some(ScriptItem::Operator(operator)) => {
            matches!(*operator, ";" | "&" | "then" | "do" | "else" | "{" | "(")
        }
        Some(_) => false,
    };
    let ends = match after {
        None => true,
        Some(ScriptItem::Operator(operator)) => {
            matches!(
                *operator,
                ";" | "&&" | "||" | "&" | "then" | "do" | "elif" | "else" | "fi" | "done" | "}" | ")"
            )
        }
        Some(_) => false,
    };
    Some(begins && ends)
}

/// The value that replaces a variable: known text, or a path from the home directory.
fn constant(value: &Word) -> Option<Vec<Piece>> {
    let is_home = |piece: &Piece| match piece {
        Piece::Tilde(name) => name.is_empty(),
        Piece::Variable { name, .. } => name == "HOME",
        _ => false,
    };
    let is_known = match value.pieces.as_slice() {
        [] | [Piece::Literal(_)] => true,
        [first] | [first, Piece::Literal(_)] => is_home(first),
        _ => false,
    };
    let is_short = cost_of_value(&value.pieces) <= LONGEST;
    (is_known && is_short).then(|| value.pieces.clone())
}

/// How bash uses the value of an unquoted variable.
#[derive(Clone, Copy, PartialEq)]
enum Context {
    /// It is split into words and expanded.
    Argument,
    /// It must be one word.
    Single,
    /// It stays as it is.
    Value,
}

fn replace_one(word: &mut Word, found: &AssignedVariables, context: Context, budget: &Budget) {
    let taken = Word { span: word.span, pieces: std::mem::take(&mut word.pieces) };
    if let [only] = replaced(taken, found, context, budget).as_mut_slice() {
        word.pieces = std::mem::take(&mut only.pieces);
    }
}

/// The word, or words, after replacing the variables whose value is known. Never empty.
fn replaced(word: Word, found: &AssignedVariables, context: Context, budget: &Budget) -> Vec<Word> {
    let uses = |piece: &Piece| matches!(piece, Piece::Variable { .. });
    if found.places.is_empty() || !word.pieces.iter().any(uses) {
        return vec![word];
    }
    if context == Context::Argument
        && let Some(words) = split_value(&word, found, budget)
    {
        return words;
    }
    let Some(place) = found.place_of(word.span) else { return vec![word] };
    let known = |name: &str| found.value_at(place, name).filter(|value| budget.spend(cost_of_value(value)));
    let mut pieces: Vec<Piece> = Vec::with_capacity(word.pieces.len());
    for (at, piece) in word.pieces.into_iter().enumerate() {
        let value = match &piece {
            Piece::Variable { name, quoted } => {
                known(name).filter(|value| fits(value, at, *quoted || context == Context::Value))
            }
            _ => None,
        };
        match value {
            Some(value) => value.iter().for_each(|piece| push(&mut pieces, piece.clone())),
            None => push(&mut pieces, piece),
        }
    }
    vec![Word { span: word.span, pieces }]
}

/// The words that bash makes of an argument, if it is a variable whose value has blanks and no quotes around it.
fn split_value(word: &Word, found: &AssignedVariables, budget: &Budget) -> Option<Vec<Word>> {
    let [Piece::Variable { name, quoted: false }] = word.pieces.as_slice() else { return None };
    let value = found.value_at(found.place_of(word.span)?, name)?;
    let [Piece::Literal(text)] = value else { return None };
    let is_split = text.contains(' ')
        && text.chars().all(|c| c == ' ' || stays_one_word(c))
        && budget.spend(cost_of_value(value));
    let words = || text.split_whitespace().map(|part| Word::new(word.span, part)).collect();
    Some(words()).filter(|words: &Vec<Word>| is_split && !words.is_empty())
}

/// What it costs to copy a value.
fn cost_of_value(value: &[Piece]) -> usize {
    let length = |piece: &Piece| if let Piece::Literal(text) = piece { text.len() } else { 0 };
    ITEM + value.iter().map(length).sum::<usize>()
}

/// Whether a value may replace the piece at this position.
fn fits(value: &[Piece], at: usize, quoted: bool) -> bool {
    match value {
        [] => quoted,
        [Piece::Literal(text)] => quoted || (!text.is_empty() && text.chars().all(stays_one_word)),
        // A path from the home directory.
        [_] => at == 0,
        [_, Piece::Literal(text)] => at == 0 && (quoted || text.chars().all(stays_one_word)),
        _ => false,
    }
}

/// Whether an unquoted value with this character is neither split nor expanded.
fn stays_one_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c)
}

fn push(pieces: &mut Vec<Piece>, piece: Piece) {
    match (pieces.last_mut(), piece) {
        (Some(Piece::Literal(text)), Piece::Literal(more)) => text.push_str(&more),
        (_, piece) => pieces.push(piece),
    }
}

#[cfg(test)]
mod tests {
    use sekisho_shell::word::Word;

    use crate::shell::execution_plan::ExecutionPlan;

    /// The words of the last command, with `_` for what is not known.
    fn last(text: &str) -> String {
        let plan = ExecutionPlan::new(text, Some("/w"), None);
        let step = plan.steps.iter().rfind(|step| step.command.is_some()).unwrap();
        let words = step.words.iter().map(|word| word.literal().map_or("_".into(), |text| text.into_owned()));
        words.collect::<Vec<String>>().join("|")
    }

    #[test]
    fn literal_values_replace_variables() {
        for (text, expected) in [
            ("X=5; echo $X", "echo|5"),
            ("X=5 && echo \"$X\"", "echo|5"),
            ("A=src; B=$A/main.rs; cat \"$B\"", "cat|src/main.rs"),
            ("x='-l -a'; ls $x", "ls|-l|-a"),
            ("x='a b'; ls \"$x\"", "ls|a b"),
            ("A=1 B=2; echo $A$B", "echo|12"),
            ("if true; then X=5; echo $X; fi", "echo|5"),
            ("X=5; (echo $X)", "echo|5"),
            ("X=5; for f in a; do echo $X; done", "echo|5"),
            ("X=rm; $X x", "rm|x"),
            ("X=; echo \"$X\"", "echo|"),
            ("X=5; echo \"$(cat $X)\"", "echo|_"),
        ] {
            assert_eq!(last(text), expected, "{text}");
        }
    }

    #[test]
    fn values_that_are_split_are_also_judged_whole() {
        let steps = |text: &str| {
            let plan = ExecutionPlan::new(text, Some("/w"), None);
            let words = |words: &[Word]| words.iter().map(Word::prefix).collect::<Vec<_>>().join("|");
            plan.steps.iter().map(|step| words(&step.words)).collect::<Vec<_>>()
        };
        assert_eq!(steps("x='a b'; ls $x; wc $x"), ["ls|a|b", "ls|a b", "wc|a|b", "wc|a b"]);
        assert_eq!(steps("x='ls a'; $x b"), ["ls|a|b"]);
    }

    #[test]
    fn values_that_are_not_certain_stay_unknown() {
        for text in [
            "echo $X; X=5; echo $Y",
            "X=5; X=6; echo $X",
            "X=5; X+=6; echo $X",
            "false && X=5; echo $X",
            "X=5 | true; echo $X",
            "X=5 & echo $X",
            "X=5 && true & echo $X",
            "(X=5); echo $X",
            "if true; then X=5; fi; echo $X",
            "X='*'; echo $X",
            "X=; echo $X",
            "X=5; read X; echo $X",
            "X=5; unset X; echo $X",
            "X=5; printf -v X a; echo $X",
            "X=5 true; echo $X",
            "for X in a b; do true; done; X=5; echo $X",
            "PATH=5; echo $PATH",
            "X=5; case a in a) X=6;; esac; echo $X",
            "X=5; bash -c 'echo $X'",
            "$(X=5); echo $X",
            "while read -r X; do X=5; done; echo $X",
            "X=5; : ${X:=6}; echo $X",
        ] {
            assert_eq!(last(text), "echo|_", "{text}");
        }
    }

    #[test]
    fn values_do_not_grow_without_limit() {
        let doubled: String = (1..40).map(|at| format!("v{at}=$v{}$v{};", at - 1, at - 1)).collect();
        assert_eq!(last(&format!("v0=0123456789;{doubled} echo $v39")), "echo|_");
        assert_eq!(
            last(&format!("v0=0123456789;{doubled} echo $v3")),
            format!("echo|{}", "0123456789".repeat(8))
        );
    }
}
