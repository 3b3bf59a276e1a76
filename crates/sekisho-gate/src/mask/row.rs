//! One row of the record: what is secret in one of its fields is secret in all of them.
//!
//! A detector knows most secrets by what stands beside them: `--token x`. The same `x` stands alone elsewhere in the row, as
//! the path that was looked up for it, in a reason, in a proposed rule. So secrets are collected from every field first, and
//! from the call the row is about, and then taken out of every field by their value.

use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, MatchKind};
use serde_json::{Map, Value};

use super::masks::Masks;
use super::merge::{self, SAME, Span, mask};
use super::{fields, lines, one_line};

/// Shorter values are found in half of all words.
const SHORTEST: usize = 6;
/// More secrets than these are not told apart.
const MOST: usize = 1000;

/// Fields whose values are words of ours, and stay what they are whatever somebody calls a secret.
const CODES: [&str; 12] = [
    "behavior", "code", "decision", "danger", "effect", "kind", "layer", "level", "outcome", "scope",
    "state", "type",
];

/// The masks of one row.
pub struct RowMasks<'m> {
    masks: &'m Masks,
    same: Same,
}

enum Same {
    None,
    These(AhoCorasick),
    /// There are more than can be told apart; then no text may pass.
    TooMany,
}

impl Masks {
    /// The masks of a row with these fields, about a call with this input.
    pub fn of_row<'v>(
        &self,
        texts: impl IntoIterator<Item = &'v str>,
        values: impl IntoIterator<Item = &'v Value>,
    ) -> RowMasks<'_> {
        let mut secrets = BTreeSet::new();
        let mut found = |secret: &str| {
            for form in [secret, secret.trim_matches(['\'', '"', ' '])] {
                if form.chars().count() >= SHORTEST && secrets.len() <= MOST {
                    secrets.insert(form.to_owned());
                }
            }
        };
        for text in texts {
            self.noted(text, &mut found);
        }
        for value in values {
            fields::secrets(self, value, &mut found);
        }
        RowMasks { masks: self, same: Same::of(&secrets) }
    }
}

impl Same {
    fn of(secrets: &BTreeSet<String>) -> Same {
        if secrets.is_empty() {
            return Same::None;
        }
        if secrets.len() > MOST {
            return Same::TooMany;
        }
        let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(secrets);
        automaton.map_or(Same::TooMany, Same::These)
    }
}

impl RowMasks<'_> {
    /// A text of one line without its secrets.
    pub fn line(&self, text: &str) -> String {
        one_line(&self.same(&self.masks.text(text).text)).into_owned()
    }

    /// A text without what is secret elsewhere in the row.
    fn same(&self, text: &str) -> String {
        match &self.same {
            Same::None => text.to_owned(),
            Same::TooMany => mask(SAME),
            Same::These(secrets) => {
                let spans = secrets.find_iter(text);
                let spans = spans.map(|found| Span { range: found.range(), rank: 0, name: SAME });
                merge::replace(text, spans.collect(), &mut |_| {}).text.into_owned()
            }
        }
    }

    /// JSON without its secrets, and with every hidden character written out. The names of its own fields stay.
    pub fn value(&self, value: &Value) -> Value {
        match self.masks.value(value) {
            Value::Object(fields) => {
                let fields = fields.into_iter().map(|(name, value)| {
                    let clean = self.clean(&name, value);
                    (name, clean)
                });
                Value::Object(fields.collect())
            }
            other => self.clean("", other),
        }
    }

    fn clean(&self, name: &str, value: Value) -> Value {
        match value {
            Value::String(ref text) if CODES.contains(&name) && is_code(text) => value,
            Value::String(text) => Value::String(lines(&self.same(&text)).into_owned()),
            Value::Number(number) => {
                let text = number.to_string();
                let masked = self.same(&text);
                if masked == text { Value::Number(number) } else { Value::String(masked) }
            }
            Value::Array(items) => items.into_iter().map(|item| self.clean(name, item)).collect(),
            Value::Object(fields) => {
                let mut cleaned = Map::new();
                for (name, value) in fields {
                    let mut shown = one_line(&self.same(&name)).into_owned();
                    while cleaned.contains_key(&shown) {
                        shown.push('\'');
                    }
                    let value = self.clean(&name, value);
                    cleaned.insert(shown, value);
                }
                Value::Object(cleaned)
            }
            other => other,
        }
    }
}

fn is_code(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_secret_of_one_field_is_one_in_all() {
        let masks = Masks::new([]);
        let input = json!({ "command": "deploy --token hunter2hunter2 prod" });
        let body = json!({
            "facts": [{ "resolve": "/w/hunter2hunter2" }, { "/w/hunter2hunter2/x": 1 }],
            "reasons": [{ "code": "no_rule", "path": "/w/\u{202e}hunter2hunter2" }],
        });
        let row = masks.of_row(["asks"], [&input, &body]);
        let written = row.value(&body).to_string() + &row.line("reads /w/hunter2hunter2\n");
        assert!(!written.contains("hunter2"), "{written}");
        assert!(written.contains("no_rule") && written.contains("/w/[masked:same-secret]"), "{written}");
        assert!(!written.contains(['\u{202e}', '\n']) && written.contains("\\\\u{202e}"), "{written}");
    }

    #[test]
    fn short_values_and_words_of_ours_stay() {
        let masks = Masks::new([]);
        let input = json!({ "command": "login --password confirm --token abcde" });
        let body = json!({ "decision": "confirm", "reasons": [{ "code": "confirm", "text": "a confirm of abcde" }] });
        let masked = masks.of_row([], [&input]).value(&body);
        assert_eq!(masked["decision"], "confirm");
        assert_eq!(masked["reasons"][0]["code"], "confirm");
        assert_eq!(masked["reasons"][0]["text"], "a [masked:same-secret] of abcde");
    }

    #[test]
    fn what_is_no_word_of_ours_is_masked_whatever_it_is_called() {
        let masks = Masks::new([]);
        let input = json!({ "command": "login --password hunter2-hunter2" });
        let masked = masks
            .of_row([], [&input])
            .value(&json!({ "x": { "type": "hunter2-hunter2", "kind": "a hunter2-hunter2" } }));
        assert!(!masked.to_string().contains("hunter2"), "{masked}");
    }

    #[test]
    fn a_secret_under_a_telling_name_is_found_wherever_it_stands() {
        let masks = Masks::new([]);
        let input =
            json!({ "env": { "DB_PASSWORD": "s3cr3t-value" }, "argv": ["x", "--api-key", "other-value"] });
        let row = masks.of_row([], [&input]);
        assert_eq!(
            row.line("/w/s3cr3t-value and other-value"),
            "/w/[masked:same-secret] and [masked:same-secret]"
        );
    }
}
