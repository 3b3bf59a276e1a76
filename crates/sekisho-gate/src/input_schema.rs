//! The JSON Schema of a tool's input. Edited inputs are checked against it.
//!
//! Schemas come from tools and tool servers, so they are not trusted: they cannot refer to anything
//! outside themselves, their patterns are matched in linear time, and their size is limited.

use std::sync::Arc;

use jsonschema::{PatternOptions, Validator};
use sekisho_policy::Digest;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// The maximum size of a schema as JSON text, in bytes.
pub const MAX_SCHEMA_BYTES: usize = 256 << 10;

/// The maximum memory of a compiled pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 1 << 20;

/// The JSON Schema of a tool's input.
#[derive(Clone, Debug, PartialEq)]
pub struct InputSchema {
    schema: Arc<Value>,
    version: Digest,
}

impl InputSchema {
    /// Makes a schema, or says in one line what is wrong with it.
    pub fn new(schema: Value) -> Result<InputSchema, String> {
        let text = schema.to_string();
        if text.len() > MAX_SCHEMA_BYTES {
            return Err(format!("the schema has {} bytes; the maximum is {MAX_SCHEMA_BYTES}", text.len()));
        }
        validator(&schema)?;
        let version = Digest(Sha256::digest(text).into());
        Ok(InputSchema { schema: Arc::new(schema), version })
    }

    /// The schema as JSON.
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// Identifies this schema among others of the same tool.
    pub fn version(&self) -> Digest {
        self.version
    }

    /// Checks an input. The error is one line that names the field.
    pub fn check(&self, input: &Value) -> Result<(), String> {
        let Some((path, why)) = self.first_mismatch(input)? else { return Ok(()) };
        let path = if path.is_empty() { "it".to_owned() } else { format!("`{path}`") };
        Err(format!("{path} does not match the tool's schema: {why}"))
    }

    /// The first path in a value that does not match, and why. `Err` if the schema is unusable.
    pub(crate) fn first_mismatch(&self, value: &Value) -> Result<Option<(String, String)>, String> {
        let validator = validator(&self.schema)?;
        let first = validator.iter_errors(value).next();
        Ok(first.map(|error| (error.instance_path().to_string(), one_line(&error.to_string()))))
    }
}

fn validator(schema: &Value) -> Result<Validator, String> {
    let patterns = PatternOptions::regex().size_limit(MAX_PATTERN_BYTES).dfa_size_limit(MAX_PATTERN_BYTES);
    let options = jsonschema::options().offline().with_pattern_options(patterns);
    let built = options.build(schema);
    built.map_err(|error| format!("the schema is unusable: {}", one_line(&error.to_string())))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn mismatch_names_the_field() {
        let schema =
            json!({ "type": "object", "required": ["to"], "properties": { "to": { "type": "string" } } });
        let schema = InputSchema::new(schema).unwrap();
        assert_eq!(schema.check(&json!({ "to": "ada" })), Ok(()));
        let missing = "it does not match the tool's schema: \"to\" is a required property";
        assert_eq!(schema.check(&json!({})), Err(missing.to_owned()));
        let wrong = "`/to` does not match the tool's schema: 1 is not of type \"string\"";
        assert_eq!(schema.check(&json!({ "to": 1 })), Err(wrong.to_owned()));
    }

    #[test]
    fn unusable_schema_is_rejected() {
        for schema in [
            json!({ "type": "nonsense" }),
            json!({ "$ref": "https://example.com/schema.json" }),
            json!({ "$ref": "file:///etc/hostname" }),
            json!({ "pattern": "(" }),
            json!({ "pattern": "(?:a{1000}){1000}" }),
            json!({ "description": "x".repeat(MAX_SCHEMA_BYTES) }),
        ] {
            assert!(InputSchema::new(schema.clone()).is_err(), "{schema}");
        }
    }

    #[test]
    fn equal_schemas_have_the_same_version() {
        let of = |schema| InputSchema::new(schema).unwrap().version();
        assert_eq!(of(json!({ "type": "object" })), of(json!({ "type": "object" })));
        assert_ne!(of(json!({ "type": "object" })), of(json!({ "type": "array" })));
    }
}
