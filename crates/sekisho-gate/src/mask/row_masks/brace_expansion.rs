//! Bash brace expansion.

use std::ops::Range;

use super::work_budget::Budget;

/// The maximum number of alternatives. A word with more counts by its pieces.
const ALTERNATIVES: usize = 64;
/// Longer words are not expanded.
const MAX_LENGTH: usize = 512;

/// A text with the first alternative of each word that has several.
#[derive(Default)]
pub(super) struct Expanded<'t> {
    pub(super) text: String,
    words: Vec<Word<'t>>,
}

struct Word<'t> {
    written: &'t str,
    /// The range of its first alternative in the text.
    place: Range<usize>,
    /// How much of the word precedes its braces, in bytes.
    before: usize,
    alternatives: Vec<String>,
}

/// Expands the unquoted words. None if no word has alternatives. A detector would stop at the comma of
/// `--token {a,b}`.
pub(super) fn expand<'t>(source: &'t str, budget: &mut Budget) -> Option<Expanded<'t>> {
    let mut made = Expanded::default();
    for word in source.split_inclusive(ends_word) {
        let bare = word.trim_end_matches(ends_word);
        let plain = bare.len() <= MAX_LENGTH && !bare.contains(['\'', '"', '\\', '$']);
        let before = bare.find('{').filter(|_| plain && bare.contains(','));
        let alternatives = before.map(|_| alternatives(bare, budget)).unwrap_or_default();
        let start = made.text.len();
        match (before, alternatives.first()) {
            (Some(before), Some(first)) if alternatives.len() > 1 => {
                made.text.push_str(first);
                let place = start..made.text.len();
                made.text.push_str(word.get(bare.len()..).unwrap_or_default());
                made.words.push(Word { written: bare, place, before, alternatives });
            }
            _ => made.text.push_str(word),
        }
    }
    (!made.words.is_empty()).then_some(made)
}

impl Expanded<'_> {
    /// All alternatives of a secret's word, if the secret extends from before the braces into them.
    pub(super) fn of(&self, secret: &Range<usize>) -> impl Iterator<Item = &str> {
        let next = self.words.partition_point(|word| word.place.end <= secret.start);
        let word = self.words.get(next).filter(|word| {
            let braces = word.place.start + word.before;
            secret.start <= braces && secret.end > braces
        });
        let skipped = word.map_or(0, |word| secret.start.saturating_sub(word.place.start));
        let words = word.into_iter().flat_map(|word| {
            let expanded = word.alternatives.iter().map(String::as_str);
            expanded.chain(std::iter::once(word.written))
        });
        words.filter_map(move |word| word.get(skipped..))
    }
}

fn ends_word(c: char) -> bool {
    c.is_ascii_whitespace() || matches!(c, ';' | '|' | '&' | '<' | '>' | '(' | ')' | '`')
}

/// What bash makes of `a{b,c}d`. Sequences (`{1..9}`) are not expanded.
pub(super) fn alternatives(word: &str, budget: &mut Budget) -> Vec<String> {
    let mut open = vec![word.to_owned()];
    let mut done = Vec::new();
    while let Some(word) = open.pop() {
        if open.len() + done.len() > ALTERNATIVES || !budget.write(word.len()) {
            break;
        }
        match first_braces(&word) {
            Some(expanded) => open.extend(expanded),
            None => done.push(word),
        }
    }
    done
}

/// The word once for each part of its first braces with a comma. None if there are too many parts.
fn first_braces(word: &str) -> Option<Vec<String>> {
    word.match_indices('{').take(8).find_map(|(start, _)| {
        let (mut depth, mut cuts) = (0usize, vec![start]);
        for (at, byte) in word.bytes().enumerate().skip(start) {
            match byte {
                b'{' => depth += 1,
                b',' if depth == 1 => cuts.push(at),
                b'}' if depth == 1 => {
                    cuts.push(at);
                    break;
                }
                b'}' => depth -= 1,
                _ => {}
            }
        }
        if cuts.len() > ALTERNATIVES + 1 {
            return Some(Vec::new());
        }
        let end = cuts.last().copied().filter(|end| word.as_bytes().get(*end) == Some(&b'}'))?;
        let (before, after) = (word.get(..start)?, word.get(end + 1..)?);
        let parts = cuts.iter().zip(cuts.iter().skip(1));
        let words: Option<Vec<String>> =
            parts.map(|(from, to)| Some([before, word.get(from + 1..*to)?, after].concat())).collect();
        words.filter(|words| words.len() > 1)
    })
}

#[cfg(test)]
mod tests {
    use super::{Budget, alternatives, expand};

    /// Bash 5.2 printed each of these.
    #[test]
    fn words_are_expanded_as_bash_does() {
        let words: [(&str, &[&str]); 5] = [
            ("a{b,c}d", &["abd", "acd"]),
            ("a{b,c{1,2}}d", &["abd", "ac1d", "ac2d"]),
            ("{a,b}{c,d}", &["ac", "ad", "bc", "bd"]),
            ("a{b}c", &["a{b}c"]),
            ("a{b,c", &["a{b,c"]),
        ];
        for (word, expected) in words {
            let mut made = alternatives(word, &mut Budget::default());
            made.sort();
            assert_eq!(made, expected, "{word}");
        }
    }

    #[test]
    fn secret_covers_all_alternatives_of_its_word() {
        let expanded = expand("x --token=a{b,c} y", &mut Budget::default()).unwrap();
        let start = expanded.text.find('=').unwrap() + 1;
        let mut found: Vec<&str> = expanded.of(&(start..start + 2)).collect();
        found.sort_unstable();
        assert_eq!(found, ["ab", "ac", "a{b,c}"]);
        assert_eq!(expanded.of(&(0..1)).count(), 0);
        for text in ["{ a; b; }", r#"{"a":1,"b":2}"#] {
            assert!(expand(text, &mut Budget::default()).is_none(), "{text}");
        }
    }
}
