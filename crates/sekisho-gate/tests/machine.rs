//! The approval machine under random sequences of what can happen.

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use sekisho_gate::answer::{Answer, Behavior};
use sekisho_gate::approval::{Approval, State};
use sekisho_gate::asker::{Asker, Reach};
use sekisho_gate::machine::{Claim, Happening, REREAD, Said};
use sekisho_gate::record::{Change, stepped};
use sekisho_gate::{ApprovalId, ExecutionId};
use sekisho_policy::Effect;
use sekisho_testkit::fixtures;

use crate::world::cases;

#[derive(Clone, Debug)]
enum Event {
    Answer { yes: bool, reason: Option<u8>, edit: Option<Edit> },
    Rejudge(Edit),
    Time,
    Left,
    CalledOff,
    Claim(u8),
}

/// What judging an edited call, or the call again, comes to.
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
    let reach = if remote { Reach::Remote } else { Reach::Here };
    let asker = Asker { credential: "asker".into(), reach, durable, name: None };
    fixtures::question(fixtures::call("c1"), asker, fixtures::after(0), (!park).then_some(120))
}

fn happening(approval: &Approval, event: &Event, at: Timestamp) -> Happening {
    match event {
        Event::Answer { yes, reason, edit } => {
            let mut answer = if *yes { Answer::approve() } else { Answer::deny() };
            answer.reason = reason.map(|reason| format!("reason {reason}"));
            answer.updated_input = edit.filter(|_| *yes).map(|_| serde_json::json!({ "edited": true }));
            fixtures::answered(approval, answer, edit.and_then(effect), at)
        }
        Event::Rejudge(edit) => {
            Happening::Rejudged(fixtures::verdict(&approval.asked.call, effect(*edit), at))
        }
        Event::Time => Happening::TimePassed,
        Event::Left => Happening::Left,
        Event::CalledOff => Happening::CalledOff { why: "the run was aborted".into() },
        Event::Claim(0) => Happening::Claimed(Claim::Run(ExecutionId::new(at))),
        Event::Claim(1) => Happening::Claimed(Claim::Refusal),
        Event::Claim(_) => Happening::Claimed(Claim::Void("it changed".into())),
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
    fn there_is_one_outcome_and_it_is_taken_once(
        park: bool,
        durable: bool,
        remote: bool,
        events in prop::collection::vec((event(), 0..90_i64), 1..14),
    ) {
        let mut approval = question(park, durable, remote);
        let mut at = fixtures::after(0);
        let (mut resolved, mut started) = (0, 0);
        for (event, seconds) in events {
            at += SignedDuration::from_secs(seconds);
            let happening = happening(&approval, &event, at);
            let before = approval.clone();
            let step = before.step(&happening, at);
            approval = step.approval.clone();
            holds(&before, &happening, &step, at)?;
            for record in stepped(&before, &approval, at) {
                match record.change {
                    Some(Change::Resolved { .. }) => resolved += 1,
                    Some(Change::Started { .. }) => started += 1,
                    _ => {}
                }
            }
            prop_assert_eq!(resolved, usize::from(!approval.is_pending()), "an outcome is announced once");
            prop_assert!(started <= 1, "one permit at most");
            let runs = approval.fate.claimed.as_ref().is_some_and(|claimed| claimed.execution.is_some());
            prop_assert_eq!(started == 1, runs, "a permit and its announcement go together");
        }
    }
}

/// What every single step must keep to.
fn holds(
    before: &Approval,
    happening: &Happening,
    step: &sekisho_gate::machine::Step,
    at: Timestamp,
) -> Result<(), TestCaseError> {
    let after = &step.approval;
    prop_assert_eq!(step.changed, before.fate != after.fate, "changed says whether it changed");
    prop_assert_eq!(&before.asked, &after.asked, "what was asked never changes");
    if !before.is_pending() {
        prop_assert_eq!(&before.fate.state, &after.fate.state, "an outcome is final");
    }
    if before.fate.claimed.is_some() {
        prop_assert_eq!(&before.fate.claimed, &after.fate.claimed, "an answer is taken once");
    }
    if let Some(claimed) = &after.fate.claimed {
        let approved = matches!(after.fate.state, State::Approved(_));
        prop_assert!(after.fate.state.answered().is_some(), "only an answer can be taken");
        prop_assert!(approved || claimed.execution.is_none(), "what was denied never runs");
    }
    let late = before.is_pending() && before.fate.deadline.is_some_and(|deadline| deadline <= at);
    if late {
        prop_assert!(matches!(after.fate.state, State::Expired { .. }), "too late is expired");
    }
    match (happening, step.said) {
        (Happening::Answered { answer, edited, .. }, Said::Done) => {
            prop_assert!(before.is_pending() && !late);
            let forbidden = edited
                .as_ref()
                .is_some_and(|edited| edited.verdict.decision == sekisho_policy::Decision::Deny);
            let yes = answer.behavior == Behavior::Allow && !forbidden;
            prop_assert_eq!(matches!(after.fate.state, State::Approved(_)), yes);
        }
        (Happening::Answered { answer, .. }, Said::Same) => {
            prop_assert!(before.fate.state.answered().is_some_and(|first| first.answer == *answer));
        }
        (Happening::Answered { answer, .. }, Said::Conflict) => {
            prop_assert!(before.fate.state.answered().is_some_and(|first| first.answer != *answer));
        }
        (Happening::Answered { .. }, said) => {
            prop_assert_eq!(said, Said::Gone);
            prop_assert!(after.fate.state.answered().is_none());
        }
        (Happening::Left, _) if before.is_pending() && !late => {
            let stays = before.asked.asker.durable || before.fate.deadline.is_none();
            prop_assert_eq!(after.is_pending(), stays, "parked and durable questions outlive their asker");
        }
        (Happening::Claimed(_), Said::Same) => {
            let fresh =
                before.fate.claimed.as_ref().is_some_and(|claimed| at.duration_since(claimed.at) <= REREAD);
            prop_assert!(before.asked.asker.reach == Reach::Remote && fresh);
        }
        (Happening::Claimed(Claim::Run(_)), Said::Done) => {
            prop_assert!(matches!(before.fate.state, State::Approved(_)) && before.fate.claimed.is_none());
        }
        _ => {}
    }
    Ok(())
}

#[test]
fn an_approval_survives_being_written_and_read() {
    let mut approval = question(false, true, true);
    let at = fixtures::after(0);
    for event in [Event::Answer { yes: true, reason: Some(1), edit: Some(Edit::Confirm) }, Event::Claim(0)] {
        approval = approval.step(&happening(&approval, &event, at), at).approval;
        let text = serde_json::to_string(&approval).unwrap();
        assert_eq!(serde_json::from_str::<Approval>(&text).unwrap(), approval);
    }
    assert_ne!(approval.id, ApprovalId::new(at));
}
