//! Deserializes a JSON value into a type, where a struct must be an object.
//!
//! Derived deserializers also accept a list for a struct, with its fields in order: `["allow", null]` would
//! be an answer. And they accept an object for a name: `{"allow": null}`. A check of the input by field names
//! would miss these forms.

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, Unexpected,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Value};

/// Deserializes a value.
pub fn read<T: DeserializeOwned>(value: Value) -> Result<T, Error> {
    T::deserialize(ObjectDeserializer(value))
}

/// A value as a deserializer that accepts only objects for structs.
#[derive(Debug)]
pub struct ObjectDeserializer(pub Value);

impl ObjectDeserializer {
    fn unexpected(&self) -> Unexpected<'_> {
        match &self.0 {
            Value::Null => Unexpected::Unit,
            Value::Bool(value) => Unexpected::Bool(*value),
            Value::Number(_) => Unexpected::Other("number"),
            Value::String(text) => Unexpected::Str(text),
            Value::Array(_) => Unexpected::Seq,
            Value::Object(_) => Unexpected::Map,
        }
    }
}

impl IntoDeserializer<'_, Error> for ObjectDeserializer {
    type Deserializer = ObjectDeserializer;

    fn into_deserializer(self) -> ObjectDeserializer {
        self
    }
}

impl<'de> Deserializer<'de> for ObjectDeserializer {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Array(values) => {
                let mut values = SeqDeserializer::new(values.into_iter().map(ObjectDeserializer));
                let read = visitor.visit_seq(&mut values)?;
                values.end().map(|()| read)
            }
            Value::Object(fields) => {
                let fields = fields.into_iter().map(|(name, value)| (name, ObjectDeserializer(value)));
                let mut fields = MapDeserializer::new(fields);
                let read = visitor.visit_map(&mut fields)?;
                fields.end().map(|()| read)
            }
            plain => plain.deserialize_any(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
            Value::Object(_) => self.deserialize_any(visitor),
            _ => Err(Error::invalid_type(self.unexpected(), &"an object")),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
            Value::String(variant) => visitor.visit_enum(Variant { variant, content: None }),
            Value::Object(fields) if fields.len() == 1 => {
                let only = fields.into_iter().next();
                let (variant, content) = only.ok_or_else(|| Error::custom("no variant"))?;
                visitor.visit_enum(Variant { variant, content: Some(content) })
            }
            _ => Err(Error::invalid_type(self.unexpected(), &"a name, or an object with one field")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier
    }
}

/// A variant of an enum.
struct Variant {
    variant: String,
    content: Option<Value>,
}

impl<'de> EnumAccess<'de> for Variant {
    type Error = Error;
    type Variant = Content;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Content), Error> {
        let variant = seed.deserialize(IntoDeserializer::<Error>::into_deserializer(self.variant))?;
        Ok((variant, Content(self.content)))
    }
}

/// The content of a variant.
struct Content(Option<Value>);

impl<'de> VariantAccess<'de> for Content {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        match self.0 {
            None => Ok(()),
            Some(value) => Err(Error::invalid_type(ObjectDeserializer(value).unexpected(), &"nothing")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(ObjectDeserializer(self.0.unwrap_or_default()))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        ObjectDeserializer(self.0.unwrap_or_default()).deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        ObjectDeserializer(self.0.unwrap_or_default()).deserialize_struct("", fields, visitor)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Inner {
        name: String,
        count: Option<u32>,
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Outer {
        one: Inner,
        list: Vec<Inner>,
        map: BTreeMap<String, Inner>,
        form: Option<Form>,
        any: Value,
        pair: (i64, f64),
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Form {
        Plain,
        Number(u8),
        Fields { name: String },
        Pair(u8, u8),
    }

    fn named(name: &str) -> Inner {
        Inner { name: name.into(), count: None }
    }

    #[test]
    fn values_are_read_as_types() {
        let read = read::<Outer>(json!({
            "one": { "name": "a", "count": 3 },
            "list": [{ "name": "b" }, {}],
            "map": { "k": { "name": "c" } },
            "form": { "fields": { "name": "d" } },
            "any": [["x"], null],
            "pair": [-1, 1.5],
        }));
        let expected = Outer {
            one: Inner { name: "a".into(), count: Some(3) },
            list: vec![named("b"), named("")],
            map: BTreeMap::from([("k".to_owned(), named("c"))]),
            form: Some(Form::Fields { name: "d".into() }),
            any: json!([["x"], null]),
            pair: (-1, 1.5),
        };
        assert_eq!(read.unwrap(), expected);
        let form = |value| super::read::<Form>(value).ok();
        assert_eq!(form(json!("plain")), Some(Form::Plain));
        assert_eq!(form(json!({ "number": 7 })), Some(Form::Number(7)));
        assert_eq!(form(json!({ "pair": [1, 2] })), Some(Form::Pair(1, 2)));
        assert_eq!(super::read::<Option<Inner>>(Value::Null).unwrap(), None);
    }

    #[test]
    fn list_is_not_accepted_for_a_struct() {
        for value in [
            json!([]),
            json!(["a", 3]),
            json!({ "one": ["a"] }),
            json!({ "list": [["a"]] }),
            json!({ "map": { "k": [] } }),
            json!({ "form": { "fields": ["d"] } }),
            json!("a"),
            json!(null),
        ] {
            assert!(read::<Outer>(value.clone()).is_err(), "{value}");
        }
        for value in [
            json!({ "plain": 1 }),
            json!({ "plain": null }),
            json!({ "number": 7, "x": 1 }),
            json!(["plain"]),
            json!({ "pair": [1, 2, 3] }),
        ] {
            assert!(read::<Form>(value.clone()).is_err(), "{value}");
        }
        assert!(read::<Outer>(json!({ "pair": [1, 2, 3] })).is_err());
        let told = read::<Outer>(json!({ "one": ["a"] })).unwrap_err().to_string();
        assert_eq!(told, "invalid type: sequence, expected an object");
    }
}
