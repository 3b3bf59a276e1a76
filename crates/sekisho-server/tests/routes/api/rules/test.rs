//! Testing rules on past calls.

use jiff::SignedDuration;
use sekisho_gate::answer::Role;
use serde_json::{Value, json};

use crate::harness::in_process::TestServer;

async fn tried(server: &TestServer, body: Value) -> Value {
    server.post(Role::Viewer, "/api/rules/test", body).await.ok()
}

#[tokio::test]
async fn allow_confirm_and_deny_are_tested_on_past_calls() {
    let server = TestServer::new().await;
    server.rules_in_file(&json!({ "allow": [{ "tool": "peek" }], "deny": [{ "tool": "wreck" }] }));
    server.ask("peek", json!({ "at": "a" })).await;
    server.ask("deploy", json!({ "to": "stage" })).await.unwrap();
    server.ask("wreck", json!({})).await;

    let allow = tried(&server, json!({ "effect": "allow", "rule": { "tool": "deploy" } })).await;
    assert_eq!(
        (&allow["tried"], &allow["matched"], &allow["changedTotal"]),
        (&json!(3), &json!(1), &json!(1))
    );
    let changed = &allow["changed"][0];
    assert_eq!(
        (&changed["toolName"], &changed["before"], &changed["after"], &changed["wasThen"]),
        (&json!("deploy"), &json!("confirm"), &json!("allow"), &json!("confirm"))
    );
    assert!(changed["message"].as_str().unwrap().contains("deploy"));
    assert!(
        allow["counts"]
            .as_array()
            .unwrap()
            .contains(&json!({ "before": "deny", "after": "deny", "count": 1 }))
    );

    let deny = tried(&server, json!({ "effect": "deny", "rule": { "toolPattern": "*" } })).await;
    assert_eq!((&deny["matched"], &deny["changedTotal"]), (&json!(3), &json!(2)));
    let confirm =
        tried(&server, json!({ "autoApprove": false, "rule": { "toolName": "peek", "priority": 1 } })).await;
    assert_eq!(
        (&confirm["changed"][0]["before"], &confirm["changed"][0]["after"]),
        (&json!("allow"), &json!("confirm"))
    );
    // A deny wins over any allow.
    let allow =
        tried(&server, json!({ "effect": "allow", "rule": { "tool": "wreck", "priority": 9 } })).await;
    assert_eq!((&allow["matched"], &allow["changedTotal"]), (&json!(1), &json!(0)));
    let one = tried(&server, json!({ "effect": "deny", "rule": { "toolPattern": "*" }, "limit": 1 })).await;
    assert_eq!(one["tried"], 1);
    assert_eq!(server.get("/api/rules?source=database").await.ok()["rules"], json!([]), "nothing is stored");
    assert!(server.ask("peek", json!({ "at": "b" })).await.is_none(), "and nothing applies");
}

#[tokio::test]
async fn replaced_rule_does_not_count() {
    let server = TestServer::new().await;
    let old =
        server.post(Role::Admin, "/api/rules", json!({ "effect": "deny", "tool": "deploy" })).await.ok();
    server.ask("deploy", json!({})).await;
    let draft = json!({ "effect": "allow", "rule": { "tool": "deploy" } });
    assert_eq!(tried(&server, draft.clone()).await["changedTotal"], 0);
    let mut draft = draft;
    draft["replaces"] = old["id"].clone();
    let replaced = tried(&server, draft.clone()).await;
    let changed = &replaced["changed"][0];
    assert_eq!(
        (&changed["before"], &changed["after"], &changed["wasThen"]),
        (&json!("deny"), &json!("allow"), &json!("deny"))
    );
    draft["replaces"] = json!("00000000-0000-7000-8000-000000000000");
    server.post(Role::Viewer, "/api/rules/test", draft).await.error_text(404);
}

#[tokio::test]
async fn one_call_is_judged_with_the_tested_rules() {
    let server = TestServer::new().await;
    let call = json!({ "toolName": "bash", "input": { "command": "make lint" } });
    let trial = |effect: &str, command: &str| json!({ "effect": effect, "rule": { "tool": "bash", "command": command }, "call": call });
    let allowed = tried(&server, trial("allow", "make lint")).await;
    assert_eq!((&allowed["tried"], &allowed["call"]["decision"]), (&json!(0), &json!("allow")));
    let own = |tried: &Value| {
        let considered = tried["call"]["considered"].as_array().unwrap().clone();
        considered.into_iter().find(|seen| seen["rule"]["id"] == "00000000-0000-0000-0000-000000000000")
    };
    assert_eq!(own(&allowed).unwrap()["outcome"], "decided");
    let other = tried(&server, trial("allow", "make test")).await;
    assert_eq!((&other["call"]["decision"], own(&other)), (&json!("confirm"), None));

    let kept = server
        .post(Role::Admin, "/api/rules", json!({ "effect": "deny", "tool": "bash", "command": "make" }))
        .await
        .ok();
    assert_eq!(tried(&server, trial("allow", "make lint")).await["call"]["decision"], "deny");
    let mut replacing = trial("allow", "make lint");
    replacing["replaces"] = kept["id"].clone();
    let replaced = tried(&server, replacing).await;
    assert_eq!(replaced["call"]["decision"], "allow");
    assert_eq!(replaced["call"]["verdict"]["rules"][0]["id"], kept["id"]);

    let mut bad = trial("allow", "make lint");
    bad["call"] = json!({ "toolName": "" });
    let fault = server.post(Role::Viewer, "/api/rules/test", bad).await.error_text(400);
    assert!(fault.contains("toolName"), "{fault}");
    let now = server.post(Role::Viewer, "/api/decide", call.clone()).await.ok();
    assert_eq!(now["decision"], "deny", "nothing was stored");
}

#[tokio::test]
async fn list_of_changes_is_bounded_and_invalid_requests_are_rejected() {
    let server = TestServer::new().await;
    server.rules_in_file(&json!({ "allow": [{ "tool": "peek" }] }));
    for _ in 0..210 {
        server.ask("peek", json!({})).await;
    }
    let all = tried(&server, json!({ "effect": "deny", "rule": { "tool": "peek" } })).await;
    assert_eq!((all["changed"].as_array().unwrap().len(), &all["changedTotal"]), (200, &json!(210)));
    assert_eq!((all["matches"].as_array().unwrap().len(), &all["matched"]), (50, &json!(210)));
    for (body, word) in [
        (json!({ "rule": { "tool": "peek" } }), "`effect`"),
        (json!({ "effect": "deny" }), "`rule` is missing"),
        (json!({ "effect": "deny", "rule": {}, "rules": [{}] }), "cannot be used together"),
        (json!({ "effect": "deny", "rules": [] }), "1 to 16"),
        (json!({ "effect": "deny", "rules": vec![json!({ "tool": "peek" }); 17] }), "has 17"),
        (json!({ "effect": "deny", "rules": [{ "tool": "peek" }, { "tool": "" }] }), "`tool`"),
        (
            json!({ "effect": "deny", "rules": [{}], "replaces": "00000000-0000-7000-8000-000000000000" }),
            "`replaces`",
        ),
        (json!({ "effect": "deny", "rule": { "tool": "peek" }, "since": "yesterday" }), "since"),
        (json!({ "effect": "deny", "rule": { "tool": "peek" }, "limit": 0 }), "`limit`"),
        (json!({ "effect": "deny", "rule": { "tool": "peek" }, "limit": 5001 }), "`limit`"),
        (json!({ "effect": "deny", "rule": { "tol": "peek" } }), "tol"),
        (json!({ "effect": "deny", "rule": { "tool": "" } }), "`tool`"),
        (json!({ "effect": "deny", "rule": {}, "replaces": "x" }), "replaces"),
    ] {
        let fault = server.post(Role::Viewer, "/api/rules/test", body.clone()).await.error_text(400);
        assert!(fault.contains(word), "{body}: {fault}");
    }
}

#[tokio::test]
async fn rules_that_belong_together_are_tested_together() {
    let server = TestServer::new().await;
    for command in ["git push && npm run build", "git push", "rm x"] {
        server.ask("bash", json!({ "command": command })).await.unwrap();
        // Calls at the same moment have no order.
        server.clock.advance(SignedDuration::from_secs(1));
    }
    let (push, build) = (
        json!({ "tool": "bash", "command": "git push" }),
        json!({ "tool": "bash", "command": "npm run build" }),
    );
    let one = tried(&server, json!({ "effect": "allow", "rule": push })).await;
    assert_eq!(
        (&one["matched"], &one["changedTotal"]),
        (&json!(2), &json!(1)),
        "the other part is still asked about"
    );
    let matches = one["matches"].as_array().unwrap();
    let decisions: Vec<_> = matches.iter().map(|call| (&call["before"], &call["after"])).collect();
    assert_eq!(decisions, [(&json!("confirm"), &json!("allow")), (&json!("confirm"), &json!("confirm"))]);
    assert_eq!(matches[1]["message"], "bash: git push && npm run build");
    let both = tried(&server, json!({ "effect": "allow", "rules": [push, build] })).await;
    assert_eq!(
        (&both["tried"], &both["matched"], &both["changedTotal"]),
        (&json!(3), &json!(2), &json!(2)),
        "{both}"
    );
    assert_eq!(both["matches"], both["changed"]);
}

#[tokio::test]
async fn calls_before_since_are_ignored() {
    let server = TestServer::new().await;
    for _ in 0..3 {
        server.ask("deploy", json!({})).await.unwrap();
        server.clock.advance(SignedDuration::from_secs(60));
    }
    let since = |moment: &str| json!({ "effect": "deny", "rule": { "tool": "deploy" }, "since": moment });
    for (moment, count) in [
        ("2026-01-01T00:00:00Z", 3),
        ("2026-01-01T00:01:00Z", 2),
        ("2026-01-01T00:01:01Z", 1),
        ("2027-01-01T00:00:00Z", 0),
    ] {
        let response = tried(&server, since(moment)).await;
        assert_eq!((&response["tried"], &response["matched"]), (&json!(count), &json!(count)), "{moment}");
        assert_eq!(response["matches"].as_array().unwrap().len(), count, "{moment}");
    }
}
