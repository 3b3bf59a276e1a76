//! Operands: how many, of what form, and which of them are paths.

use super::arguments::{ParsedArguments, ValuePosition, is_literal};
use super::command_profile::{CommandProfile, Obstacle, ObstacleCode, PathUseKind, UsedPath};
use super::detail_code::Detail;
use super::program_entry::ProgramEntry;
use super::script_words::may_hide_words;
use super::table_schema::{OperandKind, OperandSpec};
use crate::word::Word;

/// Checks the operands and adds their paths and names to the profile.
pub(super) fn check_operands(
    entry: &ProgramEntry,
    words: &[Word],
    scan: &ParsedArguments<'_>,
    profile: &mut CommandProfile,
) -> Option<Obstacle> {
    let spec = &entry.data.operands;
    let has_first = spec.first.is_some() || entry.operand_check.is_some();
    let own_first = has_first && !scan.has(&spec.first_unless);
    let mut obstacle = bounds(spec, words, scan);
    let last = scan.operands.len().saturating_sub(1);
    for (number, at) in scan.operands.iter().copied().enumerate() {
        let Some(word) = words.get(at) else { continue };
        let kind = match (number, spec.first, spec.last) {
            (0, Some(first), _) if own_first => first,
            (_, _, Some(kind)) if number == last && number > 0 => kind,
            _ => spec.kind,
        };
        obstacle = obstacle.or_else(|| note(kind, word, at, profile));
        // In `grep ~/.ssh/*` only the first of the names is the pattern.
        if kind == OperandKind::Text && word.may_split() {
            obstacle = obstacle.or_else(|| note(spec.kind, word, at, profile));
        }
    }
    for seen in &scan.options {
        if let ValuePosition::Next(at) = seen.value
            && let Some(word) = words.get(at).filter(|word| word.may_split())
        {
            obstacle = obstacle.or_else(|| note(spec.kind, word, at, profile));
        }
    }
    if let Some(check) = &entry.each_check {
        let is_wrong = |at: &&usize| {
            let text = words.get(**at).filter(|word| is_literal(word)).map(Word::prefix);
            // Options behind `--` have a list of their own. Their values must not be read by another shell.
            let is_option =
                scan.dashes.is_some_and(|dashes| **at > dashes) && text.is_some_and(is_plain_option);
            if is_option && !entry.data.operands.dashed.is_empty() {
                return false;
            }
            check.admits(text).is_err()
        };
        // The first operand may have a check of its own.
        let has_own = entry.operand_check.is_some() && own_first;
        let wrong = scan.operands.iter().skip(usize::from(has_own)).find(is_wrong);
        obstacle = obstacle
            .or_else(|| wrong.map(|at| Obstacle::new(*at, ObstacleCode::Operand, Detail::UnprovenValue)));
    }
    if let Some(check) = entry.operand_check.as_ref().filter(|_| own_first)
        && let Some(at) = scan.operands.first()
    {
        let word = words.get(*at);
        let text = word.filter(|word| is_literal(word)).map(Word::prefix);
        let judged = check.admits(text).err();
        obstacle =
            obstacle.or_else(|| judged.map(|detail| Obstacle::new(*at, ObstacleCode::Operand, detail)));
    }
    obstacle
}

/// An option with a value that means the same to every program, also if a runner joins the words to a text.
fn is_plain_option(word: &str) -> bool {
    word.starts_with('-')
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./+=:, ".contains(c))
        && !may_hide_words(word)
}

/// Checks number, prefix and conditions of the operands.
fn bounds(spec: &OperandSpec, words: &[Word], scan: &ParsedArguments<'_>) -> Option<Obstacle> {
    let word = |at: &usize| words.get(*at);
    if let Some(max) = spec.max {
        if let Some(at) = scan.operands.get(max) {
            return Some(Obstacle::new(*at, ObstacleCode::Operand, Detail::TooManyOperands));
        }
        if let Some(at) = scan.operands.iter().find(|at| word(at).is_some_and(Word::may_split)) {
            return Some(Obstacle::new(*at, ObstacleCode::Operand, Detail::MayBecomeTooMany));
        }
    }
    if scan.operands.len() < spec.min {
        return Some(Obstacle::new(0, ObstacleCode::Operand, Detail::TooFewOperands));
    }
    if !spec.need.is_empty()
        && let Some(at) = scan.operands.first()
        && !scan.has(&spec.need)
    {
        return Some(Obstacle::new(*at, ObstacleCode::MissingOption, Detail::OperandNeedsOption));
    }
    if spec.prefix.is_empty() {
        return None;
    }
    let fits = |word: &Word| word.prefix().starts_with(&spec.prefix) && !word.may_split();
    let at = scan.operands.iter().find(|at| !word(at).is_some_and(fits))?;
    Some(Obstacle::naming(*at, ObstacleCode::Operand, Detail::OperandPrefix, spec.prefix.clone()))
}

fn note(kind: OperandKind, word: &Word, at: usize, profile: &mut CommandProfile) -> Option<Obstacle> {
    let access = match kind {
        OperandKind::Text => return None,
        OperandKind::Name => return name(word, at, profile),
        OperandKind::InOut => {
            let sides = [("if=", PathUseKind::Read), ("of=", PathUseKind::Write)];
            let found =
                sides.iter().find_map(|(side, access)| Some((word.prefix().strip_prefix(side)?, *access)));
            let path = found.map(|(text, access)| UsedPath { word: at, text: Some(text.to_owned()), access });
            profile.paths.extend(path);
            return None;
        }
        OperandKind::Address => {
            let path = word.prefix().strip_prefix("file://").map(|text| text.trim_start_matches("localhost"));
            let path = path.map(|text| UsedPath {
                word: at,
                text: Some(text.to_owned()),
                access: PathUseKind::Read,
            });
            profile.paths.extend(path);
            return None;
        }
        OperandKind::Read => PathUseKind::Read,
        OperandKind::Write => PathUseKind::Write,
    };
    if profile.repository && word.literal().is_some_and(|text| leaves_out(&text)) {
        return None;
    }
    profile.paths.push(UsedPath { word: at, text: None, access });
    if profile.repository {
        let texts = in_repository(word.prefix()).into_iter();
        profile.paths.extend(texts.map(|text| UsedPath { word: at, text: Some(text.to_owned()), access }));
    }
    None
}

/// Whether a pathspec excludes files: `:!file`, `:(exclude)file`. If it contains a directory, it might also
/// be the name of a file that git compares.
fn leaves_out(text: &str) -> bool {
    let magic = text.strip_prefix(":(").and_then(|rest| rest.split_once(')')).map(|(magic, _)| magic);
    let long = magic.is_some_and(|magic| magic.split(',').any(|word| word == "exclude"));
    (long || text.starts_with(":!") || text.starts_with(":^")) && !text.contains('/')
}

/// `HEAD:file`, `:0:file`, `:(top)file` and `:/file` also name a file.
fn in_repository(text: &str) -> Vec<&str> {
    let Some((before, path)) = text.split_once(':') else { return Vec::new() };
    let magic = path.strip_prefix('(').and_then(|magic| magic.split_once(')')).filter(|_| before.is_empty());
    let path = match magic {
        Some((_, path)) => path,
        None if before.is_empty() => path.trim_start_matches('/'),
        None => path,
    };
    // The revision may also contain a colon.
    let last = path.rsplit_once(':').map(|(_, last)| last);
    std::iter::once(path).chain(last).filter(|path| !path.is_empty()).collect()
}

/// The files that a glob or a line range names explicitly: `**/.env`, `.env*`, `{a,b}`, `1,5:a`.
pub(super) fn named_plainly(text: &str) -> Vec<String> {
    if text.starts_with('!') {
        return Vec::new();
    }
    let text = text.rsplit_once(':').map_or(text, |(_, path)| path);
    let plain = |part: &&str| !part.is_empty() && !part.contains(['*', '?', '[']);
    let parts =
        text.split(['{', '}', ',']).map(|part| part.trim_start_matches("**/").trim_matches(['*', '/']));
    parts.filter(plain).map(str::to_owned).collect()
}

/// Whether zsh, which some agents run their text with, gives a lower-case variable a meaning: `path=./bin` changes `PATH`.
/// `status`, `prompt`, `options` and `commands` are such names too, but common ones.
pub fn is_special_in_zsh(name: &str) -> bool {
    matches!(
        name,
        "path"
            | "fpath"
            | "cdpath"
            | "manpath"
            | "mailpath"
            | "module_path"
            | "argv"
            | "psvar"
            | "pipestatus"
            | "dirstack"
            | "aliases"
            | "functions"
    )
}

/// Lower case, and not one of the few lower-case names that have a meaning for bash, zsh, curl or npm.
fn is_plain_name(name: &str) -> bool {
    let lower = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    let prompt = name.strip_prefix("ps").is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()));
    let taken = name.contains("proxy")
        || name.starts_with("npm_config_")
        || matches!(name, "histchars" | "auto_resume")
        || is_special_in_zsh(name);
    lower && !prompt && !taken
}

/// A variable that is set. Only plain lower-case names are harmless; others have a meaning for the shell or
/// programs.
fn name(word: &Word, at: usize, profile: &mut CommandProfile) -> Option<Obstacle> {
    let text = word.literal().unwrap_or_default();
    if !is_plain_name(&text) {
        return Some(Obstacle::new(at, ObstacleCode::Operand, Detail::SetsOtherVariable));
    }
    profile.assigns.push(text.into_owned());
    None
}
