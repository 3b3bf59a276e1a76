//! Why a schema is rejected, and the limits of its size.

use std::fmt;

/// The maximum size of a schema as JSON text, in bytes.
pub const MAX_SCHEMA_BYTES: usize = 64 << 10;

/// The maximum nesting depth of a schema. Compiling and checking recurse once per level.
pub const MAX_DEPTH: usize = 48;

/// The maximum number of patterns in a schema. Each takes memory.
pub const MAX_PATTERNS: usize = 64;

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
    /// It uses this keyword, whose cost cannot be limited.
    Unevaluated(&'static str),
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
            SchemaError::Unevaluated(keyword) => {
                write!(f, "the schema uses `{keyword}`, which is not supported; use `additionalProperties`")
            }
            SchemaError::Draft(draft) => {
                write!(f, "the schema's `$schema` is `{draft}`; use draft 6, 7, 2019-09 or 2020-12")
            }
            SchemaError::Invalid(why) => write!(f, "the schema is unusable: {why}"),
        }
    }
}

impl std::error::Error for SchemaError {}
