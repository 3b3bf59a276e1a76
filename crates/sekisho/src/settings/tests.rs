//! Which source overrides which, and which values are rejected.

use std::collections::BTreeMap;

use sekisho_agent::conversation::Provider;

use super::option_values::{ListenAddress, LogFormat};
use super::server_options::ServerOptions;

fn environment(variables: &[(&str, &str)]) -> Result<ServerOptions, String> {
    let variables: BTreeMap<String, String> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    ServerOptions::from_environment(&|name| variables.get(name).cloned()).map_err(|failure| failure.message)
}

fn file(text: &str) -> Result<ServerOptions, String> {
    ServerOptions::from_file("server.json", text).map_err(|failure| failure.message)
}

#[test]
fn flags_override_variables_and_variables_override_the_file() {
    let file = file(
        r#"{ "listen": "127.0.0.1:1", "log_format": "text", "max_pending": 7, // seven
        "tool_approval_enabled": false, "projects": ["/a"], "demo": true, }"#,
    )
    .unwrap();
    let variables = environment(&[
        ("SEKISHO_LISTEN", "127.0.0.1:2"),
        ("SEKISHO_LOG_FORMAT", "json"),
        ("TOOL_APPROVAL_ENABLED", "true"),
        ("SEKISHO_DEMO", "false"),
    ])
    .unwrap();
    let flags = ServerOptions { listen: Some("127.0.0.1:3".parse().unwrap()), ..ServerOptions::default() };
    let all = flags.merged_over(variables).merged_over(file);
    assert_eq!(all.listen, Some(ListenAddress("127.0.0.1:3".parse().unwrap())));
    assert_eq!(all.log_format, Some(LogFormat::Json));
    assert_eq!((all.asks, all.max_pending), (Some(true), Some(7)));
    assert_eq!(all.demo, Some(false));
    assert_eq!(all.projects, Some(vec!["/a".into()]));
}

#[test]
fn invalid_variable_is_named() {
    for (name, value, expected) in [
        ("TOOL_APPROVAL_ENABLED", "yes", "`TOOL_APPROVAL_ENABLED`: `yes` is neither `true` nor `false`"),
        ("TOOL_APPROVAL_ENABLED", "0", "neither `true` nor `false`"),
        ("SEKISHO_LISTEN", "8787", "`SEKISHO_LISTEN`: `8787` is not a listen address"),
        ("SEKISHO_ALLOW_REMOTE", "1", "`SEKISHO_ALLOW_REMOTE`"),
        ("SEKISHO_DEMO", "off", "`SEKISHO_DEMO`: `off` is neither `true` nor `false`"),
        ("SEKISHO_PUBLIC_URL", "a.example", "`SEKISHO_PUBLIC_URL`"),
        ("SEKISHO_MAX_PENDING", "-1", "`SEKISHO_MAX_PENDING`: `-1` is not a whole number"),
        ("SEKISHO_LOG", "inof", "did you mean `info`?"),
        ("SEKISHO_LOG_FORMAT", "xml", "`SEKISHO_LOG_FORMAT`: unknown value `xml`"),
    ] {
        let error = environment(&[(name, value)]).unwrap_err();
        assert!(error.contains(expected), "{name}={value}: {error}");
    }
    assert_eq!(environment(&[]), Ok(ServerOptions::default()));
}

#[test]
fn file_errors_have_a_position() {
    for (text, expected) in [
        (
            r#"{ "lisen": "127.0.0.1:1" }"#,
            "server.json:1:3: lisen: unknown field `lisen`; did you mean `listen`?",
        ),
        (r#"{ "listen": 8787 }"#, "server.json:1:13: listen: "),
        (r#"{ "listen": "8787" }"#, "server.json:1:13: listen: `8787` is not a listen address"),
        (r#"{ "tool_approval_enabled": "false" }"#, "server.json:1:28: tool_approval_enabled: "),
        (r#"{ "version": 2 }"#, "server.json: version: unknown version 2"),
        (r#"{ "max_pending": -1 }"#, "server.json:1:18: max_pending: "),
        ("{", "server.json:1:1: "),
    ] {
        let error = file(text).unwrap_err();
        assert!(error.starts_with(expected), "{text}: {error}");
    }
}

#[test]
fn prices_are_read_exactly_or_refused() {
    let prices = |price: &str| {
        let text = format!(r#"{{ "model_prices": {{ "anthropic": {{ "m": {price} }} }} }}"#);
        file(&text).map(|options| options.model_prices.unwrap_or_default())
    };
    let found = prices(r#"{ "input": 3, "output": "15", "cache_read": 0.3, "cache_write": 3.75 }"#).unwrap();
    let price = found.get(Provider::Anthropic, "m").unwrap();
    assert_eq!(price.highest_cost(1, 1).to_string(), "0.00001875");
    for (price, expected) in [
        (r#"{ "input": 3, "output": 15, "cache_read": 0.3 }"#, "`cache_write` is missing"),
        (r#"{ "input": -3, "output": 15, "cache_read": 1, "cache_write": 1 }"#, "not an amount of dollars"),
        (r#"{ "input": true, "output": 15, "cache_read": 1, "cache_write": 1 }"#, "an amount of dollars"),
        ("3", "model_prices.anthropic.m"),
    ] {
        let error = prices(price).unwrap_err();
        assert!(error.starts_with("server.json:1:") && error.contains(expected), "{price}: {error}");
    }
}
