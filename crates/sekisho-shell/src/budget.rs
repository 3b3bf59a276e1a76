//! How much work one text may cost.
//!
//! A short text can cause a great deal of work: with nested wrappers, each of which may begin at any word,
//! the same words are read many times. Work is therefore counted where it is done, and stops when the budget
//! is used up. One unit is about one byte kept or copied, or a few nanoseconds. The exact figures matter less
//! than the principle that everything that can grow has a cost.

use std::cell::Cell;

use crate::word::{Piece, Word};

/// The work that may still be done. Everything that parses, follows or judges one text shares it.
#[derive(Debug)]
pub struct Budget {
    left: Cell<usize>,
    spent: Cell<bool>,
}

impl Budget {
    /// Units that one text may cost. Common commands cost a few thousand.
    pub const DEFAULT: usize = 20 << 20;

    /// A budget of `units`.
    pub fn new(units: usize) -> Budget {
        Budget { left: Cell::new(units), spent: Cell::new(false) }
    }

    /// Counts work. Returns `false` once the budget is used up; the result being built must then not be
    /// relied on.
    pub fn spend(&self, units: usize) -> bool {
        match self.left.get().checked_sub(units) {
            Some(left) if !self.spent.get() => self.left.set(left),
            _ => self.exhaust(),
        }
        !self.spent.get()
    }

    /// Uses up the budget: something was left out for a reason other than its cost.
    pub fn exhaust(&self) {
        self.spent.set(true);
        self.left.set(0);
    }

    /// Whether something was left out.
    pub fn is_spent(&self) -> bool {
        self.spent.get()
    }

    /// Units left.
    pub fn left(&self) -> usize {
        self.left.get()
    }
}

impl Default for Budget {
    fn default() -> Budget {
        Budget::new(Budget::DEFAULT)
    }
}

/// The cost of keeping one more copy of a word.
pub fn cost_of_word(word: &Word) -> usize {
    let pieces = word.pieces.iter().map(|piece| match piece {
        Piece::Literal(text)
        | Piece::Glob(text)
        | Piece::Tilde(text)
        | Piece::Variable { name: text, .. } => 48 + text.len(),
        Piece::Substitution { .. } | Piece::Process | Piece::Unknown { .. } => 32,
    });
    48 + pieces.sum::<usize>()
}

/// The cost of keeping one more copy of some words.
pub fn cost_of_words(words: &[Word]) -> usize {
    words.iter().map(cost_of_word).sum()
}

#[cfg(test)]
mod tests {
    use super::Budget;

    #[test]
    fn overspending_exhausts_the_budget() {
        let budget = Budget::new(10);
        assert!(budget.spend(10) && !budget.is_spent());
        assert!(!budget.spend(1) && budget.is_spent());
        assert!(!budget.spend(0));
        let other = Budget::new(10);
        assert!(!other.spend(11));
        assert_eq!(other.left(), 0);
    }
}
