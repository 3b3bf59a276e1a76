//! Which names a `find` expression prints, and whether they may be protected.

use sekisho_shell::word::Word;

use crate::file_search_query::{LinkHandling, WalkOptions};
use crate::protected_paths::ProtectedList;

/// Tests and actions without an argument that only select or print names.
const PLAIN: &str =
    "-depth -d -mount -xdev -noleaf -daystart -empty -executable -readable -writable -true -quit -a -and -P";

/// Tests with an argument that only select names.
const VALUED: &str = "-maxdepth -mindepth -type -xtype -size -mtime -mmin -ctime -cmin -atime -amin -newer -perm -user \
                      -group -links -inum -regextype -regex -iregex -samefile -uid -gid -used -fstype";

/// One side of an `-o`.
#[derive(Clone, Copy, Default)]
struct Branch {
    /// It contains a test of names.
    tests_names: bool,
    /// It contains a test that no protected name passes.
    safe: bool,
    prints: bool,
}

/// Whether `find` with these words prints names, and no name test lets protected ones through. Without a name
/// test it also prints hidden files; the files it finds are then looked up.
pub(crate) fn names_nothing_protected(words: &[Word], protected: &ProtectedList) -> bool {
    let Some(texts) = expression(words) else { return false };
    let mut branches = vec![Branch::default()];
    let (mut negated, mut grouped) = (false, false);
    let mut texts = texts.into_iter();
    while let Some(text) = texts.next() {
        let Some(branch) = branches.last_mut() else { return false };
        let negates = std::mem::take(&mut negated);
        let listed = |list: &str| list.split_whitespace().any(|known| known == text);
        match text {
            "-o" | "-or" => branches.push(Branch::default()),
            "!" | "-not" => negated = !negates,
            // A negated group is not supported.
            "(" if negates => return false,
            "(" | ")" => grouped = true,
            "-print" | "-print0" => branch.prints = true,
            "-prune" => {}
            "-name" | "-iname" => {
                let Some(pattern) = texts.next() else { return false };
                branch.tests_names |= !negates;
                branch.safe |= !negates && protected.secret_pattern_for_name_glob(pattern).is_none();
            }
            "-path" | "-wholename" | "-ipath" => {
                let Some(pattern) = texts.next() else { return false };
                let visible = negates && pattern == "*/.*";
                branch.tests_names |= !negates;
                branch.safe |= visible
                    || (!negates && protected.secret_pattern_for_name_glob(&last_name(pattern)).is_none());
            }
            _ if listed(PLAIN) => {}
            _ if listed(VALUED) && texts.next().is_some() => {}
            _ => return false,
        }
    }
    // If one side prints explicitly, the others print nothing.
    let own = !grouped && branches.iter().any(|branch| branch.prints);
    let names_none = |branch: &Branch| branch.safe || !branch.tests_names;
    branches.iter().all(|branch| names_none(branch) || (own && !branch.prints))
}

/// Whether every name that `find` with these words prints ends with a zero, or none does. `None` if unknown.
pub(crate) fn prints_zeros(words: &[Word]) -> Option<bool> {
    let mut texts = expression(words)?.into_iter();
    let (mut lines, mut zeros) = (false, false);
    while let Some(text) = texts.next() {
        let listed = |list: &str| list.split_whitespace().any(|known| known == text);
        match text {
            "-print" => lines = true,
            "-print0" => zeros = true,
            "-name" | "-iname" | "-path" | "-wholename" | "-ipath" => {
                texts.next();
            }
            "-o" | "-or" | "!" | "-not" | "(" | ")" | "-prune" => {}
            _ if listed(PLAIN) => {}
            _ if listed(VALUED) => {
                texts.next();
            }
            _ => return None,
        }
    }
    (!(lines && zeros)).then_some(zeros)
}

/// The files that `find` with these words may reach.
pub(crate) fn find_walk_options(words: &[Word]) -> WalkOptions {
    let texts = expression(words).unwrap_or_default();
    // Only a plain list of tests, all of which must hold, is supported, and only up to the first action.
    let plain = !texts.iter().any(|text| matches!(*text, "-o" | "-or" | "!" | "-not" | "," | "(" | ")"));
    let (mut only, mut links) = (Vec::new(), LinkHandling::Open);
    let mut texts = texts.into_iter().filter(|_| plain);
    while let Some(text) = texts.next() {
        let listed = |list: &str| list.split_whitespace().any(|known| known == text);
        match text {
            "-name" | "-iname" => {
                let Some(pattern) = texts.next() else { break };
                if only.is_empty() {
                    only.push(pattern.to_owned());
                }
            }
            "-type" => {
                if texts.next() == Some("f") {
                    links = LinkHandling::Skip;
                }
            }
            _ if listed(PLAIN) => {}
            _ if listed(VALUED) && texts.next().is_some() => {}
            _ => break,
        }
    }
    WalkOptions { links, only, ..WalkOptions::everything() }
}

/// The words after the start points; `None` if one is computed.
fn expression(words: &[Word]) -> Option<Vec<&str>> {
    let begins = |word: &Word| {
        let text = word.prefix();
        matches!(text, "(" | "!") || (text.starts_with('-') && text.len() > 1)
    };
    let words = words.iter().skip(1).skip_while(|word| !begins(word));
    words.map(|word| word.literal().map(|_| word.prefix())).collect()
}

/// The pattern of the last path component. Here a star also matches slashes.
fn last_name(pattern: &str) -> String {
    let name = pattern.rsplit('/').next().unwrap_or(pattern);
    match name.rsplit_once(['*', '?', ']']) {
        Some((_, end)) => format!("*{end}"),
        None => name.to_owned(),
    }
}
