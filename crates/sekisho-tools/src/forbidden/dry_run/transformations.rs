//! `${name@A}`, `@K`, `@k` and `@a`: a variable with its attributes and keys.

use super::super::unresolved_words::quoted;
use super::expansion::is_plain_word;
use super::fields::Value;
use super::shell::Shell;

impl Shell<'_> {
    /// The value of `name`, or of all its elements, after such an operator.
    pub(super) fn described(&self, name: &str, operator: &str, is_many: bool) -> Option<Value> {
        let attributes = self.variables().attributes(name);
        let Some(elements) = self.variables().get(name) else {
            return (operator == "@a" && !attributes.is_empty()).then(|| Value::one(attributes));
        };
        let is_array = attributes.contains(['a', 'A']);
        let both = |(key, value): &(String, String)| {
            let key = if is_plain_word(key) { key.clone() } else { quoted(key) };
            format!("{key} {}", quoted(value))
        };
        let listed = |(key, value): &(String, String)| format!("[{key}]={}", quoted(value));
        Some(match operator {
            "@a" => {
                let count = if is_many { elements.len() } else { 1 };
                Value { fields: vec![attributes; count], is_list: is_many }
            }
            "@k" if is_many => {
                let fields = elements.iter().flat_map(|(key, value)| [key.clone(), value.clone()]).collect();
                Value { fields, is_list: true }
            }
            "@K" if is_many => Value::one(elements.iter().map(both).collect::<Vec<_>>().join(" ")),
            "@A" if is_array => {
                let listed: Vec<String> = elements.iter().map(listed).collect();
                Value::one(format!("declare -{attributes} {name}=({})", listed.join(" ")))
            }
            "@A" => {
                let value = quoted(self.variables().text(name)?);
                let start =
                    if attributes.is_empty() { String::new() } else { format!("declare -{attributes} ") };
                Value::one(format!("{start}{name}={value}"))
            }
            _ => Value::one(quoted(self.variables().text(name)?)),
        })
    }
}
