//! The published schema matches the types, and tells good configs from bad ones.

use std::path::PathBuf;

use sekisho_policy::{config_schema, corpus, jsonc};

use crate::corpus::{files, read};

#[test]
#[expect(clippy::disallowed_methods, reason = "compares the committed schema, and updates it on request")]
fn the_committed_schema_is_up_to_date() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../spec/config.schema.json");
    let schema = serde_json::to_string_pretty(&config_schema()).unwrap() + "\n";
    if std::env::var_os("SEKISHO_UPDATE").is_some() {
        std::fs::write(&path, &schema).unwrap();
    }
    let renew = "spec/config.schema.json is stale; renew it by: SEKISHO_UPDATE=1 cargo test -p sekisho-policy --test main schema";
    assert!(path.exists() && read(&path) == schema, "{renew}");
}

/// Whether the schema accepts a config text.
fn accepts(text: &str) -> bool {
    let schema = serde_json::to_value(config_schema()).unwrap();
    let config = jsonc::Dialect::JSONC.value(text).unwrap();
    jsonschema::validator_for(&schema).unwrap().is_valid(&config)
}

#[test]
fn schema_accepts_every_config_of_the_corpus() {
    let mut accepted = 0;
    for (name, text) in files() {
        for config in corpus::configs(&text).iter().filter(|config| !config.broken) {
            assert!(accepts(&config.text), "{name}:{}: the schema refuses it", config.line);
            accepted += 1;
        }
    }
    assert!(accepted > 50, "only {accepted} configs");
}

#[test]
fn schema_refuses_invalid_configs() {
    let rule = |rule: &str| format!("{{ \"version\": 1, \"permissions\": {{ \"allow\": [{rule}] }} }}");
    assert!(accepts(r#"{ "$schema": "./config.schema.json", "version": 1 }"#));
    assert!(accepts(&rule(r#"{ "tool": "read" }"#)));
    let bad = [
        "[]".to_owned(),
        "{}".to_owned(),
        r#"{ "version": 2 }"#.to_owned(),
        r#"{ "version": "1" }"#.to_owned(),
        r#"{ "version": 1, "permission": {} }"#.to_owned(),
        r#"{ "version": 1, "permissions": [] }"#.to_owned(),
        r#"{ "version": 1, "builtin": "all" }"#.to_owned(),
        rule(r#""read""#),
        rule(r#"{ "tol": "read" }"#),
        rule(r#"{ "tool": 3 }"#),
        rule(r#"{ "tool": "read", "priority": 1.5 }"#),
        rule(r#"{ "tool": "read", "on_timeout": "wait" }"#),
        rule(r#"{ "tool": "read", "timeout_s": -1 }"#),
    ];
    for text in bad {
        assert!(!accepts(&text), "{text}");
    }
}
