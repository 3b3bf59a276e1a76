//! The approval machine under random sequences of triggers.

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use sekisho_gate::answer::{Answer, Behavior};
use sekisho_gate::approval::{Approval, ApprovalState};
use sekisho_gate::approval_machine::{ApprovalTrigger, Claim, REREAD_WINDOW, StepOutcome};
use sekisho_gate::caller::{Caller, ExecutionSite};
use sekisho_gate::record::{EventPayload, step_records};
use sekisho_gate::{ApprovalId, ExecutionId};
use sekisho_policy::Effect;
use sekisho_testkit::fixtures;

use crate::harness::cases;

#[derive(Clone, Debug)]
enum Event {
    Answer { yes: bool, reason: Option<u8>, edit: Option<Edit> },
    Rejudge(Edit),
    Time,
    Left,
    CalledOff,
    Claim(u8),
}

/// The result of judging an edited call, or the call again.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Edit {
    Allow,
    Confirm,
    Deny,
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![Just(Edit::Allow), Just(Edit::Confirm), Just(Edit::Deny)]
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (any::<bool>(), prop::option::of(0..2_u8), prop::option::of(edit()))
            .prop_map(|(yes, reason, edit)| Event::Answer { yes, reason, edit }),
        2 => edit().prop_map(Event::Rejudge),
        2 => Just(Event::Time),
        1 => Just(Event::Left),
        1 => Just(Event::CalledOff),
        4 => (0..3_u8).prop_map(Event::Claim),
    ]
}

fn question(park: bool, durable: bool, remote: bool) -> Approval {
    let reach = if remote { ExecutionSite::Remote } else { ExecutionSite::Here };
    let caller = Caller { credential: "asker".into(), reach, durable, name: None };
    fixtures::pending_approval(
        fixtures::call("c1"),
        caller,
        fixtures::seconds_after_start(0),
        (!park).then_some(120),
    )
}

fn trigger(approval: &Approval, event: &Event, at: Timestamp) -> ApprovalTrigger {
    match event {
        Event::Answer { yes, reason, edit } => {
            let mut answer = if *yes { Answer::approve() } else { Answer::deny() };
            answer.reason = reason.map(|reason| format!("reason {reason}"));
            answer.updated_input = edit.filter(|_| *yes).map(|_| serde_json::json!({ "edited": true }));
            fixtures::answer_trigger(approval, answer, edit.and_then(effect), at)
        }
        Event::Rejudge(edit) => {
            ApprovalTrigger::Rejudged(fixtures::verdict(&approval.asked.call, effect(*edit), at))
        }
        Event::Time => ApprovalTrigger::TimePassed,
        Event::Left => ApprovalTrigger::WaitersLeft,
        Event::CalledOff => ApprovalTrigger::Cancelled { why: "the run was aborted".into() },
        Event::Claim(0) => ApprovalTrigger::Claimed(Claim::Run(ExecutionId::new(at))),
        Event::Claim(1) => ApprovalTrigger::Claimed(Claim::Refusal),
        Event::Claim(_) => ApprovalTrigger::Claimed(Claim::Void("it changed".into())),
    }
}

fn effect(edit: Edit) -> Option<Effect> {
    match edit {
        Edit::Allow => Some(Effect::Allow),
        Edit::Confirm => None,
        Edit::Deny => Some(Effect::Deny),
    }
}

proptest! {
    #![proptest_config(cases(20_000))]

    #[test]
    fn one_outcome_is_taken_once(
        park: bool,
        durable: bool,
        remote: bool,
        events in prop::collection::vec((event(), 0..90_i64), 1..14),
    ) {
        let mut approval = question(park, durable, remote);
        let mut at = fixtures::seconds_after_start(0);
        let (mut resolved, mut started) = (0, 0);
        for (event, seconds) in events {
            at += SignedDuration::from_secs(seconds);
            let trigger = trigger(&approval, &event, at);
            let before = approval.clone();
            let step = before.step(&trigger, at);
            approval = step.approval.clone();
            holds(&before, &trigger, &step, at)?;
            for record in step_records(&before, &approval, at) {
                match record.event {
                    Some(EventPayload::Resolved { .. }) => resolved += 1,
                    Some(EventPayload::Started { .. }) => started += 1,
                    _ => {}
                }
            }
            prop_assert_eq!(resolved, usize::from(!approval.is_pending()), "an outcome is announced once");
            prop_assert!(started <= 1, "at most one permit");
            let runs = approval.fate.claimed.as_ref().is_some_and(|claimed| claimed.execution.is_some());
            prop_assert_eq!(started == 1, runs, "a permit and its announcement go together");
        }
    }
}

/// What must hold for every single step.
fn holds(
    before: &Approval,
    trigger: &ApprovalTrigger,
    step: &sekisho_gate::approval_machine::Step,
    at: Timestamp,
) -> Result<(), TestCaseError> {
    let after = &step.approval;
    prop_assert_eq!(step.changed, before.fate != after.fate, "`changed` matches the change");
    prop_assert_eq!(&before.asked, &after.asked, "the request never changes");
    if !before.is_pending() {
        prop_assert_eq!(&before.fate.state, &after.fate.state, "an outcome is final");
    }
    if before.fate.claimed.is_some() {
        prop_assert_eq!(&before.fate.claimed, &after.fate.claimed, "an answer is taken once");
    }
    if let Some(claimed) = &after.fate.claimed {
        let approved = matches!(after.fate.state, ApprovalState::Approved(_));
        prop_assert!(after.fate.state.answered().is_some(), "only an answer can be taken");
        prop_assert!(approved || claimed.execution.is_none(), "a denied call never runs");
    }
    let late = before.is_pending() && before.fate.deadline.is_some_and(|deadline| deadline <= at);
    if late {
        prop_assert!(matches!(after.fate.state, ApprovalState::Expired { .. }), "too late is expired");
    }
    match (trigger, step.outcome) {
        (ApprovalTrigger::Answered { answer, edited, .. }, StepOutcome::Changed) => {
            prop_assert!(before.is_pending() && !late);
            let forbidden = edited
                .as_ref()
                .is_some_and(|edited| edited.verdict.decision == sekisho_policy::Decision::Deny);
            let yes = answer.behavior == Behavior::Allow && !forbidden;
            prop_assert_eq!(matches!(after.fate.state, ApprovalState::Approved(_)), yes);
        }
        (ApprovalTrigger::Answered { answer, .. }, StepOutcome::Duplicate) => {
            prop_assert!(before.fate.state.answered().is_some_and(|first| first.answer == *answer));
        }
        (ApprovalTrigger::Answered { answer, .. }, StepOutcome::Conflict) => {
            prop_assert!(before.fate.state.answered().is_some_and(|first| first.answer != *answer));
        }
        (ApprovalTrigger::Answered { .. }, outcome) => {
            prop_assert_eq!(outcome, StepOutcome::Gone);
            prop_assert!(after.fate.state.answered().is_none());
        }
        (ApprovalTrigger::WaitersLeft, _) if before.is_pending() && !late => {
            let stays = before.asked.asker.durable || before.fate.deadline.is_none();
            prop_assert_eq!(after.is_pending(), stays, "parked and durable approvals outlive their caller");
        }
        (ApprovalTrigger::Claimed(_), StepOutcome::Duplicate) => {
            let fresh = before
                .fate
                .claimed
                .as_ref()
                .is_some_and(|claimed| at.duration_since(claimed.at) <= REREAD_WINDOW);
            prop_assert!(before.asked.asker.reach == ExecutionSite::Remote && fresh);
        }
        (ApprovalTrigger::Claimed(Claim::Run(_)), StepOutcome::Changed) => {
            prop_assert!(
                matches!(before.fate.state, ApprovalState::Approved(_)) && before.fate.claimed.is_none()
            );
        }
        _ => {}
    }
    Ok(())
}

#[test]
fn approval_round_trips_through_json() {
    let mut approval = question(false, true, true);
    let at = fixtures::seconds_after_start(0);
    for event in [Event::Answer { yes: true, reason: Some(1), edit: Some(Edit::Confirm) }, Event::Claim(0)] {
        approval = approval.step(&trigger(&approval, &event, at), at).approval;
        let text = serde_json::to_string(&approval).unwrap();
        assert_eq!(serde_json::from_str::<Approval>(&text).unwrap(), approval);
    }
    assert_ne!(approval.id, ApprovalId::new(at));
}
