//! Which texts of a command run: those that a shell or another program that runs text is given.
//!
//! Only the text handed to such a program counts: its arguments, its input, and the output of the
//! commands before it in the pipeline. Text also moves through files and variables, so text that is
//! written, or stored in a variable that runs, counts as well.

use std::cell::Cell;
use std::ops::Range;

use super::byte_scan::{has, part};
use super::command_parts::{CommandWord, QuoteKind, QuotedText, ShellScan, WordRole};
use super::run_values::{self, RunValues};
use super::secret_name;
use super::simple_commands::{Command, Commands, Pipeline};
use super::stdin_secret::DOCUMENT_LINES;
use super::text_runners::{self, TextUse, assigned, is_silent, sets_run_variable};

/// Parts of the names of options that take a command.
const COMMAND_OPTIONS: [&str; 11] =
    ["cmd", "command", "eval", "exec", "filter", "hook", "invoke", "preview", "rsh", "script", "wrapper"];

/// How the texts of a command are used.
pub(super) struct TextUses {
    /// By text.
    pub(super) texts: Vec<TextUse>,
    /// Where values are that run as a whole.
    pub(super) values: Vec<Range<usize>>,
    /// Where the first lines of here-documents start whose reader takes a password.
    pub(super) passwords: Vec<usize>,
}

impl TextUses {
    /// All texts are code.
    pub(super) fn all_code(scan: &ShellScan) -> TextUses {
        TextUses { texts: vec![TextUse::Code; scan.texts.len()], values: Vec::new(), passwords: Vec::new() }
    }

    pub(super) fn of(bytes: &[u8], scan: &ShellScan) -> TextUses {
        let commands = Commands::of(bytes, scan);
        let values = run_values::find(bytes, &commands);
        // `${x@P}` and exported functions run a value without its name.
        let is_any = values.is_any || commands.renames || has(bytes, "@P}") || has(bytes, "BASH_FUNC");
        let last_word = LastWord::default();
        let texts = scan.texts.iter().map(|text| {
            let used = text_use(&commands, text, &last_word).max(stored_use(text, &values));
            if is_any { used.max(TextUse::Possible) } else { used }
        });
        let texts = texts.collect();
        let documents = scan.texts.iter().filter(|text| text.kind == QuoteKind::Document);
        let takes_password = |text: &&QuotedText| {
            commands.all.get(text.command).is_some_and(|command| command.takes_secret(bytes))
        };
        let passwords = documents.filter(takes_password).flat_map(|text| {
            let body = part(bytes, text.range.start, text.range.end);
            let lines = body.split_inclusive(|byte| *byte == b'\n').take(DOCUMENT_LINES);
            lines.scan(text.range.start, |next, line| {
                let start = *next;
                *next += line.len();
                Some(start)
            })
        });
        TextUses { texts, passwords: passwords.collect(), values: values.ranges }
    }
}

/// How the value of a variable is used.
fn stored_use(text: &QuotedText, values: &RunValues) -> TextUse {
    let is_in = |ranges: &[Range<usize>]| {
        let next = ranges.partition_point(|range| range.end <= text.range.start);
        ranges.get(next).is_some_and(|range| range.start <= text.range.start)
    };
    if is_in(&values.ranges) || is_in(&values.possible) { TextUse::Possible } else { TextUse::Data }
}

/// Where the last word starts, and how its texts are used.
type LastWord = Cell<(Option<usize>, TextUse)>;

/// How a text is used.
fn text_use(commands: &Commands<'_>, text: &QuotedText, last_word: &LastWord) -> TextUse {
    let Some(command) = commands.all.get(text.command) else { return TextUse::Code };
    let pipeline = commands.pipeline(command);
    let word = command.word_at(text.range.start);
    let is_input = text.kind == QuoteKind::Document || word.is_some_and(|word| word.role == WordRole::Input);
    let own = if is_input {
        command.piped_use(commands.bytes).max(document_use(commands, text, command, &pipeline))
    } else {
        let output = if is_silent(&command.program) { TextUse::Data } else { command.output_use };
        let word = word.map_or(TextUse::Data, |word| word_use(commands, word, command, last_word));
        let own = if is_git_address(commands, text, command) {
            TextUse::Data
        } else {
            command.argument_use(text.range.start)
        };
        own.max(output).max(word)
    };
    let is_compound = commands.scan.is_compound.get(command.pipeline).copied().unwrap_or(true);
    let around = if is_compound { pipeline.used } else { TextUse::Data };
    let stored = if commands.is_stored(command) { TextUse::Possible } else { TextUse::Data };
    own.max(around.min(TextUse::Possible)).max(stored)
}

/// `git clone 'https://…'`: git runs the values of some settings, but no address of this kind.
fn is_git_address(commands: &Commands<'_>, text: &QuotedText, command: &Command<'_>) -> bool {
    let word = command.word_at(text.range.start).map(|word| word.range.clone()).unwrap_or_default();
    let word = part(commands.bytes, word.start, word.end);
    let address = word.strip_prefix(b"'").or_else(|| word.strip_prefix(b"\"")).unwrap_or(word);
    command.program == b"git" && (address.starts_with(b"https://") || address.starts_with(b"http://"))
}

/// Another command may run what a here-document wrote, unless its reader takes a password.
fn document_use(
    commands: &Commands<'_>,
    text: &QuotedText,
    command: &Command<'_>,
    pipeline: &Pipeline,
) -> TextUse {
    let takes_secret = !pipeline.writes
        && !text_runners::is_wrapper(&command.program)
        && command.takes_secret(commands.bytes);
    let is_alone = commands.count < 2 && !pipeline.writes_script && !command.is_build(commands.bytes);
    let is_data = text.kind != QuoteKind::Document || is_alone || takes_secret;
    if is_data { TextUse::Data } else { TextUse::Possible }
}

/// How the texts of a word are used, as far as the word says. A word may have many texts.
fn word_use(commands: &Commands<'_>, word: &CommandWord, command: &Command<'_>, last: &LastWord) -> TextUse {
    let (start, used) = last.get();
    if start == Some(word.range.start) {
        return used;
    }
    let used = assigned_use(commands, word, command).max(option_use(commands, word, command));
    last.set((Some(word.range.start), used));
    used
}

/// How the value of an option is used: `--filter='…'`, `--health-cmd '…'`.
fn option_use(commands: &Commands<'_>, word: &CommandWord, command: &Command<'_>) -> TextUse {
    let written = |word: &CommandWord| part(commands.bytes, word.range.start, word.range.end);
    let index = command.words.partition_point(|other| other.range.start < word.range.start);
    let before = index.checked_sub(1).and_then(|before| command.words.get(before));
    let takes_command = |word: &[u8]| {
        let name = word.split(|byte| *byte == b'=').next().unwrap_or(word);
        word.starts_with(b"-") && COMMAND_OPTIONS.iter().any(|part| has(name, part))
    };
    let is_command =
        takes_command(written(word)) || before.is_some_and(|before| takes_command(written(before)));
    if is_command { TextUse::Possible } else { TextUse::Data }
}

/// How the value of an assignment before a program is used.
fn assigned_use(commands: &Commands<'_>, word: &CommandWord, command: &Command<'_>) -> TextUse {
    let written = part(commands.bytes, word.range.start, word.range.end);
    if sets_run_variable(written) {
        return TextUse::Code;
    }
    let name = assigned(written).map(|(name, _)| name).filter(|_| word.is_first);
    let may_be_read = name.is_some_and(|name| !secret_name::secret(name));
    if may_be_read { command.input_use(commands.bytes).min(TextUse::Possible) } else { TextUse::Data }
}
