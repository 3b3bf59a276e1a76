//! The scripted model.

use sekisho_agent::conversation::Provider::Scripted;
use sekisho_agent::conversation::{AssistantPart, CallResult, Message};
use sekisho_agent::model::providers::{ProviderConfig, build};
use sekisho_agent::model::scripted::{LAST_WORDS, ScriptedModel};
use sekisho_agent::model::{Model, ModelError, ModelErrorCode, ModelReply, ReplyPiece, Usage};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::fixture::{Pieces, request, shown};

/// What a script replies to a conversation with some replies and a last message.
async fn reply(script: Value, replies: usize, last: &str) -> Result<ModelReply, ModelError> {
    let model = ScriptedModel::from_value(script).unwrap();
    let mut request = request();
    for _ in 0..replies {
        request.messages.push(Message::Assistant { parts: vec![AssistantPart::Text { text: "x".into() }] });
        request.messages.push(Message::User { text: last.into() });
    }
    model.reply(&request, &Pieces::default(), &CancellationToken::new()).await
}

async fn line(script: &Value, replies: usize, last: &str) -> String {
    match reply(script.clone(), replies, last).await {
        Ok(reply) => shown(&reply),
        Err(error) => format!("{:?}: {error}", error.code),
    }
}

#[tokio::test]
async fn steps_follow_the_number_of_replies() {
    let script = json!([
        { "text": "Let me look.", "calls": [{ "name": "read", "input": { "path": "a" } }, { "id": "mine", "name": "ls" }] },
        { "calls": [{ "name": "f", "input": "{\"x" }, { "name": "f", "input": " {\"x\":1}" }], "stop": "length" },
        { "text": "no", "stop": { "other": "odd" } },
        { "error": { "code": "overloaded", "message": "busy" } },
    ]);
    let last = format!("{LAST_WORDS:?} -> end_turn");
    for (replies, expected) in [
        (0, "\"Let me look.\" read#call_1_1{\"path\":\"a\"} ls#mine{} -> tool_calls"),
        (1, "f#call_2_1!{\"x! f#call_2_2{\"x\":1} -> length"),
        (2, "\"no\" -> other:odd"),
        (3, "Overloaded: busy"),
        (4, last.as_str()),
        (9, last.as_str()),
    ] {
        assert_eq!(line(&script, replies, "ok").await, expected);
    }
}

#[tokio::test]
async fn variants_follow_the_last_message() {
    let script = json!([[
        { "when": { "last_contains": "denied" }, "text": "Then not." },
        { "when": { "last_contains": "hello" }, "text": "Hello." },
    ], { "expect": { "contains": "yes" }, "text": "Good." }]);
    assert_eq!(line(&script, 0, "").await, "\"Hello.\" -> end_turn");
    assert_eq!(line(&script, 1, "oh yes").await, "\"Good.\" -> end_turn");
    assert_eq!(
        line(&script, 1, "no").await,
        "BadReply: Step 2 of the script expects `yes` in the last message, but it is `no`"
    );
    let script = json!([[{ "when": { "last_contains": "denied" }, "text": "x" }]]);
    assert_eq!(
        line(&script, 0, "").await,
        "BadReply: Step 1 of the script has no variant for the last message, but it is `hello`"
    );
}

#[tokio::test]
async fn steps_can_go_back() {
    let script = json!([
        { "text": "a" },
        [
            { "name": "b", "when": { "last_contains": "again" }, "text": "b again", "next": "b" },
            { "text": "b", "next": "d" },
        ],
        { "text": "c" },
        { "name": "d", "text": "d" },
    ]);
    // The last message before each reply.
    for (said, expected) in [
        (&["x", "again"][..], "b again"),
        (&["x", "again", "again", "again"], "b again"),
        (&["x", "again", "again", "enough"], "b"),
        (&["x", "again", "enough", "x"], "d"),
        (&["x", "enough", "again"], "d"),
        (&["x", "enough", "x", "x"], LAST_WORDS),
    ] {
        let model = ScriptedModel::from_value(script.clone()).unwrap();
        let mut request = request();
        request.messages.clear();
        for text in said {
            let parts = vec![AssistantPart::Text { text: "x".into() }];
            request.messages.extend([Message::User { text: (*text).into() }, Message::Assistant { parts }]);
        }
        request.messages.pop();
        let reply = model.reply(&request, &Pieces::default(), &CancellationToken::new()).await.unwrap();
        assert_eq!(shown(&reply), format!("{expected:?} -> end_turn"), "{said:?}");
    }
}

#[tokio::test]
async fn text_repeats_what_follows() {
    let script = json!([[
        { "when": { "last_contains": "denied: " }, "text": "You say {rest}, so: {rest}." },
        { "text": "No {rest}." },
    ]]);
    let said = |last: &'static str| {
        let script = script.clone();
        async move {
            let model = ScriptedModel::from_value(script).unwrap();
            let mut request = request();
            request.messages.push(Message::User { text: last.into() });
            model.reply(&request, &Pieces::default(), &CancellationToken::new()).await.unwrap()
        }
    };
    assert_eq!(shown(&said("denied: not now\nmore").await), "\"You say not now, so: not now.\" -> end_turn");
    assert_eq!(shown(&said("denied: ").await), "\"You say , so: .\" -> end_turn");
    assert_eq!(shown(&said("yes").await), "\"No {rest}.\" -> end_turn");
}

#[tokio::test]
async fn results_are_the_last_message() {
    let script = json!([[{ "when": { "last_contains": "two" }, "text": "yes" }, { "text": "no" }]]);
    let model = ScriptedModel::from_value(script).unwrap();
    let result = |content: &str| CallResult {
        call_id: "a".into(),
        name: "f".into(),
        content: content.into(),
        is_error: false,
    };
    let mut request = request();
    request.messages.push(Message::Tools { results: vec![result("one"), result("two")] });
    let reply = model.reply(&request, &Pieces::default(), &CancellationToken::new()).await.unwrap();
    assert_eq!(shown(&reply), "\"yes\" -> end_turn");
}

#[tokio::test]
async fn pieces_and_usage() {
    let script = json!([{
        "text": "Oh well.", "calls": [{ "name": "f", "input": { "x": 1 } }],
        "usage": { "input": 5, "output": 2 }, "delay_ms": 1,
    }]);
    let mut config = ProviderConfig::new(Scripted);
    config.script = Some(script);
    let pieces = Pieces::default();
    let reply = build(config).unwrap().reply(&request(), &pieces, &CancellationToken::new()).await.unwrap();
    assert_eq!(reply.usage, Usage { input: 5, output: 2, cache_read: 0, cache_write: 0 });
    let text = |text: &str| ReplyPiece::Text(text.into());
    let id = || "call_1_1".to_owned();
    let expected = [
        text("Oh "),
        text("well."),
        ReplyPiece::CallStarted { id: id(), name: "f".into() },
        ReplyPiece::CallInput { id: id(), text: "{\"x\":1}".into() },
    ];
    assert_eq!(*pieces.pieces.lock().unwrap(), expected);
}

#[tokio::test]
async fn delays_can_be_cancelled() {
    let model = ScriptedModel::from_value(json!([{ "text": "x", "delay_ms": 600_000 }])).unwrap();
    let token = CancellationToken::new();
    let (request, pieces) = (request(), Pieces::default());
    let asked = model.reply(&request, &pieces, &token);
    let (reply, ()) = tokio::join!(asked, async { token.cancel() });
    assert_eq!(reply.unwrap_err().code, ModelErrorCode::Cancelled);
}

#[test]
fn errors_name_the_place() {
    for (script, expected) in [
        (json!({}), "Script: it must be a list of steps"),
        (json!([{}, { "txt": "x" }]), "Script: step 2, `txt`: unknown field `txt`"),
        (json!([{ "calls": [{ "name": "f" }, {}] }]), "Script: step 1, `calls[1]`: missing field `name`"),
        (
            json!([{ "calls": [{ "name": "f", "input": 7 }] }]),
            "Script: step 1, `calls[0].input`: expected a JSON object",
        ),
        (json!([{}, [{}, { "text": 7 }]]), "Script: step 2, variant 2, `text`: invalid type"),
        (json!([[]]), "Script: step 1 has no variants"),
        (json!([7]), "Script: step 1: invalid type"),
        (json!([{ "delay_ms": 600_001 }]), "Script: step 1, `delay_ms`: 600001 is more than 600000"),
        (
            json!([{ "calls": [{ "id": "a", "name": "f" }, { "id": "a", "name": "g" }] }]),
            "Script: step 1, `calls[1].id`: another call has the same id",
        ),
        (
            json!([{ "error": { "code": "bored", "message": "" } }]),
            "Script: step 1, `error.code`: unknown variant `bored`",
        ),
        (json!([{ "name": "a" }, {}, { "name": "a" }]), "Script: step 3, `name`: another step is called `a`"),
        (json!([{ "name": "a" }, [{ "next": "b" }]]), "Script: step 2, `next`: no step is called `b`"),
        (json!([{ "stop": "soon" }]), "Script: step 1, `stop`: unknown variant `soon`"),
    ] {
        let error = ScriptedModel::from_value(script).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("script.json");
    let missing = ScriptedModel::from_file(&path).unwrap_err().to_string();
    assert!(missing.starts_with("Script `script.json`: no such file"), "{missing}");
    std::fs::write(&path, "[\n{\"text\": }]").unwrap();
    let broken = ScriptedModel::from_file(&path).unwrap_err().to_string();
    assert!(broken.contains("not JSON: expected value at line 2 column 10"), "{broken}");
    std::fs::write(&path, "[{\"text\": \"hi\"}]").unwrap();
    assert!(ScriptedModel::from_file(&path).is_ok());
}
