//! Titles, messages, addresses, and how much is shown.

use sekisho_policy::{Call, DangerLevel};
use serde_json::{Value, json};

use super::shown;
use crate::display::{Form, MAX_SHOWN_BYTES};

#[track_caller]
fn check(tool: &str, input: Value, title: &str, message: &str) {
    let shown = shown(Call::new(tool, input), &[]);
    assert_eq!((shown.title.as_str(), shown.message.as_str()), (title, message));
    assert!(shown.whole && shown.left_out.is_empty());
}

#[test]
fn title_and_message_describe_the_call() {
    check("Bash", json!({ "command": "  git   push\n" }), "Run command?", "Bash: git push");
    check(
        "shell",
        json!({ "command": ["git", "commit", "-m", "a b"] }),
        "Run command?",
        "shell: git commit -m 'a b'",
    );
    check("Read", json!({ "file_path": "/w/a" }), "Read file?", "Read: /w/a");
    check("Grep", json!({ "pattern": "x", "path": "src" }), "Search files?", "Grep: src");
    check("Write", json!({ "file_path": "a", "content": "x" }), "Write file?", "Write: a");
    check("MultiEdit", json!({ "file_path": "a", "edits": [] }), "Edit file?", "MultiEdit: a");
    check("delete_file", json!({ "target_file": "a" }), "Delete file?", "delete_file: a");
    check(
        "WebFetch",
        json!({ "url": "https://a.test/" }),
        "Fetch from the web?",
        "WebFetch: https://a.test/",
    );
    check("WebSearch", json!({ "query": "rust" }), "Search the web?", "WebSearch: rust");
    check("Skill", json!({ "skill": "pdf" }), "Load skill?", "Skill: pdf");
    check("frobnicate", json!({ "a": 1 }), "Run tool?", "frobnicate: {\"a\":1}");
    check("frobnicate", json!({}), "Run tool?", "frobnicate");
    let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch";
    check("apply_patch", json!({ "input": patch }), "Edit file?", "apply_patch: a, b");
}

#[test]
fn server_tool_is_named_with_its_server() {
    let shown = shown(Call::new("read", json!({ "path": "/w/a" })).on_server("files"), &[("/w/a", "x")]);
    assert_eq!((shown.title.as_str(), shown.message.as_str()), ("Run tool?", "files/read: /w/a"));
    assert_eq!(shown.danger.level, DangerLevel::Caution);
    assert_eq!(shown.form, Form::Json);
    assert!(shown.files.is_empty());
}

#[track_caller]
fn leads(url: &str, host: Option<&str>, notes: &[&str]) {
    let shown = shown(Call::new("WebFetch", json!({ "url": url })), &[]);
    let Form::Url { addresses } = &shown.form else { panic!("{:?}", shown.form) };
    assert_eq!(addresses[0].host.as_deref(), host, "{url}");
    assert_eq!(addresses[0].notes, notes, "{url}");
}

#[test]
fn address_shows_its_host() {
    leads("https://example.com/x?y", Some("example.com"), &[]);
    leads(
        "https://good.com@evil.com/",
        Some("evil.com"),
        &["the text before the `@` (`good.com`) is a user name, not the host"],
    );
    leads(
        "https://exämple.com/",
        Some("xn--exmple-cua.com"),
        &["the host name contains non-ASCII letters, which can look like other letters"],
    );
    leads(
        "http://0x7f.1:8080/",
        Some("127.0.0.1"),
        &["this is an unusual spelling of the address `127.0.0.1`", "port 8080"],
    );
    leads(
        "https://good.com\\@evil.com/",
        Some("good.com"),
        &["it contains a space or a backslash, which programs parse differently"],
    );
    leads(
        "https://*.com/docs",
        Some("*.com"),
        &["`*.com` is not a valid host name; where the tool would connect is unknown"],
    );
    leads("http://[::1]/", Some("[::1]"), &[]);
    leads("file:///etc/passwd", None, &["not a web address: the scheme is `file:`"]);
    leads("not an address", None, &["the address cannot be parsed; where the tool would connect is unknown"]);
    for url in ["https://good.com@evil.com/", "https://*.com/docs"] {
        let disguised = shown(Call::new("WebFetch", json!({ "url": url })), &[]);
        assert_eq!(disguised.danger.level, DangerLevel::Danger, "{url}");
    }
}

#[test]
fn every_address_is_shown() {
    let several = json!({ "prompt": "compare https://a.test/x, and (https://b.test/)" });
    let shown = shown(Call::new("web_fetch", several), &[]);
    let Form::Url { addresses } = &shown.form else { panic!("{:?}", shown.form) };
    let hosts: Vec<_> = addresses.iter().map(|address| address.host.as_deref().unwrap()).collect();
    assert_eq!(hosts, ["a.test", "b.test"]);
}

#[test]
fn excess_text_is_left_out_with_a_note() {
    let long = format!("echo {}", "é".repeat(MAX_SHOWN_BYTES));
    let shown = shown(Call::new("Bash", json!({ "command": long })), &[]);
    assert!(!shown.whole);
    assert_eq!(shown.left_out.len(), 2, "{:?}", shown.left_out);
    assert!(shown.left_out[0].ends_with("bytes of the command are not shown"), "{}", shown.left_out[0]);
    let Form::Command { text, .. } = &shown.form else { panic!("{:?}", shown.form) };
    assert!(text.len() <= MAX_SHOWN_BYTES && text.len() > MAX_SHOWN_BYTES - 2);
    assert!(shown.json.len() <= MAX_SHOWN_BYTES);
}
