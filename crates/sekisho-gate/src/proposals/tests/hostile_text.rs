//! Text that the caller chose must not act as a pattern in a rule for it.

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
fn host_with_a_wildcard_is_not_proposed() {
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
        ("http://[::1]:8080/", "[::1]:8080"),
        ("http://127.1/", "127.0.0.1"),
        ("https://b\u{fc}cher.example/", "xn--bcher-kva.example"),
    ] {
        check(&[], &fetch(url), &[&[json!({ "tool": "web_fetch", "host": host })]]);
    }
}

/// A rule for a path covers everything below it.
#[test]
fn write_to_the_workspace_root_is_not_proposed() {
    for path in ["/", "/w", "/w/", "/w/d/..", "/home/u", "/home"] {
        let write = Call::new("Write", json!({ "file_path": path, "content": "" })).in_directory("/w");
        check(&[], &write, &[]);
    }
}

/// Letters, and every character with a special meaning in some pattern.
fn text() -> impl Strategy<Value = String> {
    let pieces = vec![
        "a", "b", "ab", "*", "**", "?", "[ab]", "[!a]", "{a,b}", "\\", ".", "..", "/", "~", "!", "+", "@(a)",
        " ", "%2a", "%2A", ",", "|", "$", "^", ":", "-", "\u{ff0a}",
    ];
    proptest::collection::vec(select(pieces), 1..5).prop_map(|pieces| pieces.concat())
}

/// Texts that a pattern made of another text might match.
fn others(text: &str) -> Vec<String> {
    let mut others: Vec<String> =
        ["a", "b", "ab", "c", "a/b", "a.b", "aa", "*", ".", "c.a"].map(str::to_owned).to_vec();
    for wild in ["**", "*", "?", "%2a", "[ab]", "[!a]", "{a,b}", "@(a)", "\\", "+", "!"] {
        others.extend(["x", "a", "b", ""].map(|by| text.replace(wild, by)));
    }
    others
}

/// No proposal for one call allows others, unless they are the same to `alike`.
fn no_other(
    one: &Call,
    others: impl IntoIterator<Item = Call>,
    alike: impl Fn(&Call) -> bool,
) -> Result<(), TestCaseError> {
    let proposed = proposals(&[], one);
    for other in others.into_iter().filter(|other| !proposed.is_empty() && !alike(other)) {
        for proposal in &proposed {
            let decided = decision(&[], proposal, &other);
            prop_assert!(decided != Decision::Allow, "{:?} allows {} {}", proposal, other.tool, other.input);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn host_is_not_a_pattern(text in text(), tail in select(vec!["", ".com", ".a.com"])) {
        let call = |text: &str| fetch(&format!("https://{text}{tail}/x"));
        let host = |call: &Call| {
            let url = Url::parse(call.input["url"].as_str().unwrap_or("")).ok();
            url.and_then(|url| url.host_str().map(|host| host.trim_end_matches('.').to_owned()))
        };
        let one = call(&text);
        no_other(&one, others(&text).iter().map(|text| call(text)), |other| host(&one) == host(other))?;
    }

    #[test]
    fn path_is_not_a_pattern(text in text()) {
        let write = |path: &str| Call::new("Write", json!({ "file_path": path, "content": "" })).in_directory("/w");
        let place = |text: &str| format!("/w/d/{text}");
        let one = paths::normalise_lexically(&place(&text)).unwrap_or_default();
        let directory = one.rsplit_once('/').map_or("", |(directory, _)| directory);
        let elsewhere = ["/w/x", "/tmp/d/a"].map(str::to_owned);
        let others = others(&text).into_iter().map(|text| place(&text)).chain(elsewhere);
        // The rule for a path covers everything below it, and its directory, if that is not the whole
        // workspace.
        let inside = |path: &str, directory: &str| {
            paths::is_within(path, directory) && !paths::is_within("/w", directory)
        };
        no_other(&write(&place(&text)), others.map(|path| write(&path)), |other| {
            let path = other.input["file_path"].as_str().and_then(paths::normalise_lexically);
            path.is_some_and(|path| inside(&path, &one) || inside(&path, directory))
        })?;
    }

    #[test]
    fn skill_or_tool_is_not_a_pattern(text in text()) {
        let skill = |name: &str| Call::new("Skill", json!({ "skill": name }));
        let tool = |name: &str| Call::new(format!("tool_{name}"), Value::Null);
        let served = |name: &str| Call::new("create", Value::Null).on_server(name);
        let of_server = |name: &str| Call::new(name, Value::Null).on_server("github");
        for made in [&skill as &dyn Fn(&str) -> Call, &tool, &served, &of_server] {
            let others = others(&text).into_iter().filter(|other| *other != text);
            no_other(&made(&text), others.map(|other| made(&other)), |_| false)?;
        }
    }

    #[test]
    fn command_is_not_a_pattern(text in text()) {
        // Quoted, so that the shell sees exactly this text.
        let remove = |text: &str| bash(&format!("rm '{text}'"));
        let others = others(&text).into_iter().filter(|other| *other != text);
        no_other(&remove(&text), others.map(|other| remove(&other)), |_| false)?;
    }
}
