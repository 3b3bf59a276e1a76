//! What a bash text could run: the result of [`analyse`](crate::analyse).

use crate::word::{Span, Word};

/// Everything a text could run, write or assign, and which parts of it cannot be known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// Every simple command at any depth, in the order bash would reach them.
    pub commands: Vec<Command>,
    /// Every redirect, including those of compound commands and those without a command.
    pub redirects: Vec<Redirect>,
    /// Every assignment: before a command, standalone, in `for`, or by `${x:=y}`.
    pub assignments: Vec<Assignment>,
    /// What cannot be known statically. A text with an opaque part is never allowed automatically.
    pub opaque: Vec<OpaquePart>,
    /// The text as a flat list of commands, redirects and operators, for matching a glob part by part.
    pub items: Vec<ScriptItem>,
    /// Every `$(…)`, backtick, `<(…)` and `>(…)` substitution at any depth. Inner ones come before outer
    /// ones.
    pub substitutions: Vec<Substitution>,
    /// Words with expansions that `[[ … ]]` and `case` compare.
    pub compared: Vec<Word>,
}

/// A substitution inside a word: bash replaces it by its output, or by a path to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Substitution {
    /// Includes the parentheses or backticks. Everything inside backticks has the span of the backticks.
    pub span: Span,
    /// The commands inside, in the same form as [`Script::items`].
    pub shape: Vec<ScriptItem>,
}

/// One simple command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// From its first word to its last, including preceding assignments and redirects.
    pub span: Span,
    /// The program and its arguments. Never empty: a lone assignment or redirect is not a command.
    pub words: Vec<Word>,
    /// Indexes into [`Script::assignments`] of the assignments before it.
    pub assignments: Vec<usize>,
    /// Indexes into [`Script::redirects`] of its own redirects.
    pub redirects: Vec<usize>,
    /// How bash reaches it.
    pub origin: CommandOrigin,
    /// Nesting depth: 0 for top-level commands, one more inside each substitution, group or wrapper.
    pub depth: u16,
    /// Whether a change of directory here would affect later commands (no subshell, pipe or background).
    pub keeps_directory: bool,
}

/// How bash reaches a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandOrigin {
    /// In the text itself, including groups, subshells, loops and conditions.
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
    /// The operator as written, including the descriptor (`2>`, `&>>`, `{fd}<`).
    pub operator: String,
    /// The file, descriptor or here-string. For a here-document, its body as a word (literal if nothing in it
    /// expands).
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
    /// Anything else: a computed descriptor (`>&$x`), `{name}>`.
    Other,
}

/// An assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// Name, operator and value.
    pub span: Span,
    /// The variable.
    pub name: String,
    /// The value. An array or a subscript also adds an [`OpaquePart`].
    pub value: Word,
    /// Whether it precedes a command and lasts only for that command.
    pub temporary: bool,
}

/// A part that cannot be known without running it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpaquePart {
    /// Its byte range.
    pub span: Span,
    /// Why it is opaque.
    pub kind: OpaqueKind,
}

/// Why a part is opaque.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpaqueKind {
    /// The text exceeds the length limit.
    TooLong,
    /// Nested more deeply than the parser follows.
    TooDeep,
    /// A control character, a carriage return, a Unicode blank, a bidi or zero-width character.
    HiddenCharacter,
    /// Not bash, or not a form of bash that this crate parses.
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
    /// `[[ … ]]` containing more than plain tests.
    Conditional,
    /// `coproc`, `select`, and other constructs outside the proven subset.
    Construct,
    /// A redirect outside the proven subset.
    Redirect,
}

/// One element of [`Script::items`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptItem {
    /// An index into [`Script::commands`]. Commands inside a substitution are in the items of that
    /// substitution.
    Command(usize),
    /// An index into [`Script::redirects`].
    Redirect(usize),
    /// An index into [`Script::assignments`]: a standalone assignment.
    Assignment(usize),
    /// `|`, `&&`, `;`, `&`, `(`, `}`, `if`, `done` …; a newline between commands is `;`.
    Operator(&'static str),
}
