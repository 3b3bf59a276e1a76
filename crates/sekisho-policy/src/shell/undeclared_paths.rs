//! Paths that a program may open although its entry in the table does not say so: `git commit -F .env`,
//! `curl --variable x@.env`, `docker cp .env c:/x`.

use sekisho_shell::word::{Piece, Word};

use super::execution_plan::Step;
use super::harmless_command::is_harmless;
use super::touched_paths::{TouchedPath, touched_by};

/// Characters between a path and other text in one word.
const SEPARATORS: &[char] = &['=', '@', ':', ',', ';', '<', '>', '#', '?', '"', '\'', '{', '}'];
/// The same in a text with blanks, which is mostly a message for people.
const SEPARATORS_IN_PROSE: &[char] = &['=', '@'];
/// The longest text whose parts are looked up, in bytes.
const LONGEST_SPLIT: usize = 1024;
/// How many letters may precede a path in a word of short options (`-qFpath`).
const MAX_LETTERS: usize = 8;

/// The paths that the known text of a command's words may name.
pub(super) fn possible_paths(step: &Step) -> Vec<String> {
    let mut paths = Vec::new();
    for word in step.words.iter().skip(1) {
        let text = known_text(word);
        let is_option = text.starts_with('-');
        if !is_option && !text.contains(":/") {
            paths.extend(step.directories.paths_of(word).into_iter().flatten());
        }
        let named = parts(&text);
        paths.extend(named.iter().flat_map(|part| step.directories.paths_of_text(part)).flatten());
    }
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// The globs among a command's words.
pub(super) fn possible_globs(step: &Step) -> Vec<TouchedPath> {
    let words = step.words.iter().skip(1).filter(|word| !word.prefix().starts_with('-'));
    let touched = words.flat_map(|word| touched_by(step, word));
    touched.filter(|path| matches!(path, TouchedPath::Glob { .. })).collect()
}

/// The text of a word, with NUL for what is not known.
fn known_text(word: &Word) -> String {
    let pieces = word.pieces.iter().map(|piece| match piece {
        Piece::Literal(text) => text.as_str(),
        _ => "\u{0}",
    });
    pieces.collect()
}

/// The parts of a word that may be paths.
fn parts(text: &str) -> Vec<String> {
    let (is_remote, local) = match text.split_once("://") {
        Some((before, path)) if before.ends_with("file") || before.ends_with("fileb") => (false, Some(path)),
        Some(_) => (true, None),
        None => (false, None),
    };
    if is_remote || text.len() > LONGEST_SPLIT {
        return Vec::new();
    }
    let mut values: Vec<&str> = Vec::new();
    match (text.strip_prefix("--"), text.strip_prefix('-')) {
        (Some(option), _) => values.extend(option.split_once('=').map(|(_, value)| value)),
        (None, Some(letters)) => {
            let starts = letters.char_indices().map(|(at, _)| at).skip(1).take(MAX_LETTERS);
            values.extend(starts.filter_map(|at| letters.get(at..)));
        }
        (None, None) => values.push(text),
    }
    values.extend(local);
    let separators = if text.contains(char::is_whitespace) { SEPARATORS_IN_PROSE } else { SEPARATORS };
    let split = values.iter().flat_map(|value| value.split(separators)).collect::<Vec<_>>();
    let whole = values.iter().filter(|value| text.starts_with('-') && !value.contains(":/"));
    let mut parts: Vec<String> = Vec::new();
    for part in split.into_iter().chain(whole.copied()) {
        // Of a path with computed pieces, the names after the last of them are known.
        let part = part.rsplit_once("\u{0}/").map_or(part, |(_, names)| names);
        if part.is_empty() || part.contains('\u{0}') {
            continue;
        }
        if local.is_some() && part.contains('%') {
            parts.push(percent_decoded(part));
        }
        parts.push(part.to_owned());
    }
    parts
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let digits =
            after.get(..2).filter(|_| *first == b'%').and_then(|pair| std::str::from_utf8(pair).ok());
        match digits.and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether a command may open files that are not among its known paths.
pub(super) fn may_open_other_paths(step: &Step) -> bool {
    step.profile.known && !is_harmless(&step.profile) && step.profile.program.as_deref() != Some("cd")
}
