//! What is said about a question in a few words.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use sekisho_gate::answer::Scope;
use sekisho_gate::display::{Hidden, Hiding};
use sekisho_policy::OnTimeout;
use sekisho_server::wire::approval::{Question, QuestionState};

use crate::terminal::{said, visible};

/// The time that is left: `1:53`, `2 h 5 min`, or `no end`.
pub(super) fn left(question: &Question, now: Timestamp) -> String {
    let Some(end) = question.expires_at else { return "no end".into() };
    let seconds = end.duration_since(now).as_secs().max(0);
    match seconds {
        0..3_600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        3_600..86_400 => format!("{}h{:02}m", seconds / 3_600, seconds % 3_600 / 60),
        _ => format!("{}d{}h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}

/// The time that is left, and what happens then.
pub(super) fn fate(question: &Question, now: Timestamp) -> String {
    match has_end(question) {
        false => "no time limit".into(),
        true => format!("{}, then it expires and does not run", brief_fate(question, now)),
    }
}

/// The time that is left, in few words.
pub(super) fn brief_fate(question: &Question, now: Timestamp) -> String {
    match has_end(question) {
        false => "no time limit".into(),
        true => format!("{} left", left(question, now)),
    }
}

fn has_end(question: &Question) -> bool {
    question.expires_at.is_some() && question.on_timeout == OnTimeout::Deny
}

/// Why an answer to a question cannot be remembered in a scope; none where it can.
pub(super) fn why_not_in(question: &Question, scope: Scope) -> Option<&'static str> {
    let named = |id: &Option<String>| id.as_ref().is_some_and(|id| !id.is_empty());
    match scope {
        Scope::Project if question.root.is_none() => {
            Some("the call belongs to no project that the server knows")
        }
        Scope::Session if !named(&question.run_id) && !named(&question.conversation_id) => {
            Some("the call names no session")
        }
        Scope::Project | Scope::Session | Scope::Global => None,
    }
}

/// How a question ended: who, how, when and why.
pub(super) fn ended(question: &Question) -> String {
    let Some(outcome) = &question.outcome else { return format!("it is {}", question.state.name()) };
    let at = outcome.at.to_zoned(TimeZone::system()).strftime("%H:%M:%S");
    let by = visible(&outcome.by);
    let how = outcome.how.as_deref().map(|how| format!(" ({})", visible(how))).unwrap_or_default();
    let why = outcome.message.as_deref().filter(|why| !why.is_empty());
    let why = why.map(|why| format!(": {}", visible(why))).unwrap_or_default();
    let edited = if outcome.updated_input.is_some() { ", with another input" } else { "" };
    match question.state {
        QuestionState::Expired => format!("nobody answered in time; it expired at {at}"),
        QuestionState::Aborted => format!("withdrawn at {at}{why}"),
        state => format!("{} by {by}{how} at {at}{edited}{why}", state.name()),
    }
}

/// Why there is nothing to remember.
pub(super) fn why_none(question: &Question) -> String {
    let shown = &question.shown;
    match (shown.whole, shown.hidden.is_empty()) {
        (false, _) => "not all of it could be shown".into(),
        (true, false) => "it holds characters that hide or disguise text".into(),
        (true, true) => "no rule is narrow enough to be proposed".into(),
    }
}

/// A character that hides text, and what it does.
pub(super) fn hidden(hidden: &Hidden) -> String {
    let does = match hidden.hiding {
        Hiding::Escape => "begins a terminal sequence",
        Hiding::Control => "is a control character",
        Hiding::Direction => "turns the direction of reading",
        Hiding::ZeroWidth => "takes no room",
        Hiding::Tag => "spells text that nobody sees",
        Hiding::Selector => "changes the look of what is before it",
        Hiding::Filler => "is a letter that shows nothing",
        Hiding::Blank => "looks like a blank and is none",
        Hiding::PrivateUse => "means whatever a font makes of it",
        Hiding::Unassigned => "means nothing in Unicode",
        Hiding::LoneMark => "is a mark with nothing to stand on",
    };
    let times = if hidden.times == 1 { String::new() } else { format!(", {} times", hidden.times) };
    format!("{} {does}{times}", said(&hidden.shown_as))
}
