//! `web_search` against an endpoint on loopback.

use std::time::Duration;

use sekisho_tools::sandbox::Isolation;
use sekisho_tools::web_search::{ApiKey, WebSearch};
use serde_json::{Value, json};

use super::server_double::{PRIVATE, ServerDouble, response};
use crate::workshop::Workshop;

const KEY: &str = "BSA-very-secret-key";

fn workshop(endpoint: &str, key: Option<&str>) -> Workshop {
    let search = WebSearch::at_endpoint(endpoint, key.map(ApiKey::new)).unwrap();
    assert!(!format!("{search:?}").contains(KEY));
    let rules = json!({ "allow": [{ "tool": "web_search" }] });
    Workshop::with_tools(&rules, Isolation::None, vec![Box::new(search)])
}

async fn search(workshop: &Workshop, input: Value) -> (String, bool) {
    let result = workshop.run("web_search", input).await.unwrap();
    assert!(!result.content.contains(KEY), "{}", result.content);
    (result.content, result.is_error)
}

fn results(count: usize) -> Value {
    let result = |number: usize| {
        json!({
            "title": format!("<strong>Title</strong> {number} &amp; more"),
            "url": format!("https://example.com/{number}"),
            "description": "A <b>bold</b> &lt;tag&gt; and\u{202e}hidden",
            "extra": { "ignored": [1, 2, 3] },
        })
    };
    json!({ "type": "search", "web": { "results": (1..=count).map(result).collect::<Vec<_>>() } })
}

#[tokio::test(flavor = "multi_thread")]
async fn results_are_plain_and_limited() {
    let server = ServerDouble::with_page("application/json", results(30).to_string());
    let workshop = workshop(&server.url("/search"), Some(KEY));
    for (given, expected) in
        [(json!({}), 5), (json!({ "num_results": 2 }), 2), (json!({ "num_results": 99 }), 20)]
    {
        let mut input = json!({ "query": "rust é&x=1" });
        input.as_object_mut().unwrap().extend(given.as_object().unwrap().clone());
        let (content, is_error) = search(&workshop, input).await;
        assert!(!is_error, "{content}");
        let found: Value = serde_json::from_str(&content).unwrap();
        assert_eq!((&found["query"], &found["num_results"]), (&json!("rust é&x=1"), &json!(expected)));
        assert_eq!(found["results"].as_array().unwrap().len(), expected);
        assert_eq!(
            found["results"][0],
            json!({
                "title": "Title 1 & more",
                "url": "https://example.com/1",
                "description": "A bold <tag> and\\u{202e}hidden",
            })
        );
    }
    let request = server.requests().swap_remove(0);
    assert!(request.starts_with("GET /search?q=rust+%C3%A9%26x%3D1&count=5 HTTP/1.1\r\n"), "{request}");
    assert!(request.contains(&format!("x-subscription-token: {KEY}\r\n")), "{request}");
    assert!(request.contains("accept: application/json\r\n"), "{request}");
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_key_is_told() {
    let server = ServerDouble::with_page("application/json", results(1).to_string());
    for key in [None, Some(""), Some("  ")] {
        let workshop = workshop(&server.url("/"), key);
        let (content, is_error) = search(&workshop, json!({ "query": "x" })).await;
        assert!(is_error);
        assert_eq!(
            content,
            "BRAVE_SEARCH_API_KEY not configured. Set this environment variable to enable web search."
        );
    }
    let workshop = workshop(&server.url("/"), Some("a\nb"));
    let (content, _) = search(&workshop, json!({ "query": "x" })).await;
    assert_eq!(content, "BRAVE_SEARCH_API_KEY contains characters that a key cannot have.");
    assert_eq!(server.connections(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn key_is_in_no_output() {
    let echo = format!("your key {KEY} is wrong\u{1b}[31m");
    let unauthorized = format!("HTTP/1.1 401 Unauthorized\r\nContent-Length: {}\r\n\r\n{echo}", echo.len());
    let workshop_at = |server: &ServerDouble| workshop(&server.url("/"), Some(KEY));
    let server = ServerDouble::sending(unauthorized);
    let (content, is_error) = search(&workshop_at(&server), json!({ "query": "x" })).await;
    assert!(is_error);
    assert_eq!(content, "Search API error (401 Unauthorized): your key [key] is wrong\\u{1b}[31m");
    let result = json!({ "title": KEY, "url": format!("https://e.example/?k={KEY}"), "description": KEY });
    let body = json!({ "web": { "results": [result] } }).to_string();
    let server = ServerDouble::with_page("application/json", body);
    let (content, is_error) = search(&workshop_at(&server), json!({ "query": "x" })).await;
    assert!(!is_error && content.contains("https://e.example/?k=[key]"), "{content}");
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_endpoints_are_limited() {
    let elsewhere = ServerDouble::start(PRIVATE, |_, _| {});
    let deep = "[".repeat(100_000);
    let cases = [
        (response("application/json", "{}"), ""),
        (response("application/json", "{\"web\":null}"), ""),
        (response("application/json", "not json"), "Failed to parse search results: "),
        (response("application/json", "{\"web\":{\"results\":7}}"), "Failed to parse search results: "),
        (response("application/json", format!("{{\"x\":{deep}")), "Failed to parse search results: "),
        (
            response("application/json", " ".repeat(3 << 20)),
            "Search API request failed: the response is larger than ",
        ),
        (super::server_double::redirect(&elsewhere.url("/")), "Search API error (302 Found): "),
        (b"nonsense".to_vec(), "Search API request failed: "),
    ];
    for (bytes, expected) in cases {
        let server = ServerDouble::sending(bytes);
        let workshop = workshop(&server.url("/"), Some(KEY));
        let (content, is_error) = search(&workshop, json!({ "query": "x" })).await;
        assert_eq!(is_error, !expected.is_empty(), "{content}");
        assert!(!is_error || content.starts_with(expected), "{expected}: {content}");
    }
    assert_eq!(elsewhere.connections(), 0, "the key goes to the endpoint only");
    let silent = ServerDouble::start(PRIVATE, |_, stream| drop(std::io::Read::read(stream, &mut [0])));
    let mut workshop = workshop(&silent.url("/"), Some(KEY));
    workshop.ctx.http_timeout = Duration::from_millis(100);
    let (content, is_error) = search(&workshop, json!({ "query": "x" })).await;
    assert!(
        is_error && content.starts_with("Search API request failed: the time limit is over"),
        "{content}"
    );
}

#[test]
fn endpoint_is_encrypted_unless_it_is_here() {
    for (endpoint, is_accepted) in [
        ("https://search.example/x", true),
        ("http://127.0.0.1:9/x", true),
        ("http://localhost:9/x", true),
        ("http://[::1]:9/x", true),
        ("https://10.0.0.1/x", true),
        ("http://search.example/x", false),
        ("http://10.0.0.1/x", false),
        ("ftp://search.example/", false),
        ("search.example", false),
        ("https://user:pw@search.example/", false),
    ] {
        assert_eq!(WebSearch::at_endpoint(endpoint, None).is_ok(), is_accepted, "{endpoint}");
    }
}
