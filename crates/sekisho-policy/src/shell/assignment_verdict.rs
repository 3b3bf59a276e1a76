//! Why an assignment needs confirmation.

use sekisho_shell::script::Command;
use sekisho_shell::word::Word;

use super::touched_paths::touched_in;
use super::{PlanJudge, allow_limits, harmless_variables};
use crate::reason::Reason;

impl PlanJudge<'_> {
    /// Why the assignment at a position of a text needs confirmation. `appends`: it is written with `+=`.
    pub(super) fn reason_against_assignment(&self, index: usize, at: usize, appends: bool) -> Option<Reason> {
        let text = self.plan.texts.get(index)?;
        let assignment = text.script.assignments.get(at)?;
        let value = &assignment.value;
        if text.looped.binary_search(&at).is_ok() && harmless_variables::is_loop_name(&assignment.name) {
            return self.reason_against_loop(index, value);
        }
        if text.assigned.assignments.binary_search(&at).is_ok() {
            return self.unknown_value(index, value);
        }
        // Where sh runs the text, an assignment before `:` or `set` stays, and changes how later values are split.
        let is_of_read = |command: &Command| {
            command.assignments.contains(&at)
                && command.words.first().and_then(Word::literal).as_deref() == Some("read")
        };
        let stays = assignment.name == "IFS" && !text.script.commands.iter().any(is_of_read);
        let harmless = assignment.temporary
            && !appends
            && !stays
            && harmless_variables::is_harmless_assignment(assignment);
        (!harmless).then(|| Reason::Assignment { name: assignment.name.clone() })
    }

    /// The values of a loop become operands of its commands: they must not name protected paths.
    fn reason_against_loop(&self, text: usize, value: &Word) -> Option<Reason> {
        self.unknown_value(text, value).or_else(|| {
            let reads = self.plan.steps.iter().all(allow_limits::reads);
            let touched = touched_in(self.plan, text, value);
            touched.iter().find_map(|touched| self.limits.path_reason(touched, reads))
        })
    }

    /// A variable or other expansion in a value that is not known.
    fn unknown_value(&self, text: usize, value: &Word) -> Option<Reason> {
        let unlisted = harmless_variables::unlisted_expansion(value, &self.plan.variables);
        unlisted.or_else(|| self.limits.unset_in(text, value)).map(|text| Reason::Expansion { text })
    }
}
