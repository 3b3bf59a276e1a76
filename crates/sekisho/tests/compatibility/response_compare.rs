//! Compares two responses, ignoring ids and times.

use std::collections::HashMap;

use jiff::Timestamp;
use serde_json::{Map, Value};
use uuid::Uuid;

/// Fields that differ from run to run, between machines, or with the age of the fixtures.
const VARYING: &[&str] = &[
    "seq",
    "hits",
    "lastHit",
    "bytes",
    "waitedMs",
    "last",
    "next",
    "address",
    "version",
    "warnings",
    "warningCodes",
];

/// Sentences for people. Their wording may change, but they must contain what people wrote.
const PROSE: &[&str] =
    &["message", "hint", "text", "title", "reason", "why", "also", "permissionDecisionReason", "stopReason"];

/// Maps the ids of a recording to those of this run.
#[derive(Default)]
pub(crate) struct IdMapping {
    known: HashMap<String, String>,
    /// Records, by writer and number.
    rows: HashMap<String, String>,
    /// Texts that people and agents wrote.
    written: Vec<String>,
}

type Fields = Map<String, Value>;

#[derive(PartialEq)]
enum Word {
    Time,
    Id,
    Plain,
}

impl IdMapping {
    /// Notes the texts of several words in a recorded request.
    pub(crate) fn learn_ids(&mut self, request: &Value) {
        match request {
            Value::String(text) if text.contains(' ') => self.written.push(text.clone()),
            Value::Array(values) => values.iter().for_each(|value| self.learn_ids(value)),
            Value::Object(fields) => fields.values().for_each(|value| self.learn_ids(value)),
            _ => {}
        }
    }

    /// A text of the recording with the ids of this run.
    pub(crate) fn renamed(&self, text: &str) -> String {
        const ROWS: &str = "/api/audit/rows/";
        if let Some(row) = text.strip_prefix(ROWS).and_then(|row| self.rows.get(row)) {
            return format!("{ROWS}{row}");
        }
        words(text).map(|word| self.known.get(word).map_or(word, String::as_str)).collect()
    }

    /// Compares a response with the recorded one. It may have additional fields.
    pub(crate) fn compare(&mut self, recorded: &Value, told: &Value, at: &str) -> Result<(), String> {
        match (recorded, told) {
            (Value::Object(recorded), Value::Object(told)) => self.same_fields(recorded, told, at),
            (Value::Array(recorded), Value::Array(told)) if recorded.len() == told.len() => {
                let mut pairs = recorded.iter().zip(told).enumerate();
                pairs
                    .try_for_each(|(index, (one, other))| self.compare(one, other, &format!("{at}[{index}]")))
            }
            (Value::String(recorded), Value::String(told)) => self.same_text(recorded, told, at),
            (recorded, told) if recorded == told => Ok(()),
            (recorded, told) => Err(format!("{at}: {recorded} was recorded, and now it is {told}")),
        }
    }

    fn same_fields(&mut self, recorded: &Fields, told: &Fields, at: &str) -> Result<(), String> {
        if let (Some(row), Some(now)) = (row(recorded), row(told)) {
            self.rows.insert(row, now);
        }
        for (name, value) in recorded {
            let is_count = name == "rows" && value.is_number();
            // Checkpoints come between records at varying times.
            let is_chain = recorded.contains_key("writer") && (name == "code" || name == "previous");
            if is_count || is_chain || VARYING.contains(&name.as_str()) {
                continue;
            }
            let at = format!("{at}.{name}");
            let told = told.get(name).ok_or_else(|| format!("{at} is missing"))?;
            match (value, told) {
                (Value::String(value), Value::String(told)) if PROSE.contains(&name.as_str()) => {
                    let mut quoted = self.written.iter().filter(|text| value.contains(*text));
                    if let Some(text) = quoted.find(|text| !told.contains(*text)) {
                        return Err(format!("{at}: `{text}` is missing in `{told}`"));
                    }
                }
                // Later versions look up more facts for the same call.
                (Value::Array(before), Value::Array(now)) if name == "facts" => {
                    for fact in before {
                        if !now.iter().any(|other| self.compare(fact, other, &at).is_ok()) {
                            return Err(format!("{at}: {fact} is missing"));
                        }
                    }
                }
                // A record that had no body before now has a body with the code of its line.
                (Value::Null, Value::Object(told)) if name == "body" && told.keys().eq(["recordLine"]) => {}
                _ => self.compare(value, told, &at)?,
            }
        }
        Ok(())
    }

    fn same_text(&mut self, recorded: &str, told: &str, at: &str) -> Result<(), String> {
        if let (Some(recorded), Some(told)) = (json_lines(recorded), json_lines(told)) {
            return self.compare(&recorded, &told, at);
        }
        if let (Some(recorded), Some(told)) = (csv(recorded), csv(told)) {
            let whole = recorded.1 == told.1 && recorded.0.iter().all(|column| told.0.contains(column));
            return if whole { Ok(()) } else { Err(format!("{at}: {told:?} is not {recorded:?}")) };
        }
        let differs = || Err(format!("{at}: `{recorded}` was recorded, and now it is `{told}`"));
        let (ours, theirs): (Vec<&str>, Vec<&str>) = (words(recorded).collect(), words(told).collect());
        if ours.len() != theirs.len() {
            return differs();
        }
        for (one, other) in ours.into_iter().zip(theirs) {
            let fits = match (kind(one), kind(other)) {
                (Word::Time, Word::Time) => true,
                (Word::Id, Word::Id) => {
                    self.known.entry(one.to_owned()).or_insert_with(|| other.to_owned()) == other
                }
                _ => one == other,
            };
            if !fits {
                return differs();
            }
        }
        Ok(())
    }
}

/// The writer and number of a record.
fn row(fields: &Fields) -> Option<String> {
    Some(format!("{}/{}", fields.get("writer")?.as_str()?, fields.get("seq")?))
}

/// The columns of an exported table, and its number of lines.
fn csv(text: &str) -> Option<(Vec<&str>, usize)> {
    let head = text.lines().next().filter(|head| head.starts_with("at,writer,"))?;
    Some((head.split(',').collect(), text.lines().count()))
}

/// An export of JSON lines, as a list.
fn json_lines(text: &str) -> Option<Value> {
    let lines = text.lines().map(|line| serde_json::from_str(line).ok().filter(Value::is_object));
    lines.collect::<Option<Vec<Value>>>().filter(|lines| !lines.is_empty()).map(Value::Array)
}

/// Splits a text into words that could be an id or a time, and what is between them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_-:.".contains(c);
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = rest.find(|c| is_word(c) != is_word(first)).unwrap_or(rest.len());
        // Punctuation at the end of a sentence is not part of the word.
        let length = rest[..end].trim_end_matches(['.', ':']).len();
        let (word, after) = rest.split_at(if length == 0 { end } else { length });
        rest = after;
        Some(word)
    })
}

fn kind(word: &str) -> Word {
    let is_hash = [32, 64].contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_secret = ["sks_", "skl_"].iter().any(|prefix| word.starts_with(prefix));
    if word.len() >= 20 && word.parse::<Timestamp>().is_ok() {
        Word::Time
    } else if is_hash || is_secret || (word.len() == 36 && word.parse::<Uuid>().is_ok()) {
        Word::Id
    } else {
        Word::Plain
    }
}

#[test]
fn ids_times_and_wording_may_differ() {
    use serde_json::json;
    let [one, two, three] = [1, 2, 3].map(|number| Uuid::from_u128(number).to_string());
    let answer = |id: &str, at: &str, text: &str| json!({ "id": id, "said": format!("rule {id}: made at {at}."), "text": text, "list": [1] });
    let mut names = IdMapping::default();
    names.learn_ids(&json!({ "message": "keep it" }));
    let recorded = answer(&one, "2026-11-16T16:00:00Z", "denied: keep it");
    let mut told = answer(&two, "2027-01-01T00:00:00.5Z", "keep it, said Ann");
    told["new"] = json!(true);
    names.compare(&recorded, &told, "").unwrap();
    assert_eq!(names.renamed(&format!("/api/rules/{one}/x")), format!("/api/rules/{two}/x"));
    let mut longer = told.clone();
    longer["list"] = json!([1, 2]);
    let mut shorter = told.clone();
    shorter.as_object_mut().unwrap().remove("said");
    for wrong in [
        longer,
        shorter,
        answer(&three, "2027-01-01T00:00:00Z", "keep it"),
        answer(&two, "yesterday", "keep it"),
        answer(&two, "2027-01-01T00:00:00Z", "denied"),
    ] {
        names.compare(&recorded, &wrong, "").unwrap_err();
    }
}
