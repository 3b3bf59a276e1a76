//! Building clients, and what becomes of their keys.

use sekisho_agent::conversation::Provider::{self, Anthropic, Openai, Scripted};
use sekisho_agent::model::ModelErrorCode::{BadRequest, Unauthorized};
use sekisho_agent::model::providers::{ProviderConfig, SecretKey, build};
use serde_json::json;

use super::fixture::{DONE, Fixture, KEY, chunk, data, events, message, message_start, request, text_block};
use super::server_double::Answer;

/// The error of building a client; `None` if it can be built.
fn failure(provider: Provider, change: impl FnOnce(&mut ProviderConfig)) -> Option<String> {
    let mut config = ProviderConfig::new(provider);
    change(&mut config);
    build(config).err().map(|error| format!("{:?}: {error}", error.code))
}

#[test]
fn keys_are_required() {
    let no_anthropic = "Unauthorized: There is no key for api.anthropic.com. Set ANTHROPIC_API_KEY.";
    assert_eq!(failure(Anthropic, |_| {}).as_deref(), Some(no_anthropic));
    let no_openai = "Unauthorized: There is no key for api.openai.com. Set OPENAI_API_KEY.";
    assert_eq!(failure(Openai, |_| {}).as_deref(), Some(no_openai));
    for (provider, url, is_enough) in [
        (Anthropic, "http://127.0.0.1:1", false),
        (Openai, "http://127.0.0.1:1", true),
        (Openai, "http://[::1]:1/v1", true),
        (Openai, "http://localhost:11434", true),
        (Openai, "https://models.example/v1", false),
        (Openai, "http://models.example/v1", false),
    ] {
        let found = failure(provider, |config| config.base_url = Some(url.into()));
        assert_eq!(found.is_none(), is_enough, "{url}: {found:?}");
        assert!(found.is_none_or(|why| why.starts_with("Unauthorized: There is no key for ")), "{url}");
    }
}

#[test]
fn keys_are_not_sent_unencrypted_to_other_machines() {
    for provider in [Anthropic, Openai] {
        for (url, allow_insecure, is_fine) in [
            ("https://models.example", false, true),
            ("http://models.example", false, false),
            ("http://10.0.0.1/v1", false, false),
            ("http://models.example", true, true),
            ("http://127.0.0.1:1", false, true),
        ] {
            let found = failure(provider, |config| {
                config.base_url = Some(url.into());
                config.key = SecretKey::new(KEY);
                config.allow_insecure = allow_insecure;
            });
            assert_eq!(found.is_none(), is_fine, "{url}: {found:?}");
            assert!(found.is_none_or(|why| why.contains("over plain http") && !why.contains(KEY)), "{url}");
        }
    }
}

#[test]
fn configurations_that_cannot_work_are_refused() {
    let with_key = |config: &mut ProviderConfig, key: &str| config.key = SecretKey::new(key);
    let broken = failure(Anthropic, |config| with_key(config, "sk-\u{e9}\nx")).unwrap();
    assert_eq!(broken, "Unauthorized: The key in ANTHROPIC_API_KEY contains characters that no key has.");
    let broken = failure(Openai, |config| with_key(config, "sk\nx")).unwrap();
    assert_eq!(broken, "Unauthorized: The key in OPENAI_API_KEY contains characters that no key has.");
    let url =
        failure(Openai, |config| config.base_url = Some("https://me:hush@models.example".into())).unwrap();
    assert!(url.contains("has a user name or password") && !url.contains("hush"), "{url}");
    assert_eq!(failure(Scripted, |_| {}).unwrap(), "BadRequest: The scripted model has no script.");
    let script = failure(Scripted, |config| config.script = Some(json!([{ "txt": "" }]))).unwrap();
    assert!(script.starts_with("BadRequest: Script: step 1"), "{script}");
}

#[tokio::test]
async fn base_urls_may_have_a_path() {
    for (provider, suffix, path) in [
        (Anthropic, "", "/v1/messages"),
        (Anthropic, "/", "/v1/messages"),
        (Anthropic, "/v1", "/v1/messages"),
        (Anthropic, "/proxy", "/proxy/v1/messages"),
        (Anthropic, "/proxy/v1/", "/proxy/v1/messages"),
        (Openai, "", "/v1/chat/completions"),
        (Openai, "/v1", "/v1/chat/completions"),
        (Openai, "/api/v1/", "/api/v1/chat/completions"),
        (Openai, "/v1beta/openai", "/v1beta/openai/chat/completions"),
    ] {
        let answer = match provider {
            Anthropic => message(text_block(0, "hi"), "end_turn"),
            _ => [chunk(json!({}), Some("stop")).as_str(), DONE].concat(),
        };
        let fixture = Fixture::with_config(provider, [Answer::stream(answer)], |config| {
            config.base_url = config.base_url.take().map(|url| url + suffix);
        })
        .await;
        fixture.ask(&request()).await.unwrap();
        let head = fixture.double.received()[0].head.clone();
        assert!(head.starts_with(&format!("POST {path} HTTP/1.1\r\n")), "{suffix}: {head}");
    }
}

/// Errors in which the provider repeats the key, wherever it can.
#[tokio::test]
async fn errors_never_contain_the_key() {
    let words = format!("{}Incorrect key `{KEY}`: Bearer {KEY}", "x".repeat(660));
    let error = json!({ "type": KEY, "code": KEY, "message": words, "metadata": { "raw": KEY } });
    let body = json!({ "type": "error", "error": error });
    let id = format!("request-id: {KEY}\r\n");
    for provider in [Anthropic, Openai] {
        let start = match provider {
            Anthropic => events(&[message_start()]),
            _ => chunk(json!({ "content": "hi" }), None),
        };
        for answer in [
            Answer::new("401 X", &id, body.to_string()),
            Answer::new("400 X", &id, body.to_string()),
            Answer::new("200 X", &format!("content-type: {KEY}\r\n"), ""),
            Answer::stream([start, data(&body)].concat()),
            Answer::new("307 X", &format!("location: http://127.0.0.1/{KEY}\r\n"), ""),
        ] {
            let fixture = Fixture::with_config(provider, [answer], |config| config.retry.retries = 0).await;
            let error = fixture.ask(&request()).await.unwrap_err();
            let stored = serde_json::to_string(&error).unwrap();
            for shown in [format!("{error}"), format!("{error:?}"), stored] {
                assert!(!shown.contains("sk-test-"), "{shown}");
                assert!(!shown.contains("0123456789"), "{shown}");
            }
            assert!(error.message.chars().count() <= 701, "{error}");
        }
    }
}

#[test]
fn debug_output_never_contains_the_key() {
    let mut config = ProviderConfig::new(Anthropic);
    config.key = SecretKey::new(KEY);
    let shown = format!("{config:?}");
    assert!(shown.contains("key: Some(SecretKey)") && !shown.contains("0123456789"), "{shown}");
}

#[tokio::test]
async fn wrong_keys_are_reported() {
    let body = json!({ "type": "error", "error": { "type": "authentication_error", "message": "invalid x-api-key" } });
    let fixture =
        Fixture::new(Anthropic, [Answer::new("401 X", "request-id: req_7\r\n", body.to_string())]).await;
    let error = fixture.ask(&request()).await.unwrap_err();
    assert_eq!(error.code, Unauthorized);
    assert_eq!(error.message, "Anthropic API at 127.0.0.1 (401): authentication_error: invalid x-api-key");
    assert_eq!(error.request_id.as_deref(), Some("req_7"));
    let fixture =
        Fixture::new(Openai, [Answer::new("404 X", "x-request-id: r8\r\n", "404 page not found")]).await;
    let error = fixture.ask(&request()).await.unwrap_err();
    assert_eq!((error.code, error.request_id.as_deref()), (BadRequest, Some("r8")));
}
