//! What is known about one command: the result of [`profile_command`](super::profile_command).

use std::borrow::Cow;

use super::danger_code::DangerCode;
use super::detail_code::Detail;
use super::shared_enums::{BuiltinList, PresetList, ProgramDangerLevel, ShellKind};
use crate::word::Word;
use crate::wording::say;

/// What the program table says about one simple command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandProfile {
    /// The program without its directory. `None` if the name is computed.
    pub program: Option<String>,
    /// Where the program comes from.
    pub location: ProgramLocation,
    /// Whether the table has the program.
    pub known: bool,
    /// The built-in list that contains the program or this subcommand.
    pub builtin: Option<BuiltinList>,
    /// The preset that allows this command with these options and operands.
    pub preset: Option<PresetList>,
    /// `Ok` if every option and operand is known to be harmless, otherwise the first thing that is not.
    ///
    /// [`ObstacleCode::Directory`] and [`ObstacleCode::Executes`] come last: they are reported only if there
    /// is no other obstacle. A caller that judges [`CommandProfile::directories`] or
    /// [`CommandProfile::inner_commands`] itself may ignore them.
    pub harmless: Result<(), Obstacle>,
    /// A wrapper that adds nothing of its own: harmless if [`CommandProfile::harmless`] is `Ok` and its inner
    /// commands are harmless.
    pub transparent: bool,
    /// Program and leading literal words, without options before a subcommand: `git -C d push o` is `git push
    /// o`.
    pub leading_words: Vec<String>,
    /// Other possible leading words: with all options removed, and, after an option the table does not know,
    /// both with and without the next word as its value. At most eight words each.
    pub leading_alternatives: Vec<Vec<String>>,
    /// The leading words end at a computed word that could be anything.
    pub leading_open: bool,
    /// The commands it would run.
    pub inner_commands: Vec<InnerCommand>,
    /// It evaluates a program given as text or as a file.
    pub program_text: bool,
    /// It changes the state of the shell that runs it.
    pub changes_shell: bool,
    /// It reads a git repository, whose config could name programs to run.
    pub repository: bool,
    /// It reads files below a directory.
    pub walks_directories: bool,
    /// The commands it runs run in directories that its words do not name (`find -execdir`).
    pub elsewhere: bool,
    /// It works in a directory that is glued to an option (`make -Cd`).
    pub directory_unknown: bool,
    /// The options of a command that [`walks_directories`](CommandProfile::walks_directories), in order.
    pub options: Vec<UsedOption>,
    /// The indexes of such a command's operands.
    pub operands: Vec<usize>,
    /// Indexes of words that name a directory it changes to before anything else (`git -C`).
    pub directories: Vec<usize>,
    /// Shell variables it sets (`read`).
    pub assigns: Vec<String>,
    /// Paths among its arguments.
    pub paths: Vec<UsedPath>,
    /// Glob words that might expand to an option. They do not make [`CommandProfile::harmless`] an error.
    /// Before allowing the command, check that they expand to nothing that begins with `-`.
    pub option_globs: Vec<usize>,
    /// Positions of computed words that may turn out to be options that make the program open other files
    /// than its operands, or treat other words as files. They can do no other harm.
    pub option_words: Vec<usize>,
    /// Positions of options and of options' values whose expansion may become several words or none: other words
    /// then change their role.
    pub splitting_words: Vec<usize>,
    /// Positions of words that zsh evaluates as arithmetic, which can run commands, and that are not written as numbers.
    pub evaluated_words: Vec<usize>,
    /// How many of the leading words make a sensible rule.
    pub depth: usize,
    /// Never propose a rule for its bare name.
    pub never_bare: bool,
    /// Never propose a rule for its subcommand either: `docker run` is as broad as `docker`.
    pub never_by_subcommand: bool,
    /// The effect it has outside, if any.
    pub danger: Option<ProgramDanger>,
    /// Positions of the words that cause `danger`: the program with its subcommands, options, or both. In order.
    pub danger_words: Vec<usize>,
    /// The first option that a user's allow of the program does not include, as written.
    pub outside: Option<String>,
    /// Programs that it starts by itself, with words that nobody can choose (`tar` starts `gzip`).
    pub starts: Vec<String>,
    /// The path of the program that it runs, if it may download one that is not installed (`npx tsc`). Also one of
    /// [`CommandProfile::paths`].
    pub installed: Option<String>,
}

impl CommandProfile {
    /// The profile of a command about which nothing is known.
    pub(super) fn unknown(obstacle: Obstacle) -> CommandProfile {
        CommandProfile {
            program: None,
            location: ProgramLocation::Elsewhere,
            known: false,
            builtin: None,
            preset: None,
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
            directory_unknown: false,
            options: Vec::new(),
            operands: Vec::new(),
            directories: Vec::new(),
            assigns: Vec::new(),
            paths: Vec::new(),
            option_globs: Vec::new(),
            option_words: Vec::new(),
            splitting_words: Vec::new(),
            evaluated_words: Vec::new(),
            depth: 1,
            never_bare: false,
            never_by_subcommand: false,
            danger: None,
            danger_words: Vec::new(),
            outside: None,
            starts: Vec::new(),
            installed: None,
        }
    }
}

/// Where a program comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramLocation {
    /// A bare name: a builtin, a function, an alias, or a program found on `PATH`.
    Bare,
    /// In a system directory (`/usr/bin/git`).
    SystemDirectory,
    /// In a directory of a project for installed programs (`.venv/bin/pytest`, `node_modules/.bin/tsc`).
    ProjectDirectory,
    /// Anywhere else (`./git`, `~/bin/git`), or the name is computed.
    Elsewhere,
}

impl ProgramLocation {
    /// Whether a program may be another one than the system's with its name.
    pub fn is_elsewhere(self) -> bool {
        matches!(self, ProgramLocation::ProjectDirectory | ProgramLocation::Elsewhere)
    }
}

/// What prevents a command from being known as harmless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// Index of the word.
    pub word: usize,
    /// The kind.
    pub code: ObstacleCode,
    /// Why, as a code.
    pub detail: Detail,
    /// The name to insert into the detail's sentence.
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
    /// The program is outside the system directories.
    Elsewhere,
    /// The table does not know the program.
    UnknownProgram,
    /// The table does not know the subcommand, or it is computed.
    UnknownSubcommand,
    /// The table has the program, but no harmless use of it.
    NotListed,
    /// An option not known to be harmless.
    Option,
    /// A computed word that may turn out to be an option.
    MayBeOption,
    /// The value of an option is not known to be harmless.
    Value,
    /// An operand is not known to be harmless.
    Operand,
    /// It is harmless only with an option, which is missing.
    MissingOption,
    /// It works in another directory: see [`CommandProfile::directories`].
    Directory,
    /// It runs other commands: see [`CommandProfile::inner_commands`].
    Executes,
}

/// A command that another command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InnerCommand {
    /// Words, run as they are.
    Argv(Vec<Word>),
    /// The words joined by blanks are a shell text. It is known only if every word is literal.
    Text {
        /// The words.
        words: Vec<Word>,
        /// The shell that reads the text.
        shell: ShellKind,
    },
    /// Its standard input is a shell text.
    Input {
        /// The shell that reads the text.
        shell: ShellKind,
    },
    /// Lines of its standard input that begin with `!` are shell text.
    BangLines,
    /// It runs something unknown.
    Unknown {
        /// Index of the word responsible.
        word: usize,
        /// Why it is unknown.
        why: Detail,
    },
}

/// An option passed to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedOption {
    /// Without dashes, and in full if it was abbreviated.
    pub name: String,
    /// Its value, if it has one and it is known text.
    pub value: Option<String>,
}

/// A path passed to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedPath {
    /// Index of the word.
    pub word: usize,
    /// The path's text, if it is only a part of the word (`--file=x`, `HEAD:x`).
    pub text: Option<String>,
    /// How it is used.
    pub access: PathUseKind,
}

/// How a path is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathUseKind {
    /// Read.
    Read,
    /// Written, created, changed or removed.
    Write,
}

/// The effect a command has outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramDanger {
    /// How serious it is.
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
