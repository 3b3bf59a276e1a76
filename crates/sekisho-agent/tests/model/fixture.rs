//! What the tests share: requests, streams, and clients that do not sleep.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use sekisho_agent::conversation::{AssistantPart, CallInput, Message, Provider};
use sekisho_agent::model::providers::{ProviderConfig, SecretKey, build};
use sekisho_agent::model::retry::RetryPolicy;
use sekisho_agent::model::{
    Model, ModelError, ModelErrorCode, ModelReply, ModelRequest, PieceSink, ReplyPiece, StopReason,
};
use sekisho_gate::clock::Clock;
use sekisho_gate::ledger::BoxFuture;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::server_double::{Answer, Delivery, ServerDouble};

/// The key of every client here.
pub(crate) const KEY: &str = "sk-test-0123456789abcdef";

/// A clock that does not wait, and remembers how long it should have.
#[derive(Default)]
pub(crate) struct RecordingClock(Mutex<Vec<Duration>>);

impl RecordingClock {
    pub(crate) fn start() -> Timestamp {
        "2026-11-17T10:00:00Z".parse().unwrap()
    }

    pub(crate) fn waits(&self) -> Vec<u128> {
        self.0.lock().unwrap().iter().map(Duration::as_millis).collect()
    }
}

impl Clock for RecordingClock {
    fn now(&self) -> Timestamp {
        RecordingClock::start()
    }

    fn sleep_until(&self, moment: Timestamp) -> BoxFuture<'_, ()> {
        let wait = Duration::try_from(moment.duration_since(self.now())).unwrap();
        self.0.lock().unwrap().push(wait);
        Box::pin(async {})
    }
}

/// Remembers the pieces since the last restart.
#[derive(Default)]
pub(crate) struct Pieces {
    pub(crate) pieces: Mutex<Vec<ReplyPiece>>,
    pub(crate) restarts: Mutex<usize>,
}

impl PieceSink for Pieces {
    fn take(&self, piece: ReplyPiece) {
        self.pieces.lock().unwrap().push(piece);
    }

    fn restart(&self) {
        self.pieces.lock().unwrap().clear();
        *self.restarts.lock().unwrap() += 1;
    }
}

impl Pieces {
    /// All text so far.
    pub(crate) fn text(&self) -> String {
        let pieces = self.pieces.lock().unwrap();
        pieces
            .iter()
            .filter_map(|piece| if let ReplyPiece::Text(text) = piece { Some(text.as_str()) } else { None })
            .collect()
    }

    /// The texts of the inputs so far, by id.
    pub(crate) fn inputs(&self) -> Vec<(String, String)> {
        let mut inputs: Vec<(String, String)> = Vec::new();
        for piece in self.pieces.lock().unwrap().iter() {
            match piece {
                ReplyPiece::Text(_) => {}
                ReplyPiece::CallStarted { id, .. } => inputs.push((id.clone(), String::new())),
                ReplyPiece::CallInput { id, text } => {
                    inputs.iter_mut().find(|(other, _)| other == id).unwrap().1.push_str(text);
                }
            }
        }
        inputs
    }
}

/// A provider, and a client of it.
pub(crate) struct Fixture {
    pub(crate) double: ServerDouble,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) clock: Arc<RecordingClock>,
    pub(crate) pieces: Pieces,
}

impl Fixture {
    pub(crate) async fn new(provider: Provider, answers: impl IntoIterator<Item = Answer>) -> Fixture {
        Fixture::with_config(provider, answers, |_| {}).await
    }

    pub(crate) async fn with_config(
        provider: Provider,
        answers: impl IntoIterator<Item = Answer>,
        change: impl FnOnce(&mut ProviderConfig),
    ) -> Fixture {
        let double = ServerDouble::start(answers).await;
        let clock = Arc::new(RecordingClock::default());
        let mut config = ProviderConfig::new(provider);
        config.base_url = Some(double.url());
        config.key = SecretKey::new(KEY);
        config.retry =
            RetryPolicy { clock: clock.clone(), jitter: Arc::new(|| 0.0), ..RetryPolicy::default() };
        change(&mut config);
        Fixture { double, model: build(config).unwrap(), clock, pieces: Pieces::default() }
    }

    pub(crate) async fn ask(&self, request: &ModelRequest) -> Result<ModelReply, ModelError> {
        self.model.reply(request, &self.pieces, &CancellationToken::new()).await
    }
}

/// Waits until something has happened.
pub(crate) async fn until(mut has_happened: impl FnMut() -> bool) {
    for _ in 0..1000 {
        if has_happened() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("it does not happen");
}

/// A request with one message.
pub(crate) fn request() -> ModelRequest {
    ModelRequest {
        model: "test-model".into(),
        system: None,
        messages: vec![Message::User { text: "hello".into() }],
        tools: Vec::new(),
        temperature: None,
        max_tokens: 100,
    }
}

/// An event of Anthropic's stream.
pub(crate) fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap())
}

/// The events of Anthropic's stream.
pub(crate) fn events(events: &[Value]) -> String {
    events.iter().map(event).collect()
}

/// The event that starts a message.
pub(crate) fn message_start() -> Value {
    json!({ "type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "test-model", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": { "input_tokens": 10, "output_tokens": 1 },
    } })
}

pub(crate) fn block_start(index: u64, block: Value) -> Value {
    json!({ "type": "content_block_start", "index": index, "content_block": block })
}

pub(crate) fn block_delta(index: u64, delta: Value) -> Value {
    json!({ "type": "content_block_delta", "index": index, "delta": delta })
}

pub(crate) fn block_stop(index: u64) -> Value {
    json!({ "type": "content_block_stop", "index": index })
}

pub(crate) fn message_delta(reason: &str) -> Value {
    let delta = json!({ "stop_reason": reason, "stop_sequence": null });
    json!({ "type": "message_delta", "delta": delta, "usage": { "output_tokens": 5 } })
}

pub(crate) fn message_stop() -> Value {
    json!({ "type": "message_stop" })
}

/// The events of a text block.
pub(crate) fn text_block(index: u64, text: &str) -> Vec<Value> {
    vec![
        block_start(index, json!({ "type": "text", "text": "" })),
        block_delta(index, json!({ "type": "text_delta", "text": text })),
        block_stop(index),
    ]
}

/// The start of a call's block.
pub(crate) fn call_start(index: u64, id: &str, name: &str) -> Value {
    block_start(index, json!({ "type": "tool_use", "id": id, "name": name, "input": {} }))
}

pub(crate) fn input_delta(index: u64, text: &str) -> Value {
    block_delta(index, json!({ "type": "input_json_delta", "partial_json": text }))
}

/// A whole message around some events.
pub(crate) fn message(inner: Vec<Value>, reason: &str) -> String {
    let end = [message_delta(reason), message_stop()];
    events(&[vec![message_start()], inner, end.to_vec()].concat())
}

/// A chunk of OpenAI's stream.
pub(crate) fn chunk(delta: Value, finish: Option<&str>) -> String {
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
    data(&json!({
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "test-model",
        "choices": [choice], "usage": null,
    }))
}

/// An event with data only.
pub(crate) fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// A chunk with entries of `tool_calls`.
pub(crate) fn call_chunk(entries: Value) -> String {
    chunk(json!({ "tool_calls": entries }), None)
}

/// The last event of OpenAI's stream.
pub(crate) const DONE: &str = "data: [DONE]\n\n";

/// A reply in one line: `"text" f#id{"x":1} g#id!raw! opaque{…} -> reason`.
pub(crate) fn shown(reply: &ModelReply) -> String {
    let parts = reply.parts.iter().map(|part| match part {
        AssistantPart::Text { text } => format!("{text:?} "),
        AssistantPart::Call(call) => match &call.input {
            CallInput::Object(input) => format!("{}#{}{input} ", call.name, call.id),
            CallInput::Unreadable(text) => format!("{}#{}!{text}! ", call.name, call.id),
        },
        AssistantPart::Opaque { provider, value } => format!("{provider:?}{value} "),
    });
    let reason = match &reply.stop {
        StopReason::Other(reason) => format!("other:{reason}"),
        reason => serde_json::to_value(reason).unwrap().as_str().unwrap().to_owned(),
    };
    format!("{}-> {reason}", parts.collect::<String>())
}

/// What a stream leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// This reply, as [`shown`].
    Reply(&'static str),
    /// This failure, and another attempt.
    Retried(ModelErrorCode),
    /// This failure at once.
    Failed(ModelErrorCode),
}

/// Sends an answer as often as it is asked for, and compares what the client makes of it.
pub(crate) async fn check(name: &str, provider: Provider, answer: Answer, expected: &Outcome) {
    let fixture = Fixture::with_config(provider, vec![answer; 2], |config| config.retry.retries = 1).await;
    let result = fixture.ask(&request()).await;
    let attempts = fixture.double.received().len();
    match (&result, expected) {
        (Ok(reply), Outcome::Reply(expected)) => {
            assert_eq!((shown(reply).as_str(), attempts), (*expected, 1), "{name}")
        }
        (Err(error), Outcome::Retried(code)) => {
            assert_eq!((error.code, attempts), (*code, 2), "{name}: {error}")
        }
        (Err(error), Outcome::Failed(code)) => {
            assert_eq!((error.code, attempts), (*code, 1), "{name}: {error}")
        }
        _ => panic!("{name}: {result:?} instead of {expected:?}"),
    }
}

/// A name, a stream, and what it leads to, whether it comes at once or byte by byte.
pub(crate) type Case = (&'static str, Vec<u8>, Outcome);

/// Checks all streams.
pub(crate) async fn check_all(provider: Provider, cases: Vec<Case>) {
    for (name, body, expected) in cases {
        let deliveries = [Delivery::Whole, Delivery::ByteByByte, Delivery::Cut];
        // A connection that is cut loses nothing but the end, so only failures stay the same.
        let count = if matches!(expected, Outcome::Retried(ModelErrorCode::Cut)) { 3 } else { 2 };
        for delivery in &deliveries[..count] {
            let answer = Answer::stream(body.clone()).delivered(*delivery);
            check(&format!("{name}, {delivery:?}"), provider, answer, &expected).await;
        }
    }
}
