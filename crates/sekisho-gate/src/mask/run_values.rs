//! Values of variables and parameters that a command runs: `PASSWORD=shred; $PASSWORD`.

use std::collections::HashSet;
use std::ops::Range;

use super::byte_scan::{at, part, run};
use super::command_parts::{CommandWord, QuoteKind, WordRole};
use super::secret_name;
use super::simple_commands::{Command, Commands};
use super::text_runners::{
    TextUse, assigned, first_blank, is_silent, is_unknown_program, is_wrapper, program_place,
};

/// Programs that set a variable without `=`.
const SETTERS: [&[u8]; 6] = [b"read", b"mapfile", b"readarray", b"printf", b"getopts", b"set"];
/// How often values of values are followed.
const STEPS: usize = 8;
/// How much of the words of a loop is read, in bytes.
const LOOP_REACH: usize = 1024;
/// How far back the word before an expansion is read, in bytes.
const REACH: usize = 64;

/// The values that run.
#[derive(Default)]
pub(super) struct RunValues {
    /// Where they are, in order and apart from each other.
    pub(super) ranges: Vec<Range<usize>>,
    /// Where those are that a program may read and run, besides.
    pub(super) possible: Vec<Range<usize>>,
    /// Whether any value may run.
    pub(super) is_any: bool,
}

/// The names of variables that run.
#[derive(Clone, Default)]
struct RunNames<'b> {
    names: HashSet<&'b [u8]>,
    /// Whether any word may run that is not assigned to a variable: parameters, and what `read` sets.
    is_any_word: bool,
    /// Whether the value of any variable may run.
    is_any: bool,
}

impl<'b> RunNames<'b> {
    /// Adds a variable, or all words if it is a parameter.
    fn add(&mut self, name: &'b [u8]) {
        if name.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'@' | b'*' | b'!')) {
            // `$0` is the shell.
            self.is_any_word |= name != b"0" && !name.is_empty();
            self.is_any |= name == b"!";
        } else {
            self.names.insert(name);
        }
    }
}

pub(super) fn find(bytes: &[u8], commands: &Commands<'_>) -> RunValues {
    let mut run = RunNames::default();
    if !bytes.contains(&b'$') {
        return RunValues { ranges: ranges(bytes, commands, &run), ..RunValues::default() };
    }
    let mut run_outputs = HashSet::new();
    for command in &commands.all {
        if add_names(bytes, command, &mut run) && !commands.is_lookup(command) {
            run_outputs.insert(command.pipeline);
        }
    }
    let is_output = |command: &&Command<'_>| run_outputs.contains(&command.pipeline);
    for word in commands.all.iter().filter(is_output).flat_map(|command| &command.words) {
        expansions(bytes, word.range.clone()).for_each(|(_, name)| run.add(name));
    }
    for text in commands.scan.texts.iter().filter(|text| text.kind == QuoteKind::Document) {
        let runs = commands.all.get(text.command).is_none_or(|command| command.code_from.is_some());
        if runs {
            names_of_programs(bytes, text.range.start, text.range.clone()).for_each(|name| run.add(name));
        }
    }
    let mut possible = run.clone();
    for command in commands.all.iter().filter(|command| commands.is_passed_on(command)) {
        add_operands(bytes, command, &mut possible);
    }
    let assignments = assignments(bytes, commands);
    for names in [&mut run, &mut possible] {
        follow(&assignments, commands, names);
    }
    let ranges_of_run = match run {
        RunNames { is_any: true, .. } => std::iter::once(0..bytes.len()).collect(),
        RunNames { is_any_word: true, .. } => merged(
            ranges(bytes, commands, &run).into_iter().chain(all_but_assignments(bytes, commands)).collect(),
        ),
        _ => ranges(bytes, commands, &run),
    };
    RunValues {
        ranges: ranges_of_run,
        possible: ranges(bytes, commands, &possible),
        is_any: run.is_any || run.is_any_word || possible.is_any || possible.is_any_word,
    }
}

/// Everything but the values that variables get.
fn all_but_assignments(bytes: &[u8], commands: &Commands<'_>) -> Vec<Range<usize>> {
    let words = commands.scan.words.iter().map(|word| word.range.clone());
    let mut assigned: Vec<Range<usize>> =
        words.filter(|word| assigned(part(bytes, word.start, word.end)).is_some()).collect();
    assigned.sort_unstable_by_key(|word| word.start);
    let (mut found, mut done) = (Vec::new(), 0);
    for word in assigned {
        if word.start > done {
            found.push(done..word.start);
        }
        done = word.end.max(done);
    }
    found.push(done..bytes.len());
    found
}

/// Adds the names that a command runs. Returns whether it runs the output of another: `$(…)`.
fn add_names<'b>(bytes: &'b [u8], command: &Command<'_>, run: &mut RunNames<'b>) -> bool {
    let mut runs_output = false;
    let words = || command.words.iter().filter(|word| word.role == WordRole::Argument);
    let written: Vec<&[u8]> = words().map(|word| part(bytes, word.range.start, word.range.end)).collect();
    if is_unknown_program(&written)
        && let Some(word) = program_place(&written)
    {
        let blank = first_blank(word).unwrap_or(word.len());
        let is_name = |sign: usize| sign < blank || is_program_place(word, 0, sign);
        let names = expansions(word, 0..word.len()).filter(|(sign, _)| is_name(*sign));
        names.for_each(|(_, name)| run.add(name));
        runs_output = word.ends_with(b"$(");
    }
    let unknown_from = command.possible_from.filter(|_| is_unknown_program(&written));
    if let Some(from) = command.code_from.or(unknown_from) {
        let is_shell =
            |name: &[u8]| name.ends_with(b"sh") || matches!(name, b"eval" | b"su" | b"source" | b".");
        let has_parameters =
            unknown_from.is_some() || is_shell(&command.program) || written.iter().any(|word| is_shell(word));
        let is_password =
            |word: &CommandWord| word.role == WordRole::Input && command.reads_only_secret(bytes);
        let words = command.words.iter().filter(|word| word.range.start >= from && !is_password(word));
        for word in words {
            for name in names_of_programs(bytes, from, word.range.clone()) {
                if has_parameters || name.iter().any(u8::is_ascii_alphabetic) {
                    run.add(name);
                }
            }
        }
    }
    if command.output_use == TextUse::Code {
        add_operands(bytes, command, run);
    }
    runs_output
}

/// Adds the names whose values a command passes on.
fn add_operands<'b>(bytes: &'b [u8], command: &Command<'_>, run: &mut RunNames<'b>) {
    let mut before: &[u8] = b"";
    for word in command.words.iter().filter(|word| word.role == WordRole::Argument) {
        let word = part(bytes, word.range.start, word.range.end);
        let is_value = before.starts_with(b"-") && is_silent(&command.program);
        if !is_value && matches!(word, [b'$', ..] | [b'"', b'$', ..]) {
            expansions(word, 0..word.len()).for_each(|(_, name)| run.add(name));
        }
        before = word;
    }
}

/// The names and values of all assignments, and of loops.
fn assignments<'b>(bytes: &'b [u8], commands: &Commands<'_>) -> Vec<(&'b [u8], &'b [u8])> {
    let words = commands.scan.words.iter().map(|word| part(bytes, word.range.start, word.range.end));
    let loops = commands.all.iter().filter_map(|command| {
        let name = loop_name(command)?;
        let end = command.range().end.min(name.end + LOOP_REACH);
        Some((part(bytes, name.start, name.end), part(bytes, name.end, end)))
    });
    words.filter_map(assigned).chain(loops).collect()
}

/// The variable of `for x in …`.
fn loop_name(command: &Command<'_>) -> Option<Range<usize>> {
    let is_loop = matches!(command.program.as_slice(), b"for" | b"select");
    command.words.get(1).filter(|_| is_loop).map(|word| word.range.clone())
}

/// Adds the variables whose values make up those that run.
fn follow<'b>(all: &[(&'b [u8], &'b [u8])], commands: &Commands<'_>, run: &mut RunNames<'b>) {
    for step in 0..=STEPS {
        let known = run.names.len();
        for (name, value) in all {
            if run.names.contains(name) {
                expansions(value, 0..value.len()).for_each(|(_, name)| run.add(name));
            }
        }
        if run.names.len() == known {
            break;
        }
        run.is_any |= step == STEPS;
    }
    let set: HashSet<&[u8]> = all.iter().map(|(name, _)| *name).collect();
    let has_setter = || commands.all.iter().any(|command| SETTERS.contains(&command.program.as_slice()));
    run.is_any_word |= has_setter() && run.names.iter().any(|name| !set.contains(name));
}

/// Where the values of these names are.
fn ranges(bytes: &[u8], commands: &Commands<'_>, run: &RunNames<'_>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let compound = |pipeline: usize| commands.scan.is_compound.get(pipeline).copied().unwrap_or(true);
    let mut ends = vec![0; commands.scan.is_compound.len()];
    for command in &commands.all {
        if let Some(end) = ends.get_mut(command.pipeline) {
            *end = command.range().end.max(*end);
        }
    }
    for command in &commands.all {
        let is_run_loop =
            loop_name(command).is_some_and(|name| run.names.contains(part(bytes, name.start, name.end)));
        if command.program == b"alias" || is_run_loop {
            found.push(command.range());
        }
        for word in &command.words {
            let written = part(bytes, word.range.start, word.range.end);
            let is_run = assigned(written).is_some_and(|(name, _)| run.names.contains(name));
            let is_alias = written.windows(2).any(|pair| pair == b"=!");
            if is_run && compound(command.pipeline) {
                found.push(word.range.start..ends.get(command.pipeline).copied().unwrap_or(bytes.len()));
            } else if is_run || is_alias {
                found.push(word.range.clone());
            }
        }
    }
    if !run.names.is_empty() {
        let named = expansions(bytes, 0..bytes.len()).filter(|(_, name)| run.names.contains(name));
        found.extend(named.map(|(start, _)| start..run_end(bytes, start)));
    }
    merged(found)
}

/// The end of `${…}`.
fn run_end(bytes: &[u8], start: usize) -> usize {
    match at(bytes, start + 1) {
        b'{' => run(bytes, start, REACH * 4, |byte| byte != b'}'),
        _ => start + 1,
    }
}

fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// The variables that a text expands, and where.
fn expansions(bytes: &[u8], range: Range<usize>) -> impl Iterator<Item = (usize, &[u8])> {
    let signs = range.filter(|here| at(bytes, *here) == b'$');
    signs.filter_map(|sign| {
        let start = run(bytes, sign + 1, 2, |byte| matches!(byte, b'{' | b'!'));
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let end = match at(bytes, start) {
            b'@' | b'*' => start + 1,
            _ => run(bytes, start, REACH, is_name),
        };
        // `${!x}` is a variable of any name.
        let start = if at(bytes, start.saturating_sub(1)) == b'!' { start - 1 } else { start };
        let name = part(bytes, start, end);
        let name = if name.starts_with(b"!") { part(name, 0, 1) } else { name };
        (!name.is_empty()).then_some((sign, name))
    })
}

/// The variables in a part of a text where they name a program. The text begins at `from` and is code.
fn names_of_programs(bytes: &[u8], from: usize, range: Range<usize>) -> impl Iterator<Item = &[u8]> {
    expansions(bytes, range)
        .filter(move |(sign, _)| is_program_place(bytes, from, *sign))
        .map(|(_, name)| name)
}

/// Whether a program's name may stand at this position of code that begins at `from`.
fn is_program_place(bytes: &[u8], from: usize, sign: usize) -> bool {
    let left = part(bytes, from.max(sign.saturating_sub(REACH)), sign);
    let quotes = left.iter().rev().take_while(|byte| matches!(byte, b'"' | b'\'')).count();
    let left = part(left, 0, left.len() - quotes);
    let blanks = left.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let left = part(left, 0, left.len() - blanks);
    let Some(last) = left.last() else { return true };
    let is_end = |byte: &u8| {
        matches!(byte, b';' | b'|' | b'&' | b'<' | b'(' | b'{' | b'`' | b'\n' | b'"' | b'\'')
            || byte.is_ascii_whitespace()
    };
    if blanks == 0 {
        return is_end(last);
    }
    let length = left.iter().rev().take_while(|byte| !is_end(byte)).count();
    let word = part(left, left.len() - length, left.len());
    let is_number = word.iter().all(u8::is_ascii_digit);
    match word.strip_prefix(b"-") {
        // `bash -s -- x`: an argument of the script.
        Some(b"-") if left.ends_with(b" -s --") => false,
        Some(option) => !secret_name::secret(option.strip_prefix(b"-").unwrap_or(option)),
        None => {
            // `deploy.sh` is a script, and what follows it are its arguments.
            let is_shell = word.ends_with(b"sh")
                && !word.contains(&b'.')
                && !matches!(word, b"ssh" | b"autossh" | b"mosh");
            is_number || is_wrapper(word) || is_shell || assigned(word).is_some()
        }
    }
}
