//! Checks an input against the tool's schema, before anyone judges or sees it.
//!
//! Numbers out of range are clamped, as models expect. Everything else that does not match is an error
//! that names the field. A field that the schema does not have is an error too: the policy knows more
//! names of fields than a tool does, and must not judge one directory while the tool runs in another.

use sekisho_gate::input_schema::{CheckError, InputSchema};
use serde_json::{Number, Value};

/// The input as the tool will see it, or what is wrong with it.
pub fn validate(schema: &InputSchema, mut input: Value) -> Result<Value, String> {
    if let Some(fields) = input.as_object_mut() {
        if let Some(name) = missing_field(schema.schema(), fields) {
            return Err(format!("Missing '{name}' parameter"));
        }
        if let Some(name) = unknown_field(schema.schema(), fields) {
            return Err(format!("Unknown '{name}' parameter"));
        }
        for (name, value) in fields {
            let field = schema.schema().get("properties").and_then(|properties| properties.get(name));
            clamp(field, value);
        }
    }
    match schema.check(&input) {
        Ok(()) => Ok(input),
        Err(CheckError::Mismatch { path, why }) if path.is_empty() => Err(format!("Invalid input: {why}")),
        Err(CheckError::Mismatch { path, why }) => {
            let name = path.trim_start_matches('/').replace('/', ".");
            Err(format!("Invalid '{name}' parameter: {why}"))
        }
        Err(error @ (CheckError::TooManySteps | CheckError::Schema(_))) => Err(error.to_string()),
    }
}

type Fields = serde_json::Map<String, Value>;

fn missing_field<'s>(schema: &'s Value, fields: &Fields) -> Option<&'s str> {
    let required = schema.get("required")?.as_array()?.iter().filter_map(Value::as_str);
    let mut required = required.filter(|name| fields.get(*name).is_none_or(Value::is_null));
    required.next()
}

fn unknown_field(schema: &Value, fields: &Fields) -> Option<String> {
    let properties = schema.get("properties")?.as_object()?;
    fields.keys().find(|name| !properties.contains_key(*name)).cloned()
}

/// Moves a number into the range of its field.
fn clamp(field: Option<&Value>, value: &mut Value) {
    let Some(field) = field else { return };
    let Some(number) = value.as_f64() else { return };
    let limit = |name: &str| field.get(name).filter(|limit| limit.is_number());
    let beyond = [
        limit("minimum").filter(|limit| limit.as_f64().is_some_and(|limit| number < limit)),
        limit("maximum").filter(|limit| limit.as_f64().is_some_and(|limit| number > limit)),
    ];
    if let Some(limit) = beyond.into_iter().flatten().next() {
        *value = limit.clone();
    } else if field.get("type").is_some_and(|kind| kind == "integer") && value.as_i64().is_none() {
        // `5.0` is an integer in JSON Schema; a tool reads whole numbers only.
        let whole = value.as_f64().filter(|number| number.fract() == 0.0);
        if let Some(whole) = whole.and_then(|number| format!("{number:.0}").parse::<i64>().ok()) {
            *value = Value::Number(Number::from(whole));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(input: Value, expected: Result<Value, &str>) {
        let schema = InputSchema::new(json!({
            "type": "object",
            "properties": {
                "query": { "type": "string" },
                "count": { "type": "integer", "minimum": 1, "maximum": 20 },
                "args": { "type": "object", "properties": { "files": { "type": "array", "items": { "type": "string" } } } },
            },
            "required": ["query"],
        }))
        .unwrap();
        let found = validate(&schema, input.clone());
        match expected {
            Ok(value) => assert_eq!(found, Ok(value), "{input}"),
            Err(start) => {
                let message = found.unwrap_err();
                assert!(message.starts_with(start), "{input}: {message}");
            }
        }
    }

    #[test]
    fn errors_name_the_field() {
        check(json!({}), Err("Missing 'query' parameter"));
        check(json!({ "query": null }), Err("Missing 'query' parameter"));
        check(json!({ "query": 3 }), Err("Invalid 'query' parameter: "));
        check(json!({ "query": "a", "args": { "files": [1] } }), Err("Invalid 'args.files.0' parameter: "));
        check(json!({ "query": "a", "cwd": "/" }), Err("Unknown 'cwd' parameter"));
        check(json!("query"), Err("Invalid input: "));
        check(json!(null), Err("Invalid input: "));
        check(json!({ "query": "a", "count": "7" }), Err("Invalid 'count' parameter: "));
        check(json!({ "query": "a", "count": 2.5 }), Err("Invalid 'count' parameter: "));
    }

    #[test]
    fn numbers_are_clamped() {
        for (given, kept) in [
            (json!(0), 1),
            (json!(-3), 1),
            (json!(5), 5),
            (json!(21), 20),
            (json!(1e300), 20),
            (json!(5.0), 5),
        ] {
            check(json!({ "query": "a", "count": given }), Ok(json!({ "query": "a", "count": kept })));
        }
    }
}
