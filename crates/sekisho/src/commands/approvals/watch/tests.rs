use std::time::{Duration, Instant};

use sekisho_gate::answer::{Behavior, RuleScope};
use sekisho_gate::approval::{AcceptedAnswer as Given, ApprovalState as Fate};
use sekisho_policy::DangerLevel;
use sekisho_server::wire::approval::{AnswerBody, AnswerResponse, ApprovalView, RememberBody};
use sekisho_testkit::fixtures;
use serde_json::json;

use super::keys::{KeyBurst, Key, KeyPress};
use super::state_machine::{SendOutcome, PromptAction, GRACE, PromptEvent, PromptMachine, PromptState};
use crate::commands::approvals::input_editor::EditResult;

fn question(name: &str) -> ApprovalView {
    (&fixtures::pending_approval(fixtures::call(name), fixtures::caller(), fixtures::seconds_after_start(0), Some(120))).into()
}

fn dangerous() -> ApprovalView {
    let mut question = question("call-1");
    question.shown.danger.level = DangerLevel::Danger;
    question
}

/// The same question, denied by somebody else.
fn denied_elsewhere(question: &ApprovalView) -> Box<ApprovalView> {
    let mut approval =
        fixtures::pending_approval(fixtures::call("x"), fixtures::caller(), fixtures::seconds_after_start(0), Some(120));
    let answer = sekisho_gate::answer::Answer::deny();
    let by = sekisho_gate::answer::Actor::Person(fixtures::approver(sekisho_gate::answer::Role::Approver));
    approval.fate.state = Fate::Denied(Given { answer, by, at: fixtures::seconds_after_start(5), edited: None });
    let mut ended = ApprovalView::from(&approval);
    ended.id = question.id;
    Box::new(ended)
}

/// A machine with its own clock.
struct Desk {
    machine: PromptMachine,
    now: Instant,
}

impl Desk {
    fn new() -> Desk {
        Desk { machine: PromptMachine::new(), now: Instant::now() }
    }

    /// A question is asked, shown, and has been on the screen long enough.
    fn asked(question: &ApprovalView) -> Desk {
        let mut desk = Desk::new();
        let effects = desk.take(PromptEvent::QuestionOpened(Box::new(question.clone())));
        assert!(matches!(effects[..], [PromptAction::Ring, PromptAction::Draw]), "{effects:?}");
        desk.drawn();
        desk
    }

    fn take(&mut self, happening: PromptEvent) -> Vec<PromptAction> {
        self.machine.handle(happening)
    }

    /// What is to be drawn is drawn, and some time passes.
    fn drawn(&mut self) {
        self.take(PromptEvent::Drawn(self.now));
        self.now += GRACE + Duration::from_millis(1);
    }

    fn press_in(&mut self, key: Key, company: KeyBurst) -> Vec<PromptAction> {
        self.take(PromptEvent::Pressed(KeyPress { key, at: self.now, burst: company }))
    }

    fn press(&mut self, key: Key) -> Vec<PromptAction> {
        self.press_in(key, KeyBurst::Alone)
    }

    fn key(&mut self, c: char) -> Vec<PromptAction> {
        self.press(Key::Char(c))
    }

    /// Somebody who types without a pause.
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

/// Whether a key came to nothing, but for what was typed behind it.
fn is_nothing(effects: &[PromptAction]) -> bool {
    matches!(effects, [] | [PromptAction::DiscardInput])
}

fn sent(effects: &[PromptAction]) -> &AnswerBody {
    match effects {
        [PromptAction::Send(_, answer)] => answer,
        other => panic!("an answer is sent, not {other:?}"),
    }
}

#[test]
fn a_single_key_approves_what_was_shown() {
    let question = question("call-1");
    let mut desk = Desk::asked(&question);
    let effects = desk.key('a');
    let answer = sent(&effects);
    assert_eq!((answer.behavior, answer.digest), (Behavior::Allow, Some(question.digest)));
    assert!(answer.message.is_none() && answer.remember.is_none() && answer.updated_input.is_none());
    // Until it is known what came of it, nothing counts.
    assert!(desk.key('d').is_empty());
    assert_eq!(desk.machine.state, PromptState::Sending);
}

#[test]
fn keys_do_not_count_until_the_question_was_seen() {
    let mut desk = Desk::new();
    desk.take(PromptEvent::QuestionOpened(Box::new(question("call-1"))));
    assert!(desk.key('a').is_empty(), "not while it is drawn");
    desk.take(PromptEvent::Drawn(desk.now));
    // Each key that comes too early makes the next one wait as long again.
    for wait in [0, 200, 399, 399, 1] {
        desk.now += Duration::from_millis(wait);
        assert!(matches!(desk.key('a')[..], [PromptAction::DiscardInput]), "not after {wait} ms");
    }
    desk.now += GRACE;
    assert_eq!(sent(&desk.key('a')).behavior, Behavior::Allow);
}

#[test]
fn no_key_that_comes_too_early_counts_whatever_it_is() {
    for key in [Key::Enter, Key::Escape, Key::Backspace, Key::ClearLine, Key::Other, Key::Char('x')] {
        for company in [KeyBurst::Alone, KeyBurst::Within, KeyBurst::Last] {
            let mut desk = Desk::new();
            desk.take(PromptEvent::QuestionOpened(Box::new(question("call-1"))));
            desk.take(PromptEvent::Drawn(desk.now));
            desk.now += GRACE - Duration::from_millis(1);
            assert!(is_nothing(&desk.press_in(key, company)), "{key:?}");
            desk.now += GRACE - Duration::from_millis(1);
            assert!(is_nothing(&desk.key('a')), "{key:?}");
            desk.now += GRACE;
            assert_eq!(sent(&desk.key('a')).behavior, Behavior::Allow);
        }
    }
}

#[test]
fn a_key_from_before_it_was_drawn_does_not_shorten_the_pause() {
    let mut desk = Desk::new();
    desk.take(PromptEvent::QuestionOpened(Box::new(question("call-1"))));
    let before = desk.now;
    desk.now += Duration::from_secs(1);
    desk.take(PromptEvent::Drawn(desk.now));
    let press = KeyPress { key: Key::Char('a'), at: before, burst: KeyBurst::Alone };
    assert!(is_nothing(&desk.take(PromptEvent::Pressed(press))));
    desk.now += GRACE - Duration::from_millis(1);
    assert!(is_nothing(&desk.key('a')));
}

#[test]
fn the_default_is_no_answer() {
    let mut desk = Desk::asked(&question("call-1"));
    for key in
        [Key::Enter, Key::Escape, Key::Backspace, Key::Other, Key::Char('y'), Key::Char(' '), Key::Char('x')]
    {
        assert!(desk.press(key).is_empty(), "{key:?}");
        assert_eq!(desk.machine.state, PromptState::AwaitingDecision);
    }
}

#[test]
fn a_paste_decides_nothing() {
    let mut desk = Desk::asked(&question("call-1"));
    for company in [KeyBurst::Within, KeyBurst::Last] {
        assert!(desk.press_in(Key::Char('a'), company).is_empty());
        assert!(desk.press_in(Key::Char('d'), company).is_empty());
    }
    assert_eq!(desk.machine.state, PromptState::AwaitingDecision);
    desk.key('A');
    assert!(desk.press_in(Key::Enter, KeyBurst::Last).is_empty());
}

#[test]
fn danger_takes_two_different_keys() {
    let mut desk = Desk::asked(&dangerous());
    assert!(matches!(desk.key('a')[..], [PromptAction::Print(_)]), "one key says what to do");
    assert!(desk.key('A').is_empty());
    assert_eq!(desk.machine.state, PromptState::ConfirmingDanger);
    assert!(desk.key('A').is_empty(), "twice the same is no yes");
    assert_eq!(desk.machine.state, PromptState::AwaitingDecision);
    assert!(desk.press(Key::Enter).is_empty(), "nor is Enter alone");
    desk.key('A');
    assert_eq!(sent(&desk.press(Key::Enter)).behavior, Behavior::Allow);
}

#[test]
fn a_denial_can_have_a_reason() {
    let mut desk = Desk::asked(&question("call-1"));
    desk.key('d');
    desk.type_in("use x");
    desk.press(Key::Backspace);
    // A paste may have several lines; only its end is an end.
    for c in "staging".chars() {
        desk.press_in(Key::Char(c), KeyBurst::Within);
    }
    assert!(desk.press_in(Key::Enter, KeyBurst::Within).is_empty());
    desk.type_in("please");
    let effects = desk.press(Key::Enter);
    let answer = sent(&effects);
    assert_eq!(answer.behavior, Behavior::Deny);
    assert_eq!(answer.message.as_deref(), Some("use staging please"));
}

#[test]
fn a_denial_needs_no_reason_and_can_be_taken_back() {
    let mut desk = Desk::asked(&question("call-1"));
    desk.key('d');
    desk.type_in("a");
    assert!(desk.press(Key::Escape).is_empty());
    assert_eq!(desk.machine.state, PromptState::AwaitingDecision);
    desk.key('d');
    let effects = desk.press(Key::Enter);
    assert_eq!((sent(&effects).behavior, sent(&effects).message.as_ref()), (Behavior::Deny, None));
}

#[test]
fn an_edit_is_shown_before_it_can_be_sent() {
    let mut desk = Desk::asked(&question("call-1"));
    assert!(matches!(desk.key('e')[..], [PromptAction::Edit(None)]));
    let broken = EditResult::Invalid { text: "{".into(), why: "it ends too soon".into() };
    assert!(matches!(desk.take(PromptEvent::Edited(Ok(broken)))[..], [PromptAction::Print(_)]));
    let again = desk.press(Key::Enter);
    assert!(matches!(&again[..], [PromptAction::Edit(Some(text))] if text == "{"), "{again:?}");
    let input = json!({ "target": "staging" });
    let effects = desk.take(PromptEvent::Edited(Ok(EditResult::Changed(input.clone()))));
    assert!(matches!(effects[..], [PromptAction::DrawEdit]));
    assert!(desk.key('a').is_empty(), "not before it was seen");
    desk.drawn();
    assert_eq!(sent(&desk.key('a')).updated_input, Some(input));
}

#[test]
fn a_denial_carries_no_edit() {
    let mut desk = Desk::asked(&question("call-1"));
    desk.key('e');
    desk.take(PromptEvent::Edited(Ok(EditResult::Changed(json!({})))));
    desk.drawn();
    desk.key('d');
    assert_eq!(sent(&desk.press(Key::Enter)).updated_input, None);
}

#[test]
fn an_edit_of_something_dangerous_takes_two_keys_as_well() {
    let mut desk = Desk::asked(&dangerous());
    desk.key('e');
    desk.take(PromptEvent::Edited(Ok(EditResult::Changed(json!({})))));
    desk.drawn();
    assert!(matches!(desk.key('a')[..], [PromptAction::Print(_)]));
}

#[test]
fn what_to_remember_is_chosen_with_its_place() {
    let asked = question("call-1");
    let mut desk = Desk::asked(&asked);
    assert!(matches!(desk.key('r')[..], [PromptAction::DrawProposals]));
    assert!(desk.key('7').is_empty() && desk.key('0').is_empty(), "there is one proposal");
    assert_eq!(desk.machine.state, PromptState::ChoosingRule);
    desk.key('1');
    desk.key('s');
    assert_eq!(desk.machine.draft.remember, Some((0, RuleScope::Session)));
    let effects = desk.key('a');
    let Some(RememberBody::Rules(kept)) = &sent(&effects).remember else { panic!("{effects:?}") };
    assert_eq!((kept.scope, &kept.rules), (RuleScope::Session, &asked.proposals[0].rules));
}

#[test]
fn what_to_remember_can_be_taken_back() {
    let mut desk = Desk::asked(&question("call-1"));
    desk.key('r');
    desk.key('1');
    desk.key('g');
    assert!(matches!(desk.press(Key::Escape)[..], [PromptAction::Print(_)]));
    assert!(sent(&desk.key('a')).remember.is_none());
    let mut nothing = question("call-2");
    nothing.proposals.clear();
    let mut desk = Desk::asked(&nothing);
    assert!(matches!(desk.key('r')[..], [PromptAction::Print(_)]));
    assert_eq!(desk.machine.state, PromptState::AwaitingDecision);
}

#[test]
fn a_question_that_ends_elsewhere_is_withdrawn_whatever_was_being_typed() {
    let (first, second) = (question("call-1"), question("call-2"));
    // A letter of a reason, a choice with its place (and `a` left to press), an open editor.
    for keys in ["d", "dbecause", "A", "r", "r1", "r1s", "e"] {
        let mut desk = Desk::asked(&first);
        desk.take(PromptEvent::QuestionOpened(Box::new(second.clone())));
        for c in keys.chars() {
            desk.key(c);
        }
        let effects = desk.take(PromptEvent::QuestionEnded(first.id, Some(denied_elsewhere(&first))));
        assert!(matches!(effects[..], [PromptAction::PrintOutcome(_), PromptAction::DiscardInput]), "{keys}: {effects:?}");
        assert_eq!((desk.machine.current().is_none(), desk.machine.others()), (true, (1, 0)));
        // However long they go on, and whatever the editor gave.
        desk.type_on("aAdsq?i1");
        desk.now += GRACE * 2;
        desk.type_on("a");
        assert!(desk.take(PromptEvent::Edited(Ok(EditResult::Changed(json!({}))))).is_empty());
        assert!(desk.press_in(Key::Enter, KeyBurst::Last).is_empty(), "the end of a paste is no Enter");
        assert_eq!(desk.machine.state, PromptState::EndedWhileBusy, "{keys}");
        assert!(matches!(desk.press(Key::Enter)[..], [PromptAction::Draw]));
        desk.drawn();
        let effects = desk.key('a');
        assert!(matches!(effects[..], [PromptAction::Send(id, _)] if id == second.id), "{keys}: {effects:?}");
        assert!(sent(&effects).remember.is_none() && sent(&effects).updated_input.is_none());
    }
}

#[test]
fn a_question_that_ends_while_nothing_is_typed_makes_room_for_the_next() {
    let (first, second) = (question("call-1"), question("call-2"));
    let mut desk = Desk::asked(&first);
    desk.take(PromptEvent::QuestionOpened(Box::new(second.clone())));
    let effects = desk.take(PromptEvent::QuestionEnded(first.id, Some(denied_elsewhere(&first))));
    assert!(matches!(effects[..], [PromptAction::PrintOutcome(_), PromptAction::Draw]), "{effects:?}");
    // The keys that were meant for the first do not answer the second.
    assert!(desk.key('a').is_empty());
    desk.take(PromptEvent::Drawn(desk.now));
    desk.type_on("aaaaaaaa");
    desk.now += GRACE;
    assert!(matches!(desk.key('a')[..], [PromptAction::Send(id, _)] if id == second.id));
}

#[test]
fn a_reason_that_is_typed_on_after_its_question_was_withdrawn_approves_nothing() {
    let (first, second) = (question("call-1"), question("call-2"));
    let mut desk = Desk::asked(&first);
    desk.take(PromptEvent::QuestionOpened(Box::new(second.clone())));
    desk.type_on("dnot on a");
    desk.take(PromptEvent::QuestionEnded(first.id, None));
    desk.type_on(" branch that anybody has a say about");
    assert_eq!(desk.machine.state, PromptState::EndedWhileBusy);
    // What was to send the reason goes on, and is no key of the next question, nor is what is typed behind it.
    desk.now += Duration::from_millis(150);
    assert!(matches!(desk.press(Key::Enter)[..], [PromptAction::Draw]));
    desk.take(PromptEvent::Drawn(desk.now));
    for key in [Key::Enter, Key::Enter, Key::Char('A'), Key::Enter] {
        desk.now += Duration::from_millis(150);
        assert!(is_nothing(&desk.press(key)), "{key:?}");
    }
    desk.type_on("at all, and a half");
    assert_eq!(desk.machine.state, PromptState::AwaitingDecision);
    desk.now += GRACE;
    assert!(matches!(desk.key('a')[..], [PromptAction::Send(id, _)] if id == second.id));
}

#[test]
fn whatever_happens_meanwhile_the_next_question_waits_for_enter() {
    let (first, second, third) = (question("call-1"), question("call-2"), question("call-3"));
    let mut desk = Desk::asked(&first);
    desk.key('d');
    desk.take(PromptEvent::QuestionEnded(first.id, None));
    // There was no other; now there are two, and then one.
    for asked in [&second, &third] {
        let effects = desk.take(PromptEvent::QuestionOpened(Box::new(asked.clone())));
        assert!(matches!(effects[..], [PromptAction::Ring]), "{effects:?}");
    }
    assert!(desk.take(PromptEvent::QuestionEnded(second.id, None)).is_empty(), "it was never shown");
    assert!(desk.take(PromptEvent::OpenQuestions(vec![third.clone()])).is_empty());
    assert_eq!(desk.machine.state, PromptState::EndedWhileBusy);
    assert!(matches!(desk.press(Key::Enter)[..], [PromptAction::Draw]));
    assert_eq!(desk.machine.current().map(|current| current.id), Some(third.id));
    // And none at all.
    let mut desk = Desk::asked(&first);
    desk.key('d');
    desk.take(PromptEvent::QuestionEnded(first.id, None));
    assert!(desk.press(Key::Enter).is_empty());
    assert_eq!(desk.machine.state, PromptState::Idle);
}

#[test]
fn an_edit_that_waits_for_its_key_is_not_followed_by_another_question() {
    let (first, second) = (question("call-1"), question("call-2"));
    let mut desk = Desk::asked(&first);
    desk.take(PromptEvent::QuestionOpened(Box::new(second.clone())));
    desk.key('e');
    desk.take(PromptEvent::Edited(Ok(EditResult::Changed(json!({})))));
    desk.drawn();
    desk.take(PromptEvent::QuestionEnded(first.id, None));
    desk.type_on("a");
    assert_eq!(desk.machine.state, PromptState::EndedWhileBusy);
    desk.press(Key::Enter);
    desk.drawn();
    assert_eq!(sent(&desk.key('a')).updated_input, None);
}

#[test]
fn our_own_answer_is_not_told_as_somebody_elses() {
    let asked = question("call-1");
    let mut desk = Desk::asked(&asked);
    desk.key('a');
    assert!(desk.take(PromptEvent::QuestionEnded(asked.id, Some(denied_elsewhere(&asked)))).is_empty());
    let taken = AnswerResponse { approval: *denied_elsewhere(&asked), again: false, remembered: None };
    let effects = desk.take(PromptEvent::Answered(SendOutcome::Taken(Box::new(taken))));
    assert!(matches!(effects[..], [PromptAction::PrintAnswerResponse(_)]));
    assert_eq!(desk.machine.state, PromptState::Idle);
    assert!(desk.take(PromptEvent::QuestionEnded(asked.id, None)).is_empty());
}

#[test]
fn an_answer_that_comes_too_late_says_who_was_faster_and_one_that_fails_can_be_given_again() {
    let asked = question("call-1");
    let mut desk = Desk::asked(&asked);
    desk.key('a');
    assert!(matches!(
        desk.take(PromptEvent::Answered(SendOutcome::Failed("no server".into())))[..],
        [PromptAction::Print(_)]
    ));
    desk.key('a');
    let late = PromptEvent::Answered(SendOutcome::TooLate(denied_elsewhere(&asked)));
    assert!(matches!(desk.take(late)[..], [PromptAction::PrintOutcome(_)]));
    assert!(desk.machine.current().is_none());
}

#[test]
fn what_was_put_aside_comes_back_when_wanted_and_only_then() {
    let (first, second) = (question("call-1"), question("call-2"));
    let mut desk = Desk::asked(&first);
    assert!(matches!(desk.key('s')[..], [PromptAction::Print(_)]));
    assert_eq!((desk.machine.others(), &desk.machine.state), ((0, 1), &PromptState::Idle));
    // How things stand is told again after a lost connection.
    let effects = desk.take(PromptEvent::OpenQuestions(vec![first.clone(), second.clone()]));
    assert!(matches!(effects[..], [PromptAction::Ring, PromptAction::Draw]));
    assert_eq!(desk.machine.current().map(|current| current.id), Some(second.id));
    desk.take(PromptEvent::QuestionEnded(second.id, None));
    assert!(matches!(desk.key('s')[..], [PromptAction::Draw]));
    assert_eq!(desk.machine.current().map(|current| current.id), Some(first.id));
}

#[test]
fn what_is_no_longer_waiting_after_a_lost_connection_is_withdrawn() {
    let (first, second) = (question("call-1"), question("call-2"));
    let mut desk = Desk::asked(&first);
    desk.key('d');
    let effects = desk.take(PromptEvent::OpenQuestions(vec![second.clone()]));
    assert!(matches!(effects[..], [PromptAction::Print(_), PromptAction::DiscardInput, PromptAction::Ring]), "{effects:?}");
    assert!(matches!(desk.press(Key::Enter)[..], [PromptAction::Draw]));
    assert_eq!(desk.machine.current().map(|current| current.id), Some(second.id));
}

#[test]
fn the_way_out_is_always_open() {
    let mut desk = Desk::new();
    assert!(matches!(desk.key('q')[..], [PromptAction::Quit]));
    for keys in ["", "d", "dq", "A", "r", "a"] {
        let mut desk = Desk::asked(&question("call-1"));
        for c in keys.chars() {
            desk.key(c);
        }
        assert!(matches!(desk.press_in(Key::Interrupt, KeyBurst::Last)[..], [PromptAction::Quit]), "{keys}");
    }
}
