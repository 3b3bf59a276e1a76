//! Short texts about a question.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use sekisho_gate::answer::RuleScope;
use sekisho_gate::display::{HiddenCharacter, HidingKind};
use sekisho_policy::OnTimeout;
use sekisho_server::wire::approval::{ApprovalStatus, ApprovalView};

use crate::terminal::{ensure_visible, visible};

/// The time left: `1:53`, `2h05m`, `3d4h`, or `no end`.
pub(super) fn time_left(question: &ApprovalView, now: Timestamp) -> String {
    let Some(end) = question.expires_at else { return "no end".into() };
    let seconds = end.duration_since(now).as_secs().max(0);
    match seconds {
        0..3_600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        3_600..86_400 => format!("{}h{:02}m", seconds / 3_600, seconds % 3_600 / 60),
        _ => format!("{}d{}h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}

/// The time left, and what happens when it is over.
pub(super) fn expiry_text(question: &ApprovalView, now: Timestamp) -> String {
    match has_end(question) {
        false => "no time limit".into(),
        true => format!("{}, then it expires and does not run", time_left_text(question, now)),
    }
}

/// The time left, without what happens when it is over.
pub(super) fn time_left_text(question: &ApprovalView, now: Timestamp) -> String {
    match has_end(question) {
        false => "no time limit".into(),
        true => format!("{} left", time_left(question, now)),
    }
}

fn has_end(question: &ApprovalView) -> bool {
    question.expires_at.is_some() && question.on_timeout == OnTimeout::Deny
}

/// Why an answer to a question cannot be remembered in a scope; none where it can.
pub(super) fn why_not_in(question: &ApprovalView, scope: RuleScope) -> Option<&'static str> {
    let named = |id: &Option<String>| id.as_ref().is_some_and(|id| !id.is_empty());
    match scope {
        RuleScope::Project if question.root.is_none() => {
            Some("the call belongs to no project that the server knows")
        }
        RuleScope::Session if !named(&question.run_id) && !named(&question.conversation_id) => {
            Some("the call names no session")
        }
        RuleScope::Project | RuleScope::Session | RuleScope::Global => None,
    }
}

/// How a question ended: who, how, when and why.
pub(in crate::commands) fn outcome_text(question: &ApprovalView) -> String {
    let Some(outcome) = &question.outcome else { return format!("it is {}", question.state.name()) };
    let at = outcome.at.to_zoned(TimeZone::system()).strftime("%H:%M:%S");
    let by = visible(&outcome.by);
    let how = outcome.how.as_deref().map(|how| format!(" ({})", visible(how))).unwrap_or_default();
    let why = outcome.message.as_deref().filter(|why| !why.is_empty());
    let why = why.map(|why| format!(": {}", visible(why))).unwrap_or_default();
    let edited = if outcome.updated_input.is_some() { ", with an edited input" } else { "" };
    match question.state {
        ApprovalStatus::Expired => format!("it expired at {at}: nobody answered in time"),
        ApprovalStatus::Aborted => format!("withdrawn at {at}{why}"),
        state => format!("{} by {by}{how} at {at}{edited}{why}", state.name()),
    }
}

/// Why no rule can be remembered.
pub(super) fn no_proposals_reason(question: &ApprovalView) -> String {
    let shown = &question.shown;
    match (shown.whole, shown.hidden.is_empty()) {
        (false, _) => "the call could not be shown in full".into(),
        (true, false) => "the call contains characters that hide or disguise text".into(),
        (true, true) => "no rule for it is narrow enough".into(),
    }
}

/// A character that hides text, and what it does.
pub(super) fn hidden_character_text(hidden: &HiddenCharacter) -> String {
    let does = match hidden.hiding {
        HidingKind::Escape => "begins a terminal sequence",
        HidingKind::Control => "is a control character",
        HidingKind::Direction => "changes the text direction",
        HidingKind::ZeroWidth => "has no width",
        HidingKind::Tag => "spells invisible text",
        HidingKind::Selector => "changes how the character before it looks",
        HidingKind::Filler => "is an invisible letter",
        HidingKind::Blank => "looks like a space but is not one",
        HidingKind::PrivateUse => "has a meaning that depends on the font",
        HidingKind::Unassigned => "is not assigned in Unicode",
        HidingKind::LoneMark => "is a combining mark without a base character",
    };
    let times = if hidden.times == 1 { String::new() } else { format!(", {} times", hidden.times) };
    format!("{} {does}{times}", ensure_visible(&hidden.shown_as))
}
