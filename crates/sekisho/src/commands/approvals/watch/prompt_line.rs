//! The prompt line at the bottom of the screen: available keys, time left, number of further questions.

use std::io::{self, Write};

use anstyle::Style;
use jiff::Timestamp;
use sekisho_gate::answer::RuleScope;
use sekisho_server::wire::approval::ApprovalView;

use super::state_machine::{AnswerDraft, PromptMachine, PromptState};
use crate::commands::approvals::status_text::{expiry_text, time_left_text, why_not_in};
use crate::terminal::{self, columns, style, visible};

/// Content of the prompt line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::commands) struct Prompt {
    /// The main text, coloured.
    pub(in crate::commands) text: String,
    /// A shorter form for narrow terminals.
    pub(in crate::commands) short: String,
    /// What the user is typing, if anything. Its end is always visible.
    pub(in crate::commands) typed: Option<String>,
    /// Faint text, dropped first on narrow terminals.
    pub(in crate::commands) rest: String,
    /// A shorter form of `rest`.
    pub(in crate::commands) brief: String,
    pub(in crate::commands) danger: bool,
}

impl Prompt {
    /// The prompt for the current state.
    pub(super) fn of(machine: &PromptMachine, now: Timestamp) -> Prompt {
        let danger = machine.is_dangerous();
        let plain = |text: &str| Prompt {
            text: text.into(),
            short: text.into(),
            typed: None,
            rest: String::new(),
            brief: String::new(),
            danger,
        };
        let with_time = |text: &str| {
            let rest = time(machine, |question| expiry_text(question, now));
            let brief = time(machine, |question| time_left_text(question, now));
            Prompt { rest, brief, ..plain(text) }
        };
        match &machine.state {
            PromptState::Idle => idle(machine),
            PromptState::Drawing | PromptState::Editing => plain(""),
            PromptState::AwaitingDecision => {
                let (text, short) = asking(machine);
                Prompt { text, short, ..with_time("") }
            }
            PromptState::ConfirmingDanger => with_time("Press Enter to approve, any other key to cancel"),
            PromptState::TypingReason(text) => {
                let typed = Some(visible(text).into_owned());
                let rest = String::from("(Enter: deny, Esc: back)");
                Prompt { typed, brief: rest.clone(), rest, ..plain("Deny. Reason: ") }
            }
            PromptState::ChoosingRule => with_time("Remember which rule? Type its number, Esc: back"),
            PromptState::ChoosingScope(_) => with_time(&scope_keys(machine)),
            PromptState::InvalidEdit(_) => with_time("Enter: edit again, Esc: discard the edit"),
            PromptState::Sending => plain("sending…"),
            PromptState::EndedWhileBusy => gone(machine),
        }
    }

    /// Draws over the current line. Spaces clear the rest of it, so no escape sequence is needed.
    pub(super) fn draw(&self, out: &mut impl Write, width: usize) -> io::Result<()> {
        // The last column stays empty: a terminal would wrap to the next line.
        let room = width.saturating_sub(1);
        // The time left is more important than the full key names, and those are more important than what
        // happens when the time is over.
        let fits = |text: &str, rest: &str| columns(text) + 2 + columns(rest) <= room;
        let (text, rest) = match self.typed.is_some() {
            true => (&self.text, &self.rest),
            false if fits(&self.text, &self.rest) => (&self.text, &self.rest),
            false if fits(&self.text, &self.brief) => (&self.text, &self.brief),
            false => (&self.short, &self.brief),
        };
        let text = terminal::truncate(text, room).into_owned();
        let left = room.saturating_sub(columns(&text));
        let typed = self.typed.as_deref().map_or(String::new(), |typed| tail(typed, left));
        let left = left.saturating_sub(columns(&typed));
        let rest = match columns(rest) + 2 <= left {
            true if !rest.is_empty() => format!("  {rest}"),
            _ => String::new(),
        };
        let wipe = left.saturating_sub(columns(&rest));
        let (colour, faint) = (if self.danger { style::DENY } else { Style::new().bold() }, style::FAINT);
        write!(out, "\r{colour}{text}{colour:#}{typed}{faint}{rest}{faint:#}{:wipe$}", "")?;
        // Back to where the next typed character goes.
        write!(out, "\r{colour}{text}{colour:#}{typed}")?;
        out.flush()
    }

    /// Clears the line.
    pub(super) fn wipe(out: &mut impl Write, width: usize) -> io::Result<()> {
        write!(out, "\r{:1$}\r", "", width.saturating_sub(1))
    }
}

/// The end of a text that fits into `width` columns.
fn tail(text: &str, width: usize) -> String {
    let mut kept: Vec<char> = Vec::new();
    let mut used = 0;
    for c in text.chars().rev() {
        used += terminal::wrap::columns_of(c);
        if used > width {
            break;
        }
        kept.push(c);
    }
    kept.iter().rev().collect()
}

fn idle(machine: &PromptMachine) -> Prompt {
    let aside = match machine.others() {
        (_, 0) => String::new(),
        (_, aside) => format!("s shows the {aside} skipped, "),
    };
    let rest = format!("({aside}? help, q quit)");
    let text = String::from("waiting for questions");
    Prompt { short: text.clone(), text, typed: None, brief: rest.clone(), rest, danger: false }
}

fn gone(machine: &PromptMachine) -> Prompt {
    let rest = match machine.others() {
        (0, _) => String::new(),
        (more, _) => format!("{more} more"),
    };
    let text = String::from("The question ended before you answered; nothing was sent. Press Enter");
    let short = String::from("It ended. Press Enter");
    Prompt { short, text, typed: None, brief: rest.clone(), rest, danger: false }
}

/// The available keys, and a shorter form.
fn asking(machine: &PromptMachine) -> (String, String) {
    let approve = if machine.is_dangerous() { "A+Enter approve" } else { "a approve" };
    match &machine.draft {
        AnswerDraft { input: None, remember: None } => (
            format!("{approve}, d deny, e edit, r remember, i input, s skip, ?"),
            format!("{approve}, d deny, ? more keys"),
        ),
        AnswerDraft { input, remember } => {
            let input = if input.is_some() { " the edited input" } else { "" };
            let remember = match remember {
                Some((index, scope)) => format!(" and remember {} ({scope})", index + 1),
                None => String::new(),
            };
            (
                format!("{approve}{input}{remember}, d deny{remember}, Esc: back, ?"),
                format!("{approve}{input}{remember}, d, Esc, ?"),
            )
        }
    }
}

/// The keys of the scopes in which a rule can be remembered.
fn scope_keys(machine: &PromptMachine) -> String {
    let scopes = [
        (RuleScope::Session, "s only this conversation"),
        (RuleScope::Project, "p this project"),
        (RuleScope::Global, "g everywhere"),
    ];
    let can =
        |scope: RuleScope| machine.current().is_none_or(|question| why_not_in(question, scope).is_none());
    let keys: Vec<&str> = scopes.iter().filter(|(scope, _)| can(*scope)).map(|(_, key)| *key).collect();
    format!("Where? {}, Esc: back", keys.join(", "))
}

fn time(machine: &PromptMachine, left: impl Fn(&ApprovalView) -> String) -> String {
    let Some(question) = machine.current() else { return String::new() };
    let more = match machine.others() {
        (0, _) => String::new(),
        (more, _) => format!(", {more} more"),
    };
    format!("{}{more}", left(question))
}

#[cfg(test)]
mod tests {
    use sekisho_testkit::fixtures;

    use super::super::state_machine::PromptEvent;
    use super::*;

    fn drawn(prompt: &Prompt, width: usize) -> String {
        let mut out = Vec::new();
        prompt.draw(&mut out, width).unwrap();
        let text = anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string();
        text.split('\r').nth(1).unwrap().to_owned()
    }

    #[test]
    fn line_never_wraps_and_key_names_are_dropped_before_the_time() {
        let prompt = Prompt {
            text: "a approve, d deny, and a lot of other keys".into(),
            short: "a approve, d deny".into(),
            typed: None,
            rest: "1:53 left, and then some".into(),
            brief: "1:53 left".into(),
            danger: false,
        };
        for width in [10, 20, 30, 40, 60, 120] {
            assert_eq!(columns(&drawn(&prompt, width)), width - 1, "{width}");
        }
        assert!(drawn(&prompt, 40).starts_with("a approve, d deny  1:53 left"));
        let brief = "a approve, d deny, and a lot of other keys  1:53 left  ";
        assert!(drawn(&prompt, 60).starts_with(brief));
        assert!(drawn(&prompt, 80).starts_with("a approve, d deny, and a lot of other keys  1:53 left, and"));
        let typing = Prompt { typed: Some("a long reason, the end".into()), ..prompt };
        assert!(drawn(&typing, 50).trim_end().ends_with("end"));
    }

    #[test]
    fn eighty_columns_fit_all_keys_and_the_time() {
        let mut machine = PromptMachine::new();
        let approval = fixtures::pending_approval(
            fixtures::call("call-1"),
            fixtures::caller(),
            fixtures::seconds_after_start(0),
            Some(120),
        );
        machine.handle(PromptEvent::QuestionOpened(Box::new((&approval).into())));
        machine.state = PromptState::AwaitingDecision;
        let line = drawn(&Prompt::of(&machine, fixtures::seconds_after_start(2)), 80);
        assert_eq!(line.trim_end(), "a approve, d deny, e edit, r remember, i input, s skip, ?  1:58 left");
        let line = drawn(&Prompt::of(&machine, fixtures::seconds_after_start(2)), 120);
        assert!(line.trim_end().ends_with("1:58 left, then it expires and does not run"), "{line}");
    }
}
