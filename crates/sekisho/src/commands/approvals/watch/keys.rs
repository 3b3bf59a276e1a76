//! Bytes of a terminal as keys.

use std::time::Instant;

/// A key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Char(char),
    Enter,
    Escape,
    Back,
    /// Clears the line.
    Clear,
    /// Ctrl-C, and Ctrl-D.
    Interrupt,
    /// Anything else: arrows, function keys, other control characters.
    Other,
}

/// What a key came together with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Company {
    /// Nothing: somebody pressed it.
    Alone,
    /// More came behind it: a paste, or keys typed while nobody read them.
    Inside,
    /// It was the last of several.
    Last,
}

/// A key that was pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Press {
    pub(super) key: Key,
    pub(super) at: Instant,
    pub(super) company: Company,
}

/// Reads keys from bytes as they come. A character may be split over two reads.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    begun: Vec<u8>,
}

impl Decoder {
    /// The keys of one read.
    pub(super) fn take(&mut self, bytes: &[u8], at: Instant) -> Vec<Press> {
        let mut all = std::mem::take(&mut self.begun);
        all.extend_from_slice(bytes);
        let text = match std::str::from_utf8(&all) {
            Ok(text) => text.to_owned(),
            // A character that is not complete yet waits for the rest of it.
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
            (0, _) => Company::Alone,
            (_, true) => Company::Last,
            (_, false) => Company::Inside,
        };
        keys.into_iter().enumerate().map(|(index, key)| Press { key, at, company: company(index) }).collect()
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
            '\u{8}' | '\u{7f}' => Key::Back,
            '\u{15}' => Key::Clear,
            '\u{3}' | '\u{4}' => Key::Interrupt,
            c if c.is_control() || c == '\u{fffd}' => Key::Other,
            c => Key::Char(c),
        });
    }
    keys
}

/// Reads the rest of an arrow or function key.
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

    fn read(bytes: &[u8]) -> Vec<(Key, Company)> {
        let presses = Decoder::default().take(bytes, Instant::now());
        presses.into_iter().map(|press| (press.key, press.company)).collect()
    }

    #[test]
    fn a_key_is_told_from_a_paste() {
        assert_eq!(read(b"a"), [(Key::Char('a'), Company::Alone)]);
        assert_eq!(read(b"A\r"), [(Key::Char('A'), Company::Inside), (Key::Enter, Company::Last)]);
    }

    #[test]
    fn arrows_are_one_key_that_means_nothing() {
        for bytes in [&b"\x1b[A"[..], b"\x1bOP", b"\x1b[1;5C", b"\x1b[200~", b"\x1ba", b"\t", b"\xff"] {
            assert_eq!(read(bytes), [(Key::Other, Company::Alone)], "{bytes:?}");
        }
        assert_eq!(read(b"\x1b"), [(Key::Escape, Company::Alone)]);
    }

    #[test]
    fn a_character_may_come_in_two_pieces() {
        let mut decoder = Decoder::default();
        assert_eq!(decoder.take(&"関".as_bytes()[..2], Instant::now()), []);
        let rest = decoder.take(&"関".as_bytes()[2..], Instant::now());
        assert_eq!(rest.iter().map(|press| press.key).collect::<Vec<_>>(), [Key::Char('関')]);
    }
}
