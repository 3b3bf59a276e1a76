//! `say`, which every sentence for people passes through, so that tests can replace all of them.
//!
//! Programs read codes. To prove that nothing depends on the sentences, tests with the feature `reword`
//! replace all of them at random.

#[cfg(not(feature = "reword"))]
use std::borrow::Cow;

/// Marks a sentence for people. No decision may depend on its text.
#[cfg(not(feature = "reword"))]
pub fn say(sentence: impl Into<Cow<'static, str>>) -> Cow<'static, str> {
    sentence.into()
}

#[cfg(feature = "reword")]
pub use reword::{say, with_random_wording};

#[cfg(feature = "reword")]
mod reword {
    use std::borrow::Cow;
    use std::cell::Cell;

    thread_local! {
        static SEED: Cell<Option<u64>> = const { Cell::new(None) };
    }

    /// Marks a sentence for people. Inside [`with_random_wording`] its letters are replaced at random.
    pub fn say(sentence: impl Into<Cow<'static, str>>) -> Cow<'static, str> {
        let sentence = sentence.into();
        match SEED.get() {
            None => sentence,
            Some(seed) => {
                let mut state = seed | 1;
                SEED.set(Some(next(&mut state)));
                sentence.chars().map(|_| letter(&mut state)).collect::<String>().into()
            }
        }
    }

    /// Runs `work` on this thread with every sentence replaced at random.
    pub fn with_random_wording<T>(seed: u64, work: impl FnOnce() -> T) -> T {
        let before = SEED.replace(Some(seed));
        let done = work();
        SEED.set(before);
        done
    }

    fn letter(state: &mut u64) -> char {
        char::from(b'a' + u8::try_from(next(state) % 26).unwrap_or_default())
    }

    /// Xorshift.
    fn next(state: &mut u64) -> u64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }
}
