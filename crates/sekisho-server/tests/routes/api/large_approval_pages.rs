//! Large approvals that are read again and again.

use sekisho_gate::answer::Role;
use sekisho_server::Limits;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::harness::socket_server::{TestServer, eventually, limits};

/// A server with an approver, and an agent with `count` open approvals of a size.
async fn asked(limits: Limits, count: usize, size: usize) -> (TestServer, String, Vec<Value>) {
    asked_about(limits, count, json!({ "text": "x".repeat(size) })).await
}

async fn asked_about(limits: Limits, count: usize, input: Value) -> (TestServer, String, Vec<Value>) {
    let server = TestServer::limited(limits).await;
    server.token(Role::Approver).await;
    let agent = server.token(Role::Agent).await;
    let mut ids = Vec::new();
    for id in 0..count {
        let body = json!({ "toolName": "note", "toolUseId": format!("n{id}"), "input": input });
        let reply = server.call(&agent, "POST", "/api/can-use-tool?wait=false", Some(body)).await;
        assert_eq!(reply.status, 202);
        ids.insert(0, reply.json()["id"].clone());
    }
    (server, agent, ids)
}

/// An input whose values need about 3 MiB, and whose text has 30 KB.
fn dense() -> Value {
    json!({ "a": vec![json!({ "": 0 }); 3800] })
}

/// The ids on a page, and the cursor of the next one.
fn page(response: &Value) -> (Vec<Value>, Option<String>) {
    let ids = response["approvals"].as_array().unwrap().iter().map(|question| question["id"].clone());
    (ids.collect(), response.get("next").map(|next| next.as_str().unwrap().to_owned()))
}

#[tokio::test]
async fn page_of_large_approvals_ends_early_without_losing_any() {
    let limits = Limits { open_approval_bytes: usize::MAX, ..limits() };
    let (server, agent, ids) = asked(limits, 5, 3 << 20).await;
    let (mut found, mut pages, mut before) = (Vec::new(), Vec::new(), String::new());
    loop {
        let path = format!("/api/approvals?limit=500{before}");
        let (ids, next) = page(&server.call(&agent, "GET", &path, None).await.json());
        pages.push(ids.len());
        found.extend(ids);
        match next {
            Some(next) => before = format!("&before={next}"),
            None => break,
        }
    }
    assert_eq!((found, pages), (ids, vec![2, 2, 1]));
}

#[tokio::test]
async fn page_is_limited_by_memory() {
    let limits = Limits { open_approval_bytes: usize::MAX, ..limits() };
    let (server, agent, ids) = asked_about(limits, 5, dense()).await;
    let (found, next) = page(&server.call(&agent, "GET", "/api/approvals?limit=500", None).await.json());
    assert_eq!(found, ids[..2]);
    assert!(next.is_some());
}

#[tokio::test]
async fn open_approvals_count_by_memory() {
    let limits = Limits { open_approval_bytes: 5 << 20, ..limits() };
    let (server, agent, _) = asked_about(limits, 2, dense()).await;
    let body = json!({ "toolName": "note", "toolUseId": "more", "input": { "text": "x" } });
    let reply = server.call(&agent, "POST", "/api/can-use-tool?wait=false", Some(body)).await;
    assert!(reply.status != 202, "{}", reply.status);
}

#[tokio::test]
async fn repeated_withdrawal_is_charged_like_a_read() {
    // A quarter of it, 4 MiB, is for each credential.
    let limits = Limits { memory_budget: 16 << 20, ..limits() };
    let (server, agent, ids) = asked(limits, 1, 1_500_000).await;
    let one = format!("/api/approvals/{}", ids[0].as_str().unwrap());
    assert_eq!(server.call(&agent, "DELETE", &one, None).await.status, 200);
    // The first byte of the response is read, and no more.
    let request = server.request("DELETE", &one).bearer(&agent);
    let mut unread = Vec::new();
    for _ in 0..2 {
        let mut line = server.connect_unix().await;
        line.0.write_all(&request.bytes()).await.unwrap();
        assert_eq!(line.0.read_u8().await.unwrap(), b'H');
        unread.push(line);
    }
    let reply = server.send(&request).await;
    assert_eq!((reply.status, reply.code().as_str()), (503, "NoRoom"));
    drop(unread);
    eventually("the unread response is not charged", async || {
        (server.send(&request).await.status == 200).then_some(())
    })
    .await;
}

#[tokio::test]
async fn pages_of_small_approvals_respect_the_limit() {
    let (server, agent, ids) = asked(limits(), 40, 10).await;
    for (limit, sizes) in [(500, vec![40]), (39, vec![39, 1]), (16, vec![16, 16, 8]), (20, vec![20, 20, 0])] {
        let (mut found, mut before) = (Vec::new(), String::new());
        for size in &sizes {
            let path = format!("/api/approvals?limit={limit}{before}");
            let (ids, next) = page(&server.call(&agent, "GET", &path, None).await.json());
            assert_eq!(ids.len(), *size, "{limit}");
            found.extend(ids);
            before = next.map_or_else(String::new, |next| format!("&before={next}"));
        }
        assert_eq!((found, before), (ids.clone(), String::new()), "{limit}");
    }
}

#[tokio::test]
async fn large_response_is_charged_to_the_budget() {
    // A quarter of it is for each credential.
    let limits = Limits { memory_budget: 4 << 20, ..limits() };
    let (server, agent, ids) = asked(limits, 5, 300_000).await;
    let reply = server.call(&agent, "GET", "/api/approvals", None).await;
    assert_eq!((reply.status, reply.code().as_str()), (503, "NoRoom"));
    assert_eq!(reply.header("retry-after"), Some("1"));
    let few = server.call(&agent, "GET", "/api/approvals?limit=2", None).await;
    assert_eq!(page(&few.json()).0, ids[..2]);
    // However often one is read, its memory is released.
    let one = format!("/api/approvals/{}", ids[0].as_str().unwrap());
    for _ in 0..10 {
        assert_eq!(server.call(&agent, "GET", &one, None).await.json()["id"], ids[0]);
    }
}
