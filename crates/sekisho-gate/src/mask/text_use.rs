//! Which texts of a command run: those that a shell or another program that runs text is given.
//!
//! Only the text handed to such a program counts: its arguments, its input, and the output of the
//! commands before it in the pipeline. Text also moves through files and variables, so text that is
//! written, or stored in a variable that runs, counts as well.

use std::ops::Range;

use super::byte_scan::{has, part};
use super::command_parts::{CommandWord, QuoteKind, QuotedText, ShellScan, WordRole};
use super::run_values::{self, RunValues};
use super::secret_name;
use super::simple_commands::{Command, Commands, Pipeline};
use super::stdin_programs::reader_of;
use super::text_runners::{self, TextUse, assigned, is_silent, sets_run_variable};

/// How the texts of a command are used.
pub(super) struct TextUses {
    /// By text.
    pub(super) texts: Vec<TextUse>,
    /// Where values are that run as a whole.
    pub(super) values: Vec<Range<usize>>,
    /// Where here-documents start whose reader takes a password.
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
        let texts = scan.texts.iter().map(|text| {
            let used = text_use(&commands, text).max(stored_use(text, &values));
            if is_any { used.max(TextUse::Possible) } else { used }
        });
        let texts = texts.collect();
        let documents = scan.texts.iter().filter(|text| text.kind == QuoteKind::Document);
        let passwords = documents.filter(|text| takes_password(&commands, text)).map(|text| text.range.start);
        TextUses { texts, passwords: passwords.collect(), values: values.ranges }
    }
}

/// How the value of a variable is used.
fn stored_use(text: &QuotedText, values: &RunValues) -> TextUse {
    let next = values.ranges.partition_point(|range| range.end <= text.range.start);
    let is_value = values.ranges.get(next).is_some_and(|range| range.start <= text.range.start);
    if is_value { TextUse::Possible } else { TextUse::Data }
}

/// How a text is used.
fn text_use(commands: &Commands<'_>, text: &QuotedText) -> TextUse {
    let Some(command) = commands.all.get(text.command) else { return TextUse::Code };
    let pipeline = commands.pipelines.get(command.pipeline).cloned().unwrap_or_default();
    let word = command.word_at(text.range.start);
    let is_input = text.kind == QuoteKind::Document || word.is_some_and(|word| word.role == WordRole::Input);
    let own = if is_input {
        command.input_use().max(command.output_use).max(document_use(commands, text, command, &pipeline))
    } else {
        let output = if is_silent(&command.program) { TextUse::Data } else { command.output_use };
        let word = word.map_or(TextUse::Data, |word| assigned_use(commands, word, command));
        command.argument_use(text.range.start).max(output).max(word)
    };
    let is_compound = commands.scan.is_compound.get(command.pipeline).copied().unwrap_or(true);
    let around = if is_compound { pipeline.used } else { TextUse::Data };
    let others = commands.running - usize::from(pipeline.runs);
    let is_stored = pipeline.writes && others > 0 && !is_silent(&command.program);
    let stored = if is_stored { TextUse::Possible } else { TextUse::Data };
    own.max(around.min(TextUse::Possible)).max(stored)
}

/// Another command may run what a here-document wrote, unless its reader takes a password.
fn document_use(
    commands: &Commands<'_>,
    text: &QuotedText,
    command: &Command<'_>,
    pipeline: &Pipeline,
) -> TextUse {
    let range = command.range();
    let takes_secret = !pipeline.writes
        && !text_runners::is_wrapper(&command.program)
        && reader_of(part(commands.bytes, range.start, range.end)).is_some();
    let is_data = text.kind != QuoteKind::Document || commands.count < 2 || takes_secret;
    if is_data { TextUse::Data } else { TextUse::Possible }
}

/// How the value of an assignment before a program is used.
fn assigned_use(commands: &Commands<'_>, word: &CommandWord, command: &Command<'_>) -> TextUse {
    let written = part(commands.bytes, word.range.start, word.range.end);
    if sets_run_variable(written) {
        return TextUse::Code;
    }
    let name = assigned(written).map(|(name, _)| name).filter(|_| word.is_first);
    let may_be_read = name.is_some_and(|name| !secret_name::secret(name));
    if may_be_read { command.input_use().min(TextUse::Possible) } else { TextUse::Data }
}

/// Whether the reader of a here-document takes a password, and runs none of the text.
fn takes_password(commands: &Commands<'_>, text: &QuotedText) -> bool {
    let range = commands.all.get(text.command).map(Command::range).unwrap_or_default();
    reader_of(part(commands.bytes, range.start, range.end)).is_some()
}
