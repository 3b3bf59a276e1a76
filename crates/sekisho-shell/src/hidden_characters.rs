//! Finds characters that a reader cannot see, or that bash and a reader may understand differently.

use crate::script::{OpaqueKind, OpaquePart};
use crate::word::Span;

/// The longest text that can be allowed automatically, in bytes.
pub const LENGTH_LIMIT: usize = 10_000;

/// Adds an opaque part for an over-long text and for every run of hidden characters.
pub(crate) fn mark_hidden_characters(text: &str, opaque: &mut Vec<OpaquePart>) {
    if text.len() > LENGTH_LIMIT {
        opaque.push(OpaquePart { span: span(LENGTH_LIMIT, text.len()), kind: OpaqueKind::TooLong });
    }
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return;
    }
    let mut run: Option<(usize, usize)> = None;
    let mut before = ' ';
    for (at, character) in text.char_indices() {
        if is_hidden(character, before) {
            let start = run.map_or(at, |(start, _)| start);
            run = Some((start, at + character.len_utf8()));
        } else if let Some((start, end)) = run.take() {
            opaque.push(OpaquePart { span: span(start, end), kind: OpaqueKind::HiddenCharacter });
        }
        before = character;
    }
    if let Some((start, end)) = run {
        opaque.push(OpaquePart { span: span(start, end), kind: OpaqueKind::HiddenCharacter });
    }
}

/// A span from offsets that may exceed what a span can hold.
pub(crate) fn span(start: usize, end: usize) -> Span {
    Span { start: u32::try_from(start).unwrap_or(u32::MAX), end: u32::try_from(end).unwrap_or(u32::MAX) }
}

/// Control characters other than newline and tab, blanks that bash does not treat as blanks, and characters
/// that are invisible or reverse the direction of text. The emoji selector (U+FE0F) is common, but allowed
/// only after a character it can select.
fn is_hidden(character: char, before: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{fe0f}' => before.is_ascii() || before == '\u{fe0f}',
        _ => {
            character.is_control() || character.is_whitespace() && character != ' ' || is_invisible(character)
        }
    }
}

fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0e}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffc}' | '\u{fffe}' | '\u{ffff}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}
