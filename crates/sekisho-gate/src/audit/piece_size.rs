//! How many rows to read at a time, when rows may be tiny or huge.

/// The bytes that a piece should have.
const TARGET: usize = 1 << 20;

/// The number of rows, or of calls, in the next piece: it doubles while pieces are small, and shrinks after a large one.
#[derive(Clone, Copy, Debug)]
pub struct PieceSize {
    now: usize,
    most: usize,
}

impl PieceSize {
    /// Begins with `first`, and never exceeds `most`.
    pub fn new(first: usize, most: usize) -> PieceSize {
        PieceSize { now: first.min(most).max(1), most: most.max(1) }
    }

    /// The size of the next piece; at least 1.
    pub fn get(self) -> usize {
        self.now
    }

    /// Adapts the size to the bytes of the last piece.
    pub fn adapt(&mut self, bytes: usize) {
        let fitting = self.now.saturating_mul(TARGET) / bytes.max(1);
        self.now = fitting.min(self.now.saturating_mul(2)).clamp(1, self.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_pieces_grow_and_large_ones_shrink() {
        let mut size = PieceSize::new(8, 30);
        let sizes = [0, TARGET / 2, TARGET, 6 * TARGET, 100 * TARGET, 0].map(|bytes| {
            size.adapt(bytes);
            size.get()
        });
        assert_eq!(sizes, [16, 30, 30, 5, 1, 2]);
        assert_eq!(PieceSize::new(8, 3).get(), 3);
        assert_eq!(PieceSize::new(0, 0).get(), 1);
    }
}
