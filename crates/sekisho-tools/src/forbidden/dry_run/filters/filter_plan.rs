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
    pub(in super::super) change: Box<Change>,
}

impl Plan {
    pub(super) fn new(files: Vec<String>, change: impl Fn(&str) -> Option<String> + 'static) -> Option<Plan> {
        Some(Plan { files, given: None, cost: 1, change: Box::new(change) })
    }
}

/// Options and operands: letters whose value is in the same word or the next, and the rest.
pub(super) struct Options {
    pub(super) letters: Vec<(char, String)>,
    pub(super) operands: Vec<String>,
}

impl Options {
    /// `None` if there is a long option or a letter that is not listed. A colon behind a letter says that it has a value.
    pub(super) fn read(arguments: &[String], known: &str) -> Option<Options> {
        let mut found = Options { letters: Vec::new(), operands: Vec::new() };
        let mut words = arguments.iter();
        let mut is_ended = false;
        while let Some(word) = words.next() {
            let letters = word.strip_prefix('-').filter(|letters| !letters.is_empty() && !is_ended);
            let Some(letters) = letters else {
                found.operands.push(word.clone());
                continue;
            };
            if letters == "-" {
                is_ended = true;
                continue;
            }
            let mut rest = letters.chars();
            while let Some(letter) = rest.next() {
                let (_, after) = known.split_once(letter).filter(|_| letter != ':')?;
                if !after.starts_with(':') {
                    found.letters.push((letter, String::new()));
                    continue;
                }
                let inside = rest.as_str().to_owned();
                let value = if inside.is_empty() { words.next()?.clone() } else { inside };
                found.letters.push((letter, value));
                break;
            }
        }
        Some(found)
    }

    pub(super) fn has(&self, letter: char) -> bool {
        self.letters.iter().any(|(known, _)| *known == letter)
    }

    pub(super) fn value(&self, letter: char) -> Option<&str> {
        self.letters.iter().rfind(|(known, _)| *known == letter).map(|(_, value)| value.as_str())
    }
}
