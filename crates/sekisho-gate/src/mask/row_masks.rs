//! Masks one audit row: a secret in one field is masked in all of them.
//!
//! A detector recognises most secrets by the text next to them: `--token x`. The same `x` occurs alone
//! elsewhere in the row: as a path that was looked up, in a reason, in a proposed rule. So secrets are
//! first collected from every field and from the call the row is about, and then masked by value in
//! every field, in every form they may take there.

mod automaton;
mod brace_expansion;
mod secret_forms;
mod unquote;
mod work_budget;

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::json_fields;
use super::mask_spans::{self, SAME, Span, mask};
use super::masks::Masks;
use super::span_cache::SpanCache;
use super::unique_field_names::UniqueNames;
use crate::display::{Layout, visible};
use crate::hidden_characters::{escape_line, escape_lines};
use automaton::Automaton;
use secret_forms::{LEVELS, MAX_LENGTH, MIN_LENGTH, forms, is_plain};
use unquote::{Unquoted, unquote};
use work_budget::Budget;

/// The maximum number of secrets handled individually.
const MAX_SECRETS: usize = 1000;
/// The maximum total length of their forms, in bytes.
const MAX_FORM_BYTES: usize = 256 << 10;

/// Fields whose values are our own codes. They stay unchanged, whatever counts as a secret.
const CODES: [&str; 12] = [
    "behavior", "code", "decision", "danger", "effect", "kind", "layer", "level", "outcome", "scope",
    "state", "type",
];

/// The masks of one row.
pub struct RowMasks<'m> {
    reader: SpanCache<'m>,
    same: KnownSecrets,
}

enum KnownSecrets {
    None,
    These(Automaton),
    /// There are too many secrets to handle individually. No text may pass then.
    TooMany,
}

impl Masks {
    /// The masks of a row with these fields, about a call with this input.
    pub fn of_row<'v>(
        &self,
        texts: impl IntoIterator<Item = &'v str>,
        values: impl IntoIterator<Item = &'v Value>,
    ) -> RowMasks<'_> {
        let reader = SpanCache::new(self);
        let mut secrets = Secrets::default();
        let mut open = Vec::new();
        for text in texts {
            reader.text_reporting(text, &mut |secret| secrets.add(secret));
            reader.read(text, &mut secrets);
        }
        for value in values {
            json_fields::secrets(&reader, value, &mut |secret| secrets.add(secret));
            open.push(value);
        }
        while let Some(value) = open.pop() {
            match value {
                Value::String(text) => reader.read(text, &mut secrets),
                Value::Array(items) => open.extend(items),
                Value::Object(fields) => {
                    fields.keys().for_each(|name| reader.read(name, &mut secrets));
                    open.extend(fields.values());
                }
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
        RowMasks { reader, same: secrets.same() }
    }
}

impl SpanCache<'_> {
    /// Adds the secrets of a text as bash reads it.
    fn read(&self, text: &str, secrets: &mut Secrets) {
        self.unquoted(text, secrets);
        let Some(expanded) = brace_expansion::expand(text, &mut secrets.budget) else { return };
        for Span { range, .. } in self.spans(&expanded.text).iter() {
            if secrets.is_full() {
                return;
            }
            expanded.of(range).for_each(|word| secrets.add_reading(word));
        }
    }

    /// Removes one level of quotes at a time.
    fn unquoted(&self, text: &str, secrets: &mut Secrets) {
        let mut text = Cow::Borrowed(text);
        let mut above: Vec<(Unquoted, Cow<'_, str>)> = Vec::new();
        for level in 0..=LEVELS {
            // The word whose parts were added last.
            let mut word = 0..0;
            if secrets.is_full() || (level == 0 && !text.contains(['\'', '"', '\\'])) {
                return;
            }
            let unquoted = unquote(&text);
            for Span { range, .. } in self.spans(&text).iter() {
                let range = text.floor_char_boundary(range.start)..text.ceil_char_boundary(range.end);
                let secret = text.get(range.clone()).unwrap_or_default();
                // Without quotes, more of prose and code looks like a secret.
                if level > 0 && is_plain(secret) {
                    continue;
                }
                let read = unquoted.of(&range);
                secrets.add_reading(secret);
                secrets.add_reading(read);
                let mut written = range.clone();
                for (unquoted, source) in above.iter().rev() {
                    written = unquoted.written(&written, source);
                    secrets.add_reading(source.get(written.clone()).unwrap_or_default());
                }
                if let Some((rest, end)) = unquoted.rest_of_word(&text, range.end) {
                    let parts = text.get(range.end..end).unwrap_or_default();
                    secrets.budget.read(rest.len() + parts.len());
                    if read.len() + rest.len() <= MAX_LENGTH {
                        secrets.add_reading(&[read, rest].concat());
                    }
                    let known = word.contains(&range.end) && word.end == end;
                    let new = if known { 1 } else { usize::MAX };
                    parts.split(['\'', '"']).take(new).for_each(|part| secrets.add_reading(part));
                    word = range.end..end;
                }
                if secrets.is_full() {
                    return;
                }
            }
            if unquoted.text == *text {
                return;
            }
            let source = std::mem::replace(&mut text, Cow::Owned(unquoted.text.clone()));
            above.push((unquoted, source));
        }
    }
}

/// The secrets of a row.
#[derive(Default)]
struct Secrets {
    /// The secrets as found.
    found: BTreeSet<String>,
    /// The secrets in all forms.
    forms: BTreeSet<String>,
    /// The total length of the forms.
    bytes: usize,
    budget: Budget,
}

impl Secrets {
    /// Adds a secret as a detector found it.
    fn add(&mut self, secret: &str) {
        let counts = !self.is_full() && secret.chars().count() >= MIN_LENGTH;
        if counts && self.found.insert(secret.to_owned()) {
            self.add_forms(secret);
        }
    }

    /// Adds what bash makes of a secret.
    fn add_reading(&mut self, reading: &str) {
        if !self.is_full() && reading.len() <= MAX_LENGTH && !self.forms.contains(reading) {
            self.add_forms(reading);
        }
    }

    fn add_forms(&mut self, secret: &str) {
        for form in forms(secret, &mut self.budget) {
            // Masked text is not a secret.
            if !form.contains("[masked:") && !self.forms.contains(&form) {
                self.bytes += form.len();
                self.forms.insert(form);
            }
        }
    }

    fn is_full(&self) -> bool {
        self.found.len() > MAX_SECRETS || self.bytes > MAX_FORM_BYTES || self.budget.is_spent()
    }

    fn same(&self) -> KnownSecrets {
        if self.is_full() {
            return KnownSecrets::TooMany;
        }
        if self.forms.is_empty() {
            KnownSecrets::None
        } else {
            KnownSecrets::These(Automaton::new(&self.forms))
        }
    }
}

impl RowMasks<'_> {
    /// A one-line text with its secrets masked.
    pub fn line(&self, text: &str) -> String {
        shown(&escape_line(&self.same(&self.reader.text(text).text)))
    }

    /// A text without the secrets that occur elsewhere in the row.
    fn same(&self, text: &str) -> String {
        match &self.same {
            KnownSecrets::None => text.to_owned(),
            KnownSecrets::TooMany => mask(SAME),
            KnownSecrets::These(secrets) => {
                let spans = secrets.covered(text).into_iter();
                let spans = spans.map(|range| Span { range, rank: 0, name: SAME });
                mask_spans::replace(text, spans.collect(), &mut |_| {}).text.into_owned()
            }
        }
    }

    /// JSON with its secrets masked and every hidden character escaped. Its own field names stay.
    pub fn value(&self, value: &Value) -> Value {
        match json_fields::masked(&self.reader, value) {
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
            Value::String(text) => Value::String(shown(&escape_lines(&self.same(&text)))),
            Value::Number(number) => {
                let text = number.to_string();
                let masked = self.same(&text);
                if masked == text { Value::Number(number) } else { Value::String(masked) }
            }
            Value::Array(items) => items.into_iter().map(|item| self.clean(name, item)).collect(),
            Value::Object(fields) => {
                let mut cleaned = Map::new();
                let mut unique = UniqueNames::default();
                for (name, value) in fields {
                    let key = unique.of(shown(&escape_line(&self.same(&name))), &cleaned);
                    let value = self.clean(&name, value);
                    cleaned.insert(key, value);
                }
                Value::Object(cleaned)
            }
            other => other,
        }
    }
}

/// The text with its hidden characters escaped as in a displayed call. Escaped characters stay as they
/// are.
fn shown(text: &str) -> String {
    let parts: Vec<Cow<'_, str>> = text.split("\\u{").map(|part| visible(part, Layout::Text)).collect();
    parts.join("\\u{")
}

fn is_code(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn secret_in_one_field_is_masked_in_all() {
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
    fn short_values_and_our_codes_stay() {
        let masks = Masks::new([]);
        let input = json!({ "command": "login --password confirm --token abcde" });
        let body = json!({ "decision": "confirm", "reasons": [{ "code": "confirm", "text": "a confirm of abcde" }] });
        let masked = masks.of_row([], [&input]).value(&body);
        assert_eq!(masked["decision"], "confirm");
        assert_eq!(masked["reasons"][0]["code"], "confirm");
        assert_eq!(masked["reasons"][0]["text"], "a [masked:same-secret] of abcde");
    }

    #[test]
    fn other_words_in_code_fields_are_masked() {
        let masks = Masks::new([]);
        let input = json!({ "command": "login --password hunter2-hunter2" });
        let masked = masks
            .of_row([], [&input])
            .value(&json!({ "x": { "type": "hunter2-hunter2", "kind": "a hunter2-hunter2" } }));
        assert!(!masked.to_string().contains("hunter2"), "{masked}");
    }

    #[test]
    fn secret_under_a_secret_name_is_masked_everywhere() {
        let masks = Masks::new([]);
        let input =
            json!({ "env": { "DB_PASSWORD": "s3cr3t-value" }, "argv": ["x", "--api-key", "other-value"] });
        let row = masks.of_row([], [&input]);
        assert_eq!(
            row.line("/w/s3cr3t-value and other-value"),
            "/w/[masked:same-secret] and [masked:same-secret]"
        );
    }

    #[test]
    fn overlapping_secrets_are_masked_whole() {
        let masks = Masks::new([]);
        let input = json!({ "command": "a --token abc123def7 b --token def7456ghi" });
        let row = masks.of_row([], [&input]);
        assert_eq!(row.line("/w/abc123def7456ghi/x"), "/w/[masked:same-secret]/x");
    }

    #[test]
    fn many_masked_names_stay_short() {
        let masks = Masks::new([]);
        let names = (0..3000).map(|count| (format!("{}{count:036}", ["gh", "p_"].concat()), json!(1)));
        let body = json!({ "facts": names.collect::<Map<_, _>>() });
        let masked = masks.of_row([], [&body]).value(&body);
        assert_eq!(masked["facts"].as_object().map(Map::len), Some(3000));
        assert!(masked.to_string().len() < 3000 * 80);
    }

    #[test]
    fn row_with_too_much_work_keeps_only_codes() {
        let masks = Masks::new([]);
        let braces: Vec<String> =
            (0..30).map(|count| format!("--token 'k{count}{}'", "{a,b}".repeat(700))).collect();
        let input = json!({ "command": format!("{} --token hunter2hunter2", braces.join(" ")) });
        let body = json!({ "reasons": [{ "code": "path", "path": "/w/hunter2hunter2" }], "text": "plain" });
        let row = masks.of_row([], [&input, &body]);
        assert!(matches!(row.same, KnownSecrets::TooMany));
        let masked = row.value(&body);
        assert_eq!(masked["text"], "[masked:same-secret]");
        assert!(
            masked.to_string().contains("\"path\"") && !masked.to_string().contains("hunter2"),
            "{masked}"
        );
    }
}
