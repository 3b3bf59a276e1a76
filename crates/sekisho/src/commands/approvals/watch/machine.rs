//! What happens to the question on the screen. No input or output here, and no clock.
//!
//! A yes must be meant. So keys count only once a question has been on the screen for a moment in which none was
//! pressed, a key that came together with others (a paste, something typed blindly) is no decision, Enter alone decides
//! nothing, and what is dangerous takes two different keys. Whoever was in the middle of something when the question
//! ended is shown no other one until they say that they have seen it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use sekisho_gate::ApprovalId;
use sekisho_gate::answer::{Behavior, Scope};
use sekisho_policy::DangerLevel;
use sekisho_server::wire::approval::{AnswerBody, AnswerTaken, Question, RememberBody, RememberRules};
use serde_json::Value;

use super::keys::Press;
use crate::commands::approvals::editing::Edit;

/// Keys count once none was pressed for so long after a question was shown. Whoever still types for another one does not
/// stop for that long.
pub(super) const GRACE: Duration = Duration::from_millis(400);

/// Something that happens.
#[derive(Debug)]
pub(super) enum Happening {
    /// A key was pressed.
    Pressed(Press),
    /// What was to be shown is on the screen, all of it.
    Drawn(Instant),
    /// These are all that wait, oldest first.
    Waiting(Vec<Question>),
    /// One was asked.
    Asked(Box<Question>),
    /// One has ended; as it is now, where that is known.
    Ended(ApprovalId, Option<Box<Question>>),
    /// The editor was closed.
    Edited(Result<Edit, String>),
    /// What came of our answer.
    Answered(Answered),
    /// Something to say, whatever is on the screen.
    Told(String),
}

/// What came of an answer.
#[derive(Debug)]
pub(super) enum Answered {
    Taken(Box<AnswerTaken>),
    /// Somebody or something else was faster; as it is now.
    TooLate(Box<Question>),
    /// It was not taken, and the question still waits.
    Failed(String),
}

/// What is to be done about it.
#[derive(Debug)]
pub(super) enum Effect {
    /// Show the question, then say that it is drawn.
    Draw,
    /// Show what the edit changes, then say that it is drawn.
    DrawEdit,
    /// Show the whole input.
    DrawInput,
    /// Show what could be remembered.
    DrawProposals,
    /// Show what the keys do.
    DrawHelp,
    /// Say something.
    Say(String),
    /// Say how a question ended.
    SayEnded(Box<Question>),
    /// Say what our answer came to.
    SayTaken(Box<AnswerTaken>),
    /// Somebody new waits.
    Ring,
    /// Drop what was typed and not read yet.
    Drain,
    /// Open the editor: with the input, or with what was saved before.
    Edit(Option<String>),
    /// Send an answer.
    Send(ApprovalId, Box<AnswerBody>),
    /// End.
    Quit,
}

/// Where we stand with the question on the screen.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum State {
    /// There is none.
    Idle,
    /// It is being drawn; no key counts.
    Drawing,
    /// A key decides.
    Asking,
    /// Approval waits for Enter.
    Sure,
    /// A reason is typed.
    Reason(String),
    /// Which of the proposals.
    Choosing,
    /// Where it is to apply.
    Placing(usize),
    /// The editor is open.
    Editing,
    /// What was saved is no input; Enter opens it again.
    Broken(String),
    /// The answer is on its way.
    Sending,
    /// It ended while somebody was at it; Enter goes on, and nothing is on the screen until then.
    Gone,
}

/// What goes with the answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Draft {
    /// Another input.
    pub(super) input: Option<Value>,
    /// Which proposal to remember, and where.
    pub(super) remember: Option<(usize, Scope)>,
}

/// The inbox, one question at a time.
#[derive(Debug)]
pub(super) struct Machine {
    pub(super) state: State,
    pub(super) draft: Draft,
    /// The one on the screen first.
    queue: VecDeque<Question>,
    /// Those that are not to be asked now.
    aside: Vec<Question>,
    /// Keys count from here on.
    pub(super) counts_from: Option<Instant>,
}

impl Machine {
    pub(super) fn new() -> Machine {
        let (queue, aside) = (VecDeque::new(), Vec::new());
        Machine { state: State::Idle, draft: Draft::default(), queue, aside, counts_from: None }
    }

    /// The question on the screen.
    pub(super) fn current(&self) -> Option<&Question> {
        self.queue.front().filter(|_| self.state != State::Gone)
    }

    /// How many more wait, and how many were put aside.
    pub(super) fn others(&self) -> (usize, usize) {
        let shown = usize::from(self.current().is_some());
        (self.queue.len().saturating_sub(shown), self.aside.len())
    }

    /// Whether the question on the screen takes two keys to approve.
    pub(super) fn is_dangerous(&self) -> bool {
        self.current().is_some_and(|question| question.shown.danger.level >= DangerLevel::Danger)
    }

    /// Takes what happens and says what to do about it.
    pub(super) fn take(&mut self, happening: Happening) -> Vec<Effect> {
        match happening {
            Happening::Pressed(press) => self.pressed(&press),
            Happening::Drawn(at) => self.drawn(at),
            Happening::Waiting(waiting) => self.waiting(waiting),
            Happening::Asked(question) => self.asked(*question),
            Happening::Ended(id, now) => self.ended(id, now),
            Happening::Edited(edit) => self.edited(edit),
            Happening::Answered(answered) => self.answered(answered),
            Happening::Told(text) => vec![Effect::Say(text)],
        }
    }

    fn drawn(&mut self, at: Instant) -> Vec<Effect> {
        if self.state == State::Drawing {
            self.state = State::Asking;
            self.counts_from = Some(at + GRACE);
        }
        Vec::new()
    }

    /// Whether a person is in the middle of something: their next keys are meant for this question and no other.
    fn is_at_it(&self) -> bool {
        match self.state {
            State::Sure
            | State::Reason(_)
            | State::Choosing
            | State::Placing(_)
            | State::Editing
            | State::Broken(_) => true,
            // What was edited or chosen only waits for the last key.
            State::Drawing | State::Asking => self.draft != Draft::default(),
            State::Idle | State::Sending | State::Gone => false,
        }
    }

    /// Shows the next question, if there is one.
    pub(super) fn next(&mut self) -> Vec<Effect> {
        self.draft = Draft::default();
        if self.queue.is_empty() {
            self.state = State::Idle;
            return Vec::new();
        }
        self.state = State::Drawing;
        vec![Effect::Draw]
    }

    fn knows(&self, id: ApprovalId) -> bool {
        self.queue.iter().chain(&self.aside).any(|known| known.id == id)
    }

    fn asked(&mut self, question: Question) -> Vec<Effect> {
        if self.knows(question.id) {
            return Vec::new();
        }
        self.queue.push_back(question);
        let mut effects = vec![Effect::Ring];
        if self.state == State::Idle {
            effects.extend(self.next());
        }
        effects
    }

    fn waiting(&mut self, waiting: Vec<Question>) -> Vec<Effect> {
        let still = |id: ApprovalId| waiting.iter().any(|question| question.id == id);
        let gone: Vec<ApprovalId> =
            self.queue.iter().map(|known| known.id).filter(|id| !still(*id)).collect();
        self.aside.retain(|known| still(known.id));
        let mut effects = Vec::new();
        for id in gone {
            effects.extend(self.ended(id, None));
        }
        for question in waiting {
            effects.extend(self.asked(question));
        }
        effects
    }

    fn ended(&mut self, id: ApprovalId, now: Option<Box<Question>>) -> Vec<Effect> {
        self.aside.retain(|known| known.id != id);
        if self.current().is_none_or(|current| current.id != id) {
            self.queue.retain(|known| known.id != id);
            return Vec::new();
        }
        // That may be our own answer: what came of it will be told.
        if self.state == State::Sending {
            return Vec::new();
        }
        self.queue.pop_front();
        let mut effects = match now {
            Some(now) => vec![Effect::SayEnded(now)],
            None => vec![Effect::Say("the question has ended".into())],
        };
        if self.is_at_it() {
            self.draft = Draft::default();
            self.state = State::Gone;
            effects.push(Effect::Drain);
        } else {
            effects.extend(self.next());
        }
        effects
    }

    fn answered(&mut self, answered: Answered) -> Vec<Effect> {
        if self.state != State::Sending {
            return Vec::new();
        }
        let said = match answered {
            Answered::Taken(taken) => Effect::SayTaken(taken),
            Answered::TooLate(now) => Effect::SayEnded(now),
            Answered::Failed(why) => {
                self.state = State::Asking;
                return vec![Effect::Say(why)];
            }
        };
        self.queue.pop_front();
        let mut effects = vec![said];
        effects.extend(self.next());
        effects
    }

    fn edited(&mut self, edit: Result<Edit, String>) -> Vec<Effect> {
        if self.state != State::Editing {
            return Vec::new();
        }
        self.state = State::Asking;
        match edit {
            Ok(Edit::Same) => {
                self.draft.input = None;
                vec![Effect::Say("the input is as it was".into())]
            }
            Ok(Edit::Changed(input)) => {
                self.draft.input = Some(input);
                // What would run now has to be seen like a new question.
                self.state = State::Drawing;
                vec![Effect::DrawEdit]
            }
            Ok(Edit::Broken { text, why }) => {
                self.state = State::Broken(text);
                vec![Effect::Say(format!("what was saved is no input: {why}"))]
            }
            Err(why) => vec![Effect::Say(why)],
        }
    }

    /// Puts the question on the screen aside.
    pub(super) fn skip(&mut self) -> Vec<Effect> {
        self.aside.extend(self.queue.pop_front());
        let mut effects = vec![Effect::Say("put aside; it still waits for an answer".into())];
        effects.extend(self.next());
        effects
    }

    /// Takes up again what was put aside.
    pub(super) fn take_up(&mut self) -> Vec<Effect> {
        self.queue.extend(std::mem::take(&mut self.aside));
        self.next()
    }

    /// Sends an answer to exactly what is on the screen.
    pub(super) fn send(&mut self, behavior: Behavior, message: Option<String>) -> Vec<Effect> {
        let Some(question) = self.current() else { return Vec::new() };
        let remember = self.draft.remember.and_then(|(index, scope)| {
            let rules = question.proposals.get(index)?.rules.clone();
            Some(RememberBody::Rules(RememberRules { scope, rules }))
        });
        let updated_input = self.draft.input.clone().filter(|_| behavior == Behavior::Allow);
        let digest = Some(question.digest);
        let answer = AnswerBody { behavior, message, updated_input, interrupt: false, remember, digest };
        let id = question.id;
        self.state = State::Sending;
        vec![Effect::Send(id, Box::new(answer))]
    }
}
