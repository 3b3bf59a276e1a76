//! Responses that no provider should send: no events, endless ones, or silence.

use std::time::Duration;

use sekisho_agent::conversation::Provider::{Anthropic, Openai};
use sekisho_agent::model::ModelErrorCode::{BadReply, Cut, ProviderFailed};
use serde_json::json;

use super::fixture::Outcome::{Failed, Retried};
use super::fixture::{Fixture, check, chunk, events, message_start, request};
use super::server_double::{Answer, Delivery};

#[tokio::test]
async fn responses_without_events_are_tried_again() {
    for provider in [Anthropic, Openai] {
        let html = Answer::new("200 OK", "content-type: text/html\r\n", "<html>502</html>");
        check("html", provider, html, &Retried(BadReply)).await;
        check("html as events", provider, Answer::stream("<html>502</html>"), &Retried(BadReply)).await;
        check("nothing", provider, Answer::stream(""), &Retried(BadReply)).await;
        check("comments", provider, Answer::stream(": ping\n\n"), &Retried(BadReply)).await;
        let json =
            Answer::new("200 OK", "content-type: application/json\r\n", "{\"error\":{\"message\":\"m\"}}");
        check("json", provider, json, &Retried(ProviderFailed)).await;
    }
}

#[tokio::test]
async fn long_lines_are_refused() {
    for provider in [Anthropic, Openai] {
        let line = ["data: ".as_bytes(), &vec![b'x'; 20 << 20]].concat();
        check("20 MB", provider, Answer::stream(line), &Failed(BadReply)).await;
    }
}

#[tokio::test]
async fn endless_replies_are_refused() {
    let ping = format!(": {}\n\n", "x".repeat(1 << 20));
    check("65 MB", Anthropic, Answer::stream(ping.repeat(65)), &Failed(BadReply)).await;
}

#[tokio::test]
async fn silence_ends_a_reply() {
    for (provider, start) in
        [(Anthropic, events(&[message_start()])), (Openai, chunk(json!({ "content": "hi" }), None))]
    {
        let answer = Answer::stream(start).delivered(Delivery::Hanging);
        let fixture = Fixture::with_config(provider, vec![answer; 2], |config| {
            config.retry.retries = 1;
            config.timeouts.idle = Duration::from_millis(100);
        })
        .await;
        let error = fixture.ask(&request()).await.unwrap_err();
        assert_eq!(error.code, Cut, "{error}");
        assert!(error.message.contains("sent nothing for too long"), "{error}");
    }
}
