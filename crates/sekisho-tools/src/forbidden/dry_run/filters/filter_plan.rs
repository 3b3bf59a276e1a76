//! What a filter is made of: its arguments, and what it does with its input.

/// Reads the arguments of a program. `None` if an option is not followed.
pub(in super::super) type Filter = fn(&[String]) -> Option<Plan>;

/// The output of a program for its input. `None` if it cannot be known.
type Change = dyn Fn(&str) -> Option<String>;

/// What a program does with its arguments.
pub(in super::super) struct Plan {
    /// The files that it reads; its input if there are none.
    pub(in super::super) files: Vec<String>,
    /// The text that it reads instead.
    pub(in super::super) given: Option<String>,
    /// How often it looks at each character.
    pub(in super::super) cost: usize,
    /// What it costs before it looks at the first one, in units of work.
    pub(in super::super) setup: usize,
    pub(in super::super) change: Box<Change>,
}

impl Plan {
    pub(super) fn new(files: Vec<String>, change: impl Fn(&str) -> Option<String> + 'static) -> Option<Plan> {
        Some(Plan { files, given: None, cost: 1, setup: 0, change: Box::new(change) })
    }
}

/// Options and operands: letters whose value is in the same word or the next, and the rest.
#[derive(Debug, Default)]
pub(in super::super) struct Options {
    pub(in super::super) letters: Vec<(char, String)>,
    pub(super) operands: Vec<String>,
}

/// Long options, and the letters that mean the same.
pub(in super::super) type LongNames = &'static [(&'static str, char)];

impl Options {
    /// `None` if there is a long option or a letter that is not listed. A colon behind a letter says that it has a value,
    /// two that the value is in the same word if there is one.
    pub(super) fn read(arguments: &[String], known: &str) -> Option<Options> {
        Options::with_long_names(arguments, known, &[])
    }

    pub(in super::super) fn with_long_names(
        arguments: &[String],
        known: &str,
        names: LongNames,
    ) -> Option<Options> {
        let (found, rest) = Options::up_to_operand(arguments, known, names, true)?;
        Some(Options { operands: rest, ..found })
    }

    /// The options, and the words that are none: also those behind the first of them, or only those from it on.
    pub(in super::super) fn up_to_operand(
        arguments: &[String],
        known: &str,
        names: LongNames,
        permutes: bool,
    ) -> Option<(Options, Vec<String>)> {
        let mut found = Options::default();
        let mut operands = Vec::new();
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
                operands.push(word.clone());
                if !permutes {
                    break;
                }
                continue;
            };
            if letters == "-" {
                break;
            }
            match letters.strip_prefix('-') {
                Some(long) => found.read_long(long, known, names, &mut words)?,
                None => found.read_letters(letters, known, &mut words)?,
            }
        }
        operands.extend(words.cloned());
        Some((found, operands))
    }

    fn read_long<'w>(
        &mut self,
        long: &str,
        known: &str,
        names: LongNames,
        words: &mut impl Iterator<Item = &'w String>,
    ) -> Option<()> {
        let (name, inside) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
        let exact = names.iter().find(|(known, _)| *known == name);
        let (_, letter) = exact.or_else(|| {
            let mut abbreviated = names.iter().filter(|(known, _)| known.starts_with(name));
            abbreviated.next().filter(|(_, first)| abbreviated.all(|(_, other)| other == first))
        })?;
        let value = match (value_of(known, *letter)?, inside) {
            (HasValue::Yes, None) => words.next()?.clone(),
            (_, inside) => inside.unwrap_or_default().to_owned(),
        };
        self.letters.push((*letter, value));
        Some(())
    }

    fn read_letters<'w>(
        &mut self,
        letters: &str,
        known: &str,
        words: &mut impl Iterator<Item = &'w String>,
    ) -> Option<()> {
        let mut rest = letters.chars();
        while let Some(letter) = rest.next() {
            let inside = rest.as_str().to_owned();
            match value_of(known, letter)? {
                HasValue::No => {
                    self.letters.push((letter, String::new()));
                    continue;
                }
                HasValue::Yes if inside.is_empty() => self.letters.push((letter, words.next()?.clone())),
                HasValue::Yes | HasValue::Perhaps => self.letters.push((letter, inside)),
            }
            break;
        }
        Some(())
    }

    pub(in super::super) fn has(&self, letter: char) -> bool {
        self.letters.iter().any(|(known, _)| *known == letter)
    }

    pub(in super::super) fn value(&self, letter: char) -> Option<&str> {
        self.letters.iter().rfind(|(known, _)| *known == letter).map(|(_, value)| value.as_str())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum HasValue {
    No,
    Yes,
    Perhaps,
}

/// Whether an option has a value. `None` if it is not listed.
fn value_of(known: &str, letter: char) -> Option<HasValue> {
    let (_, after) = known.split_once(letter).filter(|_| letter != ':')?;
    Some(match after {
        after if after.starts_with("::") => HasValue::Perhaps,
        after if after.starts_with(':') => HasValue::Yes,
        _ => HasValue::No,
    })
}
