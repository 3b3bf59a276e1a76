//! The table's files, built into the program. A file is parsed when one of its programs is first asked for:
//! a process that judges a single command should not pay for all of them.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use super::table::{Entry, Table};

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        const FILES: &[(&str, &str)] = &[$(($name, include_str!(concat!("../../programs/", $name)))),*];
    };
}

files![
    "coreutils-read.toml",
    "coreutils-write.toml",
    "text.toml",
    "find.toml",
    "rg.toml",
    "sed.toml",
    "git.toml",
    "shell-builtins.toml",
    "shells.toml",
    "wrappers.toml",
    "remote.toml",
    "containers.toml",
    "interpreters.toml",
    "javascript.toml",
    "python-tools.toml",
    "build.toml",
    "archives.toml",
    "network.toml",
    "system.toml",
    "databases.toml",
    "editors.toml",
];

static TABLES: LazyLock<Vec<OnceLock<Option<Table>>>> =
    LazyLock::new(|| FILES.iter().map(|_| OnceLock::new()).collect());

/// Which file a name is in.
static INDEX: LazyLock<HashMap<&'static str, usize>> = LazyLock::new(|| {
    let mut index = HashMap::with_capacity(512);
    for (at, (_, text)) in FILES.iter().enumerate() {
        index_file(text, |name| {
            index.insert(name, at);
        });
    }
    index
});

/// Finds the names in a file by its lines alone: `[program.NAME]`, and `also = […]` right after it.
fn index_file(text: &'static str, mut add: impl FnMut(&'static str)) {
    let mut after_header = false;
    for line in text.lines() {
        if let Some(header) = line.strip_prefix("[program.").and_then(|rest| rest.strip_suffix(']')) {
            let name = header.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            after_header = name.is_some() || !header.contains('.');
            if after_header {
                add(name.unwrap_or(header));
            }
            continue;
        }
        if after_header && let Some(list) = line.strip_prefix("also = ") {
            list.split('"').skip(1).step_by(2).for_each(&mut add);
        }
        after_header = false;
    }
}

/// The entry of a program.
pub(super) fn entry(name: &str) -> Option<&'static Entry> {
    let at = *INDEX.get(name)?;
    let (file, text) = FILES.get(at)?;
    let table = TABLES.get(at)?.get_or_init(|| Table::parse(&[(file, text)]).ok());
    table.as_ref()?.get(name)
}

/// All names.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    INDEX.keys().copied()
}

/// All files.
pub(super) fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.iter().copied()
}
