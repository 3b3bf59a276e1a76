//! One pass over a text that runs every detector where it could start.

use std::cell::LazyCell;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::base64_decode;
use super::command_word_cache::CommandWordCache;
use super::detection::Detection;
use super::detector::{Detector, Find};
use super::detectors::{TABLE, detectors};
use super::mask_spans::Span;
use super::pem;
use super::text_kind::TextKind;

/// A longer span is not read again behind the position where it was cut.
const MAX_REREAD: usize = 1024;

/// Finds the positions where detectors could start, and by which key.
struct KeyAutomaton {
    automaton: AhoCorasick,
    owners: Vec<(usize, &'static str)>,
}

static PLACES: LazyLock<KeyAutomaton> = LazyLock::new(|| {
    let mut keys = Vec::new();
    let mut owners = Vec::new();
    for (owner, detector) in detectors().enumerate() {
        for key in detector.keys {
            keys.push(*key);
            owners.push((owner, *key));
        }
    }
    #[expect(clippy::expect_used, reason = "a table of a few hundred short words, which every test builds")]
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(keys)
        .expect("the table of keys fits an automaton");
    KeyAutomaton { automaton, owners }
});

/// Finds the secrets of a text. In a command they are cut at its syntax.
pub(super) fn find(text: &str, kind: TextKind, spans: &mut Vec<Span>) {
    let syntax = LazyCell::new(|| kind.syntax(text));
    let bytes = text.as_bytes();
    let cut = |detector: &Detector, range: Range<usize>| {
        let Some(syntax) = syntax.as_ref() else { return range };
        // What is a key by its shape may stand anywhere.
        let by_shape = matches!(detector.find, Find::Shape(_));
        let range = range.start..syntax.cut(range.clone()).end.max(range.start);
        let runs = syntax.is_program(bytes, &range) || syntax.is_run_value(bytes, &range);
        if runs && !by_shape { range.start..range.start } else { range }
    };
    let claim = |owner: usize, detector: &Detector, whole: Range<usize>| Span {
        range: cut(detector, whole.clone()),
        whole,
        rank: owner + 1,
        name: detector.name,
    };
    let table: &[&Detector] = &TABLE;
    // How far each detector has read. It does not read again what it took or ruled out.
    let mut read = vec![0usize; table.len()];
    let mut commands = CommandWordCache::default();
    for hit in PLACES.automaton.find_overlapping_iter(bytes) {
        let Some(&(owner, key)) = PLACES.owners.get(hit.pattern().as_usize()) else { continue };
        let (Some(detector), Some(read)) = (table.get(owner), read.get_mut(owner)) else { continue };
        if hit.end() <= *read {
            continue;
        }
        match detector.look(bytes, hit.start()..hit.end(), key, &mut commands) {
            Detection::Secret(found) => {
                let range = cut(detector, found.clone());
                let end = if found.len() > MAX_REREAD { found.end } else { range.end };
                *read = (*read).max(end);
                let rank = owner + 1;
                if range.end < found.end {
                    // In a command the lines of a key are masked one by one.
                    let lines = pem::random_lines(bytes, range.end..found.end);
                    let span = |line: Range<usize>| Span {
                        range: line.clone(),
                        whole: line,
                        rank,
                        name: detector.name,
                    };
                    spans.extend(lines.filter(|_| pem::is_key(detector.name)).map(span));
                    if let Some(syntax) = syntax.as_ref() {
                        let rest = range.end..found.end.min(range.end + MAX_REREAD);
                        spans.extend(syntax.random_words(bytes, rest).into_iter().map(span));
                    }
                }
                spans.push(Span { range, whole: found, rank, name: detector.name });
            }
            Detection::Secrets(ranges) => {
                spans.extend(ranges.into_iter().map(|range| claim(owner, detector, range)));
            }
            Detection::Encoded(range) => {
                let text = bytes.get(range.clone()).unwrap_or_default();
                if base64_decode::decode(text).is_some_and(|decoded| holds_secret(&decoded)) {
                    spans.push(claim(owner, detector, range));
                }
            }
            Detection::Nothing { read: to } => *read = (*read).max(to),
        }
    }
}

/// Whether decoded text contains a secret.
fn holds_secret(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| {
        let mut spans = Vec::new();
        find(text, TextKind::Plain, &mut spans);
        !spans.is_empty()
    })
}
