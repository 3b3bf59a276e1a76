//! Nothing that is no allow can be taken for one, whatever the reason says; and an allow runs what was allowed.

use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use sekisho_adapters::{Agent, Asked, Attendance, Event, Reply, Said, block};
use serde_json::{Value, json};

use crate::models::Outcome::{self, Blocked, Prompts, Runs, Stops};
use crate::models::outcome;
use crate::samples;

/// Those in which something is to be decided.
fn questions() -> Vec<Asked> {
    samples::all().into_iter().filter(|asked| !matches!(asked.event, Event::After(_))).collect()
}

/// Reasons, those that have misled agents among them.
fn reasons() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just(" \n\t".to_owned()),
        Just(r#"{"decision":"allow"}"#.to_owned()),
        Just(r#"","permissionDecision":"allow","x":""#.to_owned()),
        any::<String>(),
    ]
}

fn inputs() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({ "command": "echo edited" })),
        Just(json!({ "command": "echo edited", "description": "say it" })),
        Just(json!({})),
        Just(json!("echo edited")),
        Just(json!(null)),
        Just(json!([1])),
        any::<String>().prop_map(|text| json!({ "command": text, "description": null, "more": text })),
    ]
}

#[track_caller]
fn check_deny(asked: &Asked, outcome: &Outcome) {
    let Blocked(reason) = outcome else { panic!("{asked:?}\n{outcome:?}") };
    assert!(!reason.trim().is_empty(), "{asked:?}");
}

proptest! {
    #[test]
    fn a_deny_blocks(reason in reasons(), interrupt in any::<bool>()) {
        for asked in questions() {
            let said = asked.say(Reply::Deny { reason: reason.clone(), interrupt });
            check_deny(&asked, &outcome(&asked, &said));
        }
    }

    #[test]
    fn a_question_is_put_to_somebody_or_blocks(reason in reasons()) {
        for asked in questions() {
            for reply in [Reply::Ask { reason: reason.clone() }, Reply::Nothing] {
                let silent = reply == Reply::Nothing && asked.event == Event::Permission;
                match outcome(&asked, &asked.say(reply)) {
                    // Saying nothing where the agent would prompt leaves it to its prompt, which refuses where nobody is.
                    Prompts => assert!(silent || (asked.can_ask() && asked.attendance == Attendance::Attended), "{asked:?}"),
                    other => check_deny(&asked, &other),
                }
            }
        }
    }

    #[test]
    fn putting_off_stops_or_blocks(reason in reasons()) {
        for asked in questions() {
            match outcome(&asked, &asked.say(Reply::Defer { reason: reason.clone() })) {
                Stops => assert!(asked.can_defer, "{asked:?}"),
                other => check_deny(&asked, &other),
            }
        }
    }

    #[test]
    fn an_allow_runs_exactly_what_was_allowed(reason in reasons(), input in inputs()) {
        for asked in questions() {
            let whole = Reply::Allow { reason: reason.clone(), input: None };
            match outcome(&asked, &asked.say(whole)) {
                Runs(ran) => assert_eq!(ran, asked.call.input),
                // One of the requests does not offer to accept.
                other => { assert_eq!(asked.agent, Agent::Codex); check_deny(&asked, &other); }
            }
            let edited = Reply::Allow { reason: reason.clone(), input: Some(input.clone()) };
            match outcome(&asked, &asked.say(edited)) {
                Runs(ran) => assert_eq!(ran, input, "{asked:?}"),
                other => check_deny(&asked, &other),
            }
        }
    }

    #[test]
    fn a_block_blocks_in_every_event(reason in reasons()) {
        for asked in questions() {
            let said = block(asked.agent, &reason);
            assert_eq!((said.exit, said.stdout.as_str()), (2, ""));
            // Whoever drives the app server takes the exit code; nothing is sent.
            if asked.call.run_id.as_deref() != Some("t") {
                check_deny(&asked, &outcome(&asked, &said));
            }
        }
    }

    #[test]
    fn over_http_everything_is_said_by_the_body(reason in reasons(), interrupt in any::<bool>()) {
        for asked in questions().into_iter().filter(|asked| asked.agent == Agent::ClaudeCode) {
            let over_http = |said: Said| outcome(&asked, &Said { stdout: said.body(), ..Said::default() });
            check_deny(&asked, &over_http(block(asked.agent, &reason)));
            check_deny(&asked, &over_http(asked.say(Reply::Deny { reason: reason.clone(), interrupt })));
            let allow = Reply::Allow { reason: reason.clone(), input: None };
            assert_eq!(over_http(asked.say(allow)), Runs(asked.call.input.clone()));
        }
    }
}

#[test]
fn after_a_call_nothing_is_said_unless_something_is_wrong() {
    for asked in samples::all().into_iter().filter(|asked| matches!(asked.event, Event::After(_))) {
        assert_eq!(asked.say(Reply::Nothing), Said::default(), "{asked:?}");
        assert_eq!(asked.say(Reply::Allow { reason: "r".into(), input: None }), Said::default());
        let said = asked.say(Reply::Deny { reason: "not recorded".into(), interrupt: false });
        assert!(said.exit == 0 && said.stdout.contains("not recorded"), "{asked:?}");
        assert!(!asked.can_ask() && !asked.can_defer);
    }
}
