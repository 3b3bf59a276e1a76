//! What the record may not hold.
//!
//! The audit log outlives the calls it tells of, so secrets are taken out before a line is written: by the shape of
//! well-known keys, by the place where a secret stands (a header, a URL, a value under a telling name), and by the
//! exact values the operator configured. The record must still tell what was done. So a detector takes the smallest
//! piece that is secret and leaves commands, paths and hosts to be read; no detector reaches over words only because a
//! quote or a marker was opened, or an agent could hide a command behind one.
//!
//! One automaton finds the places where a detector could start. Text without such a place is read once and handed back
//! as it is. A detector then looks from its place on, never back further than a fixed reach and never twice over the
//! same stretch, so the work grows with the text and no faster, whoever wrote the text.

mod adjacent;
mod assign;
mod base64;
mod beside;
mod browser;
mod calls;
mod command;
mod contexts;
mod detector;
mod earlier;
mod exact;
mod fallback;
mod fields;
mod flags;
mod generated;
mod header;
mod insert;
mod jwk;
mod line;
mod logins;
mod manifest;
mod members;
mod merge;
mod name;
mod pem;
mod piped;
mod plain;
mod programs;
mod prompt;
mod protocol;
mod row;
mod scan;
mod sentence;
mod shape;
mod shapes;
mod sinks;
mod sql;
mod table;
mod target;
#[cfg(test)]
mod tests;
mod url;
mod vendors;
mod words;

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use serde_json::Value;

pub use detector::{Detector, detectors};
pub use line::{lines, one_line};
pub use row::RowMasks;

use detector::Looked;
use exact::Exact;
use merge::Span;

/// The masks of one installation: the built-in detectors and the configured secrets.
pub struct Masks {
    exact: Exact,
}

/// Text fit for the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masked<'t> {
    /// The text, with `[masked:<detector>]` where a secret stood.
    pub text: Cow<'t, str>,
    /// The detectors that found something, each once, in the order of their places.
    pub detectors: Vec<&'static str>,
}

impl Masks {
    /// Masks that know these secrets by value, besides the built-in detectors.
    ///
    /// Values under 8 characters are left out: masking every `1234` would hide the record, not the secret.
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Masks {
        Masks { exact: Exact::new(secrets) }
    }

    /// The text without its secrets.
    pub fn text<'t>(&self, text: &'t str) -> Masked<'t> {
        self.noted(text, &mut |_| {})
    }

    /// The same, handing over each secret.
    fn noted<'t>(&self, text: &'t str, found: &mut dyn FnMut(&str)) -> Masked<'t> {
        let mut spans = Vec::new();
        self.exact.find(text, &mut spans);
        find(text, &mut spans);
        merge::replace(text, spans, found)
    }

    /// The JSON without its secrets: strings are masked as text, and whatever stands under a secret-looking name goes
    /// whole. Objects and arrays keep their form.
    pub fn value(&self, value: &Value) -> Value {
        fields::masked(self, value)
    }
}

/// Where a detector could start, and whose place it is.
struct Places {
    automaton: AhoCorasick,
    owners: Vec<usize>,
}

static PLACES: LazyLock<Places> = LazyLock::new(|| {
    let mut keys = Vec::new();
    let mut owners = Vec::new();
    for (owner, detector) in detectors().enumerate() {
        for key in detector.keys {
            keys.push(*key);
            owners.push(owner);
        }
    }
    #[expect(clippy::expect_used, reason = "a table of a few hundred short words, built by every test")]
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(keys)
        .expect("the table of keys fits an automaton");
    Places { automaton, owners }
});

fn find(text: &str, spans: &mut Vec<Span>) {
    let bytes = text.as_bytes();
    let table: &[&Detector] = &detector::TABLE;
    // How far each detector has read: what it took, or ruled out, it does not read again.
    let mut read = vec![0usize; table.len()];
    for hit in PLACES.automaton.find_overlapping_iter(bytes) {
        let Some(&owner) = PLACES.owners.get(hit.pattern().as_usize()) else { continue };
        let (Some(detector), Some(read)) = (table.get(owner), read.get_mut(owner)) else { continue };
        if hit.end() <= *read {
            continue;
        }
        let Some(key) = detector.keys.iter().find(|key| same_key(bytes, hit.start(), hit.end(), key)) else {
            continue;
        };
        match detector.look(bytes, hit.start()..hit.end(), key) {
            Looked::Secret(range) => {
                *read = (*read).max(range.end);
                spans.push(Span { range, rank: owner + 1, name: detector.name });
            }
            Looked::Secrets(ranges) => {
                let claim = |range| Span { range, rank: owner + 1, name: detector.name };
                spans.extend(ranges.into_iter().map(claim));
            }
            Looked::Nothing { read: to } => *read = (*read).max(to),
        }
    }
}

/// Whether text that stood encoded in another holds a secret.
fn holds_secret(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| {
        let mut spans = Vec::new();
        find(text, &mut spans);
        !spans.is_empty()
    })
}

fn same_key(bytes: &[u8], start: usize, end: usize, key: &str) -> bool {
    bytes.get(start..end).is_some_and(|found| found.eq_ignore_ascii_case(key.as_bytes()))
}
