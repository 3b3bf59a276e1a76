//! Variables that a text assigns itself, such as `X=5; echo $X`.
//!
//! If a variable is assigned exactly once, and certainly before a word that uses it, its value there is known: a
//! literal value replaces the variable, so that rules and limits see the word as the program will. Another value is the
//! output of commands that are judged by themselves; the variable then counts as set, but its value stays unknown.

use std::collections::HashMap;
use std::rc::Rc;

use sekisho_shell::Budget;
use sekisho_shell::script::{Assignment, Script, ScriptItem};
use sekisho_shell::word::{Piece, Span, Word};

use super::harmless_variables::is_assignable_name;

/// The cost of one item of a text, and of one assigned variable at one item.
const ITEM: usize = 64;

/// What is known about the variables that one text assigns.
#[derive(Default)]
pub(crate) struct AssignedVariables {
    /// Positions of the assignments that only set such a variable, in order.
    pub(crate) assignments: Vec<usize>,
    /// For each item of the text with a span: the variables that are certainly set there.
    places: Vec<(Span, Rc<Values>)>,
}

/// The values of variables that are certainly set.
type Values = HashMap<String, Option<Vec<Piece>>>;

impl AssignedVariables {
    /// Whether a variable with an unknown value is certainly set at a place.
    pub(crate) fn is_set(&self, span: Span, name: &str) -> bool {
        self.values_at(span).is_some_and(|values| values.contains_key(name))
    }

    fn values_at(&self, span: Span) -> Option<&Rc<Values>> {
        let after = self.places.partition_point(|(place, _)| place.start <= span.start);
        let (place, values) = self.places.get(after.checked_sub(1)?)?;
        (place.end >= span.end).then_some(values)
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
        if !scan.enter(script, looped, number, *item, budget) {
            return AssignedVariables::default();
        }
    }
    let found = AssignedVariables { assignments: scan.assignments, places: scan.places };
    for command in &mut script.commands {
        let words = std::mem::take(&mut command.words).into_iter();
        command.words = words.flat_map(|word| replaced(word, &found, Context::Argument)).collect();
    }
    for redirect in &mut script.redirects {
        replace_one(&mut redirect.target, &found, Context::Single);
    }
    for assignment in &mut script.assignments {
        replace_one(&mut assignment.value, &found, Context::Value);
    }
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
#[derive(Clone, Default)]
struct Frame {
    settled: Values,
    /// Those of the current and-or list, which may still turn out to run in the background.
    pending: Values,
}

#[derive(Default)]
struct Scan {
    names: HashMap<String, usize>,
    frames: Vec<Frame>,
    assignments: Vec<usize>,
    places: Vec<(Span, Rc<Values>)>,
    last: Option<Rc<Values>>,
}

impl Scan {
    /// Takes the next item. `false`: the text has a structure that is not followed here.
    fn enter(
        &mut self,
        script: &Script,
        looped: &[usize],
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
        let values = self.values(budget);
        self.places.push((span, Rc::clone(&values)));
        if let ScriptItem::Assignment(at) = item
            && let Some(assignment) = script.assignments.get(at)
            && !assignment.temporary
            && !looped.contains(&at)
            && self.names.contains_key(&assignment.name)
            && is_certain(script, number)
        {
            let mut value = assignment.value.clone();
            let places = vec![(span, values)];
            let so_far = AssignedVariables { assignments: Vec::new(), places };
            replace_one(&mut value, &so_far, Context::Value);
            self.assignments.push(at);
            self.last = None;
            if let Some(frame) = self.frames.last_mut() {
                frame.pending.insert(assignment.name.clone(), constant(&value));
            }
        }
        true
    }

    /// Everything that is certainly set now.
    fn values(&mut self, budget: &Budget) -> Rc<Values> {
        if let Some(last) = &self.last {
            return Rc::clone(last);
        }
        let mut values = Values::new();
        for frame in &self.frames {
            values.extend(
                frame.settled.iter().chain(&frame.pending).map(|(name, value)| (name.clone(), value.clone())),
            );
        }
        budget.spend(ITEM * values.len());
        let values = Rc::new(values);
        self.last = Some(Rc::clone(&values));
        values
    }

    fn operator(&mut self, operator: &str) -> bool {
        self.last = None;
        match operator {
            "if" | "while" | "until" | "for" | "(" | "{" => self.frames.push(Frame::default()),
            "fi" | "done" | ")" | "}" => {
                self.frames.pop();
            }
            "elif" | "else" => {
                self.frames.pop();
                self.frames.push(Frame::default());
            }
            ";" | "then" | "do" => {
                if let Some(frame) = self.frames.last_mut() {
                    frame.settled.extend(std::mem::take(&mut frame.pending));
                }
            }
            "&" => {
                if let Some(frame) = self.frames.last_mut() {
                    frame.pending.clear();
                }
            }
            "|" | "|&" | "&&" | "||" | "!" | "in" | "time" | "[[" | "]]" => {}
            _ => return false,
        }
        !self.frames.is_empty()
    }
}

/// Whether an assignment is made whenever its list is reached, and by the shell itself.
fn is_certain(script: &Script, number: usize) -> bool {
    let is_assignment = |item: &&ScriptItem| matches!(item, ScriptItem::Assignment(_));
    let before = script.items.iter().take(number).rev().find(|item| !is_assignment(item));
    let after = script.items.iter().skip(number + 1).find(|item| !is_assignment(item));
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
    begins && ends
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
    is_known.then(|| value.pieces.clone())
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

fn replace_one(word: &mut Word, found: &AssignedVariables, context: Context) {
    let taken = Word { span: word.span, pieces: std::mem::take(&mut word.pieces) };
    if let [only] = replaced(taken, found, context).as_mut_slice() {
        word.pieces = std::mem::take(&mut only.pieces);
    }
}

/// The word, or words, after replacing the variables whose value is known. Never empty.
fn replaced(word: Word, found: &AssignedVariables, context: Context) -> Vec<Word> {
    let uses = |piece: &Piece| matches!(piece, Piece::Variable { .. });
    if found.places.is_empty() || !word.pieces.iter().any(uses) {
        return vec![word];
    }
    let Some(values) = found.values_at(word.span).map(Rc::clone) else { return vec![word] };
    let known = |name: &str| values.get(name).and_then(Option::as_deref);
    if let ([Piece::Variable { name, quoted: false }], Context::Argument) = (word.pieces.as_slice(), context)
        && let Some([Piece::Literal(text)]) = known(name)
        && text.contains(' ')
        && text.chars().all(|c| c == ' ' || stays_one_word(c))
    {
        let words: Vec<Word> = text.split_whitespace().map(|part| Word::new(word.span, part)).collect();
        return if words.is_empty() { vec![word] } else { words };
    }
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
    use crate::shell::execution_plan::ExecutionPlan;

    /// The words of the last command, with `_` for what is not known.
    fn last(text: &str) -> String {
        let plan = ExecutionPlan::new(text, Some("/w"), None);
        let step = plan.steps.last().unwrap();
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
}
