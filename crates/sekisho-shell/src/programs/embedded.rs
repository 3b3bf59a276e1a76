//! The table's files, built into the program. Only the section of a program that is asked for is parsed: a
//! process that judges a single command should not pay for all of them.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use super::build::Programs;
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

/// A part of a file that is parsed by itself, with the file's shared option lists before it.
struct Part {
    file: &'static str,
    shared: &'static str,
    text: &'static str,
    parsed: OnceLock<Option<Table>>,
}

impl Part {
    fn table(&self) -> Option<&Table> {
        let parse = || Table::parse(&[(self.file, &[self.shared, self.text].concat())]).ok();
        self.parsed.get_or_init(parse).as_ref()
    }
}

/// Programs and subcommands that have a header of their own: `git`, `git status`.
#[derive(Default)]
struct Index {
    parts: Vec<Part>,
    programs: HashMap<&'static str, usize>,
    subcommands: HashMap<&'static str, HashMap<&'static str, usize>>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut index = Index { programs: HashMap::with_capacity(1024), ..Index::default() };
    for (file, text) in FILES {
        index.add(file, text);
    }
    index
});

impl Index {
    /// Cuts a file into parts by its lines alone: `[program.NAME]` and `[program.NAME.sub.NAME]` begin one,
    /// `also = […]` may follow right after. Shared option lists stand before the first program.
    fn add(&mut self, file: &'static str, text: &'static str) {
        let begins = text.starts_with("[program.");
        let first = if begins { 0 } else { text.find("\n[program.").map_or(0, |at| at + 1) };
        let (shared, mut rest) = text.split_at_checked(first).unwrap_or(("", text));
        let shared = if shared.contains("\n[options.") { shared } else { "" };
        while let Some(header) = Header::at(rest) {
            let mut end = 0;
            let mut also = "";
            for (number, line) in rest.split_inclusive('\n').enumerate() {
                if number > 0 && Header::at(line).is_some() {
                    break;
                }
                if number == 1 {
                    also = line.strip_prefix("also = ").unwrap_or_default();
                }
                end += line.len();
            }
            let (part, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
            let known = std::iter::once(header.last()).chain(also.split('"').skip(1).step_by(2));
            let at = self.parts.len();
            match header.sub {
                None => self.programs.extend(known.map(|name| (name, at))),
                Some(_) => {
                    let subs = self.subcommands.entry(header.program).or_default();
                    subs.extend(known.map(|name| (name, at)));
                }
            }
            self.parts.push(Part { file, shared, text: part, parsed: OnceLock::new() });
            rest = after;
        }
    }
}

/// The line that begins a part.
struct Header<'t> {
    program: &'t str,
    sub: Option<&'t str>,
}

impl<'t> Header<'t> {
    fn at(text: &'t str) -> Option<Header<'t>> {
        let (name, _) = text.strip_prefix("[program.")?.split_once("]\n")?;
        if let Some(quoted) = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            return Some(Header { program: quoted, sub: None });
        }
        let (program, sub) = match name.split_once(".sub.") {
            Some((program, sub)) => (program, Some(sub)),
            None => (name, None),
        };
        // Anything deeper belongs to the part it stands in.
        let plain = !program.contains(['.', '\n']) && !sub.is_some_and(|sub| sub.contains(['.', '\n']));
        plain.then_some(Header { program, sub })
    }

    fn last(&self) -> &'t str {
        self.sub.unwrap_or(self.program)
    }
}

/// The embedded table.
pub(super) struct Embedded;

impl Programs for Embedded {
    fn program(&self, name: &str) -> Option<&Entry> {
        let index = &*INDEX;
        index.parts.get(*index.programs.get(name)?)?.table()?.get(name)
    }

    fn subcommand<'t>(&'t self, of: &'t Entry, name: &str) -> Option<&'t Entry> {
        let index = &*INDEX;
        let apart = || {
            let at = index.subcommands.get(&*of.name)?.get(name)?;
            index.parts.get(*at)?.table()?.get(&of.name)?.sub(name)
        };
        of.sub(name).or_else(apart)
    }

    fn has_subcommands(&self, of: &Entry) -> bool {
        of.has_subs() || INDEX.subcommands.contains_key(&*of.name)
    }
}

/// All names.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    INDEX.programs.keys().copied()
}

/// All files.
pub(super) fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.iter().copied()
}
