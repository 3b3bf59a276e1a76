//! Only an allow is treated as an allow, whatever the reason says; and an allow runs what was allowed.

use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use sekisho_adapters::{
    Agent, HookDecision, HookEvent, HookRequest, HookResponse, UserPresence, block, block_request,
};
use serde_json::{Value, json};

use crate::agent_models::AgentBehavior::{self, Blocked, Prompts, Runs, Stops};
use crate::agent_models::outcome;
use crate::sample_requests;

/// The requests that need a decision.
fn questions() -> Vec<HookRequest> {
    sample_requests::all()
        .into_iter()
        .filter(|asked| !matches!(asked.event, HookEvent::AfterCall(_)))
        .collect()
}

/// Reasons, including some that have misled agents.
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
fn check_deny(asked: &HookRequest, outcome: &AgentBehavior) {
    let Blocked(reason) = outcome else { panic!("{asked:?}\n{outcome:?}") };
    assert!(!reason.trim().is_empty(), "{asked:?}");
}

proptest! {
    #[test]
    fn a_deny_blocks(reason in reasons(), interrupt in any::<bool>()) {
        for asked in questions() {
            let said = asked.respond(HookDecision::Deny { reason: reason.clone(), interrupt });
            check_deny(&asked, &outcome(&asked, &said));
        }
    }

    #[test]
    fn ask_prompts_a_user_or_blocks(reason in reasons()) {
        for asked in questions() {
            for reply in [HookDecision::Ask { reason: reason.clone() }, HookDecision::NoDecision] {
                let silent = reply == HookDecision::NoDecision && asked.event == HookEvent::PermissionRequest;
                match outcome(&asked, &asked.respond(reply)) {
                    // An empty response to a permission request leaves it to the agent's prompt, which
                    // refuses if no user is present.
                    Prompts => assert!(silent || (asked.can_ask() && asked.attendance == UserPresence::Present), "{asked:?}"),
                    other => check_deny(&asked, &other),
                }
            }
        }
    }

    #[test]
    fn defer_stops_or_blocks(reason in reasons()) {
        for asked in questions() {
            match outcome(&asked, &asked.respond(HookDecision::Defer { reason: reason.clone() })) {
                Stops => assert!(asked.can_defer, "{asked:?}"),
                other => check_deny(&asked, &other),
            }
        }
    }

    #[test]
    fn allow_runs_exactly_what_was_allowed(reason in reasons(), input in inputs()) {
        for asked in questions() {
            let whole = HookDecision::Allow { reason: reason.clone(), input: None };
            match outcome(&asked, &asked.respond(whole)) {
                Runs(ran) => assert_eq!(ran, asked.call.input),
                // One of the requests does not offer to accept.
                other => { assert_eq!(asked.agent, Agent::Codex); check_deny(&asked, &other); }
            }
            let edited = HookDecision::Allow { reason: reason.clone(), input: Some(input.clone()) };
            match outcome(&asked, &asked.respond(edited)) {
                Runs(ran) => assert_eq!(ran, input, "{asked:?}"),
                other => check_deny(&asked, &other),
            }
        }
    }

    #[test]
    fn block_blocks_in_every_event(reason in reasons()) {
        for asked in questions() {
            let said = block(asked.agent, &reason);
            assert_eq!((said.exit, said.stdout.as_str()), (2, ""));
            // The program that drives the app server uses the exit code; nothing is sent.
            let drives = asked.call.run_id.as_deref() == Some("t");
            match outcome(&asked, &said) {
                Prompts => assert!(asked.event == HookEvent::PermissionRequest, "{asked:?}"),
                other => check_deny(&asked, &other),
            }
            // Although the request is broken, its event is recognisable.
            let event = if asked.event == HookEvent::BeforeCall { "PreToolUse" } else { "PermissionRequest" };
            let told = json!({ "hook_event_name": event, "tool_name": 7 }).to_string();
            let said = block_request(asked.agent, &told, &reason);
            if !drives {
                check_deny(&asked, &outcome(&asked, &said));
            }
            assert_eq!(block_request(asked.agent, "{", &reason), block(asked.agent, &reason));
        }
    }

    #[test]
    fn http_body_carries_the_decision(reason in reasons(), interrupt in any::<bool>()) {
        for asked in questions().into_iter().filter(|asked| asked.agent == Agent::ClaudeCode) {
            let over_http = |said: HookResponse| outcome(&asked, &HookResponse { stdout: said.http_body(), ..HookResponse::default() });
            let event = if asked.event == HookEvent::BeforeCall { "PreToolUse" } else { "PermissionRequest" };
            let told = json!({ "hook_event_name": event }).to_string();
            check_deny(&asked, &over_http(block_request(asked.agent, &told, &reason)));
            check_deny(&asked, &over_http(asked.respond(HookDecision::Deny { reason: reason.clone(), interrupt })));
            let allow = HookDecision::Allow { reason: reason.clone(), input: None };
            assert_eq!(over_http(asked.respond(allow)), Runs(asked.call.input.clone()));
        }
    }
}

#[test]
fn response_after_a_call_is_empty_unless_it_failed() {
    for asked in
        sample_requests::all().into_iter().filter(|asked| matches!(asked.event, HookEvent::AfterCall(_)))
    {
        assert_eq!(asked.respond(HookDecision::NoDecision), HookResponse::default(), "{asked:?}");
        assert_eq!(
            asked.respond(HookDecision::Allow { reason: "r".into(), input: None }),
            HookResponse::default()
        );
        let said = asked.respond(HookDecision::Deny { reason: "not recorded".into(), interrupt: false });
        assert!(said.exit == 0 && said.stdout.contains("not recorded"), "{asked:?}");
        assert!(!asked.can_ask() && !asked.can_defer);
    }
}
