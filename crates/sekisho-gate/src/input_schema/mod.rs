//! The JSON Schema of a tool's input. Edited inputs are checked against it.
//!
//! Schemas come from tools, tool servers and callers, so they are not trusted: they cannot refer to
//! anything outside themselves, their patterns are matched in linear time, their size and depth are
//! limited ([`refs`]), and the steps of a check are counted before the check runs ([`steps`]).

mod schema_check;
mod schema_error;
mod step_limit;

use std::fmt;
use std::sync::Arc;

use jsonschema::{PatternOptions, Validator};
use sekisho_policy::Digest;
use sekisho_policy::whole_words::whole_values;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

pub use schema_error::{MAX_DEPTH, MAX_PATTERNS, MAX_SCHEMA_BYTES, SchemaError};
pub use step_limit::MAX_STEPS;

/// The maximum memory of a compiled pattern, in bytes. The time to match one byte grows with it.
const MAX_PATTERN_BYTES: usize = 128 << 10;

/// The maximum length of a reason in bytes. Reasons quote values, which may be large.
const MAX_REASON_BYTES: usize = 512;

/// The JSON Schema of a tool's input.
#[derive(Clone, Debug, PartialEq)]
pub struct InputSchema {
    schema: Arc<Value>,
    version: Digest,
}

/// Why a value is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckError {
    /// It does not match the schema.
    Mismatch {
        /// Where in the value, as a JSON pointer. Empty for the whole value.
        path: String,
        /// Why, in one line.
        why: String,
    },
    /// The check would take more than [`MAX_STEPS`] steps, or recurse too deep.
    TooManySteps,
    /// The schema is unusable.
    Schema(SchemaError),
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::Mismatch { path, why } if path.is_empty() => {
                write!(f, "it does not match the tool's schema: {why}")
            }
            CheckError::Mismatch { path, why } => {
                write!(f, "`{path}` does not match the tool's schema: {why}")
            }
            CheckError::TooManySteps => {
                write!(f, "checking it against the tool's schema takes more than {MAX_STEPS} steps")
            }
            CheckError::Schema(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for CheckError {}

impl InputSchema {
    /// Makes a schema, or says why it is rejected.
    pub fn new(schema: Value) -> Result<InputSchema, SchemaError> {
        schema_check::check(&schema)?;
        let text = schema.to_string();
        if text.len() > MAX_SCHEMA_BYTES {
            return Err(SchemaError::TooLong(text.len()));
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

    /// Checks a value. Takes at most [`MAX_STEPS`] steps, whatever the schema and the value are.
    pub fn check(&self, value: &Value) -> Result<(), CheckError> {
        step_limit::count(&self.schema, value).ok_or(CheckError::TooManySteps)?;
        let validator = validator(&self.schema).map_err(CheckError::Schema)?;
        validator.validate(value).map_err(|error| CheckError::Mismatch {
            path: error.instance_path().to_string(),
            why: one_line(&error.to_string()),
        })
    }
}

fn validator(schema: &Value) -> Result<Validator, SchemaError> {
    let patterns = PatternOptions::regex().size_limit(MAX_PATTERN_BYTES).dfa_size_limit(MAX_PATTERN_BYTES);
    let options = jsonschema::options().offline().with_pattern_options(patterns);
    options.build(schema).map_err(|error| SchemaError::Invalid(one_line(&error.to_string())))
}

fn one_line(text: &str) -> String {
    let short = whole_values(text, MAX_REASON_BYTES);
    let line = short.split_whitespace().collect::<Vec<_>>().join(" ");
    if short.len() < text.len() { format!("{line}…") } else { line }
}

#[cfg(test)]
mod tests;
