//! What happens to the question on the screen. No input or output here, and no clock.
//!
//! A yes must be meant. So keys count only once a question has been on the screen for a moment in which none was
//! pressed, a key that came together with others (a paste, something typed blindly) is no decision, Enter alone decides
//! nothing, and what is dangerous takes two different keys. Whoever was in the middle of something when the question
//! ended is shown no other one until they say that they have seen it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use sekisho_gate::ApprovalId;
use sekisho_gate::answer::{Behavior, RuleScope};
use sekisho_policy::DangerLevel;
use sekisho_server::wire::approval::{AnswerBody, AnswerResponse, ApprovalView, RememberBody, RememberRules};
use serde_json::Value;

use super::keys::KeyPress;
use crate::commands::approvals::input_editor::EditResult;

/// Keys count once none was pressed for so long after a question was shown. Whoever still types for another one does not
/// stop for that long.
pub(super) const GRACE: Duration = Duration::from_millis(400);

/// Something that happens.
#[derive(Debug)]
pub(super) enum PromptEvent {
    /// A key was pressed.
    Pressed(KeyPress),
    /// What was to be shown is on the screen, all of it.
    Drawn(Instant),
    /// These are all that wait, oldest first.
    OpenQuestions(Vec<ApprovalView>),
    /// One was asked.
    QuestionOpened(Box<ApprovalView>),
    /// One has ended; as it is now, where that is known.
    QuestionEnded(ApprovalId, Option<Box<ApprovalView>>),
    /// The editor was closed.
    Edited(Result<EditResult, String>),
    /// What came of our answer.
    Answered(SendOutcome),
    /// Something to say, whatever is on the screen.
    Message(String),
}

/// What came of an answer.
#[derive(Debug)]
pub(super) enum SendOutcome {
    Taken(Box<AnswerResponse>),
    /// Somebody or something else was faster; as it is now.
    TooLate(Box<ApprovalView>),
    /// It was not taken, and the question still waits.
    Failed(String),
}

/// What is to be done about it.
#[derive(Debug)]
pub(super) enum PromptAction {
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
    Print(String),
    /// Say how a question ended.
    PrintOutcome(Box<ApprovalView>),
    /// Say what our answer came to.
    PrintAnswerResponse(Box<AnswerResponse>),
    /// Somebody new waits.
    Ring,
    /// Drop what was typed and not read yet.
    DiscardInput,
    /// Open the editor: with the input, or with what was saved before.
    Edit(Option<String>),
    /// Send an answer.
    Send(ApprovalId, Box<AnswerBody>),
    /// End.
    Quit,
}

/// Where we stand with the question on the screen.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PromptState {
    /// There is none.
    Idle,
    /// It is being drawn; no key counts.
    Drawing,
    /// A key decides.
    AwaitingDecision,
    /// Approval waits for Enter.
    ConfirmingDanger,
    /// A reason is typed.
    TypingReason(String),
    /// Which of the proposals.
    ChoosingRule,
    /// Where it is to apply.
    ChoosingScope(usize),
    /// The editor is open.
    Editing,
    /// What was saved is no input; Enter opens it again.
    InvalidEdit(String),
    /// The answer is on its way.
    Sending,
    /// It ended while somebody was at it; Enter goes on, and nothing is on the screen until then.
    EndedWhileBusy,
}

/// What goes with the answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct AnswerDraft {
    /// Another input.
    pub(super) input: Option<Value>,
    /// Which proposal to remember, and where.
    pub(super) remember: Option<(usize, RuleScope)>,
}

/// The inbox, one question at a time.
#[derive(Debug)]
pub(super) struct PromptMachine {
    pub(super) state: PromptState,
    pub(super) draft: AnswerDraft,
    /// The one on the screen first.
    queue: VecDeque<ApprovalView>,
    /// Those that are not to be asked now.
    aside: Vec<ApprovalView>,
    /// Keys count from here on.
    pub(super) accepts_keys_from: Option<Instant>,
}

impl PromptMachine {
    pub(super) fn new() -> PromptMachine {
        let (queue, aside) = (VecDeque::new(), Vec::new());
        PromptMachine { state: PromptState::Idle, draft: AnswerDraft::default(), queue, aside, accepts_keys_from: None }
    }

    /// The question on the screen.
    pub(super) fn current(&self) -> Option<&ApprovalView> {
        self.queue.front().filter(|_| self.state != PromptState::EndedWhileBusy)
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
    pub(super) fn handle(&mut self, happening: PromptEvent) -> Vec<PromptAction> {
        match happening {
            PromptEvent::Pressed(press) => self.pressed(&press),
            PromptEvent::Drawn(at) => self.drawn(at),
            PromptEvent::OpenQuestions(waiting) => self.waiting(waiting),
            PromptEvent::QuestionOpened(question) => self.asked(*question),
            PromptEvent::QuestionEnded(id, now) => self.ended(id, now),
            PromptEvent::Edited(edit) => self.edited(edit),
            PromptEvent::Answered(answered) => self.answered(answered),
            PromptEvent::Message(text) => vec![PromptAction::Print(text)],
        }
    }

    fn drawn(&mut self, at: Instant) -> Vec<PromptAction> {
        if self.state == PromptState::Drawing {
            self.state = PromptState::AwaitingDecision;
            self.accepts_keys_from = Some(at + GRACE);
        }
        Vec::new()
    }

    /// Whether a person is in the middle of something: their next keys are meant for this question and no other.
    fn is_at_it(&self) -> bool {
        match self.state {
            PromptState::ConfirmingDanger
            | PromptState::TypingReason(_)
            | PromptState::ChoosingRule
            | PromptState::ChoosingScope(_)
            | PromptState::Editing
            | PromptState::InvalidEdit(_) => true,
            // What was edited or chosen only waits for the last key.
            PromptState::Drawing | PromptState::AwaitingDecision => self.draft != AnswerDraft::default(),
            PromptState::Idle | PromptState::Sending | PromptState::EndedWhileBusy => false,
        }
    }

    /// Shows the next question, if there is one.
    pub(super) fn next(&mut self) -> Vec<PromptAction> {
        self.draft = AnswerDraft::default();
        if self.queue.is_empty() {
            self.state = PromptState::Idle;
            return Vec::new();
        }
        self.state = PromptState::Drawing;
        vec![PromptAction::Draw]
    }

    fn knows(&self, id: ApprovalId) -> bool {
        self.queue.iter().chain(&self.aside).any(|known| known.id == id)
    }

    fn asked(&mut self, question: ApprovalView) -> Vec<PromptAction> {
        if self.knows(question.id) {
            return Vec::new();
        }
        self.queue.push_back(question);
        let mut effects = vec![PromptAction::Ring];
        if self.state == PromptState::Idle {
            effects.extend(self.next());
        }
        effects
    }

    fn waiting(&mut self, waiting: Vec<ApprovalView>) -> Vec<PromptAction> {
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

    fn ended(&mut self, id: ApprovalId, now: Option<Box<ApprovalView>>) -> Vec<PromptAction> {
        self.aside.retain(|known| known.id != id);
        if self.current().is_none_or(|current| current.id != id) {
            self.queue.retain(|known| known.id != id);
            return Vec::new();
        }
        // That may be our own answer: what came of it will be told.
        if self.state == PromptState::Sending {
            return Vec::new();
        }
        self.queue.pop_front();
        let mut effects = match now {
            Some(now) => vec![PromptAction::PrintOutcome(now)],
            None => vec![PromptAction::Print("the question has ended".into())],
        };
        if self.is_at_it() {
            self.draft = AnswerDraft::default();
            self.state = PromptState::EndedWhileBusy;
            effects.push(PromptAction::DiscardInput);
        } else {
            effects.extend(self.next());
        }
        effects
    }

    fn answered(&mut self, answered: SendOutcome) -> Vec<PromptAction> {
        if self.state != PromptState::Sending {
            return Vec::new();
        }
        let said = match answered {
            SendOutcome::Taken(taken) => PromptAction::PrintAnswerResponse(taken),
            SendOutcome::TooLate(now) => PromptAction::PrintOutcome(now),
            SendOutcome::Failed(why) => {
                self.state = PromptState::AwaitingDecision;
                return vec![PromptAction::Print(why)];
            }
        };
        self.queue.pop_front();
        let mut effects = vec![said];
        effects.extend(self.next());
        effects
    }

    fn edited(&mut self, edit: Result<EditResult, String>) -> Vec<PromptAction> {
        if self.state != PromptState::Editing {
            return Vec::new();
        }
        self.state = PromptState::AwaitingDecision;
        match edit {
            Ok(EditResult::Unchanged) => {
                self.draft.input = None;
                vec![PromptAction::Print("the input is as it was".into())]
            }
            Ok(EditResult::Changed(input)) => {
                self.draft.input = Some(input);
                // What would run now has to be seen like a new question.
                self.state = PromptState::Drawing;
                vec![PromptAction::DrawEdit]
            }
            Ok(EditResult::Invalid { text, why }) => {
                self.state = PromptState::InvalidEdit(text);
                vec![PromptAction::Print(format!("what was saved is no input: {why}"))]
            }
            Err(why) => vec![PromptAction::Print(why)],
        }
    }

    /// Puts the question on the screen aside.
    pub(super) fn skip(&mut self) -> Vec<PromptAction> {
        self.aside.extend(self.queue.pop_front());
        let mut effects = vec![PromptAction::Print("put aside; it still waits for an answer".into())];
        effects.extend(self.next());
        effects
    }

    /// Takes up again what was put aside.
    pub(super) fn resume_skipped(&mut self) -> Vec<PromptAction> {
        self.queue.extend(std::mem::take(&mut self.aside));
        self.next()
    }

    /// Sends an answer to exactly what is on the screen.
    pub(super) fn send(&mut self, behavior: Behavior, message: Option<String>) -> Vec<PromptAction> {
        let Some(question) = self.current() else { return Vec::new() };
        let remember = self.draft.remember.and_then(|(index, scope)| {
            let rules = question.proposals.get(index)?.rules.clone();
            Some(RememberBody::Rules(RememberRules { scope, rules }))
        });
        let updated_input = self.draft.input.clone().filter(|_| behavior == Behavior::Allow);
        let digest = Some(question.digest);
        let answer = AnswerBody { behavior, message, updated_input, interrupt: false, remember, digest };
        let id = question.id;
        self.state = PromptState::Sending;
        vec![PromptAction::Send(id, Box::new(answer))]
    }
}
