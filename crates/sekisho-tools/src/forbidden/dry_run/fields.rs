//! The arguments that words become.

use super::super::unresolved_words::quoted;

/// Stands for text that is not known. Texts that contain it are changed first, see [`without_marks`].
pub(super) const UNKNOWN: char = '\0';
/// Wildcards that stand for the name of a file, and the characters that mark them. Other wildcards are ordinary text.
const WILDCARDS: [(char, char); 4] =
    [('*', '\u{e000}'), ('?', '\u{e001}'), ('[', '\u{e002}'), (']', '\u{e003}')];

/// One argument.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) text: String,
}

impl Field {
    pub(super) fn new(text: impl Into<String>) -> Field {
        Field { text: text.into() }
    }

    /// The argument as a word of a shell text. What is not known becomes a variable.
    pub(super) fn word(&self) -> String {
        if self.text.is_empty() {
            return "''".into();
        }
        let mut word = String::new();
        let mut literal = String::new();
        let mut in_class = false;
        for c in self.text.chars() {
            let wildcard = wildcard(c);
            in_class = wildcard == Some('[') || in_class && wildcard != Some(']');
            if in_class && (c.is_ascii_alphanumeric() || matches!(c, '-' | '!' | '^')) {
                word.push(c);
                continue;
            }
            if c != UNKNOWN && wildcard.is_none() {
                literal.push(c);
                continue;
            }
            if !literal.is_empty() {
                word.push_str(&quoted(&std::mem::take(&mut literal)));
            }
            match wildcard {
                Some(wildcard) => word.push(wildcard),
                None => word.extend(['"', '$', '!', '"']),
            }
        }
        if !literal.is_empty() {
            word.push_str(&quoted(&literal));
        }
        word
    }
}

/// The wildcard that a character marks.
pub(super) fn wildcard(mark: char) -> Option<char> {
    WILDCARDS.iter().find(|(_, known)| *known == mark).map(|(wildcard, _)| *wildcard)
}

/// The text with its wildcards marked.
fn marked(text: &str) -> String {
    let mark = |c: char| WILDCARDS.iter().find(|(known, _)| *known == c).map_or(c, |(_, mark)| *mark);
    text.chars().map(mark).collect()
}

/// The text with its wildcards as they were written.
pub(super) fn unmarked(text: &str) -> String {
    text.chars().map(|c| wildcard(c).unwrap_or(c)).collect()
}

/// The text without the characters that mean something here: none of its own may be taken for them.
pub(super) fn without_marks(text: &str) -> String {
    let is_mark = |c: char| c == UNKNOWN || wildcard(c).is_some();
    text.replace(is_mark, "\u{fffd}")
}

/// The text as a shell can read it: what is not known becomes a parameter that no text can set.
pub(super) fn readable(text: &str) -> String {
    unmarked(text).replace(UNKNOWN, UNKNOWN_PARAMETER)
}

/// What is not known, in a shell text.
const UNKNOWN_PARAMETER: &str = "$!";

/// Whether nothing in a text is unknown, nor stands for the name of a file.
pub(super) fn is_known(text: &str) -> bool {
    !text.contains(|c: char| c == UNKNOWN || wildcard(c).is_some())
}

pub(super) fn unknown() -> String {
    UNKNOWN.to_string()
}

/// The fields of a command as a shell text.
pub(super) fn command_text(fields: &[Field]) -> String {
    fields.iter().map(Field::word).collect::<Vec<_>>().join(" ")
}

/// Collects fields from pieces of words.
#[derive(Debug, Default)]
pub(super) struct FieldBuilder {
    done: Vec<Field>,
    current: Option<Field>,
    /// The characters that split unquoted values. `None` if nothing is split.
    separators: Option<String>,
}

/// What an expansion becomes.
#[derive(Clone, Debug, Default)]
pub(super) struct Value {
    pub(super) fields: Vec<String>,
    /// Each field is an argument of its own, also in quotes.
    pub(super) is_list: bool,
}

impl Value {
    pub(super) fn one(text: String) -> Value {
        Value { fields: vec![text], is_list: false }
    }
}

impl FieldBuilder {
    pub(super) fn new(separators: Option<String>) -> FieldBuilder {
        FieldBuilder { separators, ..FieldBuilder::default() }
    }

    pub(super) fn push(&mut self, text: &str) {
        self.current.get_or_insert_default().text.push_str(text);
    }

    /// Text whose wildcards stand for file names.
    pub(super) fn push_unquoted(&mut self, text: &str) {
        let is_word = self.separators.is_some();
        let text =
            if is_word && text.contains(['*', '?', '[', ']']) { marked(text) } else { text.to_owned() };
        self.push(&text);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.current.is_none()
    }

    fn end(&mut self) {
        let Some(mut field) = self.current.take() else { return };
        // `[` and `]` are wildcards only together.
        let [_, _, (_, open), (_, close)] = WILDCARDS;
        if field.text.contains(open) != field.text.contains(close) {
            field.text = field.text.replace(open, "[").replace(close, "]");
        }
        self.done.push(field);
    }

    pub(super) fn put(&mut self, value: &Value, in_quotes: bool, joint: &str) {
        match self.separators.clone() {
            Some(separators) if !in_quotes => {
                for (at, field) in value.fields.iter().enumerate() {
                    if at > 0 {
                        self.end();
                    }
                    self.split(field, &separators);
                }
            }
            Some(_) if value.is_list => {
                for (at, field) in value.fields.iter().enumerate() {
                    if at > 0 {
                        self.end();
                    }
                    self.push(field);
                }
            }
            _ => self.push(&value.fields.join(if value.is_list { " " } else { joint })),
        }
    }

    fn split(&mut self, text: &str, separators: &str) {
        for (at, part) in text.split(|c| separators.contains(c)).enumerate() {
            if at > 0 {
                self.end();
            }
            if !part.is_empty() {
                self.push_unquoted(part);
            }
        }
    }

    pub(super) fn finish(mut self) -> Vec<Field> {
        self.end();
        self.done
    }
}
