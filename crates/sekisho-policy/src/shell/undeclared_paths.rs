//! Paths that a program may open although its entry in the table does not say so: `git commit -F .env`,
//! `curl --variable x@.env`, `docker cp .env c:/x`.

use sekisho_shell::Budget;
use sekisho_shell::word::{Piece, Word};

use super::commit_messages::message_words;
use super::execution_plan::Step;
use super::harmless_command::is_harmless;
use super::paths_of_words::PathsOfWords;
use super::touched_paths::{TouchedPath, touched_by};
use super::upload_globs::{expanded_upload, without_lists};
use super::working_directories::names_working_directory;
use crate::command_pattern::COMPUTED;
use crate::paths;

/// Characters between a path and other text in one word.
const SEPARATORS: &[char] = &['=', '@', ':', ',', ';', '<', '>', '#', '?', '"', '\'', '{', '}'];
/// Characters that end a URL in a list of values.
const URL_ENDS: &[char] = &[',', ';', '"', '\'', '<', '>', '{', '}', ' ', '\t', '\n'];
/// The cost of a part in each directory: a path is built, sorted and looked up.
const PART: usize = 512;

/// The paths that the known text of a command's words may name. Incomplete if the budget is spent. They cost the same
/// each time, so that a verdict does not depend on what was worked out before.
pub(super) fn possible_paths<'s>(step: &'s Step, budget: &Budget) -> &'s [String] {
    if let Some(known) = step.cache.possible.get() {
        budget.spend(known.cost);
        return &known.paths;
    }
    let before = budget.left();
    let paths = find_possible_paths(step, budget);
    let cost = before - budget.left();
    &step.cache.possible.get_or_init(|| PathsOfWords { paths, cost }).paths
}

fn find_possible_paths(step: &Step, budget: &Budget) -> Vec<String> {
    let mut paths = Vec::new();
    let directories = step.directories.iter().count();
    let messages = message_words(step);
    for (at, word) in step.words.iter().enumerate().skip(1).filter(|(at, _)| !messages.contains(at)) {
        let text = known_text(word);
        if !text.starts_with('-') && !text.contains(":/") {
            paths.extend(step.directories.paths_of(word).into_iter().flatten());
        }
        let spelt =
            expanded_upload(step, at, &text).into_iter().chain(texts_with_shell_directory(step, word));
        let spelt = std::iter::once(text).chain(spelt);
        for text in spelt {
            if !budget.spend(text.len() * directories) {
                return paths;
            }
            let Some(parts) = parts(&text, budget) else { return paths };
            for part in parts.iter().filter(|part| !part.contains(COMPUTED)) {
                if !budget.spend((PART + part.len()) * directories) {
                    return paths;
                }
                let found = step.directories.paths_of_text(part).into_iter();
                paths.extend(found.map(|path| path.unwrap_or_else(|| below_unknown_directory(part))));
            }
        }
    }
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// A path in an unknown directory: its names are known.
fn below_unknown_directory(part: &str) -> String {
    let mut names = Vec::new();
    for name in part.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    names.iter().fold(String::new(), |path, name| path + "/" + name)
}

/// File names in a command's words of which a piece is computed: `--file="$(echo .net)rc"`.
pub(super) fn possible_computed_names(step: &Step, budget: &Budget) -> Vec<String> {
    let texts = step.words.iter().enumerate().skip(1).flat_map(|(at, word)| {
        let text = known_text(word);
        let uploaded = expanded_upload(step, at, &text);
        std::iter::once(text).chain(uploaded)
    });
    let words = texts.filter(|text| !text.contains(char::is_whitespace));
    let names = words
        .flat_map(|text| parts(&text, budget).unwrap_or_default())
        .filter(|part| part.contains(COMPUTED));
    let names = names.map(|part| part.rsplit('/').next().unwrap_or_default().to_owned());
    names.filter(|name| name.contains(COMPUTED) && name.chars().any(|c| c != COMPUTED)).collect()
}

/// The globs among a command's words.
pub(super) fn possible_globs(step: &Step) -> Vec<TouchedPath> {
    let words = step.words.iter().skip(1).filter(|word| !word.prefix().starts_with('-'));
    let touched = words.flat_map(|word| touched_by(step, word));
    touched.filter(|path| matches!(path, TouchedPath::Glob { .. })).collect()
}

/// The text of a word, with [`COMPUTED`] for what is not known.
fn known_text(word: &Word) -> String {
    let pieces = word.pieces.iter().map(|piece| match piece {
        Piece::Literal(text) => text.clone(),
        _ => COMPUTED.to_string(),
    });
    pieces.collect()
}

/// The texts of a word with `$PWD` and `~+` filled in, if the program goes elsewhere (`git -C d`): they are the shell's
/// directory.
fn texts_with_shell_directory(step: &Step, word: &Word) -> Vec<String> {
    let Some(shell) = step.shell_directories.as_deref().filter(|_| names_working_directory(word)) else {
        return Vec::new();
    };
    let text = |directory: Option<&str>| {
        let directory = directory.map_or_else(|| COMPUTED.to_string(), str::to_owned);
        let pieces = word.pieces.iter().map(|piece| match piece {
            Piece::Literal(text) => text.clone(),
            Piece::Variable { name, .. } if name == "PWD" => directory.clone(),
            Piece::Tilde(name) if name == "+" => directory.clone(),
            _ => COMPUTED.to_string(),
        });
        pieces.collect()
    };
    shell.iter().map(text).collect()
}

/// The parts of a word that may be paths. `None` if the budget is spent.
pub(super) fn parts(text: &str, budget: &Budget) -> Option<Vec<String>> {
    // Short options may end anywhere, so every end of the word is a part.
    let is_short = text.starts_with('-') && !text.starts_with("--");
    if is_short && !budget.spend(text.len().saturating_mul(text.len())) {
        return None;
    }
    let (local_text, local) = without_urls(text);
    let text = local_text.as_str();
    // The name of an option is no path.
    let skipped = usize::from(text.starts_with('-'));
    let mut found: Vec<&str> = text.split(SEPARATORS).skip(skipped).collect();
    // Short options may precede a path (`-qFpath`).
    if let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.starts_with('-')) {
        let first = letters.split(SEPARATORS).next().unwrap_or_default();
        found.extend(first.char_indices().skip(1).filter_map(|(at, _)| first.get(at..)));
        found.extend(letters.char_indices().nth(1).and_then(|(at, _)| letters.get(at..)));
    } else if text.starts_with("--") {
        found.extend(text.split_once('=').map(|(_, value)| value));
    }
    // A text with blanks is mostly a message for people.
    if text.contains(char::is_whitespace) {
        found.retain(|part| !part.contains(char::is_whitespace));
        found.extend(text.split(['=', '@']));
    }
    let mut parts = local;
    for part in found {
        // Of a path with computed pieces, the names after the last of them are known.
        let part = part.rsplit_once("\u{0}/").map_or(part, |(_, names)| names);
        if !part.is_empty() && part.chars().any(|c| c != COMPUTED) {
            parts.push(part.to_owned());
        }
    }
    Some(parts)
}

/// A text without its URLs, and the paths of those that name local files.
fn without_urls(text: &str) -> (String, Vec<String>) {
    let (mut kept, mut local, mut rest) = (String::new(), Vec::new(), text);
    while let Some(at) = rest.find("://") {
        let (before, url) = rest.split_at(at);
        let is_scheme = |c: char| c.is_ascii_alphanumeric() || "+.-".contains(c);
        let scheme = before.rsplit(|c| !is_scheme(c)).next().unwrap_or_default();
        let outside = before.strip_suffix(scheme).unwrap_or_default();
        let path = url.get(3..).unwrap_or_default();
        if scheme.trim_start_matches('-').is_empty() || outside.ends_with(['/', '~']) {
            kept.extend([before, "://"]);
            rest = path;
            continue;
        }
        kept.push_str(outside);
        let is_file = ["file", "fileb"].iter().any(|name| scheme.to_ascii_lowercase().ends_with(name));
        let end = path.find(if is_file {
            char::is_whitespace as fn(char) -> bool
        } else {
            |c| URL_ENDS.contains(&c)
        });
        let (path, after) = path.split_at(end.unwrap_or(path.len()));
        if is_file {
            // curl expands lists and ranges in URLs.
            let known = without_lists(path);
            local.extend([percent_decoded(&known), known, path.to_owned()]);
            local.extend(path.split(SEPARATORS).map(Into::into));
        }
        // `a:` can be a directory, and `a://../x` a path.
        if !is_file && paths::climbs(path) {
            local.push(format!("{scheme}://{path}"));
        }
        rest = after;
    }
    kept.push_str(rest);
    (kept, local)
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
    !is_harmless(&step.profile) && step.profile.program.as_deref() != Some("cd")
}
