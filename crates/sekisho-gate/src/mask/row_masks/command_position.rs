//! Whether a word of a command is where a program's name stands.

use crate::mask::byte_scan::{at, before, part};
use crate::mask::text_runners;

/// How far back a word is read, in bytes, and how many words.
const REACH: usize = 256;
const WORDS: usize = 4;

/// Whether bash may run the word at `start` of a command that begins at `from`. If the command runs
/// quoted text, a quote begins a command too.
pub(super) fn is_program(bytes: &[u8], from: usize, start: usize, runs_text: bool) -> bool {
    let mut word = start;
    for _ in 0..WORDS {
        while word > from && !is_blank(before(bytes, word)) && !is_operator(before(bytes, word)) {
            word -= 1;
            let is_quote = matches!(at(bytes, word), b'\'' | b'"');
            if (is_quote && runs_text) || start - word > REACH {
                return true;
            }
        }
        let end = word - part(bytes, from, word).iter().rev().take_while(|byte| is_blank(**byte)).count();
        let sign = before(bytes, end);
        if end <= from || is_operator(sign) || (runs_text && matches!(sign, b'\'' | b'"')) {
            return true;
        }
        let left = part(bytes, from, end);
        let length = left
            .iter()
            .rev()
            .take(REACH)
            .take_while(|byte| !is_blank(**byte) && !is_operator(**byte))
            .count();
        if !text_runners::precedes_program(part(bytes, end - length, end)) {
            return false;
        }
        word = end - length;
    }
    true
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn is_operator(byte: u8) -> bool {
    matches!(byte, b';' | b'|' | b'&' | b'(' | b')' | b'{' | b'}' | b'`' | b'\n')
}

#[cfg(test)]
mod tests {
    use super::is_program;

    #[test]
    fn program_is_found_where_it_stands() {
        for (command, runs_text, expected) in [
            ("X a", false, true),
            ("a; X b", false, true),
            ("a &&X", false, true),
            ("A=1 B=2 X", false, true),
            ("sudo X", false, true),
            ("if X", false, true),
            ("./X", false, true),
            ("a X", false, false),
            ("a 'X'", false, false),
            ("eval 'X a'", true, true),
            ("eval ' X a'", true, true),
            ("a --token X", false, false),
        ] {
            let start = command.find('X').unwrap();
            assert_eq!(is_program(command.as_bytes(), 0, start, runs_text), expected, "{command}");
        }
    }
}
