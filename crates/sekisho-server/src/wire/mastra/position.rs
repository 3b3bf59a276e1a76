//! A place in the stream of a run, by which a client joins it again.

use std::fmt;
use std::str::FromStr;

/// A place in the stream of a run: after a part of what a stored chunk became. On the wire `12.3`.
///
/// A reply is stored as several chunks and sent as one sequence; its parts belong to its first chunk. Each character
/// of its text is a part, so a place does not depend on the pieces in which the text was sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    /// The number of the stored chunk, from 1 on.
    pub(crate) seq: u64,
    /// How many of its parts were sent.
    pub(crate) part: u64,
}

impl Position {
    /// After everything that a stored chunk became.
    pub(crate) fn after(seq: u64) -> Position {
        Position { seq, part: u64::MAX }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.seq, self.part)
    }
}

/// A text that is no position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoPosition;

impl FromStr for Position {
    type Err = NoPosition;

    fn from_str(text: &str) -> Result<Position, NoPosition> {
        let (seq, part) = text.split_once('.').ok_or(NoPosition)?;
        Ok(Position { seq: number(seq)?, part: number(part)? })
    }
}

/// Digits only: no sign.
fn number(text: &str) -> Result<u64, NoPosition> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number).ok_or(NoPosition)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_read_as_they_are_written() {
        let position = Position { seq: 12, part: 3 };
        assert_eq!(position.to_string().parse(), Ok(position));
        assert_eq!(Position::after(7).to_string().parse(), Ok(Position::after(7)));
        for text in ["", "1", "1.", ".1", "1.2.3", "-1.2", "+1.2", "1.x", " 1.2", "99999999999999999999.0"] {
            assert_eq!(text.parse::<Position>(), Err(NoPosition), "{text}");
        }
    }
}
