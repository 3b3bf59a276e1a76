//! Cache of the words of a text's commands.
//!
//! A text may name programs many times, and each time the words up to the end of the command are
//! examined. Most words of one command are also words of the next, so they are cached, together with
//! which of them the rules of a program have checked.

use std::ops::Range;

use super::program_rule::Program;
use super::shell_words::{MAX_WORDS, REACH, is_listed, item, word};

/// No word has been read at this position.
const UNREAD: u32 = 0;

/// What has been read of the commands of one text.
#[derive(Default)]
pub(super) struct CommandWordCache {
    shell: Chains,
    listed: Chains,
    checked: Vec<CheckedWords>,
}

/// The word at each position of a text.
#[derive(Default)]
struct Chains {
    /// The word number by position, from 1.
    places: Vec<u32>,
    words: Vec<Option<Step>>,
}

/// A word, and where the next one starts.
#[derive(Clone)]
struct Step {
    word: Range<usize>,
    end: usize,
}

/// The words that the rules of a program have checked.
struct CheckedWords {
    program: &'static Program,
    is_listed: bool,
    words: Vec<bool>,
}

/// The words of one command.
pub(super) struct Words {
    pub(super) ranges: Vec<Range<usize>>,
    numbers: Vec<usize>,
    is_listed: bool,
}

impl CommandWordCache {
    /// The words from `from` to the end of the command, without the quotes around them.
    pub(super) fn words(&mut self, bytes: &[u8], from: usize) -> Words {
        let is_listed = is_listed(bytes, from);
        let chains = if is_listed { &mut self.listed } else { &mut self.shell };
        let mut words = Words { ranges: Vec::new(), numbers: Vec::new(), is_listed };
        let limit = from.saturating_add(REACH);
        let mut here = from;
        while here < limit && words.ranges.len() < MAX_WORDS {
            let Some((number, step)) = chains.step(bytes, here, is_listed) else { break };
            words.ranges.push(step.word);
            words.numbers.push(number);
            here = step.end;
        }
        words
    }

    /// The words of a command that this program has not checked before. The last one always counts as
    /// new, because the words after it were out of reach.
    pub(super) fn new_words(&mut self, program: &'static Program, words: &Words) -> Vec<usize> {
        let is_same = |checked: &CheckedWords| {
            std::ptr::eq(checked.program, program) && checked.is_listed == words.is_listed
        };
        let place = self.checked.iter().position(is_same).unwrap_or_else(|| {
            self.checked.push(CheckedWords { program, is_listed: words.is_listed, words: Vec::new() });
            self.checked.len() - 1
        });
        let Some(checked) = self.checked.get_mut(place) else { return Vec::new() };
        let most = words.numbers.iter().max().map_or(0, |number| number + 1);
        if checked.words.len() < most {
            checked.words.resize(most, false);
        }
        let last = words.numbers.len().saturating_sub(1);
        let mut new = Vec::new();
        for (index, number) in words.numbers.iter().enumerate() {
            let Some(was_looked_at) = checked.words.get_mut(*number) else { continue };
            if !std::mem::replace(was_looked_at, index < last) {
                new.push(index);
            }
        }
        new
    }
}

impl Chains {
    fn step(&mut self, bytes: &[u8], from: usize, is_listed: bool) -> Option<(usize, Step)> {
        if self.places.is_empty() {
            self.places.resize(bytes.len() + 1, UNREAD);
        }
        let place = self.places.get_mut(from)?;
        if *place == UNREAD {
            let next = if is_listed { item(bytes, from) } else { word(bytes, from) };
            self.words.push(next.map(|(word, end)| Step { word, end }));
            *place = u32::try_from(self.words.len()).ok()?;
        }
        let number = usize::try_from(*place).ok()?.checked_sub(1)?;
        let step = self.words.get(number)?.clone()?;
        Some((number, step))
    }
}

#[cfg(test)]
mod tests {
    use super::CommandWordCache;
    use crate::mask::program_rule::Program;
    use crate::mask::program_table::PROGRAMS;
    use crate::mask::shell_words::words;

    fn named(name: &str) -> &'static Program {
        PROGRAMS.iter().find(|program| program.name == name).unwrap()
    }

    #[test]
    fn words_do_not_depend_on_where_reading_began() {
        let text = r#"curl -u 'a b' curl "c\"d" ["curl", "-u", "x"] e;curl f"#.as_bytes();
        let mut commands = CommandWordCache::default();
        for from in (0..=text.len()).chain((0..=text.len()).rev()) {
            assert_eq!(commands.words(text, from).ranges, words(text, from), "{from}");
        }
    }

    #[test]
    fn word_is_checked_once_if_the_next_one_was_known() {
        let text = b"curl -u a curl -u b";
        let curl = named("curl");
        let mut commands = CommandWordCache::default();
        let all = commands.words(text, 4);
        assert_eq!(commands.new_words(curl, &all), [0, 1, 2, 3, 4]);
        let rest = commands.words(text, 14);
        assert_eq!(commands.new_words(curl, &rest), [1], "the last word");
        assert_eq!(commands.new_words(named("mysql"), &rest), [0, 1]);
    }
}
