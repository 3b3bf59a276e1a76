//! The parts of a shell command: words, quoted texts, simple commands and pipelines.

use std::ops::Range;

/// What has been read of a command.
#[derive(Default)]
pub(super) struct ShellScan {
    /// Where syntax is that counts however the texts are used.
    pub(super) cuts: Vec<usize>,
    pub(super) words: Vec<CommandWord>,
    pub(super) texts: Vec<QuotedText>,
    /// The pipeline of each simple command.
    pub(super) pipelines: Vec<usize>,
    /// Whether each pipeline has parts in it: a subshell, a loop, a substitution.
    pub(super) is_compound: Vec<bool>,
}

/// A word of a command.
pub(super) struct CommandWord {
    pub(super) range: Range<usize>,
    /// Whether it names the program to run.
    pub(super) is_first: bool,
    /// Which simple command it belongs to.
    pub(super) command: usize,
    pub(super) role: WordRole,
}

/// What a word is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WordRole {
    /// The program or an argument.
    Argument,
    /// The file of a redirect: `< x`.
    Source,
    /// The file that is written: `> x`.
    Target,
    /// The text after `<<<`.
    Input,
}

/// A text that bash takes as it is.
pub(super) struct QuotedText {
    pub(super) range: Range<usize>,
    /// Which simple command it belongs to.
    pub(super) command: usize,
    pub(super) kind: QuoteKind,
}

/// How a text is quoted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum QuoteKind {
    Quotes,
    /// `$'…'`
    Escapes,
    /// `\;`
    Backslash,
    Document,
}
