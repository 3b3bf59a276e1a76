//! The input of a tool from flags: one for each field of its schema.

use sekisho_policy::exact_json;
use sekisho_tools::ToolDefinition;
use serde_json::{Map, Value};

use crate::failure::Failure;

/// Reads `--input JSON`, or `--FIELD VALUE` for each field.
pub(super) fn read(words: &[String], tool: &ToolDefinition) -> Result<Value, Failure> {
    let properties = tool.input_schema.get("properties").and_then(Value::as_object);
    let mut fields = Map::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (flag, value) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        let name = flag.strip_prefix("--").ok_or_else(|| {
            Failure::usage(format!("`{word}` is not a flag; write each field as `--FIELD VALUE`"))
        })?;
        let mut value = || value.clone().or_else(|| words.next().cloned());
        let missing = || Failure::usage(format!("`--{name}` needs a value"));
        if name == "input" {
            let text = value().ok_or_else(missing)?;
            return exact_json::read(&text).map_err(|error| Failure::usage(format!("--input: {error}")));
        }
        let Some(schema) = properties.and_then(|properties| properties.get(name)) else {
            let known: Vec<String> =
                properties.into_iter().flat_map(Map::keys).map(|name| format!("`--{name}`")).collect();
            return Err(Failure::usage(format!(
                "`{}` has no field `{name}`; it has {}, or `--input` for all of them",
                tool.name,
                known.join(", ")
            )));
        };
        fields.insert(name.to_owned(), typed(schema, value().ok_or_else(missing)?));
    }
    Ok(Value::Object(fields))
}

/// Texts stay as they are; other types are read as JSON. A value of the wrong type is told by the tool.
fn typed(schema: &Value, value: String) -> Value {
    let is_text = schema.get("type").is_none_or(|kind| kind == "string");
    if is_text {
        return Value::String(value);
    }
    exact_json::read(&value).unwrap_or(Value::String(value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(words: &[&str], expected: Result<Value, &str>) {
        let input_schema =
            json!({ "properties": { "command": { "type": "string" }, "count": { "type": "integer" } } });
        let tool = ToolDefinition { name: "demo".into(), description: String::new(), input_schema };
        let words: Vec<String> = words.iter().copied().map(String::from).collect();
        let found = read(&words, &tool);
        match expected {
            Ok(value) => assert_eq!(found.unwrap(), value),
            Err(message) => assert!(found.unwrap_err().message.contains(message), "{message}"),
        }
    }

    #[test]
    fn flags_become_fields() {
        check(&[], Ok(json!({})));
        check(&["--command", "ls | wc", "--count", "3"], Ok(json!({ "command": "ls | wc", "count": 3 })));
        check(&["--command=a=b"], Ok(json!({ "command": "a=b" })));
        check(&["--command", "3"], Ok(json!({ "command": "3" })));
        check(&["--input", "{\"command\":\"x\"}"], Ok(json!({ "command": "x" })));
        check(&["--input", "{\"a\":1,\"a\":2}"], Err("--input"));
        check(&["ls"], Err("not a flag"));
        check(&["--command"], Err("needs a value"));
        check(&["--cwd", "/"], Err("no field `cwd`; it has `--command`, `--count`"));
    }
}
