//! Words that zsh evaluates as arithmetic must certainly be numbers: a value such as `a[$(rm x)]` runs commands.

use sekisho_shell::programs::is_number;
use sekisho_shell::script::RedirectKind;
use sekisho_shell::word::{Piece, Span, Word};

use super::execution_plan::Step;
use super::pipeline_inputs::PipelineInputs;
use super::plan_context::PlanContext;
use crate::command_explanation::{Detail, Explanation};
use crate::reason::Reason;

/// Variables that every shell keeps as numbers.
const NUMBERS: [&str; 8] = ["?", "#", "$", "UID", "EUID", "PPID", "LINENO", "RANDOM"];

impl PlanContext<'_> {
    /// Why a word that zsh evaluates needs confirmation.
    pub(super) fn evaluated_reason(self, step: &Step) -> Option<Reason> {
        let words = step.profile.evaluated_words.iter().filter_map(|at| step.words.get(*at));
        let word = words.into_iter().find(|word| !self.becomes_number(step.text, word, true))?;
        let detail = if word.literal().is_some() { Detail::UnprovenValue } else { Detail::ComputedValue };
        Some(Reason::Obstacle { word: self.written(step, word), why: Explanation::naming(detail, None) })
    }

    /// Whether a word of a text can only become a number.
    fn becomes_number(self, text: usize, word: &Word, follows: bool) -> bool {
        let is_computed = |piece: &&Piece| matches!(piece, Piece::Substitution { .. });
        let substitutions = word.pieces.iter().filter(is_computed).count();
        word.pieces.iter().all(|piece| match piece {
            Piece::Literal(text) => is_number(text),
            Piece::Variable { name, .. } => {
                NUMBERS.contains(&name.as_str()) || (follows && self.holds_number(text, name))
            }
            Piece::Substitution { .. } => substitutions == 1 && self.prints_number(text, word.span),
            _ => false,
        })
    }

    /// Whether every value that a text gives to a variable is a number. That it has one is checked elsewhere.
    fn holds_number(self, text: usize, name: &str) -> bool {
        let Some(script) = self.plan.texts.get(text).map(|text| &text.script) else { return false };
        if !self.plan.budget.spend(script.assignments.len()) || self.is_read(name) {
            return false;
        }
        let mut values = script.assignments.iter().filter(|assignment| assignment.name == name).peekable();
        values.peek().is_some()
            && values.all(|assignment| self.becomes_number(text, &assignment.value, false))
    }

    /// Whether the only substitution in a range prints a number: `$(ls | wc -l)`, `$(seq 3)`.
    fn prints_number(self, text: usize, span: Span) -> bool {
        let Some(script) = self.plan.texts.get(text).map(|text| &text.script) else { return false };
        if !self.plan.budget.spend(script.substitutions.len()) {
            return false;
        }
        let within = |inner: Span| inner.start >= span.start && inner.end <= span.end;
        let Some(outermost) = script.substitutions.iter().rfind(|one| within(one.span)) else { return false };
        let stages = PipelineInputs::of(script, &outermost.shape).and_then(|feeds| feeds.pipeline());
        let last = stages.and_then(|stages| stages.first().copied());
        let reads = |at: &usize| script.redirects.get(*at).is_some_and(|it| it.kind == RedirectKind::Read);
        let command = last.and_then(|at| script.commands.get(at)).filter(|it| it.redirects.iter().all(reads));
        let words: Option<Vec<_>> =
            command.map(|it| it.words.iter().map(Word::literal).collect()).unwrap_or_default();
        let words = words.unwrap_or_default();
        match words.iter().map(AsRef::as_ref).collect::<Vec<&str>>().as_slice() {
            ["wc", "-l" | "-c" | "-w" | "-m"] | ["nproc"] | ["date", "+%s" | "+%Y"] | ["id", "-u" | "-g"] => {
                true
            }
            ["grep", "-c", pattern] => !pattern.starts_with('-'),
            ["grep", "-c", pattern, file] => !pattern.starts_with('-') && !file.starts_with('-'),
            ["git", "rev-list", "--count", commits] => !commits.starts_with('-'),
            ["seq", numbers @ ..] => numbers.iter().all(|number| is_number(number)),
            _ => false,
        }
    }
}
