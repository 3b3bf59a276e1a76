//! Finds every form of every secret in one pass over a text.
//!
//! Only the covered bytes matter, not the form that covers them, so a state stores just the longest
//! form that ends there. The work is linear in the bytes of the forms and of the text, whatever the
//! forms have in common. A leftmost-longest search would read the same bytes once for each form with
//! the same start.

use std::ops::Range;

const ROOT: usize = 0;

#[derive(Clone, Copy, Default)]
struct State {
    byte: u8,
    /// The first child state; its siblings are the others. The root if there is none.
    child: usize,
    sibling: usize,
    /// The state of the longest suffix that starts another form.
    suffix: usize,
    /// The length of the longest form that ends here.
    longest: usize,
}

/// An Aho-Corasick automaton that finds forms.
pub(super) struct Automaton {
    states: Vec<State>,
}

impl Automaton {
    pub(super) fn new<'f>(forms: impl IntoIterator<Item = &'f String>) -> Automaton {
        let mut automaton = Automaton { states: vec![State::default()] };
        for form in forms {
            automaton.add(form.as_bytes());
        }
        automaton.link();
        automaton
    }

    /// The ranges of a text that forms cover. Adjacent ranges are merged.
    pub(super) fn covered(&self, text: &str) -> Vec<Range<usize>> {
        let mut covered: Vec<Range<usize>> = Vec::new();
        let mut here = ROOT;
        for (index, byte) in text.bytes().enumerate() {
            here = self.next(here, byte);
            let (end, longest) = (index + 1, self.state(here).longest);
            if longest == 0 {
                continue;
            }
            let mut start = end.saturating_sub(longest);
            while let Some(last) = covered.pop_if(|last| last.end >= start) {
                start = start.min(last.start);
            }
            covered.push(start..end);
        }
        covered
    }

    fn add(&mut self, form: &[u8]) {
        let mut here = ROOT;
        for byte in form {
            here = self.child(here, *byte).unwrap_or_else(|| self.grow(here, *byte));
        }
        if let Some(state) = self.states.get_mut(here) {
            state.longest = form.len();
        }
    }

    fn grow(&mut self, parent: usize, byte: u8) -> usize {
        let grown = self.states.len();
        let sibling = self.state(parent).child;
        self.states.push(State { byte, sibling, ..State::default() });
        if let Some(parent) = self.states.get_mut(parent) {
            parent.child = grown;
        }
        grown
    }

    /// Finds the suffix of every state, shorter texts first.
    fn link(&mut self) {
        let mut order = vec![ROOT];
        let mut done = 0;
        while let Some(&parent) = order.get(done) {
            done += 1;
            let mut child = self.state(parent).child;
            while child != ROOT {
                let State { byte, sibling, longest, .. } = self.state(child);
                let suffix = if parent == ROOT { ROOT } else { self.next(self.state(parent).suffix, byte) };
                let longest = if longest > 0 { longest } else { self.state(suffix).longest };
                if let Some(state) = self.states.get_mut(child) {
                    (state.suffix, state.longest) = (suffix, longest);
                }
                order.push(child);
                child = sibling;
            }
        }
    }

    fn next(&self, mut here: usize, byte: u8) -> usize {
        loop {
            match self.child(here, byte) {
                Some(next) => return next,
                None if here == ROOT => return ROOT,
                None => here = self.state(here).suffix,
            }
        }
    }

    fn child(&self, parent: usize, byte: u8) -> Option<usize> {
        let mut child = self.state(parent).child;
        while child != ROOT {
            let state = self.state(child);
            if state.byte == byte {
                return Some(child);
            }
            child = state.sibling;
        }
        None
    }

    fn state(&self, index: usize) -> State {
        self.states.get(index).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::Automaton;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_within_a_form_are_covered(
            forms in prop::collection::vec("[ab]{1,5}", 0..8),
            text in "[abc]{0,40}",
        ) {
            let mut expected = vec![false; text.len()];
            for form in &forms {
                for start in 0..text.len() {
                    if text.as_bytes()[start..].starts_with(form.as_bytes()) {
                        expected[start..start + form.len()].fill(true);
                    }
                }
            }
            let covered = Automaton::new(&forms).covered(&text);
            let found: Vec<bool> =
                (0..text.len()).map(|at| covered.iter().any(|range| range.contains(&at))).collect();
            prop_assert_eq!(found, expected);
            prop_assert!(covered.windows(2).all(|pair| pair[0].end < pair[1].start));
        }
    }
}
