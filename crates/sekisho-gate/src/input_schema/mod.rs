//! The JSON Schema of a tool's input, by which an edited input is checked wherever it is answered.
//!
//! Schemas come from tools, from servers of tools and from callers, so they are not trusted. They refer to nothing outside of
//! themselves, their patterns are matched in linear time, they are bounded in size and depth ([`refs`]), and the steps of a
//! check are counted before it is made ([`steps`]).

mod refs;
mod steps;

use std::fmt;
use std::sync::Arc;

use jsonschema::{PatternOptions, Validator};
use sekisho_policy::Digest;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

pub use refs::{DEEPEST, MOST_PATTERNS};
pub use steps::MOST_STEPS;

/// No schema is longer than this, as JSON text.
pub const LARGEST: usize = 64 << 10;

/// So much memory a pattern may take. Matching a byte takes as long as the pattern is large.
const LARGEST_PATTERN: usize = 128 << 10;

/// So many bytes of what is wrong are told: the values at fault may be large.
const LONGEST_WHY: usize = 512;

/// The JSON Schema of a tool's input.
#[derive(Clone, Debug, PartialEq)]
pub struct InputSchema {
    schema: Arc<Value>,
    version: Digest,
}

/// Why a schema is not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaError {
    /// It is longer than [`LARGEST`].
    TooLong(usize),
    /// It is nested deeper than [`DEEPEST`].
    TooDeep,
    /// It has more than [`MOST_PATTERNS`].
    TooManyPatterns,
    /// It refers to something else than a place in itself.
    Reference(String),
    /// A keyword by which references lead elsewhere than they say.
    Keyword(&'static str),
    /// It is of another draft than are known.
    Draft(String),
    /// It is no schema: what is wrong, in one line.
    Invalid(String),
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SchemaError::TooLong(bytes) => {
                write!(f, "the schema is {bytes} bytes long; the most is {LARGEST}")
            }
            SchemaError::TooDeep => write!(f, "the schema is nested deeper than {DEEPEST} levels"),
            SchemaError::TooManyPatterns => write!(f, "the schema has more than {MOST_PATTERNS} patterns"),
            SchemaError::Reference(reference) => {
                write!(f, "the schema refers to `{reference}`; write `#` or a JSON pointer to a place in it")
            }
            SchemaError::Keyword(keyword) => {
                write!(f, "the schema uses `{keyword}`, which is not taken; refer by `$ref` alone")
            }
            SchemaError::Draft(draft) => {
                write!(f, "the schema's `$schema` is `{draft}`; drafts 6, 7, 2019-09 and 2020-12 are known")
            }
            SchemaError::Invalid(why) => write!(f, "the schema cannot be used: {why}"),
        }
    }
}

impl std::error::Error for SchemaError {}

/// Why a value is not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckError {
    /// It does not fit.
    Misfit {
        /// Where in the value, as a JSON pointer.
        place: String,
        /// Why, in one line.
        why: String,
    },
    /// Checking it takes more than [`MOST_STEPS`], or nests too deep.
    TooManySteps,
    /// The schema cannot be used.
    Schema(SchemaError),
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::Misfit { place, why } if place.is_empty() => {
                write!(f, "it does not fit the tool's schema: {why}")
            }
            CheckError::Misfit { place, why } => write!(f, "`{place}` does not fit the tool's schema: {why}"),
            CheckError::TooManySteps => {
                write!(f, "checking it by the tool's schema takes more than {MOST_STEPS} steps")
            }
            CheckError::Schema(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for CheckError {}

impl InputSchema {
    /// A schema that can be checked by.
    pub fn new(schema: Value) -> Result<InputSchema, SchemaError> {
        refs::check(&schema)?;
        let text = schema.to_string();
        if text.len() > LARGEST {
            return Err(SchemaError::TooLong(text.len()));
        }
        validator(&schema)?;
        let version = Digest(Sha256::digest(text).into());
        Ok(InputSchema { schema: Arc::new(schema), version })
    }

    /// The schema itself.
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// What tells it from other schemas of the same tool.
    pub fn version(&self) -> Digest {
        self.version
    }

    /// Checks a value. It takes no more than [`MOST_STEPS`] steps, whatever the schema and the value are.
    pub fn check(&self, value: &Value) -> Result<(), CheckError> {
        steps::count(&self.schema, value).ok_or(CheckError::TooManySteps)?;
        let validator = validator(&self.schema).map_err(CheckError::Schema)?;
        validator.validate(value).map_err(|error| CheckError::Misfit {
            place: error.instance_path().to_string(),
            why: one_line(&error.to_string()),
        })
    }
}

fn validator(schema: &Value) -> Result<Validator, SchemaError> {
    let patterns = PatternOptions::regex().size_limit(LARGEST_PATTERN).dfa_size_limit(LARGEST_PATTERN);
    let options = jsonschema::options().offline().with_pattern_options(patterns);
    options.build(schema).map_err(|error| SchemaError::Invalid(one_line(&error.to_string())))
}

fn one_line(text: &str) -> String {
    let short = text.get(..text.floor_char_boundary(LONGEST_WHY)).unwrap_or(text);
    let line = short.split_whitespace().collect::<Vec<_>>().join(" ");
    if short.len() < text.len() { format!("{line}…") } else { line }
}

#[cfg(test)]
mod tests;
