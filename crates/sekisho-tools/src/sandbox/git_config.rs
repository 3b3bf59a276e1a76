//! The files and directories that a repository's config names: where hooks are, and further config.

use std::fs;
use std::path::{Path, PathBuf};

use crate::contained_write::absolute;

/// The largest config that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// The hooks directory (`core.hooksPath`) and the included files (`include.path`) of a git directory, absolute.
pub(super) fn named_files(git_dir: &Path) -> Vec<PathBuf> {
    let config = git_dir.join("config");
    let is_small = fs::symlink_metadata(&config).is_ok_and(|found| found.is_file() && found.len() <= LARGEST);
    let text = Some(config).filter(|_| is_small).and_then(|config| fs::read(config).ok()).unwrap_or_default();
    named_in(&String::from_utf8_lossy(&text), git_dir)
}

fn named_in(text: &str, git_dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let work_tree = git_dir.parent().unwrap_or(git_dir);
    for line in text.lines() {
        // A key may follow the name of its section on the same line.
        let line = line.rsplit_once(']').map_or(line, |(_, rest)| rest);
        let Some((key, value)) = line.split_once('=') else { continue };
        let start = match key.trim().to_ascii_lowercase().as_str() {
            "hookspath" => work_tree,
            "path" => git_dir,
            _ => continue,
        };
        let value = value.split(['#', ';']).next().unwrap_or_default().trim().trim_matches('"');
        if !value.is_empty() && !value.starts_with(['~', '%']) {
            found.extend(absolute(start, Path::new(value)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_and_included_files_are_found() {
        for (text, expected) in [
            ("", &[][..]),
            ("[core]\n\thooksPath = tools/hooks\n", &["/w/tools/hooks"]),
            ("[core] HOOKSPATH=\".husky/_\" # own\n", &["/w/.husky/_"]),
            ("[include]\n\tpath = ../.gitconfig\n", &["/w/.gitconfig"]),
            ("[include]\npath = ~/x\n[core]\nhooksPath = /abs/hooks ; x\n", &["/abs/hooks"]),
            ("[core]\n\tbare = false\n\tworktree = ../x\n", &[]),
        ] {
            let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
            assert_eq!(named_in(text, Path::new("/w/.git")), expected, "{text}");
        }
    }
}
