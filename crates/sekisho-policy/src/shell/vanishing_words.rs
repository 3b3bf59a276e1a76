//! Words that may vanish: a computed word may be empty, and an empty unquoted word is dropped.

use sekisho_shell::script::{Script, ScriptItem};
use sekisho_shell::word::{Piece, Span, Word};

use super::computed_operands::{ANYTHING, NAME, REVISION};
use super::execution_plan::Step;
use super::harmless_variables::{is_printable_in, is_users_variable};
use super::pipeline_inputs::cost_of_feeds;
use super::plan_context::PlanContext;
use crate::command_pattern::COMPUTED;

impl PlanContext<'_> {
    /// Whether a word of a command may vanish.
    pub(super) fn may_vanish(self, step: &Step, word: &Word) -> bool {
        let computed = |piece: &Piece| match piece {
            Piece::Substitution { quoted } | Piece::Unknown { quoted } | Piece::Variable { quoted, .. } => {
                !quoted
            }
            Piece::Literal(_) | Piece::Tilde(_) | Piece::Glob(_) | Piece::Process => false,
        };
        if word.pieces.is_empty() || !word.pieces.iter().all(computed) {
            return false;
        }
        // Only inside its loop does a variable certainly have the value that the loop sets.
        let is_set = word.pieces.iter().any(|piece| match piece {
            Piece::Variable { name, .. } => self.is_in_loop_over(step, name),
            _ => false,
        });
        let unknown = |c: char| c.is_whitespace() || [COMPUTED, NAME, REVISION, ANYTHING].contains(&c);
        let spellings = self.possible_values(step, word, self.inserted(step));
        !is_set || spellings.iter().any(|spelling| spelling.chars().all(unknown))
    }

    /// A variable that the text sets, but perhaps not before this command: the command would get the one of the
    /// environment.
    pub(super) fn unset_variable(self, step: &Step) -> Option<String> {
        let program = step.profile.program.as_deref().unwrap_or_default();
        let is_printed = |text: &str| is_printable_in(program, text.trim_start_matches('$'));
        step.words.iter().find_map(|word| self.unset_in(step.text, word).filter(|text| !is_printed(text)))
    }

    /// Like [`unset_variable`](Self::unset_variable), for one word.
    pub(super) fn unset_in(self, text: usize, word: &Word) -> Option<String> {
        let assigned = self.plan.texts.get(text).map(|text| &text.assigned);
        let is_assigned = |name: &str| assigned.is_some_and(|assigned| assigned.is_set(word.span, name));
        unset(word, |name| is_assigned(name) || self.is_set_at(text, word.span, name))
    }

    /// Like [`unset_variable`](Self::unset_variable), for a word that `[[ … ]]` or `case` compares: it stands where
    /// the next command stands.
    pub(super) fn unset_in_test(self, text: usize, word: &Word) -> Option<String> {
        unset(word, |name| self.is_set_in(text, name, |item| item.start >= word.span.start))
    }

    /// Whether a command is inside a loop that sets this variable.
    pub(super) fn is_in_loop_over(self, step: &Step, name: &str) -> bool {
        let mut at = step;
        let command = loop {
            match (at.command, at.parent.and_then(|parent| self.plan.steps.get(parent))) {
                (Some(command), _) => break command,
                (None, Some(outer)) if outer.text == step.text => at = outer,
                (None, _) => return false,
            }
        };
        let script = self.plan.texts.get(step.text).map(|text| &text.script);
        script.is_some_and(|script| {
            self.plan.budget.spend(cost_of_feeds(script))
                && self.stands_in_loop(
                    step.text,
                    script,
                    name,
                    |item| matches!(item, ScriptItem::Command(at) if *at == command),
                )
        })
    }
}

impl PlanContext<'_> {
    /// Whether a loop that sets a variable contains a place of a text.
    pub(super) fn is_set_at(self, text: usize, span: Span, name: &str) -> bool {
        self.is_set_in(text, name, |outer| span.start >= outer.start && span.end <= outer.end)
    }

    /// Whether a loop that sets a variable contains the first command, redirect or assignment that fits.
    fn is_set_in(self, text: usize, name: &str, fits: impl Fn(Span) -> bool) -> bool {
        let script = self.plan.texts.get(text).map(|text| &text.script);
        script.is_some_and(|script| {
            self.plan.budget.spend(cost_of_feeds(script))
                && self.stands_in_loop(text, script, name, |item| match item {
                    ScriptItem::Command(at) => script.commands.get(*at).is_some_and(|it| fits(it.span)),
                    ScriptItem::Redirect(at) => script.redirects.get(*at).is_some_and(|it| fits(it.span)),
                    ScriptItem::Assignment(at) => script.assignments.get(*at).is_some_and(|it| fits(it.span)),
                    ScriptItem::Operator(_) => false,
                })
        })
    }

    /// Whether the first item of its kind stands in a loop that sets the variable: a `for` loop over it, or a loop
    /// with `while read`.
    fn stands_in_loop(
        self,
        text: usize,
        script: &Script,
        name: &str,
        is_it: impl Fn(&ScriptItem) -> bool,
    ) -> bool {
        let reads = |command: usize| {
            let step = self.plan.step_of(text, command).and_then(|at| self.plan.steps.get(at));
            step.is_some_and(|step| {
                // `read -t 0` succeeds without reading.
                let waits = |word: &Word| word.prefix().starts_with('-') && word.prefix().contains('t');
                step.profile.assigns.iter().any(|assigned| assigned == name) && !step.words.iter().any(waits)
            })
        };
        // For each enclosing loop: whether it sets the variable.
        let mut enclosing: Vec<bool> = Vec::new();
        let (mut head, mut sets) = ("", false);
        // Whether the condition of a `while` is one command and nothing else: beside `||`, `|`, `!` or `(` a `read`
        // may not run, may fail, or may run in another shell.
        let mut is_plain = true;
        for item in &script.items {
            if is_it(item) {
                return enclosing.contains(&true);
            }
            match item {
                ScriptItem::Operator(operator @ ("for" | "while" | "until")) => {
                    (head, sets, is_plain) = (operator, false, true);
                }
                ScriptItem::Assignment(at) if head == "for" => {
                    sets |= script.assignments.get(*at).is_some_and(|assignment| assignment.name == name);
                }
                ScriptItem::Command(at) if head == "while" => {
                    is_plain &= !sets;
                    sets |= reads(*at);
                    is_plain &= sets;
                }
                ScriptItem::Operator("do") => {
                    enclosing.push(sets && (head == "for" || is_plain));
                    (head, sets) = ("", false);
                }
                ScriptItem::Operator("done") => {
                    enclosing.pop();
                }
                ScriptItem::Operator(operator) => is_plain &= *operator == ";",
                ScriptItem::Command(_) | ScriptItem::Redirect(_) | ScriptItem::Assignment(_) => {}
            }
        }
        false
    }
}

/// The first variable of a word that is neither the user's own nor set.
fn unset(word: &Word, is_set: impl Fn(&str) -> bool) -> Option<String> {
    word.pieces.iter().find_map(|piece| match piece {
        Piece::Variable { name, .. } if !is_users_variable(name) => {
            (!is_set(name)).then(|| format!("${name}"))
        }
        _ => None,
    })
}
