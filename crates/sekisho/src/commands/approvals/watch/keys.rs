//! Decodes the bytes of a terminal into keys.

use std::time::Instant;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::commands) enum Key {
    Char(char),
    Enter,
    Escape,
    Backspace,
    ClearLine,
    /// Ctrl-C or Ctrl-D.
    Interrupt,
    /// Any other key: arrows, function keys, other control characters.
    Other,
}

/// Whether a key arrived together with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::commands) enum KeyBurst {
    /// A single key press.
    Alone,
    /// More keys followed in the same read: a paste, or keys typed before we read.
    Within,
    /// The last key of a burst.
    Last,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::commands) struct KeyPress {
    pub(in crate::commands) key: Key,
    pub(in crate::commands) at: Instant,
    pub(in crate::commands) burst: KeyBurst,
}

/// Decodes keys from bytes. A character may be split over two reads.
#[derive(Debug, Default)]
pub(super) struct KeyDecoder {
    begun: Vec<u8>,
}

impl KeyDecoder {
    /// The keys of one read.
    pub(super) fn feed(&mut self, bytes: &[u8], at: Instant) -> Vec<KeyPress> {
        let mut all = std::mem::take(&mut self.begun);
        all.extend_from_slice(bytes);
        let text = match std::str::from_utf8(&all) {
            Ok(text) => text.to_owned(),
            // Wait for the rest of an incomplete character.
            Err(error) if error.error_len().is_none() => {
                let (whole, begun) = all.split_at(error.valid_up_to());
                self.begun = begun.to_vec();
                String::from_utf8_lossy(whole).into_owned()
            }
            Err(_) => String::from_utf8_lossy(&all).into_owned(),
        };
        let keys = keys(&text);
        let last = keys.len().saturating_sub(1);
        let company = |index| match (last, index == last) {
            (0, _) => KeyBurst::Alone,
            (_, true) => KeyBurst::Last,
            (_, false) => KeyBurst::Within,
        };
        keys.into_iter().enumerate().map(|(index, key)| KeyPress { key, at, burst: company(index) }).collect()
    }
}

fn keys(text: &str) -> Vec<Key> {
    let mut keys = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        keys.push(match c {
            '\u{1b}' => match rest.peek() {
                None => Key::Escape,
                Some('[' | 'O') => {
                    sequence(&mut rest);
                    Key::Other
                }
                // Alt and a key.
                Some(_) => {
                    rest.next();
                    Key::Other
                }
            },
            '\r' | '\n' => Key::Enter,
            '\u{8}' | '\u{7f}' => Key::Backspace,
            '\u{15}' => Key::ClearLine,
            '\u{3}' | '\u{4}' => Key::Interrupt,
            c if c.is_control() || c == '\u{fffd}' => Key::Other,
            c => Key::Char(c),
        });
    }
    keys
}

/// Skips the rest of an escape sequence, such as an arrow or function key.
fn sequence(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    let single = rest.next() == Some('O');
    for c in rest.by_ref() {
        if single || ('\u{40}'..='\u{7e}').contains(&c) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Vec<(Key, KeyBurst)> {
        let presses = KeyDecoder::default().feed(bytes, Instant::now());
        presses.into_iter().map(|press| (press.key, press.burst)).collect()
    }

    #[test]
    fn paste_is_not_a_single_key() {
        assert_eq!(read(b"a"), [(Key::Char('a'), KeyBurst::Alone)]);
        assert_eq!(read(b"A\r"), [(Key::Char('A'), KeyBurst::Within), (Key::Enter, KeyBurst::Last)]);
    }

    #[test]
    fn arrow_is_one_other_key() {
        for bytes in [&b"\x1b[A"[..], b"\x1bOP", b"\x1b[1;5C", b"\x1b[200~", b"\x1ba", b"\t", b"\xff"] {
            assert_eq!(read(bytes), [(Key::Other, KeyBurst::Alone)], "{bytes:?}");
        }
        assert_eq!(read(b"\x1b"), [(Key::Escape, KeyBurst::Alone)]);
    }

    #[test]
    fn character_split_over_two_reads() {
        let mut decoder = KeyDecoder::default();
        assert_eq!(decoder.feed(&"関".as_bytes()[..2], Instant::now()), []);
        let rest = decoder.feed(&"関".as_bytes()[2..], Instant::now());
        assert_eq!(rest.iter().map(|press| press.key).collect::<Vec<_>>(), [Key::Char('関')]);
    }
}
