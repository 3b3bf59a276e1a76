//! Secrets that the operator configured, by value, in all common encodings.

use std::collections::BTreeSet;
use std::ops::Range;

use aho_corasick::AhoCorasick;

use super::byte_scan::{at, before};
use super::mask_spans::{CONFIGURED, Span};

/// The minimum length. Shorter values would match ordinary text.
const MIN_LENGTH: usize = 8;

pub(super) enum ConfiguredSecrets {
    /// None were configured.
    None,
    Forms(AhoCorasick),
    /// They did not fit an automaton. No text may pass then.
    Unknown,
}

impl ConfiguredSecrets {
    pub(super) fn new(secrets: impl IntoIterator<Item = String>) -> ConfiguredSecrets {
        let mut forms = BTreeSet::new();
        for secret in secrets {
            for value in [secret.as_str(), secret.trim()] {
                if value.chars().count() >= MIN_LENGTH {
                    add_forms(value, &mut forms);
                }
            }
        }
        if forms.is_empty() {
            return ConfiguredSecrets::None;
        }
        AhoCorasick::new(forms).map_or(ConfiguredSecrets::Unknown, ConfiguredSecrets::Forms)
    }

    pub(super) fn find(&self, text: &str, spans: &mut Vec<Span>) {
        let span = |range: Range<usize>| Span { whole: range.clone(), range, rank: 0, name: CONFIGURED };
        match self {
            ConfiguredSecrets::None => {}
            ConfiguredSecrets::Unknown => spans.push(span(0..text.len())),
            ConfiguredSecrets::Forms(forms) => {
                let bytes = text.as_bytes();
                for found in forms.find_overlapping_iter(text) {
                    let range = with_neighbours(bytes, found.start(), found.end());
                    match spans.last_mut() {
                        Some(last) if range.start >= last.range.start && range.start <= last.range.end => {
                            last.range.end = last.range.end.max(range.end);
                        }
                        _ => spans.push(span(range)),
                    }
                }
            }
        }
    }
}

/// In base64, the first and last characters may also hold bits of neighbouring bytes. They are masked
/// with the secret.
fn with_neighbours(bytes: &[u8], start: usize, end: usize) -> std::ops::Range<usize> {
    let base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'=');
    let start = if before(bytes, start).is_ascii_alphanumeric() { start - 1 } else { start };
    let more = (0..3).take_while(|more| base64(at(bytes, end + more))).count();
    let padding = (0..3).take_while(|more| at(bytes, end + more) == b'=').count();
    start..end + padding.max(usize::from(more > 0))
}

fn add_forms(secret: &str, forms: &mut BTreeSet<String>) {
    forms.insert(secret.to_owned());
    let json = serde_json::Value::from(secret).to_string();
    let json = json.strip_prefix('"').unwrap_or_default().strip_suffix('"').unwrap_or_default().to_owned();
    forms.insert(json.replace('/', "\\/"));
    forms.insert(json.replace('\\', "\\\\"));
    forms.insert(json);
    for kept in ["-_.~", "-_.~/", "-_.!~*'()", "*-._"] {
        let encoded = percent(secret, kept);
        for encoded in [lower_escapes(&encoded), encoded] {
            forms.insert(encoded.replace("%20", "+"));
            forms.insert(encoded);
        }
    }
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    forms.insert(hex.to_ascii_uppercase());
    forms.insert(hex);
    for alphabet in [STANDARD, URL_SAFE] {
        for offset in 0..3 {
            forms.insert(base64(secret.as_bytes(), alphabet, offset));
        }
    }
    forms.retain(|form| form.len() >= MIN_LENGTH);
}

fn percent(secret: &str, kept: &str) -> String {
    let mut encoded = String::with_capacity(secret.len() * 3);
    for byte in secret.bytes() {
        if byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

fn lower_escapes(encoded: &str) -> String {
    let mut left = 0;
    encoded
        .chars()
        .map(|c| {
            left = if c == '%' { 3 } else { left - i32::from(left > 0) };
            if left > 0 { c.to_ascii_lowercase() } else { c }
        })
        .collect()
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The base64 characters that only this value determines, if `offset` other bytes precede it in its
/// group.
fn base64(value: &[u8], alphabet: &[u8; 64], offset: usize) -> String {
    let bits = |index: usize| {
        let byte = index.checked_sub(offset * 8).and_then(|bit| value.get(bit / 8)).copied().unwrap_or(0);
        usize::from(byte >> (7 - index % 8) & 1)
    };
    let first = (offset * 8).div_ceil(6);
    let last = (offset + value.len()) * 8 / 6;
    (first..last)
        .filter_map(|place| {
            let six = (place * 6..place * 6 + 6).fold(0, |six, index| six << 1 | bits(index));
            alphabet.get(six).copied().map(char::from)
        })
        .collect()
}
