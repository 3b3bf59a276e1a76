//! Shell calls whose input has no single command text, so that it is unknown which text the tool would run.
//!
//! Examples are two command fields that differ, a list that contains more than words, or a command that is an
//! object. Tools handle these differently, or refuse them. The verdict is confirm unless a text that may be
//! the command is denied. Each text is judged as if it were the command, all of them within the budget of
//! one. Then rules are matched against the bare words of the command fields. If there is no match, the
//! command may be in a field with another name: each text of the input is judged as if it were the command,
//! but its bare words are not searched, because most of these texts are not commands.

use std::borrow::Cow;
use std::collections::HashSet;

use sekisho_shell::Budget;

use crate::call_targets::CallTargets;
use crate::command_field::all_texts;
use crate::danger::worse;
use crate::policy::Policy;
use crate::reason::Reason;
use crate::rule_search::RuleSearchOutcome;
use crate::shell;
use crate::trace::{NoTrace, TraceSink};
use crate::verdict::{Decision, Verdict};

/// The largest number of texts that are judged as commands.
const MAX_TEXTS: usize = 64;

/// Judges the texts of a call into `verdict` if one of them is denied; `named` are those of the command
/// fields. Otherwise returns the rule that matches their bare words.
pub(crate) fn judge<S: TraceSink>(
    policy: &Policy,
    view: &CallTargets<'_>,
    named: &[Cow<'_, str>],
    verdict: &mut Verdict,
    sink: &mut S,
) -> Option<RuleSearchOutcome> {
    let input = &view.call.input;
    let says_nothing = named.iter().all(|text| text.trim().is_empty());
    let others = if says_nothing { all_texts(input) } else { Vec::new() };
    let mut seen = HashSet::new();
    let texts = named.iter().chain(&others).map(AsRef::<str>::as_ref).filter(|text| seen.insert(*text));
    let texts: Vec<&str> = texts.take(MAX_TEXTS).collect();
    // Equal shares, so that no text uses up the budget of another.
    let units = Budget::DEFAULT / texts.len().max(1);
    for text in texts {
        let mut alone = verdict.clone();
        if !shell::judge_within(policy, view, (text, units), &mut alone, &mut NoTrace) {
            continue;
        }
        if alone.decision == Decision::Deny {
            // Judge again, now with the trace.
            shell::judge_within(policy, view, (text, units), &mut alone, sink);
            // Parts refer to positions in a text, and this is not the text that is displayed.
            alone.parts = Vec::new();
            alone.reasons.push(Reason::ShellUnread);
            *verdict = alone;
            return None;
        }
        if let Some(danger) = worse(Some(verdict.danger.clone()), Some(alone.danger)) {
            verdict.danger = danger;
        }
    }
    Some(shell::find_in_bare_words(policy, view, &named.join("\n"), sink))
}
