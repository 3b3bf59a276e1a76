//! Tokens, and the sign-in links that create them.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use sekisho_gate::TokenId;
use sekisho_gate::WriteAccess;
use sekisho_gate::answer::Role;
use sekisho_gate::ledger::BoxFuture;
use sekisho_gate::record::EventPayload;
use sekisho_gate::token_store::{
    NewDevice, SecretHash, SignInLink, Token, TokenKind, link_created_record, token_created_record,
    token_revoked_record,
};
use serde_json::json;

use super::Backend;
use super::harness::StoreHarness;
use crate::fixtures::seconds_after_start;

fn token(name: &str, seconds: i64) -> Token {
    Token {
        id: TokenId::new(seconds_after_start(seconds)),
        name: name.into(),
        role: Role::Agent,
        kind: TokenKind::Api,
        hash: SecretHash::of(name.as_bytes()),
        agent: None,
        vouches_for_server: false,
        roots: Vec::new(),
        created_at: seconds_after_start(seconds),
        created_by: "Ada".into(),
        expires_at: None,
        revoked_at: None,
        last_used_at: None,
    }
}

/// A value with every field a store could lose.
fn rich(seconds: i64) -> Token {
    Token {
        role: Role::Admin,
        agent: Some("builder \"é\"".into()),
        vouches_for_server: true,
        roots: vec!["/work/a".into(), "/work/関所 \u{0}".into()],
        expires_at: Some(seconds_after_start(seconds + 1000)),
        last_used_at: Some(seconds_after_start(seconds)),
        ..token("a \"name\"\n関所\u{0}", seconds)
    }
}

fn link(secret: &str, seconds: i64, good_for: i64) -> SignInLink {
    SignInLink {
        hash: SecretHash::of(secret.as_bytes()),
        name: "Ada's phone".into(),
        role: Role::Approver,
        created_at: seconds_after_start(seconds),
        created_by: "Ada".into(),
        expires_at: seconds_after_start(seconds + good_for),
    }
}

fn device(secret: &str, seconds: i64) -> NewDevice {
    NewDevice {
        id: TokenId::new(seconds_after_start(seconds)),
        hash: SecretHash::of(secret.as_bytes()),
        user_agent: Some("Firefox on é".into()),
        expires_at: Some(seconds_after_start(seconds + 3600)),
    }
}

async fn add(harness: &StoreHarness, token: &Token) {
    let record = token_created_record(token, None, token.created_at);
    harness.0.tokens.add_token(WriteAccess::TESTS, token.clone(), record).await.expect("adding works");
}

async fn add_link(harness: &StoreHarness, link: &SignInLink) {
    harness
        .0
        .tokens
        .add_link(WriteAccess::TESTS, link.clone(), link_created_record(link, None))
        .await
        .expect("adding works");
}

async fn all(harness: &StoreHarness) -> Vec<Token> {
    harness.0.tokens.tokens().await.expect("listing works")
}

async fn get(harness: &StoreHarness, id: TokenId) -> Option<Token> {
    harness.0.tokens.token(id).await.expect("reading works")
}

async fn revoke(harness: &StoreHarness, token: &Token, at: Timestamp) -> bool {
    let record = token_revoked_record(token, None, at);
    harness.0.tokens.revoke_token(WriteAccess::TESTS, token.id, at, record).await.expect("revoking works")
}

async fn follow(harness: &StoreHarness, secret: &str, device: NewDevice, at: Timestamp) -> Option<Token> {
    let hash = SecretHash::of(secret.as_bytes());
    harness.0.tokens.follow_link(hash, device, at).await.expect("following works")
}

pub(super) async fn list_is_in_creation_order(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    assert_eq!(all(&harness).await, []);
    // Tokens are listed in the order they were added, whatever their ids and times.
    let made = [rich(5), token("b", 1), token("a", 3)];
    for token in &made {
        add(&harness, token).await;
    }
    assert_eq!(all(&harness).await, made);
    assert_eq!(harness.changes().await, vec![EventPayload::TokensChanged; 3]);
    let told = |token: &Token| token_created_record(token, None, token.created_at).entry;
    let entries = harness.entries().await;
    assert_eq!(entries[1..], [told(&made[1]), told(&made[2])]);
    let written = format!("{entries:?}");
    assert!(!written.contains("hash"), "nothing of a secret is on the record: {written}");
    let harness = StoreHarness(backend.reopen(harness.0).await);
    assert_eq!(all(&harness).await, made, "after it was opened again");
    for token in made {
        assert_eq!(get(&harness, token.id).await, Some(token));
    }
}

pub(super) async fn revoked_token_stays_listed_and_is_invalid(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let roots = vec!["/work/a".into(), "/work/関所".into()];
    let (first, second) = (Token { name: "a".into(), roots, ..rich(1) }, token("b", 2));
    add(&harness, &first).await;
    add(&harness, &second).await;
    assert!(revoke(&harness, &first, seconds_after_start(9)).await);
    let before = harness.written().await;
    assert!(!revoke(&harness, &first, seconds_after_start(10)).await, "it was revoked before");
    assert_eq!(harness.written().await, before, "nothing happened, so nothing is on the record");
    let revoked = Token { revoked_at: Some(seconds_after_start(9)), ..first.clone() };
    assert!(first.is_valid_at(seconds_after_start(9)) && !revoked.is_valid_at(seconds_after_start(0)));
    assert_eq!(all(&harness).await, [revoked, second]);
    assert_eq!(harness.changes().await.len(), 3);
    assert_eq!(harness.entries().await[2], token_revoked_record(&first, None, seconds_after_start(9)).entry);
}

pub(super) async fn use_is_recorded_once_a_minute(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let token = token("a", 0);
    add(&harness, &token).await;
    let before = harness.written().await;
    for (seconds, noted) in [(10, 10), (11, 10), (70, 10), (71, 71), (60, 71), (131, 71), (132, 132)] {
        harness.0.tokens.token_used(token.id, seconds_after_start(seconds)).await.expect("noting works");
        let last = get(&harness, token.id).await.and_then(|token| token.last_used_at);
        assert_eq!(last, Some(seconds_after_start(noted)), "used after {seconds} seconds");
    }
    harness
        .0
        .tokens
        .token_used(TokenId::new(seconds_after_start(0)), seconds_after_start(1))
        .await
        .expect("nobody is told");
    assert_eq!(harness.written().await, before, "not on the record");
}

pub(super) async fn link_is_followed_once(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let (link, phone) = (link("secret", 0, 600), device("cookie", 5));
    add_link(&harness, &link).await;
    let other = SignInLink { hash: SecretHash::of(b"other"), ..link.clone() };
    add_link(&harness, &other).await;
    assert_eq!(harness.0.tokens.open_links(seconds_after_start(5)).await, Ok(2));
    assert_eq!(follow(&harness, "wrong", phone.clone(), seconds_after_start(5)).await, None);
    let (expected, record) = link.sign_in(&phone, seconds_after_start(5));
    let harness = StoreHarness(backend.reopen(harness.0).await);
    assert_eq!(follow(&harness, "secret", phone, seconds_after_start(5)).await, Some(expected.clone()));
    assert_eq!(follow(&harness, "secret", device("thief", 6), seconds_after_start(6)).await, None);
    assert_eq!(all(&harness).await, [expected]);
    assert_eq!(harness.0.tokens.open_links(seconds_after_start(6)).await, Ok(1));
    assert_eq!(
        harness.entries().await.iter().map(|entry| entry.text.as_str()).collect::<Vec<_>>(),
        [link_created_record(&link, None), link_created_record(&other, None), record]
            .map(|record| record.entry.text)
    );
    assert_eq!(harness.changes().await, vec![EventPayload::TokensChanged; 3]);
}

pub(super) async fn expired_link_is_not_followed(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    add_link(&harness, &link("a", 0, 60)).await;
    add_link(&harness, &link("b", 1, 600)).await;
    assert_eq!(harness.0.tokens.open_links(seconds_after_start(59)).await, Ok(2));
    assert_eq!(harness.0.tokens.open_links(seconds_after_start(60)).await, Ok(1));
    assert_eq!(follow(&harness, "a", device("x", 60), seconds_after_start(60)).await, None, "its time is up");
    // The expired link was deleted, so another can use the same secret.
    add_link(&harness, &link("a", 60, 60)).await;
    assert_eq!(harness.0.tokens.open_links(seconds_after_start(61)).await, Ok(2));
    assert!(follow(&harness, "a", device("x", 61), seconds_after_start(61)).await.is_some());
    assert!(follow(&harness, "b", device("y", 62), seconds_after_start(62)).await.is_some());
    assert_eq!(harness.0.tokens.open_links(seconds_after_start(0)).await, Ok(0));
}

pub(super) async fn existing_rows_are_not_written_again(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let (kept, link) = (rich(1), link("secret", 2, 600));
    add(&harness, &kept).await;
    add_link(&harness, &link).await;
    let before = harness.written().await;
    let again = Token { name: "another".into(), ..kept.clone() };
    let error = harness
        .0
        .tokens
        .add_token(WriteAccess::TESTS, again, token_created_record(&kept, None, seconds_after_start(3)))
        .await;
    assert!(!error.expect_err("there is one with that id").transient);
    let error =
        harness.0.tokens.add_link(WriteAccess::TESTS, link.clone(), link_created_record(&link, None)).await;
    assert!(!error.expect_err("there is one with that secret").transient);
    let twin = NewDevice { id: kept.id, ..device("cookie", 4) };
    let error = harness.0.tokens.follow_link(link.hash, twin, seconds_after_start(4)).await;
    assert!(!error.expect_err("there is one with that id").transient);
    assert_eq!(all(&harness).await, [kept]);
    assert_eq!(harness.written().await, before);
    let phone = follow(&harness, "secret", device("cookie", 5), seconds_after_start(5)).await;
    assert!(phone.is_some(), "what failed has not used the link up");
}

pub(super) async fn notification_settings_are_stored(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let (first, second) = (token("a", 1), token("b", 2));
    add(&harness, &first).await;
    add(&harness, &second).await;
    let before = harness.written().await;
    let wanted = json!({ "push": ["danger"], "at": 0.1, "text": "é 関所 \u{0}", "none": null });
    let tokens = &harness.0.tokens;
    assert_eq!(tokens.notifications(first.id).await, Ok(None));
    assert_eq!(tokens.set_notifications(first.id, json!(1)).await, Ok(true));
    assert_eq!(tokens.set_notifications(first.id, wanted.clone()).await, Ok(true));
    assert_eq!(tokens.set_notifications(TokenId::new(seconds_after_start(0)), json!({})).await, Ok(false));
    assert_eq!(harness.written().await, before, "not on the record");
    assert!(revoke(&harness, &first, seconds_after_start(3)).await);
    let harness = StoreHarness(backend.reopen(harness.0).await);
    assert_eq!(harness.0.tokens.notifications(first.id).await, Ok(Some(wanted)));
    assert_eq!(harness.0.tokens.notifications(second.id).await, Ok(None));
}

pub(super) async fn missing_ids_are_not_found(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let missing = token("a", 1);
    assert_eq!(get(&harness, missing.id).await, None);
    assert!(!revoke(&harness, &missing, seconds_after_start(2)).await);
    assert_eq!(follow(&harness, "secret", device("cookie", 3), seconds_after_start(3)).await, None);
    assert_eq!(harness.0.tokens.notifications(missing.id).await, Ok(None));
    assert_eq!(harness.0.tokens.open_links(seconds_after_start(0)).await, Ok(0));
    assert_eq!((harness.entries().await.len(), harness.changes().await.len()), (0, 0));
}

pub(super) async fn one_link_signs_in_one_device(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    for round in 0..10 {
        let secret = format!("secret {round}");
        add_link(&harness, &link(&secret, 0, 600)).await;
        let admitted = Arc::new(Mutex::new(Vec::new()));
        let tasks = (0..8).map(|number| -> BoxFuture<'static, ()> {
            let (tokens, admitted) = (harness.0.tokens.clone(), admitted.clone());
            let hash = SecretHash::of(secret.as_bytes());
            let device = device(&format!("{round} {number}"), 1);
            Box::pin(async move {
                let token =
                    tokens.follow_link(hash, device, seconds_after_start(1)).await.expect("following works");
                admitted.lock().unwrap_or_else(PoisonError::into_inner).extend(token);
            })
        });
        backend.at_once(tasks.collect()).await;
        let admitted = std::mem::take(&mut *admitted.lock().unwrap_or_else(PoisonError::into_inner));
        assert_eq!(admitted.len(), 1, "exactly one got in");
        assert_eq!(all(&harness).await.last(), admitted.first());
        assert_eq!(all(&harness).await.len(), round + 1);
    }
    assert_eq!(harness.entries().await.len(), 20, "a link and a device a round");
}
