//! JSON with comments: defines how such a text is parsed, both into a syntax tree to read and into one to
//! edit.
//!
//! The trees are those of `jsonc-parser`. The first keeps the position of every value and is deserialized by
//! [`read_with_comments`](crate::read_with_comments); the second also keeps comments and layout.

use jsonc_parser::cst::{CstInputValue, CstNode, CstRootNode};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast, parse_to_serde_value};
use serde_json::Value;

pub use jsonc_parser::{ast, common::Ranged, cst, errors::ParseError};

/// What a text may contain beyond JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Line and block comments.
    pub comments: bool,
    /// A comma after the last element of a list or object.
    pub trailing_commas: bool,
}

impl Dialect {
    /// Plain JSON.
    pub const JSON: Dialect = Dialect { comments: false, trailing_commas: false };
    /// JSON with comments and trailing commas.
    pub const JSONC: Dialect = Dialect { comments: true, trailing_commas: true };

    fn options(self) -> ParseOptions {
        ParseOptions {
            allow_comments: self.comments,
            allow_trailing_commas: self.trailing_commas,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        }
    }

    /// The values of a text with their positions. `None` if the text is blank.
    pub fn parse(self, text: &str) -> Result<Option<ast::Value<'_>>, ParseError> {
        parse_to_ast(text, &CollectOptions::default(), &self.options()).map(|parsed| parsed.value)
    }

    /// The value of a text. Of two equal keys the later value counts.
    pub fn value(self, text: &str) -> Result<Value, ParseError> {
        parse_to_serde_value(text, &self.options())
    }

    /// A syntax tree to edit. Unchanged parts keep their layout.
    pub fn edit(self, text: &str) -> Result<CstRootNode, ParseError> {
        CstRootNode::parse(text, &self.options())
    }
}

/// The value of a node of an edited text.
pub fn value_of(node: &CstNode) -> Option<Value> {
    Dialect::JSONC.value(&node.to_string()).ok()
}

/// A value to insert into an edited text.
pub fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(elements) => CstInputValue::Array(elements.iter().map(input).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}
