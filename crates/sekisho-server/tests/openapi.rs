//! The published document matches the server, the route table and the code.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sekisho_gate::answer::Role;
use sekisho_server::{Access, openapi, routes};
use serde_json::{Value, json};

fn document() -> Value {
    openapi::document()
}

fn operations(document: &Value) -> Vec<(String, String, &Value)> {
    let paths = document["paths"].as_object().unwrap().iter();
    let all = paths.flat_map(|(path, methods)| {
        let methods = methods.as_object().unwrap().iter();
        methods.map(move |(method, operation)| (method.to_uppercase(), path.clone(), operation))
    });
    all.collect()
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the committed document is compared, and renewed when asked")]
fn committed_document_is_up_to_date() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../spec/openapi.json");
    let text = openapi::text();
    if std::env::var_os("SEKISHO_UPDATE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let renew = "spec/openapi.json is stale; renew it by: sekisho schema openapi > spec/openapi.json, or: SEKISHO_UPDATE=1 cargo test -p sekisho-server --test main openapi; then: make sdk-types";
    assert!(std::fs::read_to_string(&path).is_ok_and(|kept| kept == text), "{renew}");
}

#[test]
fn document_has_exactly_the_api_routes() {
    let document = document();
    let described: BTreeSet<(String, String)> =
        operations(&document).into_iter().map(|(method, path, _)| (method, path)).collect();
    let there: BTreeSet<(String, String)> = routes::table()
        .iter()
        .filter(|route| route.path.starts_with("/api/") || ["/healthz", "/metrics"].contains(&route.path))
        .map(|route| (route.method.to_string(), route.path.replace("{*", "{")))
        .collect();
    assert_eq!(described, there);
}

#[test]
fn operations_have_unique_names_and_summaries() {
    let document = document();
    let mut names = BTreeSet::new();
    for (method, path, operation) in operations(&document) {
        let name = operation["operationId"].as_str().unwrap();
        assert!(names.insert(name.to_owned()), "`{name}` names two operations");
        assert!(!operation["summary"].as_str().unwrap().is_empty(), "{method} {path} has no summary");
        let good = operation["responses"].as_object().unwrap().keys().any(|status| status.as_str() < "400");
        assert!(good, "{method} {path} never works");
    }
}

#[test]
fn roles_match_the_route_table() {
    let document = document();
    for route in routes::table() {
        let place = document["paths"].get(route.path.replace("{*", "{"));
        let Some(operation) = place.and_then(|methods| methods.get(route.method.as_str().to_lowercase()))
        else {
            continue;
        };
        for role in [Role::Agent, Role::Viewer, Role::Approver, Role::Admin] {
            let described = operation["x-roles"].as_array().unwrap().contains(&json!(role.to_string()));
            assert_eq!(
                described,
                route.access != Access::Open && route.access.admits(role),
                "{} {role}",
                route.path
            );
        }
        assert_eq!(operation.get("security").is_some(), route.access == Access::Open, "{}", route.path);
    }
}

#[test]
fn path_parameters_are_described() {
    for (_, path, operation) in operations(&document()) {
        let named: Vec<&str> = path.split(['{', '}']).skip(1).step_by(2).collect();
        let empty = Vec::new();
        let parameters = operation.get("parameters").and_then(Value::as_array).unwrap_or(&empty);
        let described = parameters.iter().filter(|parameter| parameter["in"] == "path");
        let described: Vec<&str> = described.map(|parameter| parameter["name"].as_str().unwrap()).collect();
        assert_eq!(named, described, "{path}");
    }
}

#[test]
fn every_reference_resolves() {
    fn collect(value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(map) => {
                found.extend(map.get("$ref").and_then(Value::as_str).map(str::to_owned));
                map.values().for_each(|value| collect(value, found));
            }
            Value::Array(values) => values.iter().for_each(|value| collect(value, found)),
            _ => {}
        }
    }
    let document = document();
    let mut found = BTreeSet::new();
    collect(&document, &mut found);
    for reference in &found {
        let place = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(place).is_some(), "{reference} leads nowhere");
    }
}

#[test]
fn no_two_types_share_a_name() {
    // A second type with the same name gets a number, which depends on the order of the routes: clients would
    // break.
    for name in document()["components"]["schemas"].as_object().unwrap().keys() {
        assert!(
            !name.ends_with(|last: char| last.is_ascii_digit()),
            "rename `{name}` by #[schemars(rename)]"
        );
    }
}

#[test]
fn stream_messages_are_described() {
    let document = document();
    assert!(document["components"]["schemas"]["LiveEvent"].is_object());
    let described = document["paths"]["/api/events"]["get"]["description"].as_str().unwrap();
    for message in ["snapshot", "tool_approval_request", "tool_approval_resolved", "rules_changed"] {
        assert!(described.contains(&format!("`{message}`")), "{described}");
    }
}

#[test]
fn examples_match_their_schemas() {
    let document = document();
    let mut tried = 0;
    for (_, path, operation) in operations(&document) {
        let Some(content) = operation.pointer("/requestBody/content/application~1json") else { continue };
        let mut schema = content["schema"].clone();
        schema["components"] = document["components"].clone();
        let validator = jsonschema::validator_for(&schema).unwrap();
        assert!(!validator.is_valid(&json!("text")), "{path} takes anything");
        if let Some(example) = content.get("example") {
            let fault = validator.validate(example).err().map(|error| error.to_string());
            assert_eq!(fault, None, "{path}");
            tried += 1;
        }
    }
    assert!(tried >= 4, "only {tried} operations have an example");
}

/// The error codes in the server's source: the first string after each `ApiError::new`.
fn codes_in(folder: &Path, codes: &mut BTreeSet<String>) {
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            codes_in(&path, codes);
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for piece in text.split("ApiError::new(").skip(1) {
            let arguments = piece.split(')').next().unwrap();
            let code = arguments.split('"').nth(1).filter(|code| code.chars().all(char::is_alphanumeric));
            codes.extend(code.map(str::to_owned));
        }
    }
}

#[test]
fn every_error_code_is_described() {
    let mut codes = BTreeSet::new();
    codes_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut codes);
    assert!(codes.contains("InvalidRequest") && codes.contains("RateLimited"), "{codes:?}");
    let responses = document()["components"]["responses"].to_string();
    let missing: Vec<String> =
        codes.into_iter().filter(|code| !responses.contains(&format!("`{code}`"))).collect();
    assert!(missing.is_empty(), "{missing:?} are not among the CODES of openapi/error_codes.rs");
}
