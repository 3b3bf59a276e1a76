//! The files and directories that a repository's config names: where hooks are, and further config.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, open};

use crate::contained_write::absolute;

/// The largest config that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// The hooks directory (`core.hooksPath`) and the included files (`include.path`) of a git directory, absolute.
pub(super) fn named_files(git_dir: &Path, work_tree: &Path) -> Vec<PathBuf> {
    named_in(&small_file(&git_dir.join("config")), git_dir, work_tree)
}

/// The directories with the config of a repository: `.git`, or where a file `.git` leads to. None if there is no `.git`.
pub(super) fn config_dirs(dot_git: &Path) -> Vec<PathBuf> {
    if fs::symlink_metadata(dot_git).is_ok_and(|found| found.is_dir()) {
        return vec![dot_git.to_owned()];
    }
    let pointer = small_file(dot_git);
    let named = pointer.strip_prefix("gitdir:").map(str::trim).unwrap_or_default();
    let git_dir =
        absolute(dot_git.parent().unwrap_or(dot_git), Path::new(named)).filter(|_| !named.is_empty());
    let Some(git_dir) = git_dir else { return Vec::new() };
    // A linked work tree has its config in the repository that it belongs to.
    let shared = small_file(&git_dir.join("commondir"));
    let shared = absolute(&git_dir, Path::new(shared.trim()));
    std::iter::once(git_dir).chain(shared).collect()
}

/// The text of a file. Empty if there is none, or if it is too large.
fn small_file(path: &Path) -> String {
    // A program may put a FIFO in its place, which would make this wait.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = open(path, flags, Mode::empty()).map(fs::File::from);
    let is_small = |file: &fs::File| file.metadata().is_ok_and(|it| it.is_file() && it.len() <= LARGEST);
    let mut bytes = Vec::new();
    if let Some(file) = file.ok().filter(is_small) {
        // What cannot be read names nothing.
        let _ = file.take(LARGEST).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn named_in(text: &str, git_dir: &Path, work_tree: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
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
            assert_eq!(named_in(text, Path::new("/w/.git"), Path::new("/w")), expected, "{text}");
        }
    }
}
