//! The JSON Schema of a tool's input. Edited inputs are checked against it.
//!
//! Schemas come from tools, tool servers and callers, so they are not trusted: they cannot refer to
//! anything outside themselves, their patterns are matched in linear time, their size and depth are
//! limited ([`refs`]), and the steps of a check are counted before the check runs ([`steps`]).

mod refs;
mod steps;

use std::fmt;
use std::sync::Arc;

use jsonschema::{PatternOptions, Validator};
use sekisho_policy::Digest;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

pub use refs::{MAX_DEPTH, MAX_PATTERNS};
pub use steps::MAX_STEPS;

/// The maximum size of a schema as JSON text, in bytes.
pub const MAX_SCHEMA_BYTES: usize = 64 << 10;

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

/// Why a schema is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaError {
    /// It has this many bytes, more than [`MAX_SCHEMA_BYTES`].
    TooLong(usize),
    /// It is nested deeper than [`MAX_DEPTH`] levels.
    TooDeep,
    /// It has more than [`MAX_PATTERNS`] patterns.
    TooManyPatterns,
    /// It has this reference, which is not a path in the schema itself.
    Reference(String),
    /// It uses this keyword, which changes the target of references.
    Keyword(&'static str),
    /// Its `$schema` names an unsupported draft.
    Draft(String),
    /// It is not a valid schema. One line says why.
    Invalid(String),
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SchemaError::TooLong(bytes) => {
                write!(f, "the schema has {bytes} bytes; the maximum is {MAX_SCHEMA_BYTES}")
            }
            SchemaError::TooDeep => write!(f, "the schema is nested deeper than {MAX_DEPTH} levels"),
            SchemaError::TooManyPatterns => write!(f, "the schema has more than {MAX_PATTERNS} patterns"),
            SchemaError::Reference(reference) => {
                write!(f, "the schema refers to `{reference}`; use `#` or a `#/…` pointer into it")
            }
            SchemaError::Keyword(keyword) => {
                write!(f, "the schema uses `{keyword}`, which is not supported; use only `$ref`")
            }
            SchemaError::Draft(draft) => {
                write!(f, "the schema's `$schema` is `{draft}`; use draft 6, 7, 2019-09 or 2020-12")
            }
            SchemaError::Invalid(why) => write!(f, "the schema is unusable: {why}"),
        }
    }
}

impl std::error::Error for SchemaError {}

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
        refs::check(&schema)?;
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
        steps::count(&self.schema, value).ok_or(CheckError::TooManySteps)?;
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
    let short = text.get(..text.floor_char_boundary(MAX_REASON_BYTES)).unwrap_or(text);
    let line = short.split_whitespace().collect::<Vec<_>>().join(" ");
    if short.len() < text.len() { format!("{line}…") } else { line }
}

#[cfg(test)]
mod tests;
