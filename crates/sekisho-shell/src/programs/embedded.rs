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
        let later = memchr::memmem::find_iter(text.as_bytes(), "\n[program.").map(|at| at + 1);
        let first = text.starts_with("[program.").then_some(0);
        let mut shared = "";
        let mut open: Option<(usize, Header<'static>)> = None;
        for at in first.into_iter().chain(later) {
            let Some(header) = text.get(at..).and_then(Header::at) else { continue };
            match open.replace((at, header)) {
                Some((from, before)) => {
                    self.push(file, shared, text.get(from..at).unwrap_or_default(), &before)
                }
                None => {
                    shared = text.get(..at).filter(|head| head.contains("\n[options.")).unwrap_or_default()
                }
            }
        }
        if let Some((from, header)) = open {
            self.push(file, shared, text.get(from..).unwrap_or_default(), &header);
        }
    }

    fn push(
        &mut self,
        file: &'static str,
        shared: &'static str,
        text: &'static str,
        header: &Header<'static>,
    ) {
        let also = text.lines().nth(1).and_then(|line| line.strip_prefix("also = ")).unwrap_or_default();
        let known = std::iter::once(header.last()).chain(also.split('"').skip(1).step_by(2));
        let at = self.parts.len();
        let names = match header.sub {
            None => &mut self.programs,
            Some(_) => self.subcommands.entry(header.program).or_default(),
        };
        names.extend(known.map(|name| (name, at)));
        self.parts.push(Part { file, shared, text, parsed: OnceLock::new() });
    }
}

/// The line that begins a part.
struct Header<'t> {
    program: &'t str,
    sub: Option<&'t str>,
}

impl<'t> Header<'t> {
    fn at(text: &'t str) -> Option<Header<'t>> {
        let name = text.lines().next()?.strip_prefix("[program.")?.strip_suffix(']')?;
        if let Some(quoted) = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            return Some(Header { program: quoted, sub: None });
        }
        let (program, sub) = match name.split_once(".sub.") {
            Some((program, sub)) => (program, Some(sub)),
            None => (name, None),
        };
        // Anything deeper belongs to the part it stands in.
        let plain = !program.contains('.') && !sub.is_some_and(|sub| sub.contains('.'));
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
