//! One pass over a text that runs every detector where it could start.

use std::cell::{LazyCell, RefCell};
use std::collections::HashSet;
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

/// Detectors that find a secret behind a program, a host or a header that takes it there.
const ARGUMENTS: [&str; 7] = [
    "command-password",
    "connection-string",
    "url-password",
    "authorization",
    "bearer-token",
    "basic-credentials",
    "login-flags",
];

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
        let is_argument = ARGUMENTS.contains(&detector.name);
        let runs = syntax.is_program(bytes, &range) || syntax.is_run_value(bytes, &range, is_argument);
        if runs && !by_shape { range.start..range.start } else { range }
    };
    // Where parts of secrets start that are masked.
    let known = RefCell::new(HashSet::new());
    // Adds what is masked of a secret, and returns where that ends.
    let claim = |owner: usize, whole: Range<usize>, detector: &Detector, spans: &mut Vec<Span>| {
        let (rank, name) = (owner + 1, detector.name);
        let range = cut(detector, whole.clone());
        let end = range.end;
        if end < whole.end {
            // In a command the lines of a key are masked one by one, and so are random words that may run.
            let lines = pem::random_lines(bytes, end..whole.end).filter(|_| pem::is_key(name));
            let rest = end..whole.end.min(end + MAX_REREAD);
            let words = syntax.as_ref().map(|syntax| syntax.random_words(bytes, rest)).unwrap_or_default();
            let parts = lines.chain(words).filter(|part| known.borrow_mut().insert(part.start));
            spans.extend(parts.map(|part| Span { range: part.clone(), whole: part, rank, name }));
        }
        spans.push(Span { range, whole, rank, name });
        end
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
                let end = claim(owner, found.clone(), detector, spans);
                *read = (*read).max(if found.len() > MAX_REREAD { found.end } else { end });
            }
            Detection::Secrets(ranges) => {
                for range in ranges {
                    claim(owner, range, detector, spans);
                }
            }
            Detection::Encoded(range) => {
                let text = bytes.get(range.clone()).unwrap_or_default();
                if base64_decode::decode(text).is_some_and(|decoded| holds_secret(&decoded)) {
                    claim(owner, range, detector, spans);
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
