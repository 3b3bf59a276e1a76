//! One test for each finding of past reviews.

use sekisho_gate::WriteAccess;
use sekisho_gate::token_store;

use sekisho_gate::answer::Role;
use sekisho_gate::token_store::{TokenStore, token_revoked_record};
use sekisho_server::Limits;
use sekisho_server::auth::{NewToken, TokenSecret, new_token};
use serde_json::{Value, json};

use super::TestServer;
use crate::harness::socket_server::{eventually, limits, maker, question};

/// Adds an approver, because without one every question is denied.
async fn answered(server: TestServer) -> TestServer {
    server.token(Role::Approver).await;
    server
}

const UNWAITED: &str = "/api/can-use-tool?wait=false";

#[tokio::test]
async fn agent_does_not_see_facts_looked_up_for_people() {
    let server = answered(TestServer::new().await).await;
    let (agent, viewer) = (server.token(Role::Agent).await, server.token(Role::Viewer).await);
    let input = json!({ "file_path": "/etc/passwd", "content": "x" });
    let body = json!({ "toolName": "Write", "input": input, "toolUseId": "w", "cwd": "/" });
    let asked = server.call(&agent, "POST", UNWAITED, Some(body)).await;
    assert_eq!(asked.status, 202);
    let path = format!("/api/approvals/{}", asked.json()["id"].as_str().unwrap());
    let shown = server.call(&agent, "GET", &path, None).await;
    let listed = server.call(&agent, "GET", "/api/approvals", None).await;
    let withdrawn = server.call(&agent, "DELETE", &path, None).await;
    for (what, seen) in [
        ("asked", asked.json()),
        ("shown", shown.json()),
        ("listed", listed.json()["approvals"][0].clone()),
        ("withdrawn", withdrawn.json()),
    ] {
        assert_eq!(seen["toolName"], "Write", "{what}");
        for field in ["shown", "verdict", "proposals", "root", "cwd"] {
            assert_eq!(seen.get(field), None, "{what} has `{field}`");
        }
    }
    assert!(server.call(&viewer, "GET", &path, None).await.json()["shown"].is_object());
}

#[tokio::test]
async fn token_of_one_agent_cannot_claim_another_id() {
    let server = answered(TestServer::new().await).await;
    let new = NewToken {
        name: "bot".into(),
        role: Role::Agent,
        agent: Some("ci-bot".into()),
        vouches: false,
        roots: vec![],
        days: None,
    };
    let made = new_token(new, maker(), sekisho_testkit::ManualClock::start()).unwrap();
    token_store::add(&server.ledger, made.stored, made.by).await.unwrap();
    let token = made.secret.reveal();
    let claiming = |name: &str| {
        let mut body = question("c");
        body["agentId"] = json!(name);
        body
    };
    let other = server.call(&token, "POST", UNWAITED, Some(claiming("other"))).await;
    assert_eq!((other.status, other.code().as_str()), (403, "Forbidden"));
    let own = server.call(&token, "POST", UNWAITED, Some(claiming("ci-bot"))).await;
    assert_eq!(own.status, 202);
    assert!(server.open(1).await[0].asked.call.agent.as_ref().unwrap().proven);
}

async fn revoke(server: &TestServer, secret: &str) {
    let id = TokenSecret::parse(secret).unwrap().id;
    let token = server.ledger.token(id).await.unwrap().unwrap();
    let at = sekisho_testkit::ManualClock::start();
    assert!(
        server
            .ledger
            .revoke_token(WriteAccess::TESTS, id, at, token_revoked_record(&token, None, at))
            .await
            .unwrap()
    );
    // The server learns of it from the gate's events.
    eventually("a revoked token is still valid", async || {
        (server.call(secret, "GET", "/api/session", None).await.status == 401).then_some(())
    })
    .await;
}

#[tokio::test]
async fn token_revoked_while_its_body_arrives_does_nothing() {
    let server = answered(TestServer::new().await).await;
    let admin = server.token(Role::Admin).await;
    server.token_named("another", Role::Admin).await;
    let body = json!({ "name": "late", "role": "admin" });
    let whole = server.request("POST", "/api/tokens").bearer(&admin).json(&body).bytes();
    let (begun, rest) = whole.split_at(whole.len() - 5);
    let mut line = server.connect().await;
    line.say(begun).await.unwrap();
    revoke(&server, &admin).await;
    let reply = line.ask(rest).await.unwrap();
    assert_eq!(reply.status, 401);
    assert_eq!(server.ledger.tokens().await.unwrap().len(), 3);
}

#[tokio::test]
async fn approvals_of_a_revoked_token_are_withdrawn() {
    let server = answered(TestServer::new().await).await;
    let agent = server.token(Role::Agent).await;
    let waiting = server.ask(&agent, "c");
    server.open(1).await;
    revoke(&server, &agent).await;
    server.open(0).await;
    let response = waiting.await.unwrap().unwrap();
    let behavior = response.json().get("behavior").cloned();
    assert!(response.status == 401 || behavior == Some(Value::from("deny")), "{}", response.status);
}

#[tokio::test]
async fn caller_behind_a_proxy_is_not_local() {
    let server = answered(TestServer::new().await).await;
    let agent = server.token(Role::Agent).await;
    let request = server.request("POST", UNWAITED).bearer(&agent);
    let through = request.header("X-Forwarded-For", "203.0.113.9").json(&question("far"));
    assert_eq!(server.send(&through).await.status, 202);
    assert!(server.open(1).await[0].asked.around.elsewhere);
    let public = answered(TestServer::with(limits(), |settings| settings.public = true).await).await;
    let agent = public.token(Role::Agent).await;
    assert_eq!(public.call(&agent, "POST", UNWAITED, Some(question("far"))).await.status, 202);
    assert!(public.open(1).await[0].asked.around.elsewhere);
}

#[tokio::test]
async fn repeated_requests_do_not_use_all_slots() {
    let server = answered(TestServer::limited(Limits { open_approvals: 2, ..limits() }).await).await;
    let (agent, viewer) = (server.token(Role::Agent).await, server.token(Role::Viewer).await);
    let waiting: Vec<_> = (0..100).map(|_| server.ask(&agent, "same")).collect();
    let turned_away = eventually("too many requests wait", async || {
        Some(waiting.iter().filter(|one| one.is_finished()).count()).filter(|count| *count >= 34)
    })
    .await;
    // The others wait for a human who never answers.
    assert_eq!(turned_away, 34);
    assert_eq!(server.call(&viewer, "GET", "/api/approvals", None).await.status, 200);
}

#[tokio::test]
async fn large_open_approvals_leave_space_for_others() {
    let server =
        answered(TestServer::limited(Limits { open_approval_bytes: 100_000, ..limits() }).await).await;
    let (agent, other) = (server.token(Role::Agent).await, server.token(Role::Agent).await);
    let large = |id: usize| json!({ "toolName": "note", "toolUseId": format!("n{id}"), "input": { "text": "x".repeat(30_000) } });
    let mut refused = None;
    for id in 0..10 {
        let asked = server.call(&agent, "POST", UNWAITED, Some(large(id))).await;
        if asked.status != 202 {
            refused = Some((id, asked.status, asked.json()["error"]["message"].to_string()));
            break;
        }
    }
    let (number, status, message) = refused.unwrap();
    assert!((1..=4).contains(&number), "{number}");
    assert_eq!(status, 429);
    assert!(message.contains("too large together"), "{message}");
    assert_eq!(server.call(&other, "POST", UNWAITED, Some(large(99))).await.status, 202);
    assert_eq!(
        server.call(&agent, "POST", "/api/decide", Some(json!({ "toolName": "note" }))).await.status,
        200
    );
}

/// Sends many requests at once, each on its own connection; returns the responses.
async fn at_once(server: &TestServer, token: &str, bodies: Vec<Value>) -> Vec<(u16, String)> {
    let request = bodies.into_iter().map(|body| server.call(token, "POST", UNWAITED, Some(body)));
    let replies = futures_util::future::join_all(request).await;
    replies.iter().map(|reply| (reply.status, reply.json()["error"]["message"].to_string())).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_questions_respect_the_limit() {
    let server = answered(TestServer::limited(Limits { open_approvals: 10, ..limits() }).await).await;
    let (agent, other) = (server.token(Role::Agent).await, server.token_named("other", Role::Agent).await);
    let response = at_once(&server, &agent, (0..60).map(|id| question(&format!("q{id}"))).collect()).await;
    assert_eq!(response.iter().filter(|(status, _)| *status == 202).count(), 10, "{response:?}");
    for (status, message) in response.iter().filter(|(status, _)| *status != 202) {
        assert_eq!(*status, 429);
        assert!(message.contains("too many open questions"), "{message}");
    }
    let open = server.open(10).await;
    assert_eq!(server.call(&other, "POST", UNWAITED, Some(question("o"))).await.status, 202);
    // None of the fifty rejected requests is still counted.
    let path = format!("/api/approvals/{}", open[0].id);
    assert_eq!(server.call(&agent, "DELETE", &path, None).await.status, 200);
    server.open(10).await;
    eventually("the space of an approval that ended is not released", async || {
        let reply = server.call(&agent, "POST", UNWAITED, Some(question("again"))).await;
        (reply.status == 202).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_large_questions_respect_the_byte_limit() {
    let server =
        answered(TestServer::limited(Limits { open_approval_bytes: 100_000, ..limits() }).await).await;
    let agent = server.token(Role::Agent).await;
    let large = |id: usize| json!({ "toolName": "note", "toolUseId": format!("n{id}"), "input": { "text": "x".repeat(30_000) } });
    let response = at_once(&server, &agent, (0..40).map(large).collect()).await;
    let asked = response.iter().filter(|(status, _)| *status == 202).count();
    assert!((1..=4).contains(&asked), "{asked}");
    assert!(response.iter().any(|(_, message)| message.contains("too large together")), "{response:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn requests_that_join_one_question_count_once() {
    let server = answered(TestServer::limited(Limits { open_approvals: 2, ..limits() }).await).await;
    let agent = server.token(Role::Agent).await;
    let response = at_once(&server, &agent, (0..40).map(|_| question("same")).collect()).await;
    assert!(response.iter().all(|(status, _)| *status == 202), "{response:?}");
    server.open(1).await;
    assert_eq!(server.call(&agent, "POST", UNWAITED, Some(question("second"))).await.status, 202);
    assert_eq!(server.call(&agent, "POST", UNWAITED, Some(question("third"))).await.status, 429);
}
