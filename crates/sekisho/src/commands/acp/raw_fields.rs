//! The fields of JSON objects as texts. Values that nobody needs are skipped without taking memory.
//!
//! The texts come from lines that were found to be JSON ([`super::envelope`]).

use std::borrow::Cow;

/// How many fields that nobody has named are read.
const MOST_OTHERS: usize = 64;

/// The fields of an object with these names. `None` if it is not an object, has one of these fields twice, or has a name
/// that is not a text of Unicode.
pub(super) fn fields_of<'a, const N: usize>(
    object: &'a str,
    names: [&str; N],
) -> Option<[Option<&'a str>; N]> {
    let mut found = [None; N];
    for_each_field(object, |name, value| match names.iter().position(|wanted| *wanted == name) {
        Some(at) if found.get_mut(at)?.replace(value).is_some() => None,
        _ => Some(()),
    })?;
    Some(found)
}

/// The fields of an object without these names. `None` as above, or if there are very many.
pub(super) fn fields_besides<'a>(object: &'a str, names: &[&str]) -> Option<Vec<(String, &'a str)>> {
    let mut others: Vec<(String, &str)> = Vec::new();
    for_each_field(object, |name, value| {
        if !names.contains(&&*name) {
            let is_new = others.len() < MOST_OTHERS && others.iter().all(|(other, _)| *other != name);
            others.push((is_new.then_some(name)?.into_owned(), value));
        }
        Some(())
    })?;
    Some(others)
}

/// Calls a function with the name and the value of each field, until it returns `None`.
fn for_each_field<'a>(
    object: &'a str,
    mut visit: impl FnMut(Cow<'a, str>, &'a str) -> Option<()>,
) -> Option<()> {
    let mut rest = object.trim_start_matches(is_blank).strip_prefix('{')?;
    loop {
        rest = rest.trim_start_matches(|c| is_blank(c) || c == ',');
        if rest.starts_with('}') {
            return Some(());
        }
        let (name, after) = split_value(rest)?;
        let (value, after) = split_value(after.trim_start_matches(|c| is_blank(c) || c == ':'))?;
        rest = after;
        visit(text_in(name)?, value)?;
    }
}

/// The field of an object with this name, as above.
pub(super) fn field_of<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    fields_of(object, [name])?.into_iter().next()?
}

/// The text that a JSON value is.
pub(super) fn text_in(value: &str) -> Option<Cow<'_, str>> {
    let inside = value.strip_prefix('"')?.strip_suffix('"')?;
    match inside.contains('\\') {
        false => Some(inside.into()),
        true => serde_json::from_str::<String>(value).ok().map(Cow::Owned),
    }
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

/// The value at the beginning of a text, and what follows it.
fn split_value(text: &str) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0_usize, 0_usize);
    loop {
        match bytes.get(at)? {
            b'"' => at = end_of_text(bytes, at + 1)?,
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                at += 1;
            }
            b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' if depth > 0 => at += 1,
            // A number, or a word.
            _ => at += word_length(bytes.get(at..)?)?,
        }
        if depth == 0 {
            return text.split_at_checked(at);
        }
    }
}

fn word_length(bytes: &[u8]) -> Option<usize> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    Some(bytes.iter().take_while(|byte| is_part(byte)).count()).filter(|length| *length > 0)
}

fn end_of_text(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{field_of, fields_besides, fields_of, text_in};

    #[test]
    fn fields_are_found_as_they_are_written() {
        let text = " {\"a\" : [1, {\"b\":\"]}\\\"\"}],\t\"\\u0062\":-1.5e+3,\"c\":null , \"d\":\"\\ud800\"} ";
        let found = fields_of(text, ["b", "a", "x", "d"]).unwrap();
        assert_eq!(found, [Some("-1.5e+3"), Some("[1, {\"b\":\"]}\\\"\"}]"), None, Some("\"\\ud800\"")]);
        assert_eq!(
            fields_besides(text, &["a", "d"]),
            Some(vec![("b".into(), "-1.5e+3"), ("c".into(), "null")])
        );
        assert_eq!(fields_of("{}", ["a"]), Some([None]));
        assert_eq!(fields_of(r#"{"a":true}"#, ["a"]), Some([Some("true")]));
        assert_eq!(text_in(r#""x\n""#).as_deref(), Some("x\n"));
        assert_eq!(text_in(r#""\ud800""#), None);
        assert_eq!(text_in("1"), None);
    }

    #[test]
    fn unclear_objects_have_no_fields() {
        for text in ["[]", "\"{}\"", "null", r#"{"a":1,"a":1}"#, r#"{"a":1,"\u0061":1}"#, r#"{"\ud800":1}"#] {
            assert_eq!(fields_of(text, ["a"]), None, "{text}");
        }
        assert_eq!(field_of(r#"{"b":1,"b":2}"#, "a"), None);
        assert_eq!(fields_besides(r#"{"b":1,"b":2}"#, &["a"]), None);
    }

    #[test]
    fn every_value_is_found_again() {
        for value in ["0", "\"\"", "\"\\\\\"", "[[],{}]", "false", "{\"a\":{\"a\":[\"}\"]}}"] {
            let text = format!("{{\"x\":{value},\"a\":{value}}}");
            assert_eq!(field_of(&text, "a"), Some(value), "{text}");
        }
    }
}
