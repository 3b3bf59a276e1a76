//! A call to a shell tool whose input has no one text: which of its texts the tool would run cannot be told.
//!
//! Two command fields that differ, a list that holds more than words, a command that is an object: each tool reads them in
//! its own way, or refuses them. The call is a question unless a text that may be the command is denied. Each text is judged
//! as if it were the command, all of them within the budget of one; then rules are held against the bare words of the
//! command fields. If those say nothing, the command may stand in a field of another name: each text of the input is judged
//! as if it were the command, but its bare words are not looked through, because most such texts are no commands.

use std::borrow::Cow;
use std::collections::HashSet;

use sekisho_shell::Budget;

use crate::danger::worse;
use crate::policy::Policy;
use crate::reason::Reason;
use crate::rule_search::{CallTargets, RuleSearchOutcome};
use crate::shell;
use crate::text_field::all_texts;
use crate::trace::{NoTrace, TraceSink};
use crate::verdict::{Decision, Verdict};

/// How many texts are judged as if each were the command.
const MOST_TEXTS: usize = 64;

/// Judges the texts of a call into `verdict` if one of them is denied; `named` are those of the command fields. If none is: the rule that speaks of their bare words.
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
    let texts: Vec<&str> = texts.take(MOST_TEXTS).collect();
    // Equal shares: no text uses up what another needs to be read.
    let units = Budget::DEFAULT / texts.len().max(1);
    for text in texts {
        let mut alone = verdict.clone();
        if !shell::judge_within(policy, view, (text, units), &mut alone, &mut NoTrace) {
            continue;
        }
        if alone.decision == Decision::Deny {
            // Once more for whoever listens.
            shell::judge_within(policy, view, (text, units), &mut alone, sink);
            // Parts say where they stand in a text, and the text they stand in is not the one that is shown.
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
