//! Deserializes JSON with comments into types, keeping positions.
//!
//! serde knows the fields of a type, and jsonc-parser knows the positions in the text. This deserializer
//! connects the two. One type definition then gives the parser, the published JSON Schema, and errors that
//! point at the field.

use std::fmt;

use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, Visitor};
use serde::{Deserialize, Serialize};

use crate::error::{ConfigError, nearest_name};
use crate::jsonc::ast::{ObjectProp, Value};
use crate::jsonc::{Dialect, Ranged};

/// A value and the byte range it was written at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(crate) struct Spanned<T> {
    /// The value.
    pub(crate) value: T,
    /// First byte and one past the last; zero if the value did not come from a config text.
    #[serde(skip)]
    pub(crate) range: (u32, u32),
}

impl<T: schemars::JsonSchema> schemars::JsonSchema for Spanned<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        T::json_schema(generator)
    }
    fn inline_schema() -> bool {
        T::inline_schema()
    }
}

/// The newtype name by which [`Spanned`] asks [`NodeDeserializer`] for the range.
const LOCATED: &str = "$located";

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Spanned<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Ask<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Ask<T> {
            type Value = Spanned<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }
            fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Self::Value, D::Error> {
                T::deserialize(inner).map(|value| Spanned { value, range: (0, 0) })
            }
            fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let start = seq.next_element()?.unwrap_or(0);
                let end = seq.next_element()?.unwrap_or(0);
                let value =
                    seq.next_element()?.ok_or_else(|| de::Error::custom("a spanned value has no value"))?;
                Ok(Spanned { value, range: (start, end) })
            }
        }
        deserializer.deserialize_newtype_struct(LOCATED, Ask(std::marker::PhantomData))
    }
}

/// Parses `text` (JSON with comments and trailing commas, no other extensions) as a `T`. An error has the
/// line, the field and the nearest known name.
pub fn read<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, ConfigError> {
    let at = |offset: usize, fault: JsoncError| {
        let (line, column) = LineIndex::new(text).line_and_column(offset);
        ConfigError {
            file: file.into(),
            line,
            column,
            field: fault.field(),
            message: fault.message,
            hint: fault.hint,
        }
    };
    let parsed = Dialect::JSONC.parse(text).map_err(|error| {
        let mut message = error.kind().to_string();
        if let Some(first) = message.get(..1) {
            message = first.to_lowercase() + message.get(1..).unwrap_or("");
        }
        at(error.range().start, JsoncError::new(message))
    })?;
    let Some(value) = &parsed else {
        return Err(at(
            0,
            JsoncError::new("the file is empty").with_hint("write at least `{ \"version\": 1 }`"),
        ));
    };
    T::deserialize(NodeDeserializer(value)).map_err(|fault| at(fault.offset.unwrap_or(0), fault))
}

/// Line starts of a text, so that many offsets can be converted to lines without rereading the text.
pub(crate) struct LineIndex<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    /// Finds the lines of `text`.
    pub(crate) fn new(text: &'a str) -> LineIndex<'a> {
        let starts =
            std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1)).collect();
        LineIndex { text, starts }
    }

    /// Line and column of a byte offset, both from 1, the column in characters.
    pub(crate) fn line_and_column(&self, offset: usize) -> (u32, u32) {
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = line.checked_sub(1).and_then(|index| self.starts.get(index)).copied().unwrap_or(0);
        let column = self.text.get(start..offset).map_or(0, |before| before.chars().count()) + 1;
        (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
    }
}

/// An error being propagated: the position is set where it occurs, the path on the way out.
#[derive(Debug)]
struct JsoncError {
    message: String,
    hint: Option<String>,
    offset: Option<usize>,
    /// Innermost first.
    path: Vec<PathStep>,
}

#[derive(Debug)]
enum PathStep {
    Field(String),
    Element(usize),
}

impl JsoncError {
    fn new(message: impl Into<String>) -> JsoncError {
        JsoncError { message: message.into(), hint: None, offset: None, path: Vec::new() }
    }
    fn with_hint(mut self, hint: impl Into<String>) -> JsoncError {
        self.hint = Some(hint.into());
        self
    }
    fn at(mut self, offset: usize) -> JsoncError {
        self.offset.get_or_insert(offset);
        self
    }
    fn under(mut self, step: PathStep) -> JsoncError {
        self.path.push(step);
        self
    }
    fn field(&self) -> String {
        let mut path = String::new();
        for step in self.path.iter().rev() {
            match step {
                PathStep::Field(name) if path.is_empty() => path.push_str(name),
                PathStep::Field(name) => path.extend([".", name]),
                PathStep::Element(index) => path.push_str(&format!("[{index}]")),
            }
        }
        path
    }
}

impl fmt::Display for JsoncError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for JsoncError {}

impl de::Error for JsoncError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        JsoncError::new(message.to_string())
    }
    fn invalid_type(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        JsoncError::new(format!("expected {}, found {}", wanted(expected), plain(found)))
    }
    fn invalid_value(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        JsoncError::new(format!("{} is not {}", plain(found), wanted(expected)))
    }
    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        unknown("field", field, expected)
    }
    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        unknown("value", variant, expected)
    }
    fn missing_field(field: &'static str) -> Self {
        JsoncError::new(format!("`{field}` is missing"))
    }
}

fn unknown(what: &str, name: &str, expected: &'static [&'static str]) -> JsoncError {
    let fault = JsoncError::new(format!("unknown {what} `{name}`"));
    match nearest_name(name, expected.iter().copied()) {
        Some(candidate) => fault.with_hint(format!("did you mean `{candidate}`?")),
        None => fault.with_hint(format!("expected one of {}", expected.join(", "))),
    }
}

/// What was expected, in terms of the format rather than of Rust types.
fn wanted(expected: &dyn de::Expected) -> String {
    match expected.to_string().as_str() {
        "u32" => format!("a whole number from 0 to {}", u32::MAX),
        "i32" => format!("a whole number from {} to {}", i32::MIN, i32::MAX),
        "a boolean" => "`true` or `false`".into(),
        "a sequence" => "a list".into(),
        other => other.into(),
    }
}

fn plain(found: de::Unexpected<'_>) -> String {
    match found {
        de::Unexpected::Bool(value) => format!("`{value}`"),
        de::Unexpected::Unsigned(value) => format!("the number {value}"),
        de::Unexpected::Signed(value) => format!("the number {value}"),
        de::Unexpected::Float(value) => format!("the number {value}"),
        de::Unexpected::Str(value) => format!("the string `{value}`"),
        de::Unexpected::Unit => "null".into(),
        de::Unexpected::Seq => "a list".into(),
        de::Unexpected::Map => "an object".into(),
        other => other.to_string(),
    }
}

/// A node of the syntax tree as a serde deserializer.
struct NodeDeserializer<'a>(&'a Value<'a>);

impl NodeDeserializer<'_> {
    fn start(&self) -> usize {
        self.0.range().start
    }
}

impl<'de> Deserializer<'de> for NodeDeserializer<'de> {
    type Error = JsoncError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsoncError> {
        let start = self.start();
        match self.0 {
            Value::StringLit(text) => visitor.visit_borrowed_str(&text.value),
            Value::NumberLit(number) => visit_number(number.value, visitor),
            Value::BooleanLit(value) => visitor.visit_bool(value.value),
            Value::NullKeyword(_) => visitor.visit_unit(),
            Value::Object(object) => {
                check_duplicates(&object.properties)?;
                visitor.visit_map(Properties { rest: object.properties.iter(), value: None })
            }
            Value::Array(array) => visitor.visit_seq(Elements { rest: array.elements.iter().enumerate() }),
        }
        .map_err(|fault| fault.at(start))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsoncError> {
        // An explicit null is an error, not an absent field: `"server": null` looks like a restriction but
        // would be none.
        visitor.visit_some(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsoncError> {
        // serde would also accept a list, field by field; users would not expect that.
        let found = match self.0 {
            Value::Object(_) => return self.deserialize_any(visitor),
            Value::StringLit(text) => de::Unexpected::Str(&text.value),
            Value::BooleanLit(value) => de::Unexpected::Bool(value.value),
            Value::NumberLit(_) => de::Unexpected::Other("a number"),
            Value::NullKeyword(_) => de::Unexpected::Unit,
            Value::Array(_) => de::Unexpected::Seq,
        };
        Err(<JsoncError as de::Error>::invalid_type(found, &"an object").at(self.start()))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, JsoncError> {
        if name != LOCATED {
            return visitor.visit_newtype_struct(self);
        }
        let range = self.0.range();
        let start = u32::try_from(range.start).unwrap_or(u32::MAX);
        let end = u32::try_from(range.end).unwrap_or(u32::MAX);
        visitor.visit_seq(WithRange { numbers: [start, end].into_iter(), value: Some(self.0) })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsoncError> {
        let start = self.start();
        match self.0 {
            Value::StringLit(text) => visitor
                .visit_enum(text.value.as_ref().into_deserializer())
                .map_err(|fault: JsoncError| fault.at(start)),
            _ => Err(JsoncError::new("expected a string").at(start)),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map identifier ignored_any
    }
}

fn visit_number<'de, V: Visitor<'de>>(text: &str, visitor: V) -> Result<V::Value, JsoncError> {
    if let Ok(value) = text.parse::<u64>() {
        visitor.visit_u64(value)
    } else if let Ok(value) = text.parse::<i64>() {
        visitor.visit_i64(value)
    } else if let Ok(value) = text.parse::<f64>() {
        visitor.visit_f64(value)
    } else {
        Err(JsoncError::new(format!("`{text}` is not a number")))
    }
}

/// A duplicate name in one object is an error, because parsers disagree on which value counts.
fn check_duplicates(properties: &[ObjectProp<'_>]) -> Result<(), JsoncError> {
    let twice = |(index, property): (usize, &ObjectProp<'_>)| {
        properties.iter().take(index).any(|earlier| earlier.name.as_str() == property.name.as_str())
    };
    // Objects of a config have a dozen fields; beyond that, sort instead of comparing all pairs.
    let found = if properties.len() <= 24 {
        properties
            .iter()
            .enumerate()
            .find(|(index, property)| twice((*index, property)))
            .map(|(_, property)| property)
    } else {
        let mut sorted: Vec<&ObjectProp<'_>> = properties.iter().collect();
        sorted.sort_by_key(|property| property.name.as_str());
        sorted.windows(2).find_map(|pair| match pair {
            [a, b] if a.name.as_str() == b.name.as_str() => Some(*b),
            _ => None,
        })
    };
    match found {
        None => Ok(()),
        Some(property) => {
            let name = property.name.as_str();
            Err(JsoncError::new("the field occurs twice")
                .with_hint("keep only one")
                .under(PathStep::Field(name.into()))
                .at(property.range.start))
        }
    }
}

struct Properties<'a> {
    rest: std::slice::Iter<'a, ObjectProp<'a>>,
    value: Option<&'a ObjectProp<'a>>,
}

impl<'de> de::MapAccess<'de> for Properties<'de> {
    type Error = JsoncError;
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, JsoncError> {
        let Some(property) = self.rest.next() else { return Ok(None) };
        self.value = Some(property);
        let name = property.name.as_str();
        seed.deserialize(name.into_deserializer())
            .map(Some)
            .map_err(|fault: JsoncError| fault.under(PathStep::Field(name.into())).at(property.range.start))
    }
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, JsoncError> {
        let property =
            self.value.take().ok_or_else(|| JsoncError::new("a value was requested before its name"))?;
        seed.deserialize(NodeDeserializer(&property.value)).map_err(|fault| {
            fault.under(PathStep::Field(property.name.as_str().into())).at(property.value.range().start)
        })
    }
}

struct Elements<'a> {
    rest: std::iter::Enumerate<std::slice::Iter<'a, Value<'a>>>,
}

impl<'de> de::SeqAccess<'de> for Elements<'de> {
    type Error = JsoncError;
    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, JsoncError> {
        let Some((index, value)) = self.rest.next() else { return Ok(None) };
        seed.deserialize(NodeDeserializer(value))
            .map(Some)
            .map_err(|fault| fault.under(PathStep::Element(index)).at(value.range().start))
    }
    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// The three elements of a [`Spanned`] value: start, end, the value itself.
struct WithRange<'a> {
    numbers: std::array::IntoIter<u32, 2>,
    value: Option<&'a Value<'a>>,
}

impl<'de> de::SeqAccess<'de> for WithRange<'de> {
    type Error = JsoncError;
    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, JsoncError> {
        if let Some(number) = self.numbers.next() {
            return seed.deserialize(number.into_deserializer()).map(Some);
        }
        self.value.take().map(|value| seed.deserialize(NodeDeserializer(value))).transpose()
    }
}
