//! Something of everything.

use std::path::PathBuf;

use jiff::Timestamp;
use sekisho_gate::WriteAccess;
use sekisho_gate::answer::{Answer, Role};
use sekisho_gate::approval::Approval;
use sekisho_gate::asker::{Asker, Session};
use sekisho_gate::audit::{Audit, WriterId};
use sekisho_gate::input_schema::InputSchema;
use sekisho_gate::ledger::{Ending, Ledger, Opening};
use sekisho_gate::machine::{Claim, Happening, REREAD};
use sekisho_gate::record::{Entry, Kind};
use sekisho_gate::rules::{Rules, StoredRule};
use sekisho_gate::tokens::{
    Device, Link, SecretHash, Token, TokenKind, Tokens, told_made, told_of_link, told_revoked,
};
use sekisho_gate::{ExecutionId, TokenId};
use sekisho_policy::{Call, Effect, Example, Examples, OnTimeout, Rule};
use sekisho_store::{Options, SqliteStore};
use sekisho_testkit::fixtures::{
    admission, after, answered, asker, call, opening, question, replica, rules_changed, seal, stored_rule,
};
use serde_json::json;

/// A file in a directory that goes away with it.
pub(crate) struct File {
    _directory: tempfile::TempDir,
    pub(crate) path: PathBuf,
    /// A question that is still pending.
    pub(crate) pending: Approval,
}

impl File {
    pub(crate) async fn filled() -> File {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("ledger.db");
        old_rows(&SqliteStore::open(&path, Options::new(seal())).unwrap()).await;
        let store = SqliteStore::open(&path, Options::new(seal())).unwrap();
        calls(&store).await;
        let pending = questions(&store).await;
        rules(&store).await;
        tokens(&store).await;
        store.checkpoint(after(900)).await.unwrap();
        let removed = store.prune(after(50), after(901)).await.unwrap();
        let purged = store.purge(after(50) + REREAD).await.unwrap();
        assert!(removed > 0 && purged > 0, "{removed} {purged}");
        drop(store);
        let file = File { _directory: directory, path, pending };
        let permission = "INSERT INTO agent_tool_permissions VALUES (randomblob(16), randomblob(16), 'deploy', 1, '{}', 1, 2)";
        file.other().execute(permission, []).unwrap();
        file
    }

    pub(crate) fn store(&self) -> SqliteStore {
        SqliteStore::open(&self.path, Options::new(seal())).unwrap()
    }

    /// Another process's connection.
    pub(crate) fn other(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(&self.path).unwrap()
    }
}

/// A chain of its own, most of which is pruned.
async fn old_rows(store: &SqliteStore) {
    for second in 0..5 {
        let old = admission(call("old"), asker(), after(second), Effect::Deny);
        store.admit(WriteAccess::TESTS, old).await.unwrap();
    }
}

async fn calls(store: &SqliteStore) {
    let strange = Call { tool: "a\0b\u{1}c".into(), cwd: Some("é関所'\\".into()), ..call("\u{1}0") };
    for effect in [Effect::Allow, Effect::Deny] {
        for call in [strange.clone(), call("plain"), Call { call_id: None, conversation: None, ..call("") }] {
            let admitted = admission(call, asker(), after(100), effect);
            let execution = admitted.execution;
            store.admit(WriteAccess::TESTS, admitted).await.unwrap();
            if let Some(execution) = execution {
                let ending = Ending {
                    at: after(101),
                    is_error: true,
                    output: Some("\0no".into()),
                    duration_ms: Some(7),
                };
                assert!(store.finish(WriteAccess::TESTS, execution, ending).await.unwrap());
            }
        }
    }
    // More than one batch.
    let line = |text: String| Entry::plain(Kind::Token, after(200), None, text, json!({ "é": "\u{0}" }));
    let lines = (0..2500).map(|number| line(format!("token {number}"))).collect();
    assert_eq!(
        store.take_in(WriteAccess::TESTS, WriterId(uuid::Uuid::from_u128(7)), 1, lines).await,
        Ok(2500)
    );
}

/// One in every state there is; gives one that is pending.
async fn questions(store: &SqliteStore) -> Approval {
    let ask = async |call_id: &str, asker: Asker| {
        let asked = question(call(call_id), asker, after(300), Some(10_000));
        store.open(WriteAccess::TESTS, opening(&asked, replica(1))).await.unwrap();
        asked
    };
    let step = async |asked: &Approval, happening: Happening, at: Timestamp| {
        assert!(store.step(WriteAccess::TESTS, asked.id, happening, at).await.unwrap().unwrap().changed);
    };
    let answer = |asked: &Approval, answer: Answer| answered(asked, answer, None, after(301));
    let denied = ask("denied", asker()).await;
    step(&denied, answer(&denied, Answer::deny()), after(301)).await;
    let approved = ask("approved\0", asker()).await;
    step(&approved, answer(&approved, Answer::approve()), after(301)).await;
    let claimed = ask("claimed", asker()).await;
    let edit = Answer::approve().with_input(json!({ "edited": 1.5e-7 }));
    step(&claimed, answer(&claimed, edit), after(301)).await;
    step(&claimed, Happening::Claimed(Claim::Run(ExecutionId::new(after(302)))), after(302)).await;
    let expired = ask("expired", asker()).await;
    step(&expired, Happening::TimePassed, after(90_000)).await;
    let aborted = ask("aborted", asker()).await;
    store.leave(WriteAccess::TESTS, aborted.id, replica(1), after(303)).await.unwrap();
    let keyless = question(Call { call_id: None, ..call("") }, asker(), after(304), None);
    let schema = InputSchema::new(json!({ "title": "é関所\u{0}" })).unwrap();
    let keyless = Opening { schema: Some(schema), ..opening(&keyless, replica(1)) };
    store.open(WriteAccess::TESTS, keyless).await.unwrap();
    let once = admission(call("once"), asker().durable(), after(305), Effect::Allow);
    store.admit(WriteAccess::TESTS, once).await.unwrap();
    ask("parked", asker().durable()).await;
    ask("pending\0", asker()).await
}

async fn rules(store: &SqliteStore) {
    let text = |name: &str| Some(name.to_owned());
    let mut whole = stored_rule("deploy", Effect::Confirm, after(400));
    whole.rule = Rule {
        priority: -7,
        server: text("server"),
        tool_pattern: text("t*\0"),
        agent: text("agent"),
        timeout_s: Some(u32::MAX),
        on_timeout: Some(OnTimeout::Park),
        expires_at: Some(after(100_000)),
        note: text("why"),
        examples: Some(Examples { matching: vec![Example::Text("x".into())], not_match: Vec::new() }),
        unrestricted: true,
        ..whole.rule
    };
    let session = Session { credential: "token-1".into(), agent: text("a"), scope: "run:\u{1}".into() };
    let of_session =
        StoredRule { session: Some(session), ..stored_rule("deploy", Effect::Allow, after(401)) };
    let gone = stored_rule("gone", Effect::Deny, after(402));
    store
        .add(WriteAccess::TESTS, vec![whole, of_session, gone.clone()], rules_changed(after(403), "made"))
        .await
        .unwrap();
    assert!(store.remove(WriteAccess::TESTS, gone.id, rules_changed(after(404), "removed")).await.unwrap());
}

pub(crate) fn token(name: &str, seconds: i64) -> Token {
    Token {
        id: TokenId::new(after(seconds)),
        name: name.into(),
        role: Role::Agent,
        kind: TokenKind::Api,
        hash: SecretHash::of(name.as_bytes()),
        agent: Some("é\0".into()),
        vouches: true,
        roots: vec!["/work/\0".into()],
        created_at: after(seconds),
        created_by: "Ada\u{1}".into(),
        expires_at: Some(after(seconds + 9)),
        revoked_at: None,
        last_used_at: None,
    }
}

/// One that was revoked, one of a device, and a link that nobody has followed yet.
async fn tokens(store: &SqliteStore) {
    let first = token("first\0", 500);
    store.add_token(WriteAccess::TESTS, first.clone(), told_made(&first, None, after(500))).await.unwrap();
    assert!(store.set_notifications(first.id, json!({ "é": "\u{0}" })).await.unwrap());
    assert!(
        store
            .revoke_token(WriteAccess::TESTS, first.id, after(501), told_revoked(&first, None, after(501)))
            .await
            .unwrap()
    );
    for secret in ["a", "b"] {
        let link = Link {
            hash: SecretHash::of(secret.as_bytes()),
            name: "phone\0".into(),
            role: Role::Approver,
            created_at: after(502),
            created_by: "Ada".into(),
            expires_at: after(1000),
        };
        store.add_link(WriteAccess::TESTS, link.clone(), told_of_link(&link, None)).await.unwrap();
    }
    let device =
        Device { id: TokenId::new(after(503)), hash: SecretHash::of(b"c"), says: None, expires_at: None };
    assert!(store.follow_link(SecretHash::of(b"a"), device, after(503)).await.unwrap().is_some());
}
