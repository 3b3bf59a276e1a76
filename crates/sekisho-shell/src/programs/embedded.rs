//! The table's files, built into the program. Only the section of a program that is asked for is parsed: a
//! process that judges a single command should not pay for all of them.

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

/// A program's part of a file, with the file's shared option lists before it.
struct Section {
    file: &'static str,
    shared: &'static str,
    text: &'static str,
    parsed: OnceLock<Option<Table>>,
}

/// Sections, and which one a name is in.
#[derive(Default)]
struct Index {
    sections: Vec<Section>,
    names: HashMap<&'static str, usize>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut index = Index { sections: Vec::with_capacity(256), names: HashMap::with_capacity(1024) };
    for (file, text) in FILES {
        index.add(file, text);
    }
    index
});

impl Index {
    /// Cuts a file into sections by its lines alone: `[program.NAME]` begins one, `also = […]` may follow it.
    /// Shared option lists stand before the first program.
    fn add(&mut self, file: &'static str, text: &'static str) {
        let begins = text.starts_with("[program.");
        let first = if begins { 0 } else { text.find("\n[program.").map_or(0, |at| at + 1) };
        let (shared, mut rest) = text.split_at_checked(first).unwrap_or(("", text));
        let shared = if shared.contains("\n[options.") { shared } else { "" };
        while let Some(name) = header(rest) {
            let mut end = 0;
            let mut also = "";
            for (number, line) in rest.split_inclusive('\n').enumerate() {
                if number > 0 && header(line).is_some() {
                    break;
                }
                if number == 1 {
                    also = line.strip_prefix("also = ").unwrap_or_default();
                }
                end += line.len();
            }
            let (section, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
            for known in std::iter::once(name).chain(also.split('"').skip(1).step_by(2)) {
                self.names.insert(known, self.sections.len());
            }
            self.sections.push(Section { file, shared, text: section, parsed: OnceLock::new() });
            rest = after;
        }
    }
}

/// The program whose section begins here.
fn header(text: &str) -> Option<&str> {
    let (name, _) = text.strip_prefix("[program.")?.split_once("]\n")?;
    match name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(quoted) => Some(quoted),
        None => (!name.contains(['.', '\n'])).then_some(name),
    }
}

/// The entry of a program.
pub(super) fn entry(name: &str) -> Option<&'static Entry> {
    let index = &*INDEX;
    let section = index.sections.get(*index.names.get(name)?)?;
    let table = section.parsed.get_or_init(|| {
        let text = [section.shared, section.text].concat();
        Table::parse(&[(section.file, &text)]).ok()
    });
    table.as_ref()?.get(name)
}

/// All names.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    INDEX.names.keys().copied()
}

/// All files.
pub(super) fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.iter().copied()
}
