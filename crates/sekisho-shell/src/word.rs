//! A shell word after quote removal: what the program would see, as far as this can be known without running
//! anything.

use std::borrow::Cow;

/// A byte range in the analysed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// One word of a command, in pieces. Some pieces are known text; the value of others only bash will know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Its position in the text it was read from.
    pub span: Span,
    /// Its pieces, in order. Literal pieces are never adjacent. An empty list is the empty word `''`.
    pub pieces: Vec<Piece>,
}

/// A piece of a [`Word`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text known exactly, quotes and escapes removed.
    Literal(String),
    /// An unquoted pattern operator (`*`, `?`, `[a-z]`, `@(…)`): the word becomes file names, or itself.
    Glob(String),
    /// `~` or `~name` where bash expands it; the text is what follows the tilde (`""` is the home directory).
    Tilde(String),
    /// `$NAME` or `${NAME}` without any operator.
    Variable {
        /// The name without the dollar sign.
        name: String,
        /// Inside double quotes: one word, never split or globbed.
        quoted: bool,
    },
    /// `$(…)` or backticks. The commands inside are commands of the script.
    Substitution {
        /// Inside double quotes: one word.
        quoted: bool,
    },
    /// `<(…)` or `>(…)`: becomes a path like `/dev/fd/63`. The commands inside are commands of the script.
    Process,
    /// Any other expansion: `${x:-y}`, `$((…))`, `$1`, `$@`, or a brace expansion too large to expand.
    Unknown {
        /// Inside double quotes (`"$@"` counts as unquoted because it can become several words).
        quoted: bool,
    },
}

impl Word {
    /// A word of known text.
    pub fn new(span: Span, text: impl Into<String>) -> Word {
        let text = text.into();
        Word { span, pieces: if text.is_empty() { Vec::new() } else { vec![Piece::Literal(text)] } }
    }

    /// The whole value, if every piece of it is known text.
    pub fn literal(&self) -> Option<Cow<'_, str>> {
        match self.pieces.as_slice() {
            [] => Some(Cow::Borrowed("")),
            [Piece::Literal(text)] => Some(Cow::Borrowed(text)),
            _ => None,
        }
    }

    /// The known text the value begins with; the whole value for a literal word.
    pub fn prefix(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Literal(text)) => text,
            _ => "",
        }
    }

    /// Whether the word might become more or fewer than one argument.
    pub fn may_split(&self) -> bool {
        self.pieces.iter().any(|piece| match piece {
            Piece::Literal(_) | Piece::Tilde(_) | Piece::Process => false,
            Piece::Glob(_) => true,
            Piece::Variable { quoted, .. } | Piece::Substitution { quoted } | Piece::Unknown { quoted } => {
                !quoted
            }
        })
    }

    /// Whether an argument made from the word might begin with `-`, so that a program would treat it as an
    /// option.
    pub fn may_be_option(&self) -> bool {
        match self.pieces.first() {
            None | Some(Piece::Tilde(_) | Piece::Process) => false,
            // A later unquoted expansion can split, and its second field can begin with anything.
            Some(Piece::Literal(text)) => {
                text.starts_with('-')
                    || self.pieces.iter().any(|piece| {
                        matches!(
                            piece,
                            Piece::Variable { quoted: false, .. }
                                | Piece::Substitution { quoted: false }
                                | Piece::Unknown { quoted: false }
                        )
                    })
            }
            Some(_) => true,
        }
    }
}
