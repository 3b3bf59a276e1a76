//! The simple commands of a text, and which of them run text that they are given.

use std::cell::{Cell, OnceCell};
use std::ops::Range;

use super::byte_scan::part;
use super::command_parts::{CommandWord, ShellScan, WordRole};
use super::runner_names::WITH_OPTIONS;
use super::stdin_programs::{InputReader, reader_of};
use super::text_runners::{self, CommandText, TextUse, may_name_runner, program_name, renames, word_use};

/// Programs that write their arguments or their input to a file.
const WRITERS: [&[u8]; 8] = [b"tee", b"dd", b"install", b"cp", b"sed", b"ed", b"patch", b"sponge"];

/// A text with more commands is not searched for the names of looked-up programs.
const MAX_LOOKUPS: usize = 64;

/// Ends of the names of files that are not run.
const DATA_FILES: &[&str] = &[
    ".cfg",
    ".cnf",
    ".conf",
    ".config",
    ".crt",
    ".csv",
    ".env",
    ".ini",
    ".json",
    ".key",
    ".local",
    ".md",
    ".netrc",
    ".npmrc",
    ".pem",
    ".pgpass",
    ".properties",
    ".pypirc",
    ".sql",
    ".tf",
    ".tfvars",
    ".toml",
    ".txt",
    ".xml",
    ".yaml",
    ".yml",
    "config",
    "credentials",
    "id_ecdsa",
    "id_ed25519",
    "id_rsa",
];

/// A simple command.
#[derive(Default)]
pub(super) struct Command<'s> {
    pub(super) words: Vec<&'s CommandWord>,
    pub(super) program: Vec<u8>,
    pub(super) pipeline: usize,
    /// Where the first word is that runs, or may run, the texts after it.
    pub(super) code_from: Option<usize>,
    pub(super) possible_from: Option<usize>,
    /// What the later commands of the pipeline make of the output.
    pub(super) output_use: TextUse,
    writes: bool,
    writes_script: bool,
    reader: OnceCell<Option<InputReader>>,
    is_build: OnceCell<bool>,
}

impl Command<'_> {
    /// Whether it reads a secret from its input, and runs none of it.
    pub(super) fn takes_secret(&self, bytes: &[u8]) -> bool {
        self.reader(bytes).is_some()
    }

    /// Whether it reads a password and runs none of its input.
    pub(super) fn reads_only_secret(&self, bytes: &[u8]) -> bool {
        self.reader(bytes).is_some_and(InputReader::reads_only_secret)
    }

    fn reader(&self, bytes: &[u8]) -> Option<InputReader> {
        let range = self.range();
        *self.reader.get_or_init(|| reader_of(part(bytes, range.start, range.end)))
    }

    /// What becomes of text that is piped to it: by itself, and by what follows it.
    pub(super) fn piped_use(&self, bytes: &[u8]) -> TextUse {
        match self.reader(bytes).filter(|reader| reader.reads_only_secret()) {
            Some(reader) if reader.is_wrapper => self.output_use,
            Some(_) => TextUse::Data,
            None => self.output_use.max(self.own_use()),
        }
    }

    /// Whether it runs the steps of an image that it reads: `docker build -`.
    pub(super) fn is_build(&self, bytes: &[u8]) -> bool {
        let is_builder = matches!(self.program.as_slice(), b"docker" | b"podman" | b"buildah");
        *self.is_build.get_or_init(|| {
            let mut words = self.words.iter().map(|word| part(bytes, word.range.start, word.range.end));
            is_builder && words.any(|word| matches!(word, b"build" | b"bud" | b"buildx"))
        })
    }

    pub(super) fn range(&self) -> Range<usize> {
        let start = self.words.first().map_or(0, |word| word.range.start);
        start..self.words.last().map_or(start, |word| word.range.end)
    }

    /// What it makes of its input.
    pub(super) fn input_use(&self, bytes: &[u8]) -> TextUse {
        if self.reads_only_secret(bytes) { TextUse::Data } else { self.own_use() }
    }

    /// What it makes of the texts that it is given.
    fn own_use(&self) -> TextUse {
        match (self.code_from, self.possible_from) {
            (Some(_), _) => TextUse::Code,
            (None, Some(_)) => TextUse::Possible,
            (None, None) => TextUse::Data,
        }
    }

    /// What it makes of an argument at this position.
    pub(super) fn argument_use(&self, start: usize) -> TextUse {
        let is_after = |from: Option<usize>| from.is_some_and(|from| from <= start);
        match (is_after(self.code_from), is_after(self.possible_from)) {
            (true, _) => TextUse::Code,
            (false, true) => TextUse::Possible,
            (false, false) => TextUse::Data,
        }
    }

    pub(super) fn word_at(&self, start: usize) -> Option<&CommandWord> {
        let next = self.words.partition_point(|word| word.range.start <= start);
        next.checked_sub(1).and_then(|last| self.words.get(last)).copied()
    }
}

/// The commands of a text.
pub(super) struct Commands<'s> {
    pub(super) bytes: &'s [u8],
    pub(super) scan: &'s ShellScan,
    pub(super) all: Vec<Command<'s>>,
    pipelines: Vec<Pipeline>,
    /// How many commands there are, and how many pipelines may run what others wrote.
    pub(super) count: usize,
    running: usize,
    /// Whether a program that runs text may have another name.
    pub(super) renames: bool,
}

/// Commands whose output the next one reads.
#[derive(Clone, Copy, Default)]
pub(super) struct Pipeline {
    /// The most likely use by one of its commands.
    pub(super) used: TextUse,
    pub(super) writes: bool,
    /// Whether it writes a file that may be run.
    pub(super) writes_script: bool,
    /// Whether it may run what another one wrote.
    pub(super) runs: bool,
}

impl<'s> Commands<'s> {
    pub(super) fn of(bytes: &'s [u8], scan: &'s ShellScan) -> Commands<'s> {
        let mut all: Vec<Command<'s>> = Vec::new();
        all.resize_with(scan.pipelines.len(), Command::default);
        for word in &scan.words {
            if let Some(command) = all.get_mut(word.command) {
                command.words.push(word);
            }
        }
        let count = all.iter().filter(|command| !command.words.is_empty()).count();
        let mut pipelines = vec![Pipeline::default(); scan.is_compound.len()];
        let mut has_new_names = false;
        for (command, pipeline) in all.iter_mut().zip(&scan.pipelines) {
            command.pipeline = *pipeline;
            read(bytes, command, count > 1);
            let words = || command.words.iter().map(|word| part(bytes, word.range.start, word.range.end));
            has_new_names |= renames(&command.program) && words().any(may_name_runner);
            if let Some(pipeline) = pipelines.get_mut(*pipeline) {
                pipeline.used = pipeline.used.max(command.input_use(bytes));
                pipeline.writes |= command.writes;
                pipeline.writes_script |= command.writes_script;
                let is_plain = command.program.is_empty() || text_runners::is_plain(&command.program);
                pipeline.runs |= !is_plain || command.own_use() > TextUse::Data;
            }
        }
        let mut later: Option<(usize, TextUse)> = None;
        for command in all.iter_mut().rev() {
            let same = later.filter(|(pipeline, _)| *pipeline == command.pipeline);
            command.output_use = same.map_or(TextUse::Data, |(_, used)| used);
            later = Some((command.pipeline, command.piped_use(bytes)));
        }
        let running = pipelines.iter().filter(|pipeline| pipeline.runs).count();
        Commands { bytes, scan, all, pipelines, count, running, renames: has_new_names }
    }
    pub(super) fn pipeline(&self, command: &Command<'_>) -> Pipeline {
        self.pipelines.get(command.pipeline).copied().unwrap_or_default()
    }

    /// Whether the program of a command is looked up by name: `$(which curl) -v h`.
    pub(super) fn is_lookup(&self, command: &Command<'_>) -> bool {
        if self.count > MAX_LOOKUPS {
            return false;
        }
        let same = self.all.iter().filter(|other| {
            other.pipeline == command.pipeline && !std::ptr::eq(*other, command) && !other.words.is_empty()
        });
        let mut count = 0;
        let is_plain = same.into_iter().all(|other| {
            count += 1;
            let mut words = other.words.iter().map(|word| part(self.bytes, word.range.start, word.range.end));
            let finder = words.next();
            let name = words.next_back().unwrap_or_default();
            let is_name = !name.is_empty()
                && name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
            let is_harmless = !may_name_runner(name) && !text_runners::is_wrapper(name);
            matches!(finder, Some(b"which" | b"command" | b"type")) && is_name && is_harmless
        });
        count > 0 && is_plain
    }

    /// Whether a command may run what this one stores.
    pub(super) fn is_stored(&self, command: &Command<'_>) -> bool {
        let pipeline = self.pipeline(command);
        let others = self.running - usize::from(pipeline.runs);
        let is_run = (pipeline.writes && others > 0) || pipeline.writes_script;
        is_run && !text_runners::is_silent(&command.program)
    }

    /// Whether a command may run what this one stores or prints.
    pub(super) fn is_passed_on(&self, command: &Command<'_>) -> bool {
        command.output_use > TextUse::Data || self.is_stored(command)
    }
}

/// Finds the program of a command, and the words that run text.
fn read(bytes: &[u8], command: &mut Command<'_>, is_one_of_several: bool) {
    command.words.sort_unstable_by_key(|word| word.range.start);
    let written = |word: &CommandWord| part(bytes, word.range.start, word.range.end);
    let mut programs = command.words.iter().filter(|word| word.is_first && !written(word).starts_with(b"-"));
    command.program = programs.next_back().map(|word| program_name(written(word))).unwrap_or_default();
    let range = command.range();
    let mut around = CommandText {
        text: part(bytes, range.start, range.end),
        program: &command.program,
        is_one_of_several,
        is_after_option: false,
        has_option: [const { Cell::new(None) }; WITH_OPTIONS],
    };
    for word in &command.words {
        let text = written(word);
        if word.role == WordRole::Target {
            let is_written = !matches!(text, b"1" | b"2" | b"/dev/null");
            command.writes |= is_written;
            command.writes_script |= is_written && !is_data_file(text);
        }
        if word.role != WordRole::Argument {
            continue;
        }
        match word_use(word, text, &around) {
            TextUse::Code => {
                command.code_from.get_or_insert(word.range.start);
            }
            TextUse::Possible => {
                command.possible_from.get_or_insert(word.range.start);
            }
            TextUse::Data => {}
        }
        around.is_after_option = text.starts_with(b"-") && !text.contains(&b'=');
    }
    if WRITERS.contains(&command.program.as_slice()) {
        command.writes = true;
        command.writes_script |= !command.words.iter().any(|word| is_data_file(written(word)));
    }
}

/// Whether a file of this name is not run.
fn is_data_file(name: &[u8]) -> bool {
    let name = name.strip_suffix(b"\"").or_else(|| name.strip_suffix(b"'")).unwrap_or(name);
    DATA_FILES.iter().any(|end| name.ends_with(end.as_bytes()))
}
