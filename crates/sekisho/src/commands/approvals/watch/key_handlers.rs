//! What each key does in each state.

use sekisho_gate::answer::{Behavior, RuleScope};

use super::keys::{Key, KeyBurst, KeyPress};
use super::state_machine::{AnswerDraft, GRACE, PromptAction, PromptMachine, PromptState};
use crate::commands::approvals::status_text::{no_proposals_reason, why_not_in};

/// Maximum length of a typed reason, in characters. The server accepts more.
const LONGEST_REASON: usize = 2_000;

impl PromptMachine {
    pub(super) fn pressed(&mut self, press: &KeyPress) -> Vec<PromptAction> {
        // Ctrl-C always works.
        if matches!(press.key, Key::Interrupt) {
            return vec![PromptAction::Quit];
        }
        if let Some(from) = self.accepts_keys_from.filter(|from| press.at < *from) {
            // The user has not read the question yet if they are still typing: keys count only after a pause.
            self.accepts_keys_from = Some(from.max(press.at + GRACE));
            return vec![PromptAction::DiscardInput];
        }
        if let PromptState::TypingReason(text) = &self.state {
            let text = text.clone();
            return self.typed(text, press);
        }
        // A key that is part of a burst decides nothing.
        if press.burst != KeyBurst::Alone {
            return Vec::new();
        }
        match self.state.clone() {
            PromptState::Idle => self.when_idle(press.key),
            PromptState::AwaitingDecision => self.when_asking(press.key),
            PromptState::ConfirmingDanger => self.when_sure(press.key),
            PromptState::ChoosingRule => self.when_choosing(press.key),
            PromptState::ChoosingScope(index) => self.when_placing(index, press.key),
            PromptState::InvalidEdit(text) => self.when_broken(text, press.key),
            PromptState::EndedWhileBusy => self.when_gone(press.key),
            PromptState::TypingReason(_)
            | PromptState::Drawing
            | PromptState::Editing
            | PromptState::Sending => Vec::new(),
        }
    }

    fn when_idle(&mut self, key: Key) -> Vec<PromptAction> {
        match key {
            Key::Char('q') => vec![PromptAction::Quit],
            Key::Char('?') => vec![PromptAction::DrawHelp],
            Key::Char('s') => self.resume_skipped(),
            _ => Vec::new(),
        }
    }

    fn when_asking(&mut self, key: Key) -> Vec<PromptAction> {
        match key {
            Key::Char('a') if self.is_dangerous() => {
                vec![PromptAction::Print("this call is dangerous: press A, then Enter, to approve it".into())]
            }
            Key::Char('a') => self.send(Behavior::Allow, None),
            Key::Char('A') => self.go(PromptState::ConfirmingDanger),
            Key::Char('d') => self.go(PromptState::TypingReason(String::new())),
            Key::Char('e') => {
                self.state = PromptState::Editing;
                vec![PromptAction::Edit(None)]
            }
            Key::Char('r') => self.remember(),
            Key::Char('i') => vec![PromptAction::DrawInput],
            Key::Char('s') => self.skip(),
            Key::Char('?') => vec![PromptAction::DrawHelp],
            Key::Char('q') => vec![PromptAction::Quit],
            Key::Escape if self.draft != AnswerDraft::default() => {
                self.draft = AnswerDraft::default();
                vec![PromptAction::Print(
                    "back to the original question: no edit, no rule to remember".into(),
                )]
            }
            _ => Vec::new(),
        }
    }

    fn go(&mut self, state: PromptState) -> Vec<PromptAction> {
        self.state = state;
        Vec::new()
    }

    fn when_sure(&mut self, key: Key) -> Vec<PromptAction> {
        match key {
            Key::Enter => self.send(Behavior::Allow, None),
            _ => self.go(PromptState::AwaitingDecision),
        }
    }

    fn remember(&mut self) -> Vec<PromptAction> {
        let Some(question) = self.current() else { return Vec::new() };
        if question.proposals.is_empty() {
            return vec![PromptAction::Print(format!(
                "cannot remember a rule: {}",
                no_proposals_reason(question)
            ))];
        }
        self.state = PromptState::ChoosingRule;
        vec![PromptAction::DrawProposals]
    }

    fn when_choosing(&mut self, key: Key) -> Vec<PromptAction> {
        let count = self.current().map_or(0, |question| question.proposals.len());
        let chosen = match key {
            Key::Char(c) => c.to_digit(10).and_then(|digit| (digit as usize).checked_sub(1)),
            _ => None,
        };
        match (chosen, key) {
            (Some(index), _) if index < count => self.go(PromptState::ChoosingScope(index)),
            (_, Key::Escape) => self.go(PromptState::AwaitingDecision),
            _ => Vec::new(),
        }
    }

    fn when_placing(&mut self, index: usize, key: Key) -> Vec<PromptAction> {
        let scope = match key {
            Key::Char('s') => RuleScope::Session,
            Key::Char('p') => RuleScope::Project,
            Key::Char('g') => RuleScope::Global,
            Key::Escape => return self.go(PromptState::ChoosingRule),
            _ => return Vec::new(),
        };
        if let Some(why) = self.current().and_then(|question| why_not_in(question, scope)) {
            return vec![PromptAction::Print(format!("it cannot be remembered there: {why}"))];
        }
        self.draft.remember = Some((index, scope));
        self.go(PromptState::AwaitingDecision)
    }

    fn when_broken(&mut self, text: String, key: Key) -> Vec<PromptAction> {
        match key {
            Key::Enter | Key::Char('e') => {
                self.state = PromptState::Editing;
                vec![PromptAction::Edit(Some(text))]
            }
            Key::Escape => self.go(PromptState::AwaitingDecision),
            _ => Vec::new(),
        }
    }

    fn when_gone(&mut self, key: Key) -> Vec<PromptAction> {
        match key {
            Key::Enter => self.next(),
            _ => Vec::new(),
        }
    }

    fn typed(&mut self, mut text: String, press: &KeyPress) -> Vec<PromptAction> {
        match press.key {
            Key::Escape if press.burst == KeyBurst::Alone => return self.go(PromptState::AwaitingDecision),
            // Within a paste, Enter is a line break of the text. Alone or at the end, it finishes the text.
            Key::Enter if press.burst == KeyBurst::Within => text.push(' '),
            Key::Enter => {
                let reason = text.trim();
                let reason = (!reason.is_empty()).then(|| reason.to_owned());
                return self.send(Behavior::Deny, reason);
            }
            Key::Backspace => {
                text.pop();
            }
            Key::ClearLine => text.clear(),
            Key::Char(c) if text.chars().count() < LONGEST_REASON => text.push(c),
            Key::Char(_) | Key::Escape | Key::Interrupt | Key::Other => {}
        }
        self.go(PromptState::TypingReason(text))
    }
}
