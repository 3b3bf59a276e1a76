//! `web_fetch` and `web_search` by `sekisho tool run`.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::test_home::TestHome;

const KEY: &str = "BSA-0123456789-very-secret";

/// A server on loopback that gives everybody the same answer. Counts its connections.
fn server(body: &str) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (url, count) =
        (format!("http://{}/search", listener.local_addr().unwrap()), Arc::new(AtomicUsize::new(0)));
    let (seen, answer) =
        (Arc::clone(&count), format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            seen.fetch_add(1, Ordering::SeqCst);
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    (url, count)
}

fn settings(home: &TestHome, server_json: &Value) {
    let config = json!({ "version": 1, "permissions": { "allow": [{ "tool": "web_fetch" }, { "tool": "web_search" }] } });
    TestHome::write(&home.global(), config.to_string());
    TestHome::write(&home.home().join(".config/sekisho/server.json"), server_json.to_string());
}

#[test]
fn search_asks_the_configured_endpoint() {
    let home = TestHome::new();
    let found = json!({ "web": { "results": [{ "title": "<b>A</b>", "url": "https://a.example/", "description": KEY }] } });
    let (url, count) = server(&found.to_string());
    settings(&home, &json!({ "search_endpoint": url }));
    let output = home.run(&["tool", "run", "web_search", "--query", "x"]);
    assert_eq!(output.code, 1, "{}", output.out);
    assert!(output.err.contains("BRAVE_SEARCH_API_KEY not configured"), "{}", output.err);
    assert_eq!(count.load(Ordering::SeqCst), 0);
    let query = format!("where is {KEY}");
    let words = ["tool", "run", "web_search", "--query", &query, "--num_results", "3"];
    let output = home.output(&home.command(&words).env("BRAVE_SEARCH_API_KEY", KEY).assert());
    assert_eq!(output.code, 0, "{}", output.err);
    let result: Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!((&result["num_results"], &result["results"][0]["title"]), (&json!(1), &json!("A")));
    assert_eq!(result["results"][0]["description"], "[key]");
    // What is recorded does not have the key, though the query had it.
    let database = home.home().join(".local/state/sekisho/ledger.db");
    let database = rusqlite::Connection::open(database).unwrap();
    for query in [
        "SELECT group_concat(text || body) FROM audit_log",
        "SELECT group_concat(input) FROM tool_executions",
    ] {
        let text: String = database.query_row(query, [], |row| row.get(0)).unwrap();
        assert!(text.contains("where is") && !text.contains(KEY), "{text}");
    }
}

#[test]
fn wrong_endpoint_is_named() {
    let home = TestHome::new();
    for (endpoint, words) in [
        ("http://search.example/", "search_endpoint: `http://search.example/` must be https"),
        ("search.example", "search_endpoint: URL must start with http:// or https://"),
    ] {
        settings(&home, &json!({ "search_endpoint": endpoint }));
        let output = home.run_without_terminal(&["tool", "run", "web_search", "--query", "x"]);
        assert!(output.code == 1 && output.err.contains(words), "{endpoint}: {} {}", output.code, output.err);
    }
}

#[test]
fn own_server_and_loopback_are_never_fetched() {
    let home = TestHome::new();
    let (url, count) = server("secret");
    let own = json!({ "listen": "127.0.0.1:9998", "public_url": "https://gate.example.com", "allow_hosts": ["alias.example.com"] });
    settings(&home, &own);
    for (url, words) in [
        (url.as_str(), "is not a public address"),
        ("http://127.0.0.1:9998/api", "is sekisho's own server"),
        ("http://localhost:9998/api", "is sekisho's own server"),
        ("https://gate.example.com/api", "is sekisho's own server"),
        ("https://alias.example.com/", "is sekisho's own server"),
        ("http://169.254.169.254/", "is not a public address"),
        ("file:///etc/passwd", "URL must start with http:// or https://"),
    ] {
        let output = home.run_without_terminal(&["tool", "run", "web_fetch", "--url", url]);
        assert!(output.code == 2 && output.err.contains(words), "{url}: {} {}", output.code, output.err);
    }
    assert_eq!(count.load(Ordering::SeqCst), 0);
    let words = ["tool", "run", "--host", "docs.example", "web_fetch", "--url", "https://other.example/"];
    let output = home.run_without_terminal(&words);
    assert!(
        output.code == 2 && output.err.contains("is not in `allowed_hosts`"),
        "{} {}",
        output.code,
        output.err
    );
}

#[test]
fn tools_are_listed_and_shown() {
    let home = TestHome::new();
    let output = home.run(&["tool", "list"]);
    assert!(
        output.out.contains("web_fetch                 ReadOnly        Fetch content from a web URL."),
        "{}",
        output.out
    );
    assert!(
        output.out.contains("web_search                ReadOnly        Search the web for information."),
        "{}",
        output.out
    );
    let output = home.run(&["tool", "show", "web_fetch"]);
    assert!(output.out.contains("\"max_length\""), "{}", output.out);
    // Without a rule, a person is asked.
    let output = home.run_without_terminal(&["tool", "run", "web_search", "--query", "x"]);
    assert_eq!(output.code, 3, "{}", output.err);
}
