//! The state machine of `approvals watch`. No I/O and no clock.
//!
//! An approval must be deliberate. Keys count only after a question has been on the screen for a moment
//! without any key press. A key that arrives together with others (a paste, blind typing) decides nothing.
//! Enter alone decides nothing, and a dangerous call needs two different keys. If a question ends while the
//! user is busy with it, no other question is shown until they confirm that they have seen it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use sekisho_gate::ApprovalId;
use sekisho_gate::answer::{Behavior, RuleScope};
use sekisho_policy::DangerLevel;
use sekisho_server::wire::approval::{AnswerBody, AnswerResponse, ApprovalView, RememberBody, RememberRules};
use serde_json::Value;

use super::keys::KeyPress;
use crate::commands::approvals::input_editor::EditResult;

/// Keys count after this long without a key press since the question was shown. Somebody still typing for
/// another question does not pause this long.
pub(super) const GRACE: Duration = Duration::from_millis(400);

#[derive(Debug)]
pub(in crate::commands) enum PromptEvent {
    Pressed(KeyPress),
    /// The requested drawing is completely on the screen.
    Drawn(Instant),
    /// All open questions, oldest first.
    OpenQuestions(Vec<ApprovalView>),
    /// A new question.
    QuestionOpened(Box<ApprovalView>),
    /// A question has ended; with its current state if known.
    QuestionEnded(ApprovalId, Option<Box<ApprovalView>>),
    /// The editor was closed.
    Edited(Result<EditResult, String>),
    /// The result of our answer.
    Answered(SendOutcome),
    /// A message to print, whatever is on the screen.
    Message(String),
}

/// The result of an answer.
#[derive(Debug)]
pub(in crate::commands) enum SendOutcome {
    Taken(Box<AnswerResponse>),
    /// The question had already ended; with its current state.
    TooLate(Box<ApprovalView>),
    /// The answer was not accepted, and the question is still open.
    Failed(String),
}

/// What the caller has to do.
#[derive(Debug)]
pub(super) enum PromptAction {
    /// Show the question, then report [`PromptEvent::Drawn`].
    Draw,
    /// Show the change of the input, then report [`PromptEvent::Drawn`].
    DrawEdit,
    /// Show the complete input.
    DrawInput,
    /// Show the rules that could be remembered.
    DrawProposals,
    /// Show the key help.
    DrawHelp,
    /// Print a message.
    Print(String),
    /// Print how a question ended.
    PrintOutcome(Box<ApprovalView>),
    /// Print the result of our answer.
    PrintAnswerResponse(Box<AnswerResponse>),
    /// Ring the bell for a new question.
    Ring,
    /// Discard what was typed and not read yet.
    DiscardInput,
    /// Open the editor with the input, or with the text that was saved before.
    Edit(Option<String>),
    Send(ApprovalId, Box<AnswerBody>),
    Quit,
}

/// The state of the question on the screen.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::commands) enum PromptState {
    /// No question is open.
    Idle,
    /// The question is being drawn; keys are ignored.
    Drawing,
    /// Waiting for a deciding key.
    AwaitingDecision,
    /// Waiting for Enter to approve a dangerous call.
    ConfirmingDanger,
    /// A reason is being typed.
    TypingReason(String),
    /// Choosing a proposed rule.
    ChoosingRule,
    /// Choosing where the rule applies.
    ChoosingScope(usize),
    /// The editor is open.
    Editing,
    /// The saved text is not an input; Enter opens the editor again.
    InvalidEdit(String),
    /// The answer is being sent.
    Sending,
    /// The question ended while the user was busy with it. Nothing is shown until they press Enter.
    EndedWhileBusy,
}

/// Changes to the answer before it is sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct AnswerDraft {
    /// The edited input.
    pub(super) input: Option<Value>,
    /// The proposed rule to remember, and where it applies.
    pub(super) remember: Option<(usize, RuleScope)>,
}

/// Shows one question at a time.
#[derive(Debug)]
pub(in crate::commands) struct PromptMachine {
    pub(in crate::commands) state: PromptState,
    pub(super) draft: AnswerDraft,
    /// The question on the screen is first.
    queue: VecDeque<ApprovalView>,
    /// Skipped questions.
    aside: Vec<ApprovalView>,
    /// Keys count from this time on.
    pub(super) accepts_keys_from: Option<Instant>,
}

impl PromptMachine {
    pub(super) fn new() -> PromptMachine {
        let (queue, aside) = (VecDeque::new(), Vec::new());
        PromptMachine {
            state: PromptState::Idle,
            draft: AnswerDraft::default(),
            queue,
            aside,
            accepts_keys_from: None,
        }
    }

    /// The question on the screen.
    pub(in crate::commands) fn current(&self) -> Option<&ApprovalView> {
        self.queue.front().filter(|_| self.state != PromptState::EndedWhileBusy)
    }

    /// How many more questions wait, and how many were skipped.
    pub(in crate::commands) fn others(&self) -> (usize, usize) {
        let shown = usize::from(self.current().is_some());
        (self.queue.len().saturating_sub(shown), self.aside.len())
    }

    /// Whether approving the question on the screen needs two keys.
    pub(super) fn is_dangerous(&self) -> bool {
        self.current().is_some_and(|question| question.shown.danger.level >= DangerLevel::Danger)
    }

    /// Handles an event and returns the actions to take.
    pub(super) fn handle(&mut self, event: PromptEvent) -> Vec<PromptAction> {
        match event {
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

    /// Whether the user is busy with this question: their next keys are meant for it and for no other.
    fn is_busy(&self) -> bool {
        match self.state {
            PromptState::ConfirmingDanger
            | PromptState::TypingReason(_)
            | PromptState::ChoosingRule
            | PromptState::ChoosingScope(_)
            | PromptState::Editing
            | PromptState::InvalidEdit(_) => true,
            // An edit or a chosen rule waits for the deciding key.
            PromptState::Drawing | PromptState::AwaitingDecision => self.draft != AnswerDraft::default(),
            PromptState::Idle | PromptState::Sending | PromptState::EndedWhileBusy => false,
        }
    }

    /// Shows the next question, if any.
    pub(super) fn next(&mut self) -> Vec<PromptAction> {
        self.draft = AnswerDraft::default();
        if self.queue.is_empty() {
            self.state = PromptState::Idle;
            return Vec::new();
        }
        self.state = PromptState::Drawing;
        vec![PromptAction::Draw]
    }

    /// Whether a question is on the screen, waits or was skipped.
    pub(in crate::commands) fn knows(&self, id: ApprovalId) -> bool {
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
        // This may be our own answer, whose result arrives separately.
        if self.state == PromptState::Sending {
            return Vec::new();
        }
        self.queue.pop_front();
        let mut effects = match now {
            Some(now) => vec![PromptAction::PrintOutcome(now)],
            None => vec![PromptAction::Print("the question has ended".into())],
        };
        if self.is_busy() {
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
        let action = match answered {
            SendOutcome::Taken(taken) => PromptAction::PrintAnswerResponse(taken),
            SendOutcome::TooLate(now) => PromptAction::PrintOutcome(now),
            SendOutcome::Failed(why) => {
                self.state = PromptState::AwaitingDecision;
                return vec![PromptAction::Print(why)];
            }
        };
        self.queue.pop_front();
        let mut effects = vec![action];
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
                vec![PromptAction::Print("the input was not changed".into())]
            }
            Ok(EditResult::Changed(input)) => {
                self.draft.input = Some(input);
                // The edited input has to be seen like a new question.
                self.state = PromptState::Drawing;
                vec![PromptAction::DrawEdit]
            }
            Ok(EditResult::Invalid { text, why }) => {
                self.state = PromptState::InvalidEdit(text);
                vec![PromptAction::Print(format!("the saved text is not a valid input: {why}"))]
            }
            Err(why) => vec![PromptAction::Print(why)],
        }
    }

    /// Skips the question on the screen.
    pub(super) fn skip(&mut self) -> Vec<PromptAction> {
        self.aside.extend(self.queue.pop_front());
        let mut effects = vec![PromptAction::Print("skipped; the question stays open".into())];
        effects.extend(self.next());
        effects
    }

    /// Shows the skipped questions again.
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
