//! Masks one audit row: a secret in one field is masked in all of them.
//!
//! A detector recognises most secrets by the text next to them: `--token x`. The same `x` occurs alone
//! elsewhere in the row: as a path that was looked up, in a reason, in a proposed rule. So secrets are
//! first collected from every field and from the call the row is about, and then masked by value in
//! every field, in every form they may take there.
//!
//! The caller chooses what follows `--token`, so this must not hide what it does: names that the caller
//! did not choose stay, and so do programs, paths, hosts and ordinary words of sentences and commands.

mod automaton;
mod brace_expansion;
mod command_position;
mod known_secrets;
mod own_words;
mod secret_forms;
mod secret_parts;
mod unquote;
mod work_budget;

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use serde_json::{Map, Value};

use super::json_fields;
use super::json_message;
use super::mask_spans::{self, SAME, Span, mask};
use super::masks::Masks;
use super::random_looking_value;
use super::shell_syntax;
use super::span_cache::SpanCache;
use super::text_kind::{self, TextKind};
use super::unique_field_names::UniqueNames;
use crate::display::{Layout, visible};
use crate::hidden_characters::{escape_line, escape_lines};
use known_secrets::{KnownSecrets, Secrets};
use own_words::OwnWords;
use secret_forms::{LEVELS, MAX_LENGTH, is_plain};
use unquote::{Unquoted, unquote};

/// Fields whose values are our own codes. They stay unchanged, whatever counts as a secret.
const CODES: [&str; 12] = [
    "behavior", "code", "decision", "danger", "effect", "kind", "layer", "level", "outcome", "scope",
    "state", "type",
];
/// The field with our own sentences about dangers.
const DANGER: &str = "danger";
/// The field with what was looked up for the decision.
const FACTS: &str = "facts";

/// The masks of one row.
pub struct RowMasks<'m> {
    reader: SpanCache<'m>,
    same: KnownSecrets,
    /// Secrets of the commands that are no program's name.
    arguments: HashSet<String>,
}

impl Masks {
    /// The masks of a row with these fields, about a call with this input.
    pub fn of_row<'v>(
        &self,
        texts: impl IntoIterator<Item = &'v str>,
        values: impl IntoIterator<Item = &'v Value>,
    ) -> RowMasks<'_> {
        self.of_named_row([], texts, values)
    }

    /// The same, with names that the caller did not choose. They stay readable.
    pub fn of_named_row<'v>(
        &self,
        names: impl IntoIterator<Item = &'v str>,
        texts: impl IntoIterator<Item = &'v str>,
        values: impl IntoIterator<Item = &'v Value>,
    ) -> RowMasks<'_> {
        let reader = SpanCache::new(self);
        let values: Vec<&Value> = values.into_iter().collect();
        let mut own = OwnWords::default();
        names.into_iter().for_each(|name| own.add_name(name));
        let mut commands = Vec::new();
        let messages: Vec<_> = values.iter().filter_map(|value| text_kind::message(value)).collect();
        for value in &values {
            text_kind::commands(value, &mut |command, from| commands.push((command, from)));
        }
        let mut arguments = HashSet::new();
        for (command, from) in &commands {
            own.add_programs(command, *from);
            reader.note_command(command, *from);
            reader.add_secrets(command, *from, &mut arguments);
        }
        // The policy may take the value of an option for a program.
        arguments.retain(|argument| !own.is_program(argument));
        values.iter().for_each(|value| own.add_listed(value, &arguments));
        let mut secrets = Secrets::new(own);
        for text in texts {
            reader.text_reporting(text, TextKind::Plain, &mut |secret| secrets.add(secret));
            reader.read(text, TextKind::Plain, &mut secrets);
        }
        for value in values {
            json_fields::secrets(&reader, value, &mut |secret| secrets.add(secret));
            reader.read_value(value, &mut secrets);
        }
        let same = secrets.known(reader.runs_text());
        let mut row = RowMasks { reader, same, arguments };
        let commands = commands.into_iter().map(|(command, from)| (command, TextKind::Command(from)));
        row.note_readable(commands.chain(messages));
        row
    }
}

impl SpanCache<'_> {
    /// Adds the secrets of all texts in a value as bash reads them.
    fn read_value(&self, value: &Value, secrets: &mut Secrets) {
        let mut open = vec![(value, TextKind::Plain)];
        while let Some((value, kind)) = open.pop() {
            match value {
                Value::String(text) => self.read(text, kind, secrets),
                Value::Array(items) => {
                    let kind = text_kind::of_words(kind, items);
                    open.extend(items.iter().map(|item| (item, kind)));
                }
                Value::Object(fields) => {
                    fields.keys().for_each(|name| self.read(name, TextKind::Plain, secrets));
                    for (name, value) in fields {
                        let kind = text_kind::of_field(name, value, fields, kind);
                        match shown_input(name, value, kind) {
                            Some((tool, input)) => {
                                self.read(tool, TextKind::Plain, secrets);
                                self.read_value(&input, secrets);
                            }
                            None => open.push((value, kind)),
                        }
                    }
                }
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
    }

    /// Adds the secrets of a text as bash reads it.
    fn read(&self, text: &str, kind: TextKind, secrets: &mut Secrets) {
        for Span { whole, .. } in self.spans(text, kind).iter() {
            let whole = text.floor_char_boundary(whole.start)..text.ceil_char_boundary(whole.end);
            secrets.add_parts(text.get(whole).unwrap_or_default());
        }
        self.unquoted(text, kind, secrets);
        let Some(expanded) = brace_expansion::expand(text, &mut secrets.budget) else { return };
        for Span { range, .. } in self.spans(&expanded.text, TextKind::Plain).iter() {
            if secrets.is_full() {
                return;
            }
            expanded.of(range).for_each(|word| secrets.add_reading(word));
        }
    }

    /// Notes whether a command of the row runs quoted text.
    fn note_command(&self, command: &str, from: usize) {
        if !self.runs_text() && shell_syntax::runs_text(command.as_bytes(), from) {
            self.note_running_text();
        }
    }

    /// Adds the secrets of a command, without quotes.
    fn add_secrets(&self, command: &str, from: usize, secrets: &mut HashSet<String>) {
        for Span { range, .. } in self.spans(command, TextKind::Command(from)).iter() {
            let range = command.floor_char_boundary(range.start)..command.ceil_char_boundary(range.end);
            let secret = command.get(range).unwrap_or_default();
            secrets.insert(secret.replace(['\'', '"', '\\'], ""));
        }
    }

    /// Removes one level of quotes at a time.
    fn unquoted(&self, text: &str, kind: TextKind, secrets: &mut Secrets) {
        let mut text = Cow::Borrowed(text);
        let mut above: Vec<(Unquoted, Cow<'_, str>)> = Vec::new();
        for level in 0..=LEVELS {
            // The word whose parts were added last.
            let mut word = 0..0;
            if secrets.is_full() || (level == 0 && !text.contains(['\'', '"', '\\'])) {
                return;
            }
            let unquoted = unquote(&text);
            let kind = if level == 0 { kind } else { TextKind::Plain };
            for Span { range, .. } in self.spans(&text, kind).iter() {
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

impl RowMasks<'_> {
    /// A name that the caller did not choose, such as the agent's: only what is a secret by itself is
    /// masked.
    pub fn name(&self, text: &str) -> String {
        shown(&escape_line(&self.reader.text(text, TextKind::Plain).text))
    }

    /// A one-line text with its secrets masked.
    pub fn line(&self, text: &str) -> String {
        shown(&escape_line(&self.same(&self.reader.text(text, TextKind::Plain).text, TextKind::Plain)))
    }

    /// Notes the words that these texts of the row show.
    fn note_readable<'t>(&mut self, texts: impl Iterator<Item = (&'t str, TextKind)>) {
        let show = |(text, kind)| self.same(&self.reader.text(text, kind).text, kind);
        let shown: Vec<String> = texts.map(show).collect();
        if let KnownSecrets::These(known) = &mut self.same {
            shown.iter().for_each(|text| known.add_readable(text));
        }
    }

    /// A path or another text that was looked up, without secrets and their parts.
    fn fact(&self, text: &str) -> String {
        match &self.same {
            KnownSecrets::These(known) => without(text, known.in_fact(text)),
            KnownSecrets::None | KnownSecrets::TooMany => self.same(text, TextKind::Plain),
        }
    }

    /// A command of the list, without parts of secrets. Its program stays, unless it looks generated and
    /// the message hides it.
    fn listed_command(&self, text: &str) -> String {
        let KnownSecrets::These(known) = &self.same else { return text.to_owned() };
        let words = text.split(' ').enumerate().map(|(at, word)| match at {
            0 if !is_generated_program(word) => Cow::Borrowed(word),
            _ if known.has_hidden_part(word) => Cow::Owned(mask(SAME)),
            _ => Cow::Borrowed(word),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// A text without the secrets that occur elsewhere in the row.
    fn same(&self, text: &str, kind: TextKind) -> String {
        let known = match &self.same {
            KnownSecrets::None => return text.to_owned(),
            // What runs stays readable. The detectors masked its secrets by their positions.
            KnownSecrets::TooMany if kind != TextKind::Plain => return text.to_owned(),
            KnownSecrets::TooMany => return mask(SAME),
            KnownSecrets::These(known) => known,
        };
        let ranges = match kind.command_start() {
            Some(from) => known.in_command(text, from),
            None => known.in_text(text),
        };
        without(text, ranges)
    }

    /// JSON with its secrets masked and every hidden character escaped. Its own field names stay.
    pub fn value(&self, value: &Value) -> Value {
        match json_fields::masked(&self.reader, value) {
            Value::Object(fields) => {
                let clean = |(name, value): (&String, &Value)| {
                    let kind = text_kind::of_field(name, value, &fields, TextKind::Plain);
                    (name.clone(), self.clean(name, value, kind))
                };
                Value::Object(fields.iter().map(clean).collect())
            }
            other => self.clean("", &other, TextKind::Plain),
        }
    }

    /// Whether a field holds only names of programs or sentences of ours. With too many secrets to look
    /// for, no sentence is searched.
    fn is_ours(&self, name: &str) -> bool {
        name == text_kind::PROGRAMS || (name == DANGER && matches!(self.same, KnownSecrets::TooMany))
    }

    fn clean(&self, name: &str, value: &Value, kind: TextKind) -> Value {
        match value {
            Value::String(text) if CODES.contains(&name) && is_code(text) => value.clone(),
            Value::String(text) if name == text_kind::PROGRAMS && self.arguments.contains(text) => {
                Value::String(mask(SAME))
            }
            Value::String(text) if name == text_kind::PROGRAMS => {
                Value::String(shown(&escape_lines(&self.listed_command(text))))
            }
            Value::String(text) if self.is_ours(name) => Value::String(shown(&escape_lines(text))),
            Value::String(text) if name == FACTS => Value::String(shown(&escape_lines(&self.fact(text)))),
            Value::String(text) => Value::String(shown(&escape_lines(&self.same(text, kind)))),
            Value::Number(number) => {
                let text = number.to_string();
                let masked = self.same(&text, TextKind::Plain);
                if masked == text { value.clone() } else { Value::String(masked) }
            }
            Value::Array(items) => {
                let kind = text_kind::of_words(kind, items);
                let items = items.iter().map(|item| self.clean(name, item, kind)).collect();
                Value::Array(if name == FACTS { without_repeated_masks(items) } else { items })
            }
            Value::Object(fields) => {
                let mut cleaned = Map::new();
                let mut unique = UniqueNames::default();
                for (inner, value) in fields {
                    let is_fact = name == FACTS;
                    let key = if is_fact { self.fact(inner) } else { self.same(inner, TextKind::Plain) };
                    let shown = shown(&escape_line(&key));
                    let key = unique.of(shown, &cleaned);
                    let kind = text_kind::of_field(inner, value, fields, kind);
                    let keeps = (is_fact && !CODES.contains(&inner.as_str())) || self.is_ours(name);
                    let name = if keeps { name } else { inner };
                    cleaned.insert(key, self.clean(name, value, kind));
                }
                Value::Object(cleaned)
            }
            other => other.clone(),
        }
    }
}

/// The tool and the input that a message shows as JSON. Its texts are read one by one: without their
/// quotes, the next field would look like the rest of a secret.
fn shown_input<'v>(field: &str, value: &'v Value, kind: TextKind) -> Option<(&'v str, Value)> {
    let message = value.as_str().filter(|_| field == text_kind::MESSAGE && kind == TextKind::Plain)?;
    json_message::parts(message)
}

/// The items of the facts. Facts that are the same when masked become one: their number would tell the
/// length of a secret whose ends were looked up.
fn without_repeated_masks(mut items: Vec<Value>) -> Vec<Value> {
    let mut known = HashSet::new();
    let mask = mask(SAME);
    items.retain(|item| {
        let text = item.to_string();
        !text.contains(&mask) || known.insert(text)
    });
    items
}

/// Whether the name of a listed program looks generated.
fn is_generated_program(word: &str) -> bool {
    let end = word.find(|c: char| !c.is_alphanumeric()).unwrap_or(word.len());
    random_looking_value::generated_name(word.get(..end).unwrap_or_default().as_bytes())
}

/// A text with these ranges masked.
fn without(text: &str, ranges: Vec<Range<usize>>) -> String {
    let span = |range: Range<usize>| Span { whole: range.clone(), range, rank: 0, name: SAME };
    mask_spans::replace(text, ranges.into_iter().map(span).collect(), &mut |_| {}).text.into_owned()
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
        let body = json!({ "decision": "confirm", "reasons": [{ "code": "confirm", "text": "a confirm of abcde", "path": "/w/confirm" }] });
        let masked = masks.of_row([], [&input]).value(&body);
        assert_eq!(masked["decision"], "confirm");
        assert_eq!(masked["reasons"][0]["code"], "confirm");
        // In a sentence of ours it is an ordinary word, and in a path it is not.
        assert_eq!(masked["reasons"][0]["text"], "a confirm of abcde");
        assert_eq!(masked["reasons"][0]["path"], "/w/[masked:same-secret]");
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
            row.line("s3cr3t-value, /w/other-value and other-value"),
            "[masked:same-secret], /w/[masked:same-secret] and other-value"
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
