//! What a bash text could run: the result of [`analyse`](crate::analyse).

use crate::word::{Span, Word};

/// Everything a text could run, write or assign, and what of it cannot be known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// Every simple command at any depth, in the order bash would reach them.
    pub commands: Vec<Command>,
    /// Every redirect, also those of compound commands and those without a command.
    pub redirects: Vec<Redirect>,
    /// Every assignment: before a command, on its own, in `for`, by `${x:=y}`.
    pub assignments: Vec<Assignment>,
    /// What cannot be known statically. A text with an opaque part is never allowed automatically.
    pub opaque: Vec<OpaquePart>,
    /// The text as a flat list of commands, redirects and operators, for matching a glob part by part.
    pub items: Vec<ScriptItem>,
    /// Every `$(…)`, backticks, `<(…)` and `>(…)` at any depth, an inner one before the one around it.
    pub substitutions: Vec<Substitution>,
}

/// The text inside a word whose output, or a path to it, takes its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Substitution {
    /// Parentheses or backticks included. Whatever stands in backticks has the span of the backticks.
    pub span: Span,
    /// What stands inside, as in [`Script::shape`].
    pub shape: Vec<ScriptItem>,
}

/// One simple command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// From its first word to its last (assignments before it and redirects included).
    pub span: Span,
    /// The program and its arguments. Never empty: a lone assignment or redirect is no command.
    pub words: Vec<Word>,
    /// Indexes into [`Script::assignments`] of the assignments standing before it.
    pub assignments: Vec<usize>,
    /// Indexes into [`Script::redirects`] of its own redirects.
    pub redirects: Vec<usize>,
    /// How it is reached.
    pub origin: CommandOrigin,
    /// How deep it is nested: 0 for the text's own commands, one more inside each substitution, group or wrapper.
    pub depth: u16,
    /// Whether a change of directory here would be seen by the commands that follow (no subshell, pipe or background).
    pub keeps_directory: bool,
}

/// How bash reaches a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandOrigin {
    /// In the text itself, groups, subshells, loops and conditions included.
    Plain,
    /// Inside `$(…)`, backticks, `<(…)` or `>(…)`.
    Substitution,
    /// Inside a function body.
    Function,
    /// Run by another command: a wrapper's inner command.
    Wrapped,
}

/// A redirect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// Operator and target.
    pub span: Span,
    /// What it does.
    pub kind: RedirectKind,
    /// The operator as written, descriptor included (`2>`, `&>>`, `{fd}<`).
    pub operator: String,
    /// The file, descriptor or here-string; for a here-document its body as a word (literal if nothing in it expands).
    pub target: Word,
}

/// What a redirect does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RedirectKind {
    /// `<`
    Read,
    /// `>`, `>>`, `>|`, `&>`, `&>>`, `>&file`, `<>`: opens a file for writing.
    Write,
    /// `2>&1`, `<&3`, `>&-`: descriptors only.
    Descriptor,
    /// `<<` and `<<-`
    HereDocument,
    /// `<<<`
    HereString,
    /// A descriptor that is computed (`>&$x`), `{name}>`: anything else.
    Other,
}

/// An assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// Name, operator and value.
    pub span: Span,
    /// The variable.
    pub name: String,
    /// The value; an array or a subscript makes an [`Opaque`] besides.
    pub value: Word,
    /// It stands before a command and lasts only for it.
    pub temporary: bool,
}

/// A part that cannot be known without running it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpaquePart {
    /// Where.
    pub span: Span,
    /// Why.
    pub kind: OpaqueKind,
}

/// Why a part is opaque.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpaqueKind {
    /// The text is longer than is read.
    TooLong,
    /// Nested deeper than is followed.
    TooDeep,
    /// A control character, a carriage return, a Unicode blank, a bidi or zero-width character.
    HiddenCharacter,
    /// It is not bash, or not the bash this crate reads.
    Unparsed,
    /// The program's name is computed.
    ComputedName,
    /// An expansion that can execute or assign (`${x@P}`, `${x:=…}`, `$((a[…]))`).
    Expansion,
    /// Arithmetic, whose subscripts bash evaluates.
    Arithmetic,
    /// A function is defined.
    Function,
    /// An array, or a subscript in an assignment.
    Array,
    /// `[[ … ]]` with more in it than plain tests.
    Conditional,
    /// `coproc`, `select`, and other constructs outside the proven subset.
    Construct,
    /// A redirect outside the proven subset.
    Redirect,
}

/// One element of [`Script::shape`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptItem {
    /// An index into [`Script::commands`]. Commands inside a word's substitution are in the shape of that.
    Command(usize),
    /// An index into [`Script::redirects`].
    Redirect(usize),
    /// An index into [`Script::assignments`], one that stands alone.
    Assignment(usize),
    /// `|`, `&&`, `;`, `&`, `(`, `}`, `if`, `done` …; a newline between commands is `;`.
    Operator(&'static str),
}
