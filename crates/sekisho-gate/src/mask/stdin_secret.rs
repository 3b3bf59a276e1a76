//! Secrets passed on standard input: `echo secret | sudo -S …`, `chpasswd <<< me:secret`.

use std::ops::Range;

use memchr::memmem;

use super::byte_scan::{at, before, blanks, has, part, run};
use super::command_word_cache::CommandWordCache;
use super::detection::Detection;
use super::echo_target;
use super::non_secret;
use super::program_arguments::program_word;
use super::secret_name;
use super::shell_words::words;
use super::stdin_programs::{StdinSecret, reader_of};
use super::value_after_blank;

/// How many lines of a here-document may be secrets.
pub(super) const DOCUMENT_LINES: usize = 3;
/// How far back from `<<<` its command may start, in bytes.
const REACH: usize = 256;
/// How many programs may be between the writer and the reader of a pipe.
const STEPS: usize = 3;

/// `echo secret | …`, `printf 'secret\n' | …`, `echo secret > password.txt`, `--password-file <(echo secret)`
pub(super) fn echoed(bytes: &[u8], hit: Range<usize>, commands: &mut CommandWordCache) -> Detection {
    let Some((b"echo" | b"printf", end)) = program_word(bytes, &hit) else { return Detection::NOTHING };
    let written = commands.words(bytes, end).ranges;
    if let [flag, variable, .., value] = written.as_slice()
        && part(bytes, flag.start, flag.end) == b"-v"
        && secret_name::secret(part(bytes, variable.start, variable.end))
    {
        return Detection::Secrets(secret_lines(bytes, value.clone(), StdinSecret::Line));
    }
    let Some(last) = written.last() else { return Detection::NOTHING };
    let takes = reader(bytes, last.end)
        .or_else(|| echo_target::expects_secret(bytes, hit.start).then_some(StdinSecret::Unusual))
        .or_else(|| echo_target::is_secret_file(bytes, last.end).then_some(StdinSecret::Unusual))
        .or_else(|| substituted(bytes, hit.start));
    let Some(takes) = takes else { return Detection::NOTHING };
    let text = |word: &Range<usize>| part(bytes, word.start, word.end);
    let is_format = |word: &Range<usize>| text(word).starts_with(b"%") && text(word).len() <= 8;
    let value = written.iter().find(|word| !text(word).starts_with(b"-") && !is_format(word));
    value.map_or(Detection::NOTHING, |value| detection(bytes, value.clone(), takes))
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
    let takes = reader_of(command).or_else(|| is_shell.then_some(StdinSecret::Strong));
    // Another detector handles lists of users.
    let Some(takes) = takes.filter(|takes| !matches!(takes, StdinSecret::Pair | StdinSecret::Encoded)) else {
        return Detection::NOTHING;
    };
    let mut here = run(bytes, hit.end, REACH, |byte| byte != b'\n') + 1;
    let mut found = Vec::new();
    let lines = if is_shell || takes == StdinSecret::Lines { DOCUMENT_LINES } else { 1 };
    for _ in 0..lines {
        let end = run(bytes, here, REACH, |byte| !byte.is_ascii_whitespace());
        let is_line = matches!(at(bytes, end), b'\n' | b'\r');
        if is_line && is_secret(bytes, here, end) && takes.accepts(part(bytes, here, end)) {
            found.push(here..end);
        }
        here = run(bytes, end, REACH, |byte| byte != b'\n') + 1;
    }
    Detection::Secrets(found)
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
    let takes = reader_of(command).or_else(|| read_into(command)).or_else(|| asks_secret(command));
    let Some(takes) = takes.or_else(|| names_secret(command).then_some(StdinSecret::Strong)) else {
        return Detection::NOTHING;
    };
    let from = if matches!(at(bytes, hit.end), b' ' | b'\t') { hit.end } else { hit.end.saturating_sub(1) };
    let word = if from == hit.end { words(bytes, from).first().cloned() } else { tight(bytes, hit.end) };
    word.map_or(Detection::NOTHING, |word| detection(bytes, word, takes))
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

/// A word directly after `<<<`.
pub(super) fn tight(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let open = run(bytes, from, 1, |byte| matches!(byte, b'"' | b'\''));
    let end = run(bytes, open, REACH, |byte| {
        !byte.is_ascii_whitespace()
            && !matches!(byte, b'"' | b'\'' | b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b')' | b'`')
    });
    (end > open).then_some(open..end)
}

/// What the program at the end of the pipe takes.
fn reader(bytes: &[u8], from: usize) -> Option<StdinSecret> {
    let mut here = from;
    let mut found = None;
    for _ in 0..STEPS {
        // Skips the quotes and redirects that may end the command.
        here = run(bytes, here, REACH, |byte| !matches!(byte, b'|' | b';' | b'&' | b'\n' | b'(' | b')'));
        if at(bytes, here) != b'|' || at(bytes, here + 1) == b'|' {
            return found;
        }
        here = blanks(bytes, here + 1);
        let end = run(bytes, here, 1024, |byte| !matches!(byte, b'|' | b';' | b'&' | b'\n'));
        match reader_of(part(bytes, here, end)) {
            Some(StdinSecret::Strong) => found = Some(StdinSecret::Strong),
            Some(takes) => return Some(takes),
            None => {}
        }
        here = end;
    }
    found
}

/// The secret part of the value, by what the program takes.
fn detection(bytes: &[u8], value: Range<usize>, takes: StdinSecret) -> Detection {
    let mut secret_lines = secret_lines(bytes, value, takes);
    match takes {
        StdinSecret::Encoded => secret_lines.pop().map_or(Detection::NOTHING, Detection::Encoded),
        _ => Detection::Secrets(secret_lines),
    }
}

/// The lines of the value, without the escapes that end them.
fn secret_lines(bytes: &[u8], value: Range<usize>, takes: StdinSecret) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut here = value.start;
    let most = match takes {
        StdinSecret::Line
        | StdinSecret::Strong
        | StdinSecret::Unusual
        | StdinSecret::Checksums
        | StdinSecret::Encoded => 1,
        StdinSecret::Lines | StdinSecret::Pair => 3,
    };
    while here < value.end && found.len() < most {
        let end = line_end(bytes, here, value.end);
        let start = match takes {
            StdinSecret::Pair => past_colon(bytes, here, end),
            _ => Some(here),
        };
        // Several words are more likely commands for a shell: `echo 'rm -rf x' | su`.
        let is_one_word = end >= value.end || !matches!(at(bytes, end), b' ' | b'\t');
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
    found
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
