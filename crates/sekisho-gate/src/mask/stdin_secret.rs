//! Secrets passed on standard input: `echo secret | sudo -S …`, `chpasswd <<< me:secret`.

use std::ops::Range;

use memchr::memmem;

use super::byte_scan::{at, before, has, part, run};
use super::command_word_cache::CommandWordCache;
use super::detection::Detection;
use super::echo_target;
use super::non_secret;
use super::pipe_readers;
use super::program_arguments::program_word;
use super::secret_name;
use super::shell_words::words;
use super::stdin_programs::{InputReader, StdinSecret, reader_of};
use super::value_after_blank;

/// How many lines of a here-document may be secrets.
pub(super) const DOCUMENT_LINES: usize = 3;
/// How far back from `<<<` its command may start, in bytes.
const REACH: usize = 256;

/// How many words of one command may be secrets.
const MAX_VALUES: usize = 24;

/// `echo secret | …`, `printf 'secret\n' | …`, `echo secret > password.txt`, `--password-file <(echo secret)`
pub(super) fn echoed(bytes: &[u8], hit: Range<usize>, commands: &mut CommandWordCache) -> Detection {
    let Some((program @ (b"echo" | b"printf"), end)) = program_word(bytes, &hit) else {
        return Detection::NOTHING;
    };
    let written = commands.words(bytes, end).ranges;
    let text = |word: &Range<usize>| part(bytes, word.start, word.end);
    if let [flag, variable, .., value] = written.as_slice()
        && text(flag) == b"-v"
        && secret_name::secret(text(variable))
    {
        return Detection::Secrets(secret_lines(bytes, value.clone(), InputReader::of(StdinSecret::Line)));
    }
    let Some(last) = written.last() else { return Detection::NOTHING };
    if program == b"printf"
        && let found @ [_, ..] = formatted(bytes, &written).as_slice()
    {
        return Detection::Secrets(found.to_vec());
    }
    let unusual = || InputReader::of(StdinSecret::Unusual);
    let reader = pipe_readers::after(bytes, last.end)
        .or_else(|| echo_target::expects_secret(bytes, hit.start).then(unusual))
        .or_else(|| echo_target::is_secret_file(bytes, last.end).then(unusual))
        .or_else(|| {
            echo_target::is_secret_value(bytes, hit.start).then(|| InputReader::of(StdinSecret::Line))
        })
        .or_else(|| substituted(bytes, hit.start).map(InputReader::of))
        .or_else(|| pipe_readers::around(bytes, hit.start, last.end));
    let Some(reader) = reader else { return Detection::NOTHING };
    let is_format =
        |word: &Range<usize>| text(word).starts_with(b"%") && (program == b"printf" || text(word).len() <= 8);
    let mut values = written.iter().filter(|word| !text(word).starts_with(b"-") && !is_format(word)).cloned();
    let Some(first) = values.next() else { return Detection::NOTHING };
    let mut rest: Vec<Range<usize>> = values.take(MAX_VALUES).collect();
    match reader.takes {
        // Each argument of `printf` is a line. Several words of `echo` are one.
        StdinSecret::Lines | StdinSecret::Login if program == b"printf" => rest.truncate(2),
        _ if program == b"echo" && reader.reads_only_secret() => {}
        _ => rest.clear(),
    }
    let mut found = match detection(bytes, first.clone(), reader) {
        Detection::Secrets(found) => found,
        other => return other,
    };
    // `printf '%s\n' user password | …`
    let is_login = reader.takes == StdinSecret::Login && program == b"printf";
    if is_login && found.as_slice() == [first] && !rest.is_empty() {
        found.clear();
        rest.truncate(1);
    }
    if !found.is_empty() || is_login {
        let reader = InputReader { takes: StdinSecret::Line, ..reader };
        found.extend(rest.into_iter().flat_map(|value| secret_lines(bytes, value, reader)));
    }
    Detection::Secrets(found)
}

/// `printf 'PASSWORD=%s\\n' secret`: the arguments that the format puts behind a secret's name.
fn formatted(bytes: &[u8], written: &[Range<usize>]) -> Vec<Range<usize>> {
    let Some((format, arguments)) = written.split_first() else { return Vec::new() };
    let text = part(bytes, format.start, format.end);
    let places = memmem::find_iter(text, b"%").filter(|place| at(text, place + 1) != b'%');
    let is_secret_place = |place: usize| {
        let left = part(text, 0, place);
        let left = left.strip_suffix(b"\"").or_else(|| left.strip_suffix(b"'")).unwrap_or(left);
        let name = left.strip_suffix(b"=").or_else(|| left.strip_suffix(b": ")).unwrap_or_default();
        let length =
            name.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        // The `n` of `\\n` is no part of the name.
        let start = name.len() - length;
        let start = if before(name, start) == b'\\' { (start + 1).min(name.len()) } else { start };
        secret_name::secret(part(name, start, name.len()))
    };
    let secret = places.enumerate().filter(|(_, place)| is_secret_place(*place));
    let values = secret.filter_map(|(index, _)| arguments.get(index).cloned());
    values.filter(|value| is_secret(bytes, value.start, value.end)).take(MAX_VALUES).collect()
}

/// `--data-file=<(echo`, `program < <(printf`: process substitution instead of a file.
fn substituted(bytes: &[u8], start: usize) -> Option<StdinSecret> {
    let left = part(bytes, start.saturating_sub(REACH), start);
    let command = left.strip_suffix(b"<(")?;
    let command = command.rsplit(|byte| matches!(byte, b';' | b'|' | b'&' | b'\n')).next().unwrap_or(command);
    Some(if names_secret(command) { StdinSecret::Unusual } else { StdinSecret::Strong })
}

/// Whether a word of the command says that it takes a secret.
fn names_secret(command: &[u8]) -> bool {
    let lower = command.to_ascii_lowercase();
    let words = ["pass", "secret", "keystore", "credential", "encrypt", "keyring", "login"];
    // The name of a mask says nothing about the command.
    let mut read = lower.as_slice();
    loop {
        let mask = memmem::find(read, b"[masked:");
        let text = part(read, 0, mask.unwrap_or(read.len()));
        if words.iter().any(|word| has(text, word)) {
            return true;
        }
        let Some(mask) = mask else { return false };
        read = part(read, run(read, mask, REACH, |byte| byte != b']'), read.len());
    }
}

/// `program <<END` and the lines up to the end.
pub(super) fn here_document(bytes: &[u8], hit: Range<usize>) -> Detection {
    if at(bytes, hit.end) == b'<' || before(bytes, hit.start) == b'<' {
        return Detection::NOTHING;
    }
    let left = part(bytes, hit.start.saturating_sub(REACH), hit.start);
    let command = left.rsplit(|byte| matches!(byte, b';' | b'|' | b'&' | b'\n' | b'(' | b'`')).next();
    let command = command.unwrap_or_default();
    let mut words = command.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    // A message has the name of the tool before the command.
    let program = words.find(|word| !word.ends_with(b":")).unwrap_or_default();
    let is_shell = program == b"telnet";
    // The input of `su` and `doas` is commands.
    if matches!(program, b"su" | b"doas") {
        return Detection::NOTHING;
    }
    let rest = part(bytes, hit.end, run(bytes, hit.end, REACH, |byte| byte != b'\n'));
    let is_file = echo_target::writes_secret_file(command)
        || (program == b"cat" && echo_target::writes_secret_file(&[b"cat ", rest].concat()))
        || (program == b"cat" && echo_target::is_secret_value(bytes, hit.start - command.len()));
    let reader = reader_of(command)
        .or_else(|| is_shell.then(|| InputReader::of(StdinSecret::Strong)))
        .or_else(|| is_file.then(|| InputReader::of(StdinSecret::Unusual)));
    // Another detector handles lists of users.
    let Some(reader) =
        reader.filter(|reader| !matches!(reader.takes, StdinSecret::Pair | StdinSecret::Encoded))
    else {
        return Detection::NOTHING;
    };
    let takes = reader.takes;
    let mut here = run(bytes, hit.end, REACH, |byte| byte != b'\n') + 1;
    let mut found = Vec::new();
    let lines = match takes {
        StdinSecret::Lines => DOCUMENT_LINES,
        StdinSecret::Login => 2,
        _ if is_shell => DOCUMENT_LINES,
        _ => 1,
    };
    for _ in 0..lines {
        let end = match reader.reads_only_secret() {
            true => run(bytes, here, REACH, |byte| !matches!(byte, b'\n' | b'\r')),
            false => run(bytes, here, REACH, |byte| !byte.is_ascii_whitespace()),
        };
        let is_line = matches!(at(bytes, end), b'\n' | b'\r');
        let is_heading = is_file && is_heading(part(bytes, here, end));
        if is_line && !is_heading && is_secret(bytes, here, end) && takes.accepts(part(bytes, here, end)) {
            found.push(here..end);
        }
        here = run(bytes, end, REACH, |byte| byte != b'\n') + 1;
    }
    Detection::Secrets(without_user(takes, found))
}

/// `[default]`: whether this is the heading of settings.
fn is_heading(line: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':');
    matches!(line, [b'[', name @ .., b']'] if !name.is_empty() && name.iter().all(is_name))
}

/// Of a user and a password, only the password.
fn without_user(takes: StdinSecret, mut lines: Vec<Range<usize>>) -> Vec<Range<usize>> {
    if takes == StdinSecret::Login && lines.len() > 1 {
        lines.remove(0);
    }
    lines
}

/// `… <<< secret`
pub(super) fn here_string(bytes: &[u8], hit: Range<usize>) -> Detection {
    let left = part(bytes, hit.start.saturating_sub(REACH), hit.start);
    let command = left
        .iter()
        .rev()
        .take_while(|byte| !matches!(byte, b';' | b'|' | b'&' | b'\n' | b'(' | b'`'))
        .count();
    let start = hit.start - command;
    let command = part(bytes, start, hit.start);
    let named = || read_into(command).or_else(|| asks_secret(command)).map(InputReader::of);
    let other = || names_secret(command).then(|| InputReader::of(StdinSecret::Strong));
    let Some(reader) = reader_of(command).or_else(named).or_else(other) else { return Detection::NOTHING };
    let is_apart = matches!(at(bytes, hit.end), b' ' | b'\t');
    let word = match is_apart {
        true => words(bytes, hit.end).first().cloned(),
        false if reader.reads_only_secret() => quoted_or_tight(bytes, hit.end),
        false => tight(bytes, hit.end),
    };
    word.map_or(Detection::NOTHING, |word| detection(bytes, word, reader))
}

/// `ipa user-mod joe --password <<<`: whether the last word, or a flag, names the secret that is read.
fn asks_secret(command: &[u8]) -> Option<StdinSecret> {
    let mut words = command.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let is_search = words.next().is_none_or(value_after_blank::is_search);
    let is_name = |word: &[u8]| {
        word.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
            && secret_name::secret(word)
    };
    let asks = words.clone().next_back().is_some_and(is_name)
        || words.any(|word| word.starts_with(b"-") && is_name(word));
    (asks && !is_search).then_some(StdinSecret::Unusual)
}

/// `read -r PASSWORD`
fn read_into(command: &[u8]) -> Option<StdinSecret> {
    let mut words = command.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let reads = words.next() == Some(b"read");
    (reads && words.next_back().is_some_and(secret_name::secret)).then_some(StdinSecret::Line)
}

/// A word directly after `<<<`, with the blanks in its quotes.
fn quoted_or_tight(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let mark = at(bytes, from);
    let end = run(bytes, from + 1, REACH, |byte| byte != mark && !matches!(byte, b'\n' | b'\\'));
    let is_quoted = matches!(mark, b'"' | b'\'') && at(bytes, end) == mark && end > from + 1;
    if is_quoted { Some(from + 1..end) } else { tight(bytes, from) }
}

/// A word directly after `<<<`.
pub(super) fn tight(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let open = run(bytes, from, 1, |byte| matches!(byte, b'"' | b'\''));
    let end = run(bytes, open, REACH, |byte| {
        !byte.is_ascii_whitespace()
            && !matches!(byte, b'"' | b'\'' | b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b')' | b'`')
    });
    (end > open).then_some(open..end)
}

/// The secret part of the value, by what the program takes.
fn detection(bytes: &[u8], value: Range<usize>, reader: InputReader) -> Detection {
    let mut secret_lines = secret_lines(bytes, value, reader);
    match reader.takes {
        StdinSecret::Encoded => secret_lines.pop().map_or(Detection::NOTHING, Detection::Encoded),
        _ => Detection::Secrets(secret_lines),
    }
}

/// The lines of the value, without the escapes that end them.
fn secret_lines(bytes: &[u8], value: Range<usize>, reader: InputReader) -> Vec<Range<usize>> {
    let takes = reader.takes;
    // Several words are more likely commands for a shell: `echo 'rm -rf x' | su`.
    let has_blanks = reader.reads_only_secret();
    let mut found = Vec::new();
    let mut here = value.start;
    let most = match takes {
        StdinSecret::Line
        | StdinSecret::Strong
        | StdinSecret::Unusual
        | StdinSecret::Checksums
        | StdinSecret::Encoded => 1,
        StdinSecret::Login => 2,
        StdinSecret::Lines | StdinSecret::Pair => 3,
    };
    while here < value.end && found.len() < most {
        let end = match has_blanks {
            true => phrase_end(bytes, here, value.end),
            false => line_end(bytes, here, value.end),
        };
        let start = match takes {
            StdinSecret::Pair => past_colon(bytes, here, end),
            _ => Some(here),
        };
        let is_one_word = has_blanks || end >= value.end || !matches!(at(bytes, end), b' ' | b'\t');
        if let Some(start) = start
            && is_one_word
            && is_secret(bytes, start, end)
            && takes.accepts(part(bytes, start, end))
        {
            found.push(start..end);
        }
        let escape = run(bytes, end, 4, |byte| byte == b'\\');
        if escape == end || !matches!(at(bytes, escape), b'n' | b'r') {
            break;
        }
        here = escape + 1;
    }
    without_user(takes, found)
}

/// The end of a line that may have blanks.
fn phrase_end(bytes: &[u8], from: usize, to: usize) -> usize {
    let mut here = from;
    loop {
        here = line_end(bytes, here, to);
        if here >= to || !matches!(at(bytes, here), b' ' | b'\t') {
            return here;
        }
        here += 1;
    }
}

pub(super) fn line_end(bytes: &[u8], from: usize, to: usize) -> usize {
    let mut here = from;
    while here < to {
        let byte = at(bytes, here);
        if byte.is_ascii_whitespace() || (byte == b'\\' && matches!(at(bytes, here + 1), b'n' | b'r' | b'\\'))
        {
            break;
        }
        here += 1;
    }
    here
}

pub(super) fn past_colon(bytes: &[u8], from: usize, to: usize) -> Option<usize> {
    part(bytes, from, to).iter().position(|byte| *byte == b':').map(|colon| from + colon + 1)
}

pub(super) fn is_secret(bytes: &[u8], start: usize, end: usize) -> bool {
    let text = part(bytes, start, end);
    let mark = if before(bytes, start) == b'\'' { b'\'' } else { 0 };
    let answer = ["y", "n", "yes", "no", "Y", "N"].iter().any(|answer| text == answer.as_bytes());
    !text.is_empty() && !answer && !non_secret::reference(text, mark) && !non_secret::placeholder(text)
}
