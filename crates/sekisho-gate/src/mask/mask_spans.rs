//! Merges found spans and replaces them by masks. Adjacent spans become one mask, and a mask is never
//! masked again.

use std::borrow::Cow;
use std::ops::Range;

use super::detectors::TABLE;

/// The mask name for configured secrets, which no detector finds.
pub(super) const CONFIGURED: &str = "configured-secret";
pub(super) const FIELD: &str = "secret-field";
pub(super) const TOO_DEEP: &str = "too-deep";
pub(super) const SAME: &str = "same-secret";

const OPEN: &str = "[masked:";

/// Text that may be written to the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masked<'t> {
    /// The text, with `[masked:<detector>]` in place of each secret.
    pub text: Cow<'t, str>,
    /// The detectors that found something, each once, in order of position.
    pub detectors: Vec<&'static str>,
}

/// A range that a detector found.
#[derive(Clone)]
pub(super) struct Span {
    /// What is masked.
    pub(super) range: Range<usize>,
    /// What the detector took for the secret. In a command, only the part before its syntax is masked.
    pub(super) whole: Range<usize>,
    /// If spans merge, the lowest rank names the mask.
    pub(super) rank: usize,
    pub(super) name: &'static str,
}

pub(super) fn mask(name: &str) -> String {
    format!("{OPEN}{name}]")
}

/// Masks the spans of a text, and reports each masked piece.
pub(super) fn replace<'t>(text: &'t str, spans: Vec<Span>, found: &mut dyn FnMut(&str)) -> Masked<'t> {
    if spans.is_empty() {
        return Masked { text: Cow::Borrowed(text), detectors: Vec::new() };
    }
    let merged = merge(text, spans);
    if merged.is_empty() {
        return Masked { text: Cow::Borrowed(text), detectors: Vec::new() };
    }
    let mut masked = String::with_capacity(text.len());
    let mut detectors = Vec::new();
    let mut done = 0;
    for Span { range, name, .. } in merged {
        masked.push_str(text.get(done..range.start).unwrap_or_default());
        masked.push_str(&mask(name));
        found(text.get(range.clone()).unwrap_or_default());
        done = range.end;
        if !detectors.contains(&name) {
            detectors.push(name);
        }
    }
    masked.push_str(text.get(done..).unwrap_or_default());
    Masked { text: Cow::Owned(masked), detectors }
}

fn merge(text: &str, mut spans: Vec<Span>) -> Vec<Span> {
    let marks = marks(text);
    for span in &mut spans {
        span.range = text.floor_char_boundary(span.range.start)..text.ceil_char_boundary(span.range.end);
        trim(&mut span.range, &marks);
    }
    spans.retain(|span| !span.range.is_empty());
    spans.sort_by_key(|span| (span.range.start, span.rank));
    let mut merged: Vec<Span> = Vec::new();
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.range.start <= last.range.end => {
                last.range.end = last.range.end.max(span.range.end);
                if span.rank < last.rank {
                    (last.rank, last.name) = (span.rank, span.name);
                }
            }
            _ => merged.push(span),
        }
    }
    merged
}

/// Masks that are already in the text. Adjacent ones are merged.
fn marks(text: &str) -> Vec<Range<usize>> {
    let mut marks: Vec<Range<usize>> = Vec::new();
    for mark in all_marks(text) {
        match marks.last_mut() {
            Some(last) if last.end == mark.start => last.end = mark.end,
            _ => marks.push(mark),
        }
    }
    marks
}

fn all_marks(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.match_indices(OPEN).filter_map(|(start, _)| {
        let rest = text.get(start + OPEN.len()..)?;
        let longest = rest.floor_char_boundary(40);
        let (name, _) = rest.get(..longest)?.split_once(']')?;
        known(name).then(|| start..start + OPEN.len() + name.len() + 1)
    })
}

fn known(name: &str) -> bool {
    [CONFIGURED, FIELD, TOO_DEEP, SAME].contains(&name) || TABLE.iter().any(|detector| detector.name == name)
}

/// Removes existing masks from the start and end of a span.
fn trim(range: &mut Range<usize>, marks: &[Range<usize>]) {
    let first = marks.partition_point(|mark| mark.end <= range.start);
    for mark in marks.iter().skip(first) {
        if mark.start > range.start {
            break;
        }
        range.start = mark.end;
    }
    let last = marks.partition_point(|mark| mark.start < range.end);
    for mark in marks.iter().take(last).rev() {
        if mark.end < range.end {
            break;
        }
        range.end = mark.start;
    }
    if range.start > range.end {
        range.end = range.start;
    }
}
