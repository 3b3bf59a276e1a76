//! Text that whoever asks chose is no pattern in the rule for it.

use proptest::prelude::*;
use proptest::sample::select;
use sekisho_policy::{Call, Decision, paths};
use serde_json::{Value, json};
use url::Url;

use super::{bash, check, decision, proposals};

fn fetch(url: &str) -> Call {
    Call::new("WebFetch", json!({ "url": url }))
}

#[test]
fn a_host_with_a_wildcard_is_not_proposed() {
    for url in [
        "https://*.com/docs",
        "https://%2a.com/docs",
        "https://*.evil.com",
        "https://a*.com/",
        "https://*/",
        "https://{a,b}.com/",
        "https://a!.com/",
    ] {
        check(&[], &fetch(url), &[]);
    }
    for (url, host) in [
        ("https://a_b.example-1.com/", "a_b.example-1.com"),
        ("http://[::1]:8080/", "[::1]"),
        ("http://127.1/", "127.0.0.1"),
        ("https://b\u{fc}cher.example/", "xn--bcher-kva.example"),
    ] {
        check(&[], &fetch(url), &[&[json!({ "tool": "web_fetch", "host": host })]]);
    }
}

/// Letters, and everything that means more than itself in some pattern.
fn text() -> impl Strategy<Value = String> {
    let pieces = vec![
        "a", "b", "ab", "*", "**", "?", "[ab]", "[!a]", "{a,b}", "\\", ".", "..", "/", "~", "!", "+", "@(a)",
        " ", "%2a", "%2A", ",", "|", "$", "^", ":", "-", "\u{ff0a}",
    ];
    proptest::collection::vec(select(pieces), 1..5).prop_map(|pieces| pieces.concat())
}

/// Texts that a pattern made of another might cover.
fn others(text: &str) -> Vec<String> {
    let mut others: Vec<String> =
        ["a", "b", "ab", "c", "a/b", "a.b", "aa", "*", ".", "c.a"].map(str::to_owned).to_vec();
    for wild in ["**", "*", "?", "%2a", "[ab]", "[!a]", "{a,b}", "@(a)", "\\", "+", "!"] {
        others.extend(["x", "a", "b", ""].map(|by| text.replace(wild, by)));
    }
    others
}

/// Nothing that is proposed for one call allows another, unless they are the same to `alike`.
fn no_other(one: &Call, other: &Call, alike: impl FnOnce() -> bool) -> Result<(), TestCaseError> {
    let allowing =
        proposals(&[], one).into_iter().find(|proposal| decision(&[], proposal, other) == Decision::Allow);
    if let Some(proposal) = allowing {
        prop_assert!(alike(), "{:?} for {} allows {} {}", proposal, one.input, other.tool, other.input);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_host_is_no_pattern(text in text(), tail in select(vec!["", ".com", ".a.com"])) {
        let url = |text: &str| format!("https://{text}{tail}/x");
        let host = |url: &str| Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
        let one = url(&text);
        for other in others(&text).iter().map(|text| url(text)) {
            let plain = |host: Option<String>| host.map(|host| host.trim_end_matches('.').to_owned());
            no_other(&fetch(&one), &fetch(&other), || plain(host(&one)) == plain(host(&other)))?;
        }
    }

    #[test]
    fn a_path_is_no_pattern(text in text()) {
        let write = |path: &str| Call::new("Write", json!({ "file_path": path, "content": "" })).in_directory("/w");
        let place = |text: &str| format!("/w/d/{text}");
        let one = paths::lexical(&place(&text)).unwrap_or_default();
        let directory = one.rsplit_once('/').map_or("", |(directory, _)| directory);
        for other in others(&text).iter().map(|text| place(text)).chain(["/w/x".into(), "/tmp/d/a".into()]) {
            // The directory is proposed as well, where it is not the whole workspace.
            let below = |path: String| path == one || (directory != "/w" && paths::is_within(&path, directory));
            no_other(&write(&place(&text)), &write(&other), || paths::lexical(&other).is_some_and(below))?;
        }
    }

    #[test]
    fn a_skill_or_a_tool_is_no_pattern(text in text()) {
        let skill = |name: &str| Call::new("Skill", json!({ "skill": name }));
        let tool = |name: &str| Call::new(format!("tool_{name}"), Value::Null);
        let served = |name: &str| Call::new("create", Value::Null).on_server(name);
        let of_server = |name: &str| Call::new(name, Value::Null).on_server("github");
        for other in others(&text) {
            let alike = || text == other;
            no_other(&skill(&text), &skill(&other), alike)?;
            no_other(&tool(&text), &tool(&other), alike)?;
            no_other(&served(&text), &served(&other), alike)?;
            no_other(&of_server(&text), &of_server(&other), alike)?;
        }
    }

    #[test]
    fn a_command_is_no_pattern(text in text()) {
        // Quoted, so that to the shell it is the very text.
        let remove = |text: &str| bash(&format!("rm '{text}'"));
        for other in others(&text) {
            no_other(&remove(&text), &remove(&other), || text == other)?;
        }
    }
}
