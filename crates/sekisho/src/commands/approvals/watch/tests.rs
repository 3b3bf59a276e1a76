use std::time::{Duration, Instant};

use sekisho_gate::answer::{Behavior, RuleScope};
use sekisho_gate::approval::{AcceptedAnswer as Given, ApprovalState as Fate};
use sekisho_policy::DangerLevel;
use sekisho_server::wire::approval::{AnswerBody, AnswerResponse, ApprovalView, RememberBody};
use sekisho_testkit::fixtures;
use serde_json::json;

use super::keys::{Key, KeyBurst, KeyPress};
use super::state_machine::{GRACE, PromptAction, PromptEvent, PromptMachine, PromptState, SendOutcome};
use crate::commands::approvals::input_editor::EditResult;

fn question(name: &str) -> ApprovalView {
    (&fixtures::pending_approval(
        fixtures::call(name),
        fixtures::caller(),
        fixtures::seconds_after_start(0),
        Some(120),
    ))
        .into()
}

fn dangerous() -> ApprovalView {
    let mut question = question("call-1");
    question.shown.danger.level = DangerLevel::Danger;
    question
}

/// The same question, denied by somebody else.
fn denied_elsewhere(question: &ApprovalView) -> Box<ApprovalView> {
    let mut approval = fixtures::pending_approval(
        fixtures::call("x"),
        fixtures::caller(),
        fixtures::seconds_after_start(0),
        Some(120),
    );
    let answer = sekisho_gate::answer::Answer::deny();
    let by = sekisho_gate::answer::Actor::Person(fixtures::approver(sekisho_gate::answer::Role::Approver));
    approval.fate.state =
        Fate::Denied(Given { answer, by, at: fixtures::seconds_after_start(5), edited: None });
    let mut ended = ApprovalView::from(&approval);
    ended.id = question.id;
    Box::new(ended)
}

/// A machine with its own clock.
struct Harness {
    machine: PromptMachine,
    now: Instant,
}

impl Harness {
    fn new() -> Harness {
        Harness { machine: PromptMachine::new(), now: Instant::now() }
    }

    /// A question that has been on the screen long enough for keys to count.
    fn showing(question: &ApprovalView) -> Harness {
        let mut harness = Harness::new();
        let effects = harness.take(PromptEvent::QuestionOpened(Box::new(question.clone())));
        assert!(matches!(effects[..], [PromptAction::Ring, PromptAction::Draw]), "{effects:?}");
        harness.drawn();
        harness
    }

    fn take(&mut self, event: PromptEvent) -> Vec<PromptAction> {
        self.machine.handle(event)
    }

    /// The drawing is finished, and the pause has passed.
    fn drawn(&mut self) {
        self.take(PromptEvent::Drawn(self.now));
        self.now += GRACE + Duration::from_millis(1);
    }

    fn press_in(&mut self, key: Key, burst: KeyBurst) -> Vec<PromptAction> {
        self.take(PromptEvent::Pressed(KeyPress { key, at: self.now, burst }))
    }

    fn press(&mut self, key: Key) -> Vec<PromptAction> {
        self.press_in(key, KeyBurst::Alone)
    }

    fn key(&mut self, c: char) -> Vec<PromptAction> {
        self.press(Key::Char(c))
    }

    /// Types without a pause.
    fn type_on(&mut self, text: &str) {
        for c in text.chars() {
            self.now += Duration::from_millis(150);
            let effects = self.key(c);
            assert!(is_nothing(&effects), "{c}: {effects:?}");
        }
    }

    fn type_in(&mut self, text: &str) {
        for c in text.chars() {
            assert!(self.key(c).is_empty());
        }
    }
}

/// Whether a key had no effect except to discard input.
fn is_nothing(effects: &[PromptAction]) -> bool {
    matches!(effects, [] | [PromptAction::DiscardInput])
}

fn sent(effects: &[PromptAction]) -> &AnswerBody {
    match effects {
        [PromptAction::Send(_, answer)] => answer,
        other => panic!("expected an answer to be sent, got {other:?}"),
    }
}

#[test]
fn single_key_approves_the_shown_question() {
    let question = question("call-1");
    let mut harness = Harness::showing(&question);
    let effects = harness.key('a');
    let answer = sent(&effects);
    assert_eq!((answer.behavior, answer.digest), (Behavior::Allow, Some(question.digest)));
    assert!(answer.message.is_none() && answer.remember.is_none() && answer.updated_input.is_none());
    // No key counts until the result is known.
    assert!(harness.key('d').is_empty());
    assert_eq!(harness.machine.state, PromptState::Sending);
}

#[test]
fn keys_count_only_after_a_pause() {
    let mut harness = Harness::new();
    harness.take(PromptEvent::QuestionOpened(Box::new(question("call-1"))));
    assert!(harness.key('a').is_empty(), "keys do not count while the question is drawn");
    harness.take(PromptEvent::Drawn(harness.now));
    // Each early key makes the pause start again.
    for wait in [0, 200, 399, 399, 1] {
        harness.now += Duration::from_millis(wait);
        assert!(matches!(harness.key('a')[..], [PromptAction::DiscardInput]), "key after {wait} ms");
    }
    harness.now += GRACE;
    assert_eq!(sent(&harness.key('a')).behavior, Behavior::Allow);
}

#[test]
fn no_early_key_counts() {
    for key in [Key::Enter, Key::Escape, Key::Backspace, Key::ClearLine, Key::Other, Key::Char('x')] {
        for burst in [KeyBurst::Alone, KeyBurst::Within, KeyBurst::Last] {
            let mut harness = Harness::new();
            harness.take(PromptEvent::QuestionOpened(Box::new(question("call-1"))));
            harness.take(PromptEvent::Drawn(harness.now));
            harness.now += GRACE - Duration::from_millis(1);
            assert!(is_nothing(&harness.press_in(key, burst)), "{key:?}");
            harness.now += GRACE - Duration::from_millis(1);
            assert!(is_nothing(&harness.key('a')), "{key:?}");
            harness.now += GRACE;
            assert_eq!(sent(&harness.key('a')).behavior, Behavior::Allow);
        }
    }
}

#[test]
fn key_before_drawing_does_not_shorten_the_pause() {
    let mut harness = Harness::new();
    harness.take(PromptEvent::QuestionOpened(Box::new(question("call-1"))));
    let before = harness.now;
    harness.now += Duration::from_secs(1);
    harness.take(PromptEvent::Drawn(harness.now));
    let press = KeyPress { key: Key::Char('a'), at: before, burst: KeyBurst::Alone };
    assert!(is_nothing(&harness.take(PromptEvent::Pressed(press))));
    harness.now += GRACE - Duration::from_millis(1);
    assert!(is_nothing(&harness.key('a')));
}

#[test]
fn enter_alone_is_no_answer() {
    let mut harness = Harness::showing(&question("call-1"));
    for key in
        [Key::Enter, Key::Escape, Key::Backspace, Key::Other, Key::Char('y'), Key::Char(' '), Key::Char('x')]
    {
        assert!(harness.press(key).is_empty(), "{key:?}");
        assert_eq!(harness.machine.state, PromptState::AwaitingDecision);
    }
}

#[test]
fn paste_decides_nothing() {
    let mut harness = Harness::showing(&question("call-1"));
    for burst in [KeyBurst::Within, KeyBurst::Last] {
        assert!(harness.press_in(Key::Char('a'), burst).is_empty());
        assert!(harness.press_in(Key::Char('d'), burst).is_empty());
    }
    assert_eq!(harness.machine.state, PromptState::AwaitingDecision);
    harness.key('A');
    assert!(harness.press_in(Key::Enter, KeyBurst::Last).is_empty());
}

#[test]
fn dangerous_call_needs_two_different_keys() {
    let mut harness = Harness::showing(&dangerous());
    assert!(matches!(harness.key('a')[..], [PromptAction::Print(_)]), "one key only prints a hint");
    assert!(harness.key('A').is_empty());
    assert_eq!(harness.machine.state, PromptState::ConfirmingDanger);
    assert!(harness.key('A').is_empty(), "the same key twice does not approve");
    assert_eq!(harness.machine.state, PromptState::AwaitingDecision);
    assert!(harness.press(Key::Enter).is_empty(), "Enter alone does not approve");
    harness.key('A');
    assert_eq!(sent(&harness.press(Key::Enter)).behavior, Behavior::Allow);
}

#[test]
fn denial_can_have_a_reason() {
    let mut harness = Harness::showing(&question("call-1"));
    harness.key('d');
    harness.type_in("use x");
    harness.press(Key::Backspace);
    // A paste may have several lines; only its last Enter ends the reason.
    for c in "staging".chars() {
        harness.press_in(Key::Char(c), KeyBurst::Within);
    }
    assert!(harness.press_in(Key::Enter, KeyBurst::Within).is_empty());
    harness.type_in("please");
    let effects = harness.press(Key::Enter);
    let answer = sent(&effects);
    assert_eq!(answer.behavior, Behavior::Deny);
    assert_eq!(answer.message.as_deref(), Some("use staging please"));
}

#[test]
fn denial_needs_no_reason_and_can_be_cancelled() {
    let mut harness = Harness::showing(&question("call-1"));
    harness.key('d');
    harness.type_in("a");
    assert!(harness.press(Key::Escape).is_empty());
    assert_eq!(harness.machine.state, PromptState::AwaitingDecision);
    harness.key('d');
    let effects = harness.press(Key::Enter);
    assert_eq!((sent(&effects).behavior, sent(&effects).message.as_ref()), (Behavior::Deny, None));
}

#[test]
fn edit_is_shown_before_it_can_be_sent() {
    let mut harness = Harness::showing(&question("call-1"));
    assert!(matches!(harness.key('e')[..], [PromptAction::Edit(None)]));
    let broken = EditResult::Invalid { text: "{".into(), why: "it ends too soon".into() };
    assert!(matches!(harness.take(PromptEvent::Edited(Ok(broken)))[..], [PromptAction::Print(_)]));
    let again = harness.press(Key::Enter);
    assert!(matches!(&again[..], [PromptAction::Edit(Some(text))] if text == "{"), "{again:?}");
    let input = json!({ "target": "staging" });
    let effects = harness.take(PromptEvent::Edited(Ok(EditResult::Changed(input.clone()))));
    assert!(matches!(effects[..], [PromptAction::DrawEdit]));
    assert!(harness.key('a').is_empty(), "keys do not count before the edit was shown");
    harness.drawn();
    assert_eq!(sent(&harness.key('a')).updated_input, Some(input));
}

#[test]
fn denial_carries_no_edit() {
    let mut harness = Harness::showing(&question("call-1"));
    harness.key('e');
    harness.take(PromptEvent::Edited(Ok(EditResult::Changed(json!({})))));
    harness.drawn();
    harness.key('d');
    assert_eq!(sent(&harness.press(Key::Enter)).updated_input, None);
}

#[test]
fn edited_dangerous_call_needs_two_keys() {
    let mut harness = Harness::showing(&dangerous());
    harness.key('e');
    harness.take(PromptEvent::Edited(Ok(EditResult::Changed(json!({})))));
    harness.drawn();
    assert!(matches!(harness.key('a')[..], [PromptAction::Print(_)]));
}

#[test]
fn rule_to_remember_is_chosen_with_its_scope() {
    let asked = question("call-1");
    let mut harness = Harness::showing(&asked);
    assert!(matches!(harness.key('r')[..], [PromptAction::DrawProposals]));
    assert!(harness.key('7').is_empty() && harness.key('0').is_empty(), "there is one proposal");
    assert_eq!(harness.machine.state, PromptState::ChoosingRule);
    harness.key('1');
    harness.key('s');
    assert_eq!(harness.machine.draft.remember, Some((0, RuleScope::Session)));
    let effects = harness.key('a');
    let Some(RememberBody::Rules(kept)) = &sent(&effects).remember else { panic!("{effects:?}") };
    assert_eq!((kept.scope, &kept.rules), (RuleScope::Session, &asked.proposals[0].rules));
}

#[test]
fn rule_to_remember_can_be_cleared() {
    let mut harness = Harness::showing(&question("call-1"));
    harness.key('r');
    harness.key('1');
    harness.key('g');
    assert!(matches!(harness.press(Key::Escape)[..], [PromptAction::Print(_)]));
    assert!(sent(&harness.key('a')).remember.is_none());
    let mut nothing = question("call-2");
    nothing.proposals.clear();
    let mut harness = Harness::showing(&nothing);
    assert!(matches!(harness.key('r')[..], [PromptAction::Print(_)]));
    assert_eq!(harness.machine.state, PromptState::AwaitingDecision);
}

#[test]
fn question_ended_elsewhere_is_withdrawn_while_typing() {
    let (first, second) = (question("call-1"), question("call-2"));
    // A letter of a reason, a chosen rule and scope (with `a` left to press), an open editor.
    for keys in ["d", "dbecause", "A", "r", "r1", "r1s", "e"] {
        let mut harness = Harness::showing(&first);
        harness.take(PromptEvent::QuestionOpened(Box::new(second.clone())));
        for c in keys.chars() {
            harness.key(c);
        }
        let effects = harness.take(PromptEvent::QuestionEnded(first.id, Some(denied_elsewhere(&first))));
        assert!(
            matches!(effects[..], [PromptAction::PrintOutcome(_), PromptAction::DiscardInput]),
            "{keys}: {effects:?}"
        );
        assert_eq!((harness.machine.current().is_none(), harness.machine.others()), (true, (1, 0)));
        // However long the typing goes on, and whatever the editor returned.
        harness.type_on("aAdsq?i1");
        harness.now += GRACE * 2;
        harness.type_on("a");
        assert!(harness.take(PromptEvent::Edited(Ok(EditResult::Changed(json!({}))))).is_empty());
        assert!(harness.press_in(Key::Enter, KeyBurst::Last).is_empty(), "the end of a paste is not Enter");
        assert_eq!(harness.machine.state, PromptState::EndedWhileBusy, "{keys}");
        assert!(matches!(harness.press(Key::Enter)[..], [PromptAction::Draw]));
        harness.drawn();
        let effects = harness.key('a');
        assert!(matches!(effects[..], [PromptAction::Send(id, _)] if id == second.id), "{keys}: {effects:?}");
        assert!(sent(&effects).remember.is_none() && sent(&effects).updated_input.is_none());
    }
}

#[test]
fn question_ended_while_idle_is_followed_by_the_next() {
    let (first, second) = (question("call-1"), question("call-2"));
    let mut harness = Harness::showing(&first);
    harness.take(PromptEvent::QuestionOpened(Box::new(second.clone())));
    let effects = harness.take(PromptEvent::QuestionEnded(first.id, Some(denied_elsewhere(&first))));
    assert!(matches!(effects[..], [PromptAction::PrintOutcome(_), PromptAction::Draw]), "{effects:?}");
    // Keys meant for the first question do not answer the second.
    assert!(harness.key('a').is_empty());
    harness.take(PromptEvent::Drawn(harness.now));
    harness.type_on("aaaaaaaa");
    harness.now += GRACE;
    assert!(matches!(harness.key('a')[..], [PromptAction::Send(id, _)] if id == second.id));
}

#[test]
fn reason_typed_after_withdrawal_approves_nothing() {
    let (first, second) = (question("call-1"), question("call-2"));
    let mut harness = Harness::showing(&first);
    harness.take(PromptEvent::QuestionOpened(Box::new(second.clone())));
    harness.type_on("dnot on a");
    harness.take(PromptEvent::QuestionEnded(first.id, None));
    harness.type_on(" branch that anybody has a say about");
    assert_eq!(harness.machine.state, PromptState::EndedWhileBusy);
    // The Enter meant for the reason only continues. It does not answer the next question, nor does what is
    // typed after it.
    harness.now += Duration::from_millis(150);
    assert!(matches!(harness.press(Key::Enter)[..], [PromptAction::Draw]));
    harness.take(PromptEvent::Drawn(harness.now));
    for key in [Key::Enter, Key::Enter, Key::Char('A'), Key::Enter] {
        harness.now += Duration::from_millis(150);
        assert!(is_nothing(&harness.press(key)), "{key:?}");
    }
    harness.type_on("at all, and a half");
    assert_eq!(harness.machine.state, PromptState::AwaitingDecision);
    harness.now += GRACE;
    assert!(matches!(harness.key('a')[..], [PromptAction::Send(id, _)] if id == second.id));
}

#[test]
fn next_question_waits_for_enter() {
    let (first, second, third) = (question("call-1"), question("call-2"), question("call-3"));
    let mut harness = Harness::showing(&first);
    harness.key('d');
    harness.take(PromptEvent::QuestionEnded(first.id, None));
    // There was no other question; now there are two, then one.
    for asked in [&second, &third] {
        let effects = harness.take(PromptEvent::QuestionOpened(Box::new(asked.clone())));
        assert!(matches!(effects[..], [PromptAction::Ring]), "{effects:?}");
    }
    assert!(harness.take(PromptEvent::QuestionEnded(second.id, None)).is_empty(), "it was never shown");
    assert!(harness.take(PromptEvent::OpenQuestions(vec![third.clone()])).is_empty());
    assert_eq!(harness.machine.state, PromptState::EndedWhileBusy);
    assert!(matches!(harness.press(Key::Enter)[..], [PromptAction::Draw]));
    assert_eq!(harness.machine.current().map(|current| current.id), Some(third.id));
    // And none at all.
    let mut harness = Harness::showing(&first);
    harness.key('d');
    harness.take(PromptEvent::QuestionEnded(first.id, None));
    assert!(harness.press(Key::Enter).is_empty());
    assert_eq!(harness.machine.state, PromptState::Idle);
}

#[test]
fn pending_edit_is_not_followed_by_another_question() {
    let (first, second) = (question("call-1"), question("call-2"));
    let mut harness = Harness::showing(&first);
    harness.take(PromptEvent::QuestionOpened(Box::new(second.clone())));
    harness.key('e');
    harness.take(PromptEvent::Edited(Ok(EditResult::Changed(json!({})))));
    harness.drawn();
    harness.take(PromptEvent::QuestionEnded(first.id, None));
    harness.type_on("a");
    assert_eq!(harness.machine.state, PromptState::EndedWhileBusy);
    harness.press(Key::Enter);
    harness.drawn();
    assert_eq!(sent(&harness.key('a')).updated_input, None);
}

#[test]
fn own_answer_is_not_reported_as_someone_elses() {
    let asked = question("call-1");
    let mut harness = Harness::showing(&asked);
    harness.key('a');
    assert!(harness.take(PromptEvent::QuestionEnded(asked.id, Some(denied_elsewhere(&asked)))).is_empty());
    let taken = AnswerResponse { approval: *denied_elsewhere(&asked), again: false, remembered: None };
    let effects = harness.take(PromptEvent::Answered(SendOutcome::Taken(Box::new(taken))));
    assert!(matches!(effects[..], [PromptAction::PrintAnswerResponse(_)]));
    assert_eq!(harness.machine.state, PromptState::Idle);
    assert!(harness.take(PromptEvent::QuestionEnded(asked.id, None)).is_empty());
}

#[test]
fn late_answer_names_the_first_approver_and_failed_answer_can_be_repeated() {
    let asked = question("call-1");
    let mut harness = Harness::showing(&asked);
    harness.key('a');
    assert!(matches!(
        harness.take(PromptEvent::Answered(SendOutcome::Failed("no server".into())))[..],
        [PromptAction::Print(_)]
    ));
    harness.key('a');
    let late = PromptEvent::Answered(SendOutcome::TooLate(denied_elsewhere(&asked)));
    assert!(matches!(harness.take(late)[..], [PromptAction::PrintOutcome(_)]));
    assert!(harness.machine.current().is_none());
}

#[test]
fn skipped_questions_come_back_only_on_request() {
    let (first, second) = (question("call-1"), question("call-2"));
    let mut harness = Harness::showing(&first);
    assert!(matches!(harness.key('s')[..], [PromptAction::Print(_)]));
    assert_eq!((harness.machine.others(), &harness.machine.state), ((0, 1), &PromptState::Idle));
    // After a lost connection the server sends a snapshot again.
    let effects = harness.take(PromptEvent::OpenQuestions(vec![first.clone(), second.clone()]));
    assert!(matches!(effects[..], [PromptAction::Ring, PromptAction::Draw]));
    assert_eq!(harness.machine.current().map(|current| current.id), Some(second.id));
    harness.take(PromptEvent::QuestionEnded(second.id, None));
    assert!(matches!(harness.key('s')[..], [PromptAction::Draw]));
    assert_eq!(harness.machine.current().map(|current| current.id), Some(first.id));
}

#[test]
fn question_missing_after_reconnect_is_withdrawn() {
    let (first, second) = (question("call-1"), question("call-2"));
    let mut harness = Harness::showing(&first);
    harness.key('d');
    let effects = harness.take(PromptEvent::OpenQuestions(vec![second.clone()]));
    assert!(
        matches!(effects[..], [PromptAction::Print(_), PromptAction::DiscardInput, PromptAction::Ring]),
        "{effects:?}"
    );
    assert!(matches!(harness.press(Key::Enter)[..], [PromptAction::Draw]));
    assert_eq!(harness.machine.current().map(|current| current.id), Some(second.id));
}

#[test]
fn interrupt_always_quits() {
    let mut harness = Harness::new();
    assert!(matches!(harness.key('q')[..], [PromptAction::Quit]));
    for keys in ["", "d", "dq", "A", "r", "a"] {
        let mut harness = Harness::showing(&question("call-1"));
        for c in keys.chars() {
            harness.key(c);
        }
        assert!(
            matches!(harness.press_in(Key::Interrupt, KeyBurst::Last)[..], [PromptAction::Quit]),
            "{keys}"
        );
    }
}
