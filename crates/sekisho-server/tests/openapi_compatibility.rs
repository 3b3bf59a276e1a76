//! Today's document differs from that of an earlier version only by additions.
//!
//! The comparison covers what goes over the wire: references are followed, so a schema may get another name.
//! A request field may become optional but never required; a response field may become required but never
//! optional.

use std::collections::BTreeSet;
use std::path::Path;

use sekisho_server::openapi;
use serde_json::{Map, Value, json};

/// Intended changes that are not additions, as this test words them. Each needs a line in CHANGELOG.md.
const ON_PURPOSE: &[&str] = &[];

/// Texts for people.
const PROSE: &[&str] = &["description", "summary", "title", "example", "examples", "tags"];

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Direction {
    ToServer,
    FromServer,
}

struct Comparison<'a> {
    before: &'a Value,
    now: &'a Value,
    /// References that were compared, or are being compared.
    seen: BTreeSet<(String, String, Direction)>,
    changes: Vec<String>,
}

fn changes(before: &Value, now: &Value) -> Vec<String> {
    let mut comparison = Comparison { before, now, seen: BTreeSet::new(), changes: Vec::new() };
    comparison.paths();
    comparison.listeners();
    comparison.changes
}

fn object(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// A value as a list: a single value is a list of one.
fn list(value: Option<&Value>) -> Vec<&Value> {
    match value {
        Some(Value::Array(values)) => values.iter().collect(),
        Some(value) => vec![value],
        None => Vec::new(),
    }
}

/// The target of a reference, and the reference.
fn followed<'a>(document: &'a Value, value: &'a Value) -> (&'a Value, Option<&'a str>) {
    let reference = value.get("$ref").and_then(Value::as_str);
    let target = reference.and_then(|reference| document.pointer(reference.strip_prefix('#')?));
    (target.unwrap_or(value), reference)
}

impl<'a> Comparison<'a> {
    fn change(&mut self, at: &str, what: &str) {
        self.changes.push(format!("{at}: {what}"));
    }

    fn paths(&mut self) {
        for (path, methods) in object(&self.before["paths"]) {
            for (method, before) in object(methods) {
                let at = format!("{} {path}", method.to_uppercase());
                match self.now["paths"].get(path).and_then(|methods| methods.get(method)) {
                    Some(now) => self.operation(before, now, &at),
                    None => self.change(&at, "removed"),
                }
            }
        }
    }

    fn operation(&mut self, before: &'a Value, now: &'a Value, at: &str) {
        for field in ["operationId", "security"] {
            if before.get(field) != now.get(field) {
                self.change(&format!("{at} {field}"), "changed");
            }
        }
        for role in list(before.get("x-roles")) {
            if !list(now.get("x-roles")).contains(&role) {
                self.change(at, &format!("the role {role} may not any more"));
            }
        }
        self.parameters(before, now, at);
        match (before.get("requestBody"), now.get("requestBody")) {
            (None, Some(body)) if body["required"] == true => self.change(&format!("{at} body"), "required"),
            (Some(before), Some(now)) => {
                self.content(before, now, &format!("{at} body"), Direction::ToServer)
            }
            (Some(_), None) => self.change(&format!("{at} body"), "removed"),
            (None, _) => {}
        }
        for (status, before) in object(&before["responses"]) {
            let at = format!("{at} {status}");
            match now["responses"].get(status) {
                Some(now) => {
                    let (before, now) = (followed(self.before, before).0, followed(self.now, now).0);
                    self.content(before, now, &at, Direction::FromServer);
                }
                None => self.change(&at, "removed"),
            }
        }
    }

    fn parameters(&mut self, before: &'a Value, now: &'a Value, at: &str) {
        let key = |parameter: &Value| (parameter["in"].clone(), parameter["name"].clone());
        let (before, now) = (list(before.get("parameters")), list(now.get("parameters")));
        for parameter in &before {
            let at = format!("{at} ?{}", parameter["name"].as_str().unwrap());
            match now.iter().find(|other| key(other) == key(parameter)) {
                Some(other) => {
                    if other["required"] == true && parameter["required"] != true {
                        self.change(&at, "required");
                    }
                    self.schema(&parameter["schema"], &other["schema"], &at, Direction::ToServer);
                }
                None => self.change(&at, "removed"),
            }
        }
        for parameter in now {
            let is_new = !before.iter().any(|other| key(other) == key(parameter));
            if is_new && parameter["required"] == true {
                self.change(&format!("{at} ?{}", parameter["name"].as_str().unwrap()), "required");
            }
        }
    }

    fn content(&mut self, before: &'a Value, now: &'a Value, at: &str, way: Direction) {
        for (media, before) in object(&before["content"]) {
            let at = format!("{at} {media}");
            match now["content"].get(media) {
                Some(now) => self.schema(&before["schema"], &now["schema"], &at, way),
                None => self.change(&at, "removed"),
            }
        }
        for (name, _) in object(&before["headers"]) {
            if now["headers"].get(name).is_none() {
                self.change(&format!("{at} {name}"), "removed");
            }
        }
    }

    /// Schemas that no path refers to are those of events.
    fn listeners(&mut self) {
        let (before, now) = (&self.before["components"]["schemas"], &self.now["components"]["schemas"]);
        for (name, schema) in object(before) {
            let reference = format!("#/components/schemas/{name}");
            if self.seen.iter().any(|(seen, _, _)| *seen == reference) {
                continue;
            }
            match now.get(name) {
                Some(now) => self.schema(schema, now, name, Direction::FromServer),
                None => self.change(name, "removed"),
            }
        }
    }

    fn schema(&mut self, before: &'a Value, now: &'a Value, at: &str, way: Direction) {
        let ((before, from), (now, to)) = (followed(self.before, before), followed(self.now, now));
        if let Some(from) = from {
            let pair = (from.to_owned(), to.unwrap_or_default().to_owned(), way);
            if !self.seen.insert(pair) {
                return;
            }
        }
        let (Value::Object(before), Value::Object(now)) = (before, now) else {
            if before != now {
                self.change(at, &format!("{before} became {now}"));
            }
            return;
        };
        for (keyword, value) in before.iter().filter(|(keyword, _)| !PROSE.contains(&keyword.as_str())) {
            self.keyword(keyword, value, now, at, way);
        }
        if way == Direction::ToServer {
            self.limits(before, now, at);
        }
    }

    fn keyword(
        &mut self,
        keyword: &str,
        before: &'a Value,
        now: &'a Map<String, Value>,
        at: &str,
        way: Direction,
    ) {
        let other = now.get(keyword);
        match keyword {
            "properties" | "$defs" => {
                for (name, before) in object(before) {
                    let at = format!("{at}.{name}");
                    match other.and_then(|other| other.get(name)) {
                        Some(now) => self.schema(before, now, &at, way),
                        None => self.change(&at, "removed"),
                    }
                }
            }
            "required" if way == Direction::FromServer => {
                for name in list(Some(before)).into_iter().filter(|name| !list(other).contains(name)) {
                    self.change(&format!("{at}.{}", name.as_str().unwrap()), "may be missing");
                }
            }
            "enum" => {
                for value in list(Some(before)).into_iter().filter(|value| !list(other).contains(value)) {
                    self.change(at, &format!("{value} removed"));
                }
            }
            "type" => self.types(&list(Some(before)), &list(other), at, way),
            "oneOf" | "anyOf" | "allOf" => self.variants(before, other, at, way),
            "items" | "additionalProperties" if before.is_object() => match other {
                Some(other) => self.schema(before, other, &format!("{at}[]"), way),
                None => self.change(&format!("{at}[]"), "removed"),
            },
            // A limit on requests may go, and so may one on responses, which bound only the server itself.
            "required"
            | "maxLength"
            | "minLength"
            | "maximum"
            | "minimum"
            | "maxItems"
            | "minItems"
            | "pattern"
            | "additionalProperties"
            | "default" => {}
            _ if other != Some(before) => self.change(&format!("{at} {keyword}"), "changed"),
            _ => {}
        }
    }

    fn types(&mut self, before: &[&Value], now: &[&Value], at: &str, way: Direction) {
        for kind in before.iter().filter(|kind| !now.contains(kind)) {
            self.change(at, &format!("the type {kind} removed"));
        }
        if way == Direction::FromServer {
            for kind in now.iter().filter(|kind| !before.contains(kind)) {
                self.change(at, &format!("the type {kind} added"));
            }
        }
    }

    /// Each variant must be among the current ones. The best match is taken.
    fn variants(&mut self, before: &'a Value, now: Option<&'a Value>, at: &str, way: Direction) {
        for (index, variant) in list(Some(before)).into_iter().enumerate() {
            let at = format!("{at}/{index}");
            let tries = list(now).into_iter().map(|other| {
                let mut attempt = Comparison {
                    before: self.before,
                    now: self.now,
                    seen: self.seen.clone(),
                    changes: Vec::new(),
                };
                attempt.schema(variant, other, &at, way);
                attempt
            });
            match tries.min_by_key(|attempt| attempt.changes.len()) {
                Some(best) => {
                    self.seen = best.seen;
                    self.changes.extend(best.changes);
                }
                None => self.change(&at, "removed"),
            }
        }
    }

    /// Limits that the server did not have before.
    fn limits(&mut self, before: &Map<String, Value>, now: &Map<String, Value>, at: &str) {
        for name in list(now.get("required")) {
            if !list(before.get("required")).contains(&name) {
                self.change(&format!("{at}.{}", name.as_str().unwrap()), "required");
            }
        }
        for (keyword, is_upper) in [
            ("maxLength", true),
            ("maximum", true),
            ("maxItems", true),
            ("minLength", false),
            ("minimum", false),
            ("minItems", false),
        ] {
            let [then, today] = [before, now].map(|schema| schema.get(keyword).and_then(Value::as_f64));
            let none = if is_upper { f64::INFINITY } else { f64::NEG_INFINITY };
            let (then, today) = (then.unwrap_or(none), today.unwrap_or(none));
            if (is_upper && today < then) || (!is_upper && today > then) {
                self.change(&format!("{at} {keyword}"), "stricter");
            }
        }
        let closed = |schema: &Map<String, Value>| schema.get("additionalProperties") == Some(&json!(false));
        if closed(now) && !closed(before) {
            self.change(at, "other fields are refused");
        }
        if now.get("pattern").is_some_and(|pattern| before.get("pattern") != Some(pattern)) {
            self.change(&format!("{at} pattern"), "changed");
        }
    }
}

#[test]
fn todays_document_only_adds_to_the_earlier_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sekisho/tests/fixtures/0.1.0/openapi.json");
    let before: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let found = changes(&before, &openapi::document());
    assert_eq!(found, ON_PURPOSE, "a change breaks earlier clients");
}

/// The changes found when something in today's document is replaced or removed.
fn changed(pointer: &str, name: &str, value: Option<Value>) -> Vec<String> {
    let before = openapi::document();
    let mut now = before.clone();
    let place = now.pointer_mut(pointer).unwrap().as_object_mut().unwrap();
    match value {
        Some(value) => place.insert(name.to_owned(), value),
        None => place.remove(name),
    };
    assert_ne!(before, now, "{pointer}/{name}");
    changes(&before, &now)
}

#[test]
fn additions_are_not_changes() {
    let schemas = "/components/schemas";
    for (pointer, name, value) in [
        ("/paths".to_owned(), "/api/new", json!({ "get": { "operationId": "new", "responses": {} } })),
        (format!("{schemas}/CanUseTool/properties"), "new", json!({ "type": "string" })),
        (format!("{schemas}/OwnQuestion/properties"), "new", json!({ "type": "string" })),
        (format!("{schemas}/CanUseTool"), "required", json!([])),
    ] {
        assert_eq!(changed(&pointer, name, Some(value)), [""; 0], "{pointer}/{name}");
    }
}

#[test]
fn removals_and_requirements_are_changes() {
    let schemas = "/components/schemas";
    for (pointer, name, value) in [
        ("/paths".to_owned(), "/api/decide", None),
        ("/paths/~1api~1decide/post/responses".to_owned(), "200", None),
        (format!("{schemas}/CanUseTool/properties"), "cwd", None),
        (format!("{schemas}/OwnQuestion/properties"), "digest", None),
        (format!("{schemas}/CanUseTool"), "required", Some(json!(["toolName", "input", "toolUseId", "cwd"]))),
        (format!("{schemas}/OwnQuestion"), "required", Some(json!([]))),
        (format!("{schemas}/CanUseTool/properties/toolName"), "maxLength", Some(json!(8))),
        (format!("{schemas}/OwnQuestion/properties/toolName"), "type", Some(json!(["string", "null"]))),
        (format!("{schemas}/LiveEvent"), "oneOf", Some(json!([]))),
    ] {
        let found = changed(&pointer, name, value);
        assert!(!found.is_empty(), "{pointer}/{name} is not seen");
    }
}
