//! The field of an input that contains a shell command or a skill name.

use std::borrow::Cow;

use serde_json::Value;

use crate::similar_fields::similar_fields;
use crate::tools::{TargetField, Tool, ToolKind};

/// The single text in the fields of a tool: a shell command or a skill name. `None` if there is no text, if
/// two fields contain different texts, if a field name matches only when case is ignored, or if tools would
/// read the value differently.
pub(crate) fn text_of<'a>(tool: &Tool, input: &'a Value) -> Option<Cow<'a, str>> {
    // Some parsers ignore case in field names, and some do not.
    if fields(tool, input).any(|(is_exact, _)| !is_exact) {
        return None;
    }
    let mut found: Option<Cow<'a, str>> = None;
    for value in filled(tool, input) {
        let text = match value {
            Value::String(text) => Cow::Borrowed(text.as_str()),
            Value::Array(words) if tool.kind == ToolKind::Shell => Cow::Owned(command_line(words)?),
            _ => return None,
        };
        match &found {
            Some(earlier) if *earlier != text => return None,
            _ => found = Some(text),
        }
    }
    found
}

/// The command in one value: a text, or words. `None` if its meaning depends on the tool.
pub(crate) fn text_of_value(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text.as_str())),
        Value::Array(words) => command_line(words).map(Cow::Owned),
        _ => None,
    }
}

/// Every text in these values. Used if [`text_of_value`] finds no command in one of them.
pub(crate) fn texts_of_values(values: Vec<&Value>) -> Vec<Cow<'_, str>> {
    gathered(values)
}

/// Every text in the fields of a tool, for the case that [`text_of`] finds no single text. Words of a list
/// are joined, and are also separate texts.
pub(crate) fn texts_of<'a>(tool: &Tool, input: &'a Value) -> Vec<Cow<'a, str>> {
    gathered(filled(tool, input).collect())
}

/// Every text of an input, in any field.
pub(crate) fn all_texts(input: &Value) -> Vec<Cow<'_, str>> {
    gathered(vec![input])
}

fn filled<'a>(tool: &Tool, input: &'a Value) -> impl Iterator<Item = &'a Value> {
    fields(tool, input).map(|(_, value)| value).filter(|value| !value.is_null())
}

/// The fields of a tool that an input has, in the tool's order, and whether their names match exactly.
fn fields<'a>(tool: &Tool, input: &'a Value) -> impl Iterator<Item = (bool, &'a Value)> {
    let object = input.as_object();
    let exact = tool.target_fields.iter().filter_map(move |place| match place {
        TargetField::Field(field) => Some((true, object?.get(*field)?)),
        _ => None,
    });
    exact.chain(similar_fields(tool, input).into_iter().map(|like| (false, like.value)))
}

/// The texts of some values, outer ones first.
fn gathered(values: Vec<&Value>) -> Vec<Cow<'_, str>> {
    let mut texts = Vec::new();
    let mut level = values;
    while !level.is_empty() {
        let mut inner = Vec::new();
        for value in level {
            match value {
                Value::Array(values) => {
                    let words: Vec<Cow<'_, str>> = values.iter().filter_map(scalar).collect();
                    texts.extend([Cow::Owned(quoted(&words)), Cow::Owned(words.join(" "))]);
                    inner.extend(values);
                }
                Value::Object(fields) => inner.extend(fields.values()),
                other => texts.extend(scalar(other)),
            }
        }
        level = inner;
    }
    texts
}

fn scalar(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Bool(_) | Value::Number(_) => Some(Cow::Owned(value.to_string())),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A command given as a list of words, as an equivalent shell text. `None` if the first word is not a plain
/// name: some tools read it as a program name, others as a whole command.
fn command_line(words: &[Value]) -> Option<String> {
    let words: Vec<&str> = words.iter().map(Value::as_str).collect::<Option<_>>()?;
    words.first().is_none_or(|program| is_plain(program)).then(|| quoted(&words))
}

fn quoted(words: &[impl AsRef<str>]) -> String {
    let quoted = words.iter().map(AsRef::as_ref).map(|word| match is_plain(word) {
        true => Cow::Borrowed(word),
        false => Cow::Owned(format!("'{}'", word.replace('\'', "'\\''"))),
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// Whether a word is literal in bash without quotes.
fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c))
}

#[cfg(test)]
mod tests {
    use super::{all_texts, text_of, texts_of};
    use crate::tools::by_name;
    use serde_json::{Value, json};

    #[test]
    fn field_that_differs_only_in_case_is_ambiguous() {
        let bash = by_name("Bash").unwrap();
        let input = json!({"command": "pwd", "Command": "rm -rf /"});
        assert_eq!(text_of(bash, &input), None);
        assert!(texts_of(bash, &input).iter().any(|text| text == "rm -rf /"));
        assert_eq!(text_of(bash, &json!({"Command": "pwd"})), None);
        let skill = by_name("skill_load").unwrap();
        assert_eq!(text_of(skill, &json!({"name": "a", "\u{17f}kill": "b"})), None);
    }

    #[test]
    fn commands_are_texts_or_words() {
        let text = |input| text_of(by_name("Bash").unwrap(), &input).map(|text| text.into_owned());
        assert_eq!(text(json!({"command": "ls -l"})).as_deref(), Some("ls -l"));
        assert_eq!(text(json!({"cmd": "ls"})).as_deref(), Some("ls"));
        assert_eq!(
            text(json!({"command": ["bash", "-lc", "a 'b'"]})).as_deref(),
            Some(r"bash -lc 'a '\''b'\'''")
        );
        assert_eq!(text(json!({"command": "a", "cmd": "a"})).as_deref(), Some("a"));
        assert_eq!(text(json!({"command": "a", "cmd": null})).as_deref(), Some("a"));
        assert_eq!(text(json!({"command": "a", "cmd": "b"})), None);
        assert_eq!(text(json!({"command": "a", "cmd": ""})), None);
        assert_eq!(text(json!({"command": ["a b"]})), None);
        assert_eq!(text(json!({"command": ["a", 1]})), None);
        assert_eq!(text(json!({"command": 1})), None);
        assert_eq!(text(json!({})), None);
    }

    #[test]
    fn every_text_that_may_be_the_command_is_found() {
        let check = |input: Value, expected: &[&str]| {
            assert_eq!(texts_of(by_name("Bash").unwrap(), &input), expected, "{input}");
        };
        check(json!({"command": "a", "cmd": "b", "description": "c"}), &["a", "b"]);
        check(json!({"command": ["a b", 1], "cmd": ""}), &["'a b' 1", "a b 1", "", "a b", "1"]);
        check(json!({"command": {"0": "a", "x": ["b"]}}), &["a", "b", "b", "b"]);
        check(json!({"command": "", "script": "a"}), &[""]);
        check(json!({"script": "a"}), &[]);
        check(json!("a"), &[]);
        assert_eq!(all_texts(&json!({"command": "", "script": {"run": "a"}})), ["", "a"]);
        assert_eq!(all_texts(&json!("a")), ["a"]);
    }
}
