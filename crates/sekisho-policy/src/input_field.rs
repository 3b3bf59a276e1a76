//! A field of an input, by name or JSON pointer.

use std::fmt;

use serde_json::{Map, Value};

use crate::similar_fields::are_alike;

/// The longest text of a field, in bytes.
pub const MAX_FIELD_LENGTH: usize = 256;

/// A position in an input. Written as a field name (`script`) or as a JSON pointer (`/steps/0/run`, RFC
/// 6901). For a list, `*` stands for each of its elements (`/steps/*/run`); no list index is written like
/// this.
///
/// Stored as a JSON pointer: `script` and `/script` are the same field.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InputField(String);

impl InputField {
    /// Parses a field. The error is a message for people.
    pub fn new(text: &str) -> Result<InputField, String> {
        let shown = || text.get(..text.floor_char_boundary(64)).unwrap_or(text).escape_debug();
        if text.is_empty() {
            return Err("a field is empty; write a name, or a JSON pointer such as `/steps/0/run`".into());
        }
        if text.len() > MAX_FIELD_LENGTH {
            return Err(format!("the field `{}…` is longer than {MAX_FIELD_LENGTH} bytes", shown()));
        }
        let pointer = match text.starts_with('/') {
            true => text.to_owned(),
            false => format!("/{}", text.replace('~', "~0").replace('/', "~1")),
        };
        let follows = |part: &str| part.starts_with(['0', '1']);
        if pointer.split('~').skip(1).any(|part| !follows(part)) {
            return Err(format!(
                "`{}` is not a JSON pointer: write `~` as `~0`, and `/` in a name as `~1`",
                shown()
            ));
        }
        Ok(InputField(pointer))
    }

    /// The field as a JSON pointer.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of a top-level field. `None` for a nested field.
    pub fn top_level(&self) -> Option<String> {
        let mut segments = self.segments();
        segments.next().filter(|_| segments.next().is_none())
    }

    fn segments(&self) -> impl Iterator<Item = String> {
        self.0.split('/').skip(1).map(|segment| segment.replace("~1", "/").replace("~0", "~"))
    }

    /// Calls `found` with every value at this field, and with `None` for each position that has no value.
    /// Fields whose names differ only in case count too, because some parsers accept them.
    pub fn each<'v>(&self, input: &'v Value, found: &mut dyn FnMut(Option<&'v Value>)) {
        let mut level: Vec<&'v Value> = vec![input];
        for segment in self.segments() {
            let mut next = Vec::new();
            for value in level {
                match value {
                    Value::Array(elements) if segment == "*" => {
                        next.extend(elements);
                        if elements.is_empty() {
                            found(None);
                        }
                    }
                    Value::Array(elements) => match index(&segment).and_then(|at| elements.get(at)) {
                        Some(element) => next.push(element),
                        None => found(None),
                    },
                    Value::Object(fields) => {
                        let before = next.len();
                        next.extend(fields.get(&segment));
                        next.extend(alike(fields, &segment));
                        if next.len() == before {
                            found(None);
                        }
                    }
                    _ => found(None),
                }
            }
            level = next;
        }
        for value in level {
            found(Some(value).filter(|value| !value.is_null()));
        }
    }

    /// Whether a name on the path differs only in case from another field.
    pub(crate) fn is_ambiguous(&self, input: &Value) -> bool {
        let mut level: Vec<&Value> = vec![input];
        for segment in self.segments() {
            let mut next = Vec::new();
            for value in level {
                match value {
                    Value::Array(elements) if segment == "*" => next.extend(elements),
                    Value::Array(elements) => next.extend(index(&segment).and_then(|at| elements.get(at))),
                    Value::Object(fields) if alike(fields, &segment).next().is_some() => return true,
                    Value::Object(fields) => next.extend(fields.get(&segment)),
                    _ => {}
                }
            }
            level = next;
        }
        false
    }
}

/// The values of fields whose names equal `name` when case is ignored.
fn alike<'v>(fields: &'v Map<String, Value>, name: &str) -> impl Iterator<Item = &'v Value> {
    fields.iter().filter(|(key, _)| are_alike(key, name)).map(|(_, value)| value)
}

/// A list index as written in JSON pointers.
fn index(segment: &str) -> Option<usize> {
    let plain = segment == "0" || !segment.starts_with(['0', '+']);
    segment.parse().ok().filter(|_| plain)
}

impl fmt::Display for InputField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::InputField;
    use serde_json::{Value, json};

    #[track_caller]
    fn check(field: &str, input: &Value, expected: &[Option<Value>]) {
        let mut all = Vec::new();
        InputField::new(field).unwrap().each(input, &mut |value| all.push(value.cloned()));
        assert_eq!(all, expected, "{field} in {input}");
    }

    #[test]
    fn fields_are_found_by_name_and_by_pointer() {
        let input = json!({
            "a": "1", "x/y": "2", "~": "3", "*": "4", "none": null,
            "list": ["p", "q"], "steps": [{ "run": "r" }, { "run": "s" }, {}], "empty": [],
        });
        check("a", &input, &[Some(json!("1"))]);
        check("/a", &input, &[Some(json!("1"))]);
        check("x/y", &input, &[Some(json!("2"))]);
        check("/x~1y", &input, &[Some(json!("2"))]);
        check("~", &input, &[Some(json!("3"))]);
        check("/*", &input, &[Some(json!("4"))]);
        check("/list", &input, &[Some(json!(["p", "q"]))]);
        check("/list/1", &input, &[Some(json!("q"))]);
        check("/list/01", &input, &[None]);
        check("/list/+1", &input, &[None]);
        check("/list/2", &input, &[None]);
        check("/list/*", &input, &[Some(json!("p")), Some(json!("q"))]);
        check("/steps/*/run", &input, &[None, Some(json!("r")), Some(json!("s"))]);
        check("/empty/*", &input, &[None]);
        check("/none", &input, &[None]);
        check("/a/b", &input, &[None]);
        check("/b", &input, &[None]);
        check("a", &json!("a"), &[None]);
        check("a", &json!({"a": "1", "A": "2"}), &[Some(json!("1")), Some(json!("2"))]);
        check("a", &json!({"A": "2"}), &[Some(json!("2"))]);
    }

    #[test]
    fn names_that_differ_only_in_case_are_ambiguous() {
        let ambiguous = |field: &str, input: Value| InputField::new(field).unwrap().is_ambiguous(&input);
        assert!(ambiguous("/steps/*/run", json!({"steps": [{"run": "a"}, {"run": "a", "Run": "b"}]})));
        assert!(ambiguous("/steps/0/run", json!({"Steps": [], "steps": [{"run": "a"}]})));
        assert!(ambiguous("run", json!({"RUN": "a"})));
        assert!(!ambiguous("/steps/1/run", json!({"steps": [{"Run": "a"}, {"run": "b", "walk": "c"}]})));
    }

    #[test]
    fn one_field_has_one_spelling() {
        assert_eq!(InputField::new("x/y~"), InputField::new("/x~1y~0"));
        assert_eq!(InputField::new("x/y").unwrap().top_level().as_deref(), Some("x/y"));
        assert_eq!(InputField::new("/x/y").unwrap().top_level(), None);
        for wrong in ["", "/a~", "/a~2b", &"x".repeat(257)] {
            assert!(InputField::new(wrong).is_err(), "{wrong}");
        }
    }
}
