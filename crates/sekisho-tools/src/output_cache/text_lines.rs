//! A text in lines of bounded length, so that every part of it can be read in pieces.

/// The longest line, in characters. A longer one counts as several.
pub const MAX_LINE: usize = 2_000;

/// The lines of a text.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(pieces)
}

/// How many lines a text has.
pub(super) fn line_count(text: &str) -> usize {
    lines(text).count()
}

/// A line in pieces of at most [`MAX_LINE`] characters. An empty line is one piece.
fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let line = rest.take()?;
        let Some((end, _)) = line.char_indices().nth(MAX_LINE) else { return Some(line) };
        let (piece, more) = line.split_at(end);
        rest = Some(more);
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_count_as_several() {
        assert_eq!(lines("").count(), 0);
        assert_eq!(lines("a\n\nb\n").collect::<Vec<_>>(), ["a", "", "b"]);
        let long = "é".repeat(2 * MAX_LINE + 1);
        let found: Vec<usize> = lines(&long).map(|line| line.chars().count()).collect();
        assert_eq!(found, [MAX_LINE, MAX_LINE, 1]);
        assert_eq!(lines(&"x".repeat(MAX_LINE)).count(), 1);
        assert_eq!(lines(&long).collect::<String>(), long);
    }
}
