//! Parses a call's input strictly, so that the value that is judged, displayed, hashed and run is the same.
//!
//! Two JSON parsers can read different values from one text: because of a repeated key, a lone surrogate, or
//! a number that does not fit a double. Such input is refused before it is judged.

use std::cell::Cell;
use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Why a text is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExactJsonError {
    /// Its values would use more memory than the limit.
    TooLarge,
    /// What is wrong with it.
    Invalid(String),
}

/// Parses one JSON value. Refuses texts that different parsers could read differently.
pub fn read(text: &str) -> Result<Value, String> {
    read_within(text, usize::MAX).map_err(|unread| match unread {
        ExactJsonError::TooLarge => "too large".into(),
        ExactJsonError::Invalid(why) => why,
    })
}

/// Like [`read`], but stops before the values use more than about `most` bytes of memory. A text can become a
/// hundred times its size: `[{"":0},{"":0}]`.
pub fn read_within(text: &str, most: usize) -> Result<Value, ExactJsonError> {
    check_numbers(text).map_err(ExactJsonError::Invalid)?;
    let left = Cell::new(Some(most));
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = ExactVisitor(&left).deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
    value.map_err(|error| match left.get() {
        None => ExactJsonError::TooLarge,
        Some(_) => ExactJsonError::Invalid(error.to_string()),
    })
}

/// Memory of a value in a list that grows while it is read.
const ELEMENT: usize = 2 * size_of::<Value>();
/// Memory of a non-empty object: space for several fields is allocated with the first.
const OBJECT: usize = 640;
/// Approximate memory of each field: space is allocated for several at a time.
const FIELD: usize = 2 * (size_of::<String>() + size_of::<Value>());
/// Memory overhead of a text.
const TEXT: usize = 16;

/// Builds a [`Value`] and refuses duplicate keys. Counts the remaining memory; `None` once the limit is
/// exceeded.
#[derive(Clone, Copy)]
struct ExactVisitor<'a>(&'a Cell<Option<usize>>);

impl ExactVisitor<'_> {
    fn take<E: de::Error>(self, bytes: usize) -> Result<(), E> {
        let left = self.0.get().and_then(|left| left.checked_sub(bytes));
        self.0.set(left);
        left.map(drop).ok_or_else(|| E::custom("too large"))
    }
}

impl<'de> DeserializeSeed<'de> for ExactVisitor<'_> {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ExactVisitor<'_> {
    type Value = Value;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number out of range"))
    }
    fn visit_str<E: de::Error>(self, value: &str) -> Result<Value, E> {
        self.take(TEXT + value.len())?;
        Ok(Value::String(value.into()))
    }
    fn visit_string<E: de::Error>(self, value: String) -> Result<Value, E> {
        self.take(TEXT + value.len())?;
        Ok(Value::String(value))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = seq.next_element_seed(self)? {
            self.take(ELEMENT)?;
            elements.push(element);
        }
        Ok(Value::Array(elements))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            if map.contains_key(&key) {
                return Err(de::Error::custom(format!("the key `{key}` occurs twice")));
            }
            self.take(FIELD + key.len() + if map.is_empty() { OBJECT } else { 0 })?;
            let value = access.next_value_seed(self)?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

/// Refuses numbers that a double cannot represent as written. The parser refuses ill-formed JSON.
fn check_numbers(text: &str) -> Result<(), String> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = end_of_string(bytes, at + 1),
            b'-' | b'0'..=b'9' => {
                let rest = bytes.get(at..).unwrap_or_default();
                let length = rest
                    .iter()
                    .take_while(|b| matches!(b, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9'))
                    .count();
                let number = text.get(at..at + length).unwrap_or("");
                // Up to fifteen digits without an exponent always survive conversion to a double.
                if (length > 15 || number.contains(['e', 'E'])) && !survives(number) {
                    let shown: String = number.chars().take(40).collect();
                    return Err(format!(
                        "the number {shown} cannot be represented exactly as a double; send it as a string"
                    ));
                }
                at += length;
            }
            _ => at += 1,
        }
    }
    Ok(())
}

fn end_of_string(bytes: &[u8], mut at: usize) -> usize {
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at
}

/// Whether the decimal value of `number` equals the printed value of its double.
fn survives(number: &str) -> bool {
    match number.parse::<f64>() {
        Ok(double) if double.is_finite() => decimal(number) == decimal(&format!("{double:e}")),
        _ => false,
    }
}

/// Sign, significant digits and exponent of a decimal number, without insignificant zeros.
fn decimal(number: &str) -> (bool, String, i64) {
    let (negative, number) = match number.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, number),
    };
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent = exponent.strip_prefix('+').unwrap_or(exponent).parse::<i64>().unwrap_or(i64::MAX / 4);
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_end_matches('0');
    let shift = i64::try_from(digits.len() - significant.len()).unwrap_or(0);
    let exponent = exponent + shift - i64::try_from(fraction.len()).unwrap_or(0);
    let significant = significant.trim_start_matches('0');
    if significant.is_empty() { (false, String::new(), 0) } else { (negative, significant.into(), exponent) }
}

#[cfg(test)]
mod tests {
    use super::{ExactJsonError, read, read_within};

    #[test]
    fn ambiguous_json_is_refused() {
        for (text, why) in [
            (r#"{"a":1,"a":2}"#, "twice"),
            (r#"{"x":{"a":1,"\u0061":2}}"#, "twice"),
            (r#""\ud800""#, "hex escape"),
            ("9007199254740993", "cannot be represented exactly"),
            ("0.10000000000000000001", "cannot be represented exactly"),
            ("1e400", "cannot be represented exactly"),
            ("1e-400", "cannot be represented exactly"),
            ("123456789012345678901", "cannot be represented exactly"),
            (r#"{"a":1} x"#, "trailing"),
            ("{", "EOF"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn ordinary_numbers_are_kept() {
        for text in [
            "0",
            "-0",
            "1.5",
            "0.1",
            "1e3",
            "1E+2",
            "9007199254740992",
            "-12.25e-3",
            "1e22",
            "100000000000000000000",
        ] {
            assert!(read(text).is_ok(), "{text}: {:?}", read(text));
        }
        assert_eq!(read(r#"{"a":"9007199254740993"}"#).unwrap()["a"], "9007199254740993");
        assert_eq!(read(r#"["\"1e999"]"#).unwrap()[0], "\"1e999");
    }

    #[test]
    fn deep_nesting_is_an_error_not_a_crash() {
        assert!(read(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn input_over_the_memory_limit_is_refused() {
        let dense = format!("[{}0]", r#"{"":0},"#.repeat(1000));
        assert_eq!(read_within(&dense, 500_000), Err(ExactJsonError::TooLarge));
        assert!(read_within(&dense, 1_000_000).is_ok());
        assert_eq!(read_within(&"[0,".repeat(100), 1000), Err(ExactJsonError::TooLarge));
        let long = format!("{{\"a\":\"{}\"}}", "x".repeat(10_000));
        assert!(read_within(&long, 12_000).is_ok());
        assert_eq!(read_within(&long, 10_000), Err(ExactJsonError::TooLarge));
        assert!(matches!(read_within("{", 1000), Err(ExactJsonError::Invalid(_))));
    }
}
