//! The paths that the words of a command refer to.

use sekisho_shell::word::{Piece, Word};

use super::execution_plan::{ExecutionPlan, Step};
use super::working_directories::{PossiblePaths, WorkingDirectories};

/// A path that a command touches, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TouchedPath {
    /// Absolute.
    Path(String),
    /// A glob below a directory: the directory, and the segments from the first wildcard on (`*` for computed
    /// text).
    Glob { base: String, rest: Vec<String> },
    /// The output of a command that is itself judged, or a variable that the text sets.
    Computed,
    /// Known text with computed pieces.
    Partly {
        /// With `COMPUTED` in place of each piece.
        text: String,
        /// The directories written before the first computed piece; `None` for an unknown one.
        within: Vec<Option<String>>,
    },
    /// An unknown path.
    Unknown,
}

/// The paths among a command's arguments. For a program that is not in the table, any operand may be one.
pub(super) fn paths_of_step(step: &Step) -> Vec<TouchedPath> {
    if step.profile.known {
        let uses = step.profile.paths.iter();
        return uses
            .flat_map(|path| match (&path.text, step.words.get(path.word)) {
                (Some(text), _) => known_paths(step.directories.paths_of_text(text)),
                (None, Some(word)) => touched_by(step, word),
                (None, None) => Vec::new(),
            })
            .collect();
    }
    let operands = step.words.iter().skip(1).filter(|word| !word.prefix().starts_with('-'));
    let options = step.words.iter().skip(1).filter(|word| word.prefix().starts_with('-'));
    let values = options.flat_map(|word| option_values(step, word));
    operands.flat_map(|word| touched_by(step, word)).chain(values).collect()
}

/// The path that an option of an unknown program may contain: `--file=.env`, `-f.env`.
fn option_values(step: &Step, word: &Word) -> Vec<TouchedPath> {
    let text = word.literal().unwrap_or_default();
    let value = match text.split_once('=') {
        Some((_, value)) => Some(value),
        None => text.get(2..).filter(|_| !text.starts_with("--")),
    };
    let value = value.map(|value| value.trim_start_matches('@')).filter(|value| !value.is_empty());
    value.map(|value| known_paths(step.directories.paths_of_text(value))).unwrap_or_default()
}

/// The paths that a word mentions, if blanks in it separate paths.
pub(super) fn mentioned(step: &Step, word: &Word) -> Vec<TouchedPath> {
    let Some(text) = word.literal() else { return touched_by(step, word) };
    text.split_whitespace().flat_map(|path| known_paths(step.directories.paths_of_text(path))).collect()
}

fn known_paths(paths: PossiblePaths) -> Vec<TouchedPath> {
    paths.into_iter().map(|path| path.map_or(TouchedPath::Unknown, TouchedPath::Path)).collect()
}

/// The paths that a word may refer to.
pub(super) fn touched_by(step: &Step, word: &Word) -> Vec<TouchedPath> {
    touched_from(&step.directories, word)
}

/// Like [`touched_by`], for given directories.
pub(super) fn touched_from(directories: &WorkingDirectories, word: &Word) -> Vec<TouchedPath> {
    let known =
        word.pieces.iter().all(|piece| matches!(piece, Piece::Literal(_) | Piece::Tilde(_) | Piece::Glob(_)));
    if !known {
        let text: String = word
            .pieces
            .iter()
            .map(|piece| match piece {
                Piece::Literal(text) => text.as_str(),
                Piece::Glob(_) | Piece::Tilde(_) => "*",
                _ => "\u{0}",
            })
            .collect();
        let wholly = word.pieces.len() == 1;
        let within = directory_of(directories, word);
        return vec![if wholly { TouchedPath::Computed } else { TouchedPath::Partly { text, within } }];
    }
    if !word.pieces.iter().any(|piece| matches!(piece, Piece::Glob(_))) {
        // The empty word names no file.
        let paths = if word.pieces.is_empty() { PossiblePaths::new() } else { directories.paths_of(word) };
        return known_paths(paths);
    }
    let (base, rest) = split_glob(word);
    directories
        .paths_of(&base)
        .into_iter()
        .map(|base| base.map_or(TouchedPath::Unknown, |base| TouchedPath::Glob { base, rest: rest.clone() }))
        .collect()
}

/// The files that a word outside any command may name, from any directory the script passes through.
pub(super) fn touched_in(plan: &ExecutionPlan, text: usize, word: &Word) -> Vec<TouchedPath> {
    let places = plan.texts.get(text).map_or(&[][..], |text| text.directory_samples.as_slice());
    let steps = places.iter().filter_map(|at| plan.steps.get(*at));
    let mut touched: Vec<TouchedPath> =
        steps.flat_map(|step| touched_from(step.redirect_directories(), word)).collect();
    touched.dedup();
    if touched.is_empty() { vec![TouchedPath::Unknown] } else { touched }
}

/// A glob word as the directory before its first wildcard and the segments after it.
fn split_glob(word: &Word) -> (Word, Vec<String>) {
    let first = word.pieces.iter().position(|piece| matches!(piece, Piece::Glob(_))).unwrap_or(0);
    let mut before: Vec<Piece> = word.pieces.iter().take(first).cloned().collect();
    let mut start = String::new();
    if let Some(Piece::Literal(text)) = before.last_mut() {
        let cut = text.rfind('/').map_or(0, |slash| slash + 1);
        start = text.split_off(cut);
    }
    before.retain(|piece| !matches!(piece, Piece::Literal(text) if text.is_empty()));
    if before.is_empty() {
        before.push(Piece::Literal(".".into()));
    }
    let tail = word.pieces.iter().skip(first).map(|piece| match piece {
        Piece::Literal(text) => escaped(text),
        Piece::Glob(text) => text.clone(),
        _ => "*".into(),
    });
    let rest = escaped(&start) + &tail.collect::<String>();
    (Word { span: word.span, pieces: before }, rest.split('/').map(Into::into).collect())
}

/// The directory written before the first computed piece of a word. A `.` is equivalent to none.
fn directory_of(directories: &WorkingDirectories, word: &Word) -> Vec<Option<String>> {
    let known = |piece: &&Piece| matches!(piece, Piece::Literal(_) | Piece::Tilde(_));
    let mut pieces: Vec<Piece> = word.pieces.iter().take_while(known).cloned().collect();
    let Some(Piece::Literal(text)) = pieces.last_mut() else { return Vec::new() };
    text.truncate(text.rfind('/').unwrap_or(0));
    // The computed part begins with its own slash, or is an absolute path itself.
    if matches!(text.as_str(), "" | "." | "/") && pieces.len() == 1 {
        return Vec::new();
    }
    pieces.retain(|piece| !matches!(piece, Piece::Literal(text) if text.is_empty()));
    directories.paths_of(&Word { span: word.span, pieces }).into_vec()
}

/// Literal text for use in a glob. Quoted wildcards must not match, or a file other than the one that is
/// opened would be checked.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '\\') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
