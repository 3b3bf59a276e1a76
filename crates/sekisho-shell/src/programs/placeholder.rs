//! Placeholders such as `{}` that a program replaces in the words of a command it runs.

use crate::word::{Piece, Word};

/// The word with every `marker` in its literal text replaced.
pub(super) fn substitute(word: &Word, marker: &str, with: &[Piece]) -> Word {
    if marker.is_empty()
        || !word.pieces.iter().any(|p| matches!(p, Piece::Literal(text) if text.contains(marker)))
    {
        return word.clone();
    }
    let mut pieces: Vec<Piece> = Vec::new();
    for piece in &word.pieces {
        let Piece::Literal(text) = piece else {
            pieces.push(piece.clone());
            continue;
        };
        for (number, part) in text.split(marker).enumerate() {
            if number > 0 {
                with.iter().for_each(|piece| append(&mut pieces, piece.clone()));
            }
            if !part.is_empty() {
                append(&mut pieces, Piece::Literal(part.to_owned()));
            }
        }
    }
    Word { span: word.span, pieces }
}

fn append(pieces: &mut Vec<Piece>, piece: Piece) {
    match (pieces.last_mut(), piece) {
        (Some(Piece::Literal(before)), Piece::Literal(text)) => before.push_str(&text),
        (_, piece) => pieces.push(piece),
    }
}
