//! Which program reads what `echo` writes: at the end of its pipe, or of the pipe after the group, loop
//! or function around it.

use std::ops::Range;

use memchr::memmem;

use super::byte_scan::{at, before, blanks, part, run};
use super::stdin_programs::{InputReader, StdinSecret, reader_of};

/// How far the text around a command is read, in bytes.
const REACH: usize = 256;
/// How far a command or the rest of a group is read, in bytes.
const COMMAND: usize = 1024;
/// How many programs may be between the writer and the reader of a pipe.
const STEPS: usize = 3;

/// The program at the end of the pipe that follows here.
pub(super) fn after(bytes: &[u8], from: usize) -> Option<InputReader> {
    let mut here = from;
    let mut found = None;
    for _ in 0..STEPS {
        // Skips the quotes and redirects that may end the command.
        here = run(bytes, here, REACH, |byte| !matches!(byte, b'|' | b';' | b'&' | b'\n' | b'(' | b')'));
        if at(bytes, here) != b'|' || at(bytes, here + 1) == b'|' {
            return found;
        }
        here = blanks(bytes, run(bytes, here + 1, 1, |byte| byte == b'&'));
        let end = run(bytes, here, COMMAND, |byte| !matches!(byte, b'|' | b';' | b'&' | b'\n'));
        match reader_of(part(bytes, here, end)) {
            Some(reader) if reader.takes == StdinSecret::Strong => found = Some(reader),
            Some(reader) => return Some(reader),
            None => {}
        }
        here = end;
    }
    found
}

/// The program that reads the output of the group, loop or function around a command.
pub(super) fn around(bytes: &[u8], start: usize, end: usize) -> Option<InputReader> {
    let close = group_end(bytes, end)?;
    after_group(bytes, close.end).or_else(|| {
        let name = function_name(bytes, start).filter(|_| part(bytes, close.start, close.end) == b"}")?;
        let calls = part(bytes, close.end, bytes.len().min(close.end + COMMAND));
        let call = memmem::find_iter(calls, name).map(|at| close.end + at).find(|call| {
            let is_apart = matches!(before(bytes, *call), b' ' | b';' | b'\n' | b'&' | b'(');
            is_apart && matches!(at(bytes, call + name.len()), b' ' | b'|')
        })?;
        after(bytes, call + name.len())
    })
}

/// The reader of a pipe that follows a group, if one does so at once.
fn after_group(bytes: &[u8], close: usize) -> Option<InputReader> {
    (at(bytes, blanks(bytes, close)) == b'|').then(|| after(bytes, close)).flatten()
}

/// Words that open and close a group.
const OPENING: [&[u8]; 4] = [b"{", b"do", b"if", b"case"];
const CLOSING: [&[u8]; 4] = [b"}", b"done", b"fi", b"esac"];

/// The sign or word that ends the group around this position.
fn group_end(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let (mut here, mut open, mut is_first) = (from, 0_usize, false);
    // Skips the quote that closes the last word.
    here = run(bytes, here, 1, |byte| matches!(byte, b'"' | b'\''));
    while here < bytes.len() && here - from < COMMAND {
        match at(bytes, here) {
            mark @ (b'"' | b'\'') => {
                here = run(bytes, here + 1, COMMAND, |byte| byte != mark) + 1;
                is_first = false;
            }
            b'(' => (here, open, is_first) = (here + 1, open + 1, true),
            b')' if open == 0 => return Some(here..here + 1),
            b')' => (here, open, is_first) = (here + 1, open - 1, true),
            b';' | b'\n' | b'&' | b'|' => (here, is_first) = (here + 1, true),
            b' ' | b'\t' | b'<' | b'>' => here += 1,
            _ => {
                let end = run(bytes, here, REACH, |byte| {
                    !byte.is_ascii_whitespace()
                        && !matches!(byte, b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' | b'"' | b'\'')
                });
                let word = part(bytes, here, end);
                if is_first && CLOSING.contains(&word) {
                    if open == 0 {
                        return Some(here..end);
                    }
                    open -= 1;
                }
                let opens = is_first && OPENING.contains(&word);
                open += usize::from(opens);
                is_first = matches!(word, b"then" | b"else" | b"do" | b"{") || (opens && word == b"if");
                here = end.max(here + 1);
            }
        }
    }
    None
}

/// `name() {`: the name of the function whose body starts last before this position.
fn function_name(bytes: &[u8], start: usize) -> Option<&[u8]> {
    let left = part(bytes, start.saturating_sub(REACH), start);
    let open = memmem::rfind(left, b"{")?;
    let head = part(left, 0, open).trim_ascii_end();
    let head = head.strip_suffix(b")").map_or(head, |head| head.trim_ascii_end());
    let head = head.strip_suffix(b"(").map_or(head, |head| head.trim_ascii_end());
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let length = head.iter().rev().take_while(is_name).count();
    (length > 0).then(|| part(head, head.len() - length, head.len()))
}
