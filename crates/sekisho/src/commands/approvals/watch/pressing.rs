//! Which key does what, in which state.

use sekisho_gate::answer::{Behavior, Scope};

use super::keys::{Company, Key, Press};
use super::machine::{Draft, Effect, GRACE, Machine, State};
use crate::commands::approvals::words::{why_none, why_not_in};

/// The longest reason that can be typed; a server takes more.
const LONGEST_REASON: usize = 2_000;

impl Machine {
    pub(super) fn pressed(&mut self, press: &Press) -> Vec<Effect> {
        // The way out is always open.
        if matches!(press.key, Key::Interrupt) {
            return vec![Effect::Quit];
        }
        if let Some(from) = self.counts_from.filter(|from| press.at < *from) {
            // Whoever types has not read the question yet: it takes a pause before keys count.
            self.counts_from = Some(from.max(press.at + GRACE));
            return vec![Effect::Drain];
        }
        if let State::Reason(text) = &self.state {
            let text = text.clone();
            return self.typed(text, press);
        }
        // A key among others is no decision.
        if press.company != Company::Alone {
            return Vec::new();
        }
        match self.state.clone() {
            State::Idle => self.when_idle(press.key),
            State::Asking => self.when_asking(press.key),
            State::Sure => self.when_sure(press.key),
            State::Choosing => self.when_choosing(press.key),
            State::Placing(index) => self.when_placing(index, press.key),
            State::Broken(text) => self.when_broken(text, press.key),
            State::Gone => self.when_gone(press.key),
            State::Reason(_) | State::Drawing | State::Editing | State::Sending => Vec::new(),
        }
    }

    fn when_idle(&mut self, key: Key) -> Vec<Effect> {
        match key {
            Key::Char('q') => vec![Effect::Quit],
            Key::Char('?') => vec![Effect::DrawHelp],
            Key::Char('s') => self.take_up(),
            _ => Vec::new(),
        }
    }

    fn when_asking(&mut self, key: Key) -> Vec<Effect> {
        match key {
            Key::Char('a') if self.is_dangerous() => {
                vec![Effect::Say("this one is dangerous: press A, then Enter, to approve it".into())]
            }
            Key::Char('a') => self.send(Behavior::Allow, None),
            Key::Char('A') => self.go(State::Sure),
            Key::Char('d') => self.go(State::Reason(String::new())),
            Key::Char('e') => {
                self.state = State::Editing;
                vec![Effect::Edit(None)]
            }
            Key::Char('r') => self.remember(),
            Key::Char('i') => vec![Effect::DrawInput],
            Key::Char('s') => self.skip(),
            Key::Char('?') => vec![Effect::DrawHelp],
            Key::Char('q') => vec![Effect::Quit],
            Key::Escape if self.draft != Draft::default() => {
                self.draft = Draft::default();
                vec![Effect::Say("as it was asked, and nothing to remember".into())]
            }
            _ => Vec::new(),
        }
    }

    fn go(&mut self, state: State) -> Vec<Effect> {
        self.state = state;
        Vec::new()
    }

    fn when_sure(&mut self, key: Key) -> Vec<Effect> {
        match key {
            Key::Enter => self.send(Behavior::Allow, None),
            _ => self.go(State::Asking),
        }
    }

    fn remember(&mut self) -> Vec<Effect> {
        let Some(question) = self.current() else { return Vec::new() };
        if question.proposals.is_empty() {
            return vec![Effect::Say(format!("nothing can be remembered: {}", why_none(question)))];
        }
        self.state = State::Choosing;
        vec![Effect::DrawProposals]
    }

    fn when_choosing(&mut self, key: Key) -> Vec<Effect> {
        let count = self.current().map_or(0, |question| question.proposals.len());
        let chosen = match key {
            Key::Char(c) => c.to_digit(10).and_then(|digit| (digit as usize).checked_sub(1)),
            _ => None,
        };
        match (chosen, key) {
            (Some(index), _) if index < count => self.go(State::Placing(index)),
            (_, Key::Escape) => self.go(State::Asking),
            _ => Vec::new(),
        }
    }

    fn when_placing(&mut self, index: usize, key: Key) -> Vec<Effect> {
        let scope = match key {
            Key::Char('s') => Scope::Session,
            Key::Char('p') => Scope::Project,
            Key::Char('g') => Scope::Global,
            Key::Escape => return self.go(State::Choosing),
            _ => return Vec::new(),
        };
        if let Some(why) = self.current().and_then(|question| why_not_in(question, scope)) {
            return vec![Effect::Say(format!("it cannot be remembered there: {why}"))];
        }
        self.draft.remember = Some((index, scope));
        self.go(State::Asking)
    }

    fn when_broken(&mut self, text: String, key: Key) -> Vec<Effect> {
        match key {
            Key::Enter | Key::Char('e') => {
                self.state = State::Editing;
                vec![Effect::Edit(Some(text))]
            }
            Key::Escape => self.go(State::Asking),
            _ => Vec::new(),
        }
    }

    fn when_gone(&mut self, key: Key) -> Vec<Effect> {
        match key {
            Key::Enter => self.next(),
            _ => Vec::new(),
        }
    }

    fn typed(&mut self, mut text: String, press: &Press) -> Vec<Effect> {
        match press.key {
            Key::Escape if press.company == Company::Alone => return self.go(State::Asking),
            // Inside a paste it is a line break of the text; at its end, and alone, it is the end.
            Key::Enter if press.company == Company::Inside => text.push(' '),
            Key::Enter => {
                let reason = text.trim();
                let reason = (!reason.is_empty()).then(|| reason.to_owned());
                return self.send(Behavior::Deny, reason);
            }
            Key::Back => {
                text.pop();
            }
            Key::Clear => text.clear(),
            Key::Char(c) if text.chars().count() < LONGEST_REASON => text.push(c),
            Key::Char(_) | Key::Escape | Key::Interrupt | Key::Other => {}
        }
        self.go(State::Reason(text))
    }
}
