//! The prompt line at the bottom of the screen: available keys, time left, number of further questions.

use std::io::{self, Write};

use anstyle::Style;
use jiff::Timestamp;

use super::state_machine::{AnswerDraft, PromptMachine, PromptState};
use crate::commands::approvals::approval_text::expiry_text;
use crate::terminal::{self, columns, style, visible};

/// Content of the prompt line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Prompt {
    /// The main text, coloured.
    pub(super) text: String,
    /// A shorter form for narrow terminals.
    pub(super) short: String,
    /// What the user is typing, if anything. Its end is always visible.
    pub(super) typed: Option<String>,
    /// Faint text, dropped first on narrow terminals.
    pub(super) rest: String,
    pub(super) danger: bool,
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
            danger,
        };
        let with_time = |text: &str| Prompt { rest: time(machine, now), ..plain(text) };
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
                Prompt { typed, rest: "(Enter: deny, Esc: back)".into(), ..plain("Deny. Reason: ") }
            }
            PromptState::ChoosingRule => with_time("Remember which rule? Type its number, Esc: back"),
            PromptState::ChoosingScope(_) => {
                with_time("Where? s this session, p project, g everywhere, Esc: back")
            }
            PromptState::InvalidEdit(_) => with_time("Enter: edit again, Esc: discard the edit"),
            PromptState::Sending => plain("sending…"),
            PromptState::EndedWhileBusy => gone(machine),
        }
    }

    /// Draws over the current line. Spaces clear the rest of it, so no escape sequence is needed.
    pub(super) fn draw(&self, out: &mut impl Write, width: usize) -> io::Result<()> {
        // The last column stays empty: a terminal would wrap to the next line.
        let room = width.saturating_sub(1);
        // The time left is more important than the full key names.
        let fits = columns(&self.text) + 2 + columns(&self.rest) <= room;
        let text = if fits || self.typed.is_some() { &self.text } else { &self.short };
        let text = terminal::truncate(text, room).into_owned();
        let left = room.saturating_sub(columns(&text));
        let typed = self.typed.as_deref().map_or(String::new(), |typed| tail(typed, left));
        let left = left.saturating_sub(columns(&typed));
        let rest = match columns(&self.rest) + 2 <= left {
            true if !self.rest.is_empty() => format!("  {}", self.rest),
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
    Prompt { short: text.clone(), text, typed: None, rest, danger: false }
}

fn gone(machine: &PromptMachine) -> Prompt {
    let rest = match machine.others() {
        (0, _) => String::new(),
        (more, _) => format!("{more} more"),
    };
    let text = String::from("The question ended before you answered; nothing was sent. Press Enter");
    Prompt { short: "It ended. Press Enter".into(), text, typed: None, rest, danger: false }
}

/// The available keys, and a shorter form.
fn asking(machine: &PromptMachine) -> (String, String) {
    let approve = if machine.is_dangerous() { "A+Enter approve" } else { "a approve" };
    match &machine.draft {
        AnswerDraft { input: None, remember: None } => (
            format!("{approve}, d deny, e edit, r remember, i input, s skip, ?"),
            format!("{approve}, d deny, e r i s ?"),
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

fn time(machine: &PromptMachine, now: Timestamp) -> String {
    let Some(question) = machine.current() else { return String::new() };
    let more = match machine.others() {
        (0, _) => String::new(),
        (more, _) => format!(", {more} more"),
    };
    format!("{}{more}", expiry_text(question, now))
}

#[cfg(test)]
mod tests {
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
            rest: "1:53 left".into(),
            danger: false,
        };
        for width in [10, 20, 30, 40, 60, 120] {
            assert_eq!(columns(&drawn(&prompt, width)), width - 1, "{width}");
        }
        assert!(drawn(&prompt, 40).starts_with("a approve, d deny  1:53 left"));
        assert!(drawn(&prompt, 60).starts_with("a approve, d deny, and a lot of other keys  1:53 left"));
        let typing = Prompt { typed: Some("a long reason, the end".into()), ..prompt };
        assert!(drawn(&typing, 50).trim_end().ends_with("end"));
    }
}
