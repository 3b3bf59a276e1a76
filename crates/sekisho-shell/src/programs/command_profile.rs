//! What is known about one command: the result of [`read`](super::read).

use std::borrow::Cow;

use super::danger_code::DangerCode;
use super::detail_code::Detail;
use super::shared_enums::{BuiltinList, ProgramDangerLevel, ShellKind};
use crate::word::Word;
use crate::wording::say;

/// What the table says about one simple command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandProfile {
    /// The program without its directory; `None` when the name is computed.
    pub program: Option<String>,
    /// Where the program is taken from.
    pub location: ProgramLocation,
    /// The table knows the program.
    pub known: bool,
    /// The built-in list on which the program, or this subcommand of it, stands.
    pub builtin: Option<BuiltinList>,
    /// Every option and operand is known harmless; else the first thing that is not.
    ///
    /// [`ObstacleCode::Directory`] and [`ObstacleCode::Executes`] come last: they are given only when
    /// nothing else stands in the way, so a caller that judges [`Reading::directories`] or
    /// [`Reading::inner`] itself may step over them.
    pub harmless: Result<(), Obstacle>,
    /// A wrapper that adds nothing of its own: harmless if it is [`Reading::harmless`] and its inner commands are.
    pub transparent: bool,
    /// Program and leading literal words, options before a subcommand removed: `git -C d push o` is `git push o`.
    pub leading_words: Vec<String>,
    /// Other readings of the leading words: options removed everywhere, and, after an option the table
    /// does not know, both with and without the next word taken for its value. At most eight words each.
    pub leading_alternatives: Vec<Vec<String>>,
    /// The leading words end at a word that is computed and could be anything.
    pub leading_open: bool,
    /// The commands it would run.
    pub inner_commands: Vec<InnerCommand>,
    /// It evaluates a program given as text or as a file.
    pub program_text: bool,
    /// It changes the shell that runs it.
    pub changes_shell: bool,
    /// It reads a git repository, whose config could name programs.
    pub repository: bool,
    /// It reads what lies below a directory.
    pub walks_directories: bool,
    /// What it runs, it runs in directories that its words do not name (`find -execdir`).
    pub elsewhere: bool,
    /// The options of a command that [`walks`](Reading::walks), in their order.
    pub options: Vec<UsedOption>,
    /// The words of such a command that are operands.
    pub operands: Vec<usize>,
    /// Words naming a directory it changes to before anything else (`git -C`).
    pub directories: Vec<usize>,
    /// Shell variables it sets (`read`).
    pub assigns: Vec<String>,
    /// Paths it is given.
    pub paths: Vec<UsedPath>,
    /// Glob words that might expand to an option. They do not make [`Reading::harmless`] an error; whoever
    /// allows must know that they expand to nothing that begins with `-`.
    pub option_globs: Vec<usize>,
    /// Positions of computed words that may turn out to be options which make the program open other files than it is
    /// given. It does no harm besides.
    pub option_words: Vec<usize>,
    /// How many of the leading words make a sensible rule.
    pub depth: usize,
    /// Never to be proposed as a rule by its bare name.
    pub never_bare: bool,
    /// Nor by the words of its subcommand: `docker run` says no more than `docker`.
    pub never_by_subcommand: bool,
    /// What it does to the world, if anything.
    pub danger: Option<ProgramDanger>,
}

impl CommandProfile {
    /// The reading of a command about which nothing is known.
    pub(super) fn unknown(obstacle: Obstacle) -> CommandProfile {
        CommandProfile {
            program: None,
            location: ProgramLocation::Elsewhere,
            known: false,
            builtin: None,
            harmless: Err(obstacle),
            transparent: false,
            leading_words: Vec::new(),
            leading_alternatives: Vec::new(),
            leading_open: false,
            inner_commands: Vec::new(),
            program_text: false,
            changes_shell: false,
            repository: false,
            walks_directories: false,
            elsewhere: false,
            options: Vec::new(),
            operands: Vec::new(),
            directories: Vec::new(),
            assigns: Vec::new(),
            paths: Vec::new(),
            option_globs: Vec::new(),
            option_words: Vec::new(),
            depth: 1,
            never_bare: false,
            never_by_subcommand: false,
            danger: None,
        }
    }
}

/// Where a program is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramLocation {
    /// A bare name: a builtin, a function, an alias, or found on `PATH`.
    Bare,
    /// In a directory of the system (`/usr/bin/git`).
    SystemDirectory,
    /// Anywhere else (`./git`, `~/bin/git`), or the name is computed.
    Elsewhere,
}

/// What keeps a command from being known harmless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// Index of the word.
    pub word: usize,
    /// The kind.
    pub code: ObstacleCode,
    /// What it is about.
    pub detail: Detail,
    /// What the detail names.
    pub name: Option<String>,
}

impl Obstacle {
    pub(super) fn new(word: usize, code: ObstacleCode, detail: Detail) -> Obstacle {
        Obstacle { word, code, detail, name: None }
    }

    pub(super) fn naming(word: usize, code: ObstacleCode, detail: Detail, name: String) -> Obstacle {
        Obstacle { word, code, detail, name: Some(name) }
    }
}

/// Kinds of [`Obstacle`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObstacleCode {
    /// The program's name is computed.
    ComputedName,
    /// The program is taken from outside the system's directories.
    Elsewhere,
    /// The table does not know the program.
    UnknownProgram,
    /// The table does not know the subcommand, or it is computed.
    UnknownSubcommand,
    /// The table knows it, and knows no harmless use of it.
    NotListed,
    /// An option not known to be harmless.
    Option,
    /// A computed word that may turn out to be an option.
    MayBeOption,
    /// The value of an option is outside what is known harmless.
    Value,
    /// An operand is outside what is known harmless.
    Operand,
    /// It is harmless only with an option that is missing.
    MissingOption,
    /// It works in another directory: see [`Reading::directories`].
    Directory,
    /// It runs other commands: see [`Reading::inner`].
    Executes,
}

/// A command run by a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InnerCommand {
    /// Words, run as they stand.
    Argv(Vec<Word>),
    /// The words joined by blanks are a shell text; known only if every word is literal.
    Text {
        /// The words.
        words: Vec<Word>,
        /// Who reads the text.
        shell: ShellKind,
    },
    /// Its standard input is a shell text.
    Input {
        /// Who reads the text.
        shell: ShellKind,
    },
    /// Something is run, and what cannot be said.
    Unknown {
        /// Index of the word that says so.
        word: usize,
        /// Why.
        why: Detail,
    },
}

/// An option given to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedOption {
    /// Without dashes, and in full if it was abbreviated.
    pub name: String,
    /// Its value, if it has one that is known text.
    pub value: Option<String>,
}

/// A path given to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedPath {
    /// Index of the word.
    pub word: usize,
    /// The path's text, where it is only a part of the word (`--file=x`, `HEAD:x`).
    pub text: Option<String>,
    /// What is done to it.
    pub access: PathUseKind,
}

/// What is done to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathUseKind {
    /// Read.
    Read,
    /// Written, created, changed or removed.
    Write,
}

/// What a command does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramDanger {
    /// How bad.
    pub level: ProgramDangerLevel,
    /// What it does.
    pub code: DangerCode,
}

impl DangerCode {
    /// A sentence for people.
    pub fn sentence(self) -> Cow<'static, str> {
        say(self.english())
    }
}
