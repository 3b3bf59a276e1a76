//! Requests that are sent again, and those that are not.

use std::sync::Arc;

use sekisho_agent::conversation::Provider::{self, Anthropic, Openai};
use sekisho_agent::model::Model;
use sekisho_agent::model::ModelErrorCode::{
    self, BadRequest, Cancelled, Cut, OutOfQuota, Overloaded, ProviderFailed, TooLong, Unauthorized,
    Unreachable,
};
use sekisho_testkit::ManualClock;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::fixture::{
    DONE, Fixture, chunk, events, message, message_start, request, shown, text_block, until,
};
use super::server_double::{Answer, Delivery};

fn good(provider: Provider) -> Answer {
    Answer::stream(match provider {
        Anthropic => message(text_block(0, "hi"), "end_turn"),
        _ => [chunk(json!({ "content": "hi" }), None), chunk(json!({}), Some("stop")), DONE.into()].concat(),
    })
}

fn failing(status: &str, headers: &str) -> Answer {
    let body = json!({ "error": { "type": "some_error", "message": "words" } });
    Answer::new(status, &format!("content-type: application/json\r\n{headers}"), body.to_string())
}

/// An answer, then a good one. Expects the waits of the attempts, in milliseconds, or the error.
async fn check(answer: Answer, expected: Result<&[u128], ModelErrorCode>) {
    for provider in [Anthropic, Openai] {
        let fixture = Fixture::new(provider, [answer.clone(), good(provider)]).await;
        let result = fixture.ask(&request()).await;
        let (requests, restarts) =
            (fixture.double.received().len(), *fixture.pieces.restarts.lock().unwrap());
        match expected {
            Ok(waits) => {
                assert_eq!(shown(&result.unwrap()), "\"hi\" -> end_turn");
                assert_eq!((fixture.clock.waits(), requests, restarts), (waits.to_vec(), 2, 1));
                assert_eq!(fixture.pieces.text(), "hi");
            }
            Err(code) => {
                let error = result.unwrap_err();
                assert_eq!((error.code, requests, restarts), (code, 1, 0), "{error}");
                assert!(fixture.clock.waits().is_empty());
            }
        }
    }
}

#[tokio::test]
async fn statuses_that_are_tried_again() {
    for status in ["408 X", "409 X", "429 X", "500 X", "502 X", "503 X", "504 X", "529 X"] {
        check(failing(status, ""), Ok(&[500])).await;
    }
    for (status, code) in [
        ("400 X", BadRequest),
        ("401 X", Unauthorized),
        ("402 X", OutOfQuota),
        ("403 X", Unauthorized),
        ("404 X", BadRequest),
        ("413 X", TooLong),
        ("422 X", BadRequest),
    ] {
        check(failing(status, ""), Err(code)).await;
    }
}

#[tokio::test]
async fn providers_say_when_to_try_again() {
    check(failing("429 X", "retry-after: 7\r\n"), Ok(&[7000])).await;
    check(failing("429 X", "retry-after: 7\r\nretry-after-ms: 30\r\n"), Ok(&[30])).await;
    check(failing("503 X", "retry-after: Tue, 17 Nov 2026 10:00:09 GMT\r\n"), Ok(&[9000])).await;
    check(failing("429 X", "retry-after: 3600\r\n"), Err(Overloaded)).await;
    check(failing("400 X", "x-should-retry: true\r\n"), Ok(&[500])).await;
    check(failing("429 X", "x-should-retry: false\r\n"), Err(Overloaded)).await;
    check(failing("500 X", "x-should-retry: false\r\n"), Err(ProviderFailed)).await;
    check(failing("402 X", "x-should-retry: true\r\n"), Err(OutOfQuota)).await;
}

#[tokio::test]
async fn long_waits_are_left_to_the_caller() {
    let fixture =
        Fixture::new(Anthropic, [failing("429 X", "retry-after: 3600\r\nrequest-id: req_1\r\n")]).await;
    let error = fixture.ask(&request()).await.unwrap_err();
    assert_eq!(error.retry_after, Some(std::time::Duration::from_secs(3600)));
    assert_eq!(error.request_id.as_deref(), Some("req_1"));
    assert_eq!(error.message, "Anthropic API at 127.0.0.1 (429): some_error: words");
}

#[tokio::test]
async fn used_up_quotas_are_not_tried_again() {
    let openai =
        json!({ "error": { "code": "insufficient_quota", "type": "insufficient_quota", "message": "m" } });
    let details = json!({ "error_code": "enforced_spend_limit_reached" });
    let anthropic = json!({ "error": { "type": "rate_limit_error", "message": "m", "details": details } });
    for (provider, body) in [(Openai, openai), (Anthropic, anthropic)] {
        let answer = Answer::new("429 X", "", body.to_string());
        let fixture = Fixture::new(provider, [answer, good(provider)]).await;
        assert_eq!(fixture.ask(&request()).await.unwrap_err().code, OutOfQuota);
        assert_eq!(fixture.double.received().len(), 1);
    }
}

#[tokio::test]
async fn cut_streams_are_tried_again() {
    let half = events(&[vec![message_start()], text_block(0, "lost")].concat());
    for delivery in [Delivery::Whole, Delivery::Cut] {
        let answers = [Answer::stream(half.clone()).delivered(delivery), good(Anthropic)];
        let fixture = Fixture::new(Anthropic, answers).await;
        assert_eq!(shown(&fixture.ask(&request()).await.unwrap()), "\"hi\" -> end_turn");
        assert_eq!(fixture.pieces.text(), "hi", "pieces of the first attempt do not count");
        assert_eq!(*fixture.pieces.restarts.lock().unwrap(), 1);
        let received = fixture.double.received();
        assert_eq!(received[0].body, received[1].body);
    }
}

#[tokio::test]
async fn retries_end() {
    let fixture = Fixture::new(Anthropic, vec![failing("529 X", ""); 9]).await;
    assert_eq!(fixture.ask(&request()).await.unwrap_err().code, Overloaded);
    assert_eq!((fixture.double.received().len(), fixture.clock.waits()), (3, vec![500, 1000]));

    // A port that is taken, where nobody listens.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let fixture = Fixture::with_config(Anthropic, [], |config| {
        config.base_url = Some(format!("http://{}", socket.local_addr().unwrap()));
    })
    .await;
    let error = fixture.ask(&request()).await.unwrap_err();
    assert_eq!((error.code, fixture.clock.waits()), (Unreachable, vec![500, 1000]), "{error}");

    let fixture = Fixture::new(Openai, []).await;
    assert_eq!(fixture.ask(&request()).await.unwrap_err().code, Unreachable, "closed without a response");
    assert_eq!(fixture.double.received().len(), 3);
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let answer = Answer::new("307 X", "location: http://127.0.0.1:9/steal\r\n", "");
    let fixture = Fixture::new(Openai, [answer]).await;
    let error = fixture.ask(&request()).await.unwrap_err();
    assert_eq!(error.code, BadRequest);
    assert!(error.message.contains("redirects to another address (307)"), "{error}");
    assert_eq!(fixture.double.received().len(), 1);
}

/// Asks in a task of its own.
fn ask(model: &Arc<dyn Model>, token: &CancellationToken) -> tokio::task::JoinHandle<ModelErrorCode> {
    let (model, token) = (Arc::clone(model), token.clone());
    tokio::spawn(async move {
        let pieces = super::fixture::Pieces::default();
        model.reply(&request(), &pieces, &token).await.unwrap_err().code
    })
}

#[tokio::test]
async fn cancelling_ends_a_reply_and_its_connection() {
    let start = Answer::stream(events(&[message_start()])).delivered(Delivery::Hanging);
    let fixture = Fixture::new(Anthropic, [start]).await;
    let token = CancellationToken::new();
    let asked = ask(&fixture.model, &token);
    until(|| !fixture.double.received().is_empty()).await;
    token.cancel();
    assert_eq!(asked.await.unwrap(), Cancelled);
    fixture.double.closed().await;
}

#[tokio::test]
async fn cancelling_ends_a_wait() {
    let clock = ManualClock::new();
    let fixture = Fixture::with_config(Openai, vec![failing("429 X", ""); 3], |config| {
        config.retry.clock = Arc::new(clock.clone());
    })
    .await;
    let token = CancellationToken::new();
    let asked = ask(&fixture.model, &token);
    until(|| clock.sleepers() > 0).await;
    token.cancel();
    assert_eq!(asked.await.unwrap(), Cancelled);
    assert_eq!(fixture.double.received().len(), 1);
}

#[tokio::test]
async fn cancelled_requests_are_not_sent() {
    let fixture = Fixture::new(Anthropic, [good(Anthropic)]).await;
    let token = CancellationToken::new();
    token.cancel();
    assert_eq!(ask(&fixture.model, &token).await.unwrap(), Cancelled);
    assert!(fixture.double.received().is_empty());
}

#[tokio::test]
async fn silence_before_the_head_is_a_cut() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let fixture = Fixture::with_config(Anthropic, [], |config| {
        config.base_url = Some(format!("http://{}", listener.local_addr().unwrap()));
        config.timeouts.idle = std::time::Duration::from_millis(50);
    })
    .await;
    assert_eq!(fixture.ask(&request()).await.unwrap_err().code, Cut);
    assert_eq!(fixture.clock.waits(), [500, 1000]);
}
