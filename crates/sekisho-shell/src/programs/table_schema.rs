//! The written form of the program table: what a file under `programs/` may say.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::danger_code::DangerCode;
use super::shared_enums::{BuiltinList, ProgramDangerLevel, ShellKind};

/// One file of the table.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TableFile {
    /// Option lists that several programs or subcommands of the file share.
    #[serde(default)]
    pub(super) options: BTreeMap<String, OptionLists>,
    /// The programs, by name.
    #[serde(default)]
    pub(super) program: BTreeMap<String, ProgramSpec>,
}

/// A list of options with their arity. Long options stand in one string, separated by blanks:
/// `all` takes no value, `width=` needs one, `color=?` may have one, attached only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct OptionLists {
    /// Short options without a value.
    pub(super) flags: String,
    /// Short options that need a value, attached or in the next word.
    pub(super) valued: String,
    /// Short options with an optional, attached value.
    pub(super) optional: String,
    /// Long options.
    pub(super) long: String,
    /// Shared lists of the same file to include.
    pub(super) include: Vec<String>,
}

/// A program or a subcommand. What compiling it takes into its own form (names, options, bounds of values, subcommands) is
/// empty afterwards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ProgramSpec {
    /// Other names.
    pub(super) also: Vec<String>,
    /// The same name with a version or a dotted suffix (`python3.12`, `mkfs.ext4`) is this program too.
    pub(super) versioned: bool,
    /// On which built-in list it stands.
    pub(super) builtin: Option<BuiltinList>,
    /// Not on a built-in list, but its harmless use is described here all the same.
    pub(super) judged: bool,
    /// With one of these words and nothing else it only prints, and stands on the longer list.
    pub(super) alone: String,
    /// A wrapper that adds nothing of its own to what it runs.
    pub(super) transparent: bool,
    /// How its words are read.
    pub(super) grammar: Grammar,
    /// `harmless` and `other` together hold every long option, so that abbreviations can be judged.
    pub(super) complete: bool,
    /// A dynamic word that turns out to be an option does no harm: it has no harmful option.
    pub(super) tolerant: bool,
    /// Of a tolerant program: an option of it opens other files than its operands (`grep -r`, `wc --files0-from`). Words that
    /// may turn into options are named for whoever knows the files.
    pub(super) opens_by_option: bool,
    /// `-5` and the like are harmless.
    pub(super) number: bool,
    /// Words beginning with `+` are options too.
    pub(super) plus: bool,
    /// The first word may be a bundle of options without a dash (`tar xzf`).
    pub(super) dashless: bool,
    /// Options known harmless.
    pub(super) harmless: OptionLists,
    /// Options known, and not harmless.
    pub(super) other: OptionLists,
    /// Bounds on the values of harmless options, by option: see `values.rs` for the names.
    pub(super) values: BTreeMap<String, String>,
    /// One of these options must stand before the operands, else the command is not harmless.
    pub(super) needs: String,
    /// Options that name a directory to change to first.
    pub(super) directory: String,
    /// Options whose value is run, and in which form.
    pub(super) execs: BTreeMap<String, ExecForm>,
    /// The operands.
    pub(super) operands: OperandSpec,
    /// Where the command it runs stands.
    pub(super) inner: Option<InnerCommandSpec>,
    /// Evaluates a program given as text or as a file.
    pub(super) program_text: bool,
    /// Changes the shell that runs it.
    pub(super) changes_shell: bool,
    /// Where it is not harmless it sets variables by name or evaluates subscripts (`printf -v`, `test -v`).
    pub(super) evaluates: bool,
    /// Its first two operands are a key and a value of git's config.
    pub(super) setting: bool,
    /// Its first operand may be standard input by another name, and is then a shell text.
    pub(super) sources: bool,
    /// A `-` by itself is an option.
    pub(super) dash: bool,
    /// With one of these options it reads what lies below a directory.
    pub(super) walks_if: String,
    /// What it runs, it runs in directories that its words do not name.
    pub(super) elsewhere: bool,
    /// With one of these options it does.
    pub(super) elsewhere_if: String,
    /// Reads a git repository, whose config can name programs.
    pub(super) repository: bool,
    /// Reads what lies below a directory.
    pub(super) walks: bool,
    /// How many leading words make a sensible rule.
    pub(super) depth: Option<u8>,
    /// Never proposed as a bare word.
    pub(super) never_bare: Option<bool>,
    /// What it does to the world.
    pub(super) danger: Option<DangerSpec>,
    /// What some of its options do beyond that.
    pub(super) danger_if: Vec<OptionDanger>,
    /// Subcommands.
    pub(super) sub: BTreeMap<String, ProgramSpec>,
}

/// How a program's words are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Grammar {
    /// Options anywhere, bundles, `--`.
    #[default]
    Gnu,
    /// Options before the first operand only.
    Posix,
    /// `-name` and `--name` are the same, no bundles (Go, Java, Terraform).
    SingleDash,
    /// The same, before the first operand only.
    SingleDashFirst,
    /// No options at all: every word is an operand.
    Plain,
    /// `find`'s start points and expression.
    Find,
    /// `test` and `[`.
    Test,
}

/// How the value of an executing option is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ExecForm {
    /// The value is the program.
    Program,
    /// The value is shell text.
    Text,
    /// The value, and the words after it, are arguments of the program itself (`env -S`).
    Again,
    /// A command of vim; behind `!` it is shell text.
    Ex,
    /// The following words up to `;` or `+` are the command.
    UntilSemicolon,
    /// `key=value` of git's config.
    GitConfig,
    /// `ProxyCommand=…` and its like.
    SshOption,
    /// `exec=…`
    ExecEquals,
    /// Something is run, what cannot be said.
    Unknown,
}

/// What the operands are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct OperandSpec {
    /// What every operand is, unless said otherwise.
    pub(super) kind: OperandKind,
    /// What the first one is.
    pub(super) first: Option<OperandKind>,
    /// Unless one of these options is present.
    pub(super) first_unless: String,
    /// What the last one is.
    pub(super) last: Option<OperandKind>,
    /// At most so many are harmless.
    pub(super) max: Option<usize>,
    /// Operands are harmless only with one of these options.
    pub(super) need: String,
    /// One operand within this bound makes the options in `needs` unnecessary.
    pub(super) alone: Option<String>,
    /// Every operand must begin so.
    pub(super) prefix: String,
    /// Name of the bound on the first operand (as for values of options).
    pub(super) check: Option<String>,
}

/// What an operand is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum OperandKind {
    /// Neither a path nor a name.
    #[default]
    Text,
    /// A path that is read.
    Read,
    /// A path that is written, created, changed or removed.
    Write,
    /// A shell variable that is set.
    Name,
    /// `if=FILE` is read, `of=FILE` written.
    InOut,
    /// An address: `file://…` is read.
    Address,
}

/// Where a wrapper's inner command stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct InnerCommandSpec {
    /// How it is given.
    pub(super) form: InnerCommandForm,
    /// Operands before it.
    pub(super) skip: usize,
    /// `NAME=value` words may stand before it.
    pub(super) assignments: bool,
    /// Options are also read between the skipped operands and the command.
    pub(super) between: bool,
    /// It begins after `--`, where there is one.
    pub(super) dashes: bool,
    /// Only with one of these options; then the first operand alone is the text.
    pub(super) when: String,
    /// With one of these options there is no inner command.
    pub(super) unless: String,
    /// Without operands, or with one of the options `input_when`, its standard input is the text.
    pub(super) input: bool,
    /// See `input`.
    pub(super) input_when: String,
    /// Words unknown here are appended to it.
    pub(super) append: bool,
    /// Options naming a string that is replaced in it.
    pub(super) replace: String,
    /// A word that ends it.
    pub(super) until: Vec<String>,
    /// With one of these options it is text.
    pub(super) text_when: String,
    /// Only so many words of it, if not zero.
    pub(super) take: usize,
    /// Which shell reads it, if it is text.
    pub(super) shell: Option<ShellKind>,
}

/// The form of an inner command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum InnerCommandForm {
    /// Words, run as they are.
    #[default]
    Argv,
    /// Words joined to a shell text.
    Text,
    /// Arguments of a shell.
    Shell,
    /// Words that are changed in ways not followed here before they are run.
    Mixed,
}

/// A level and what it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DangerSpec {
    /// How bad.
    pub(super) level: ProgramDangerLevel,
    /// What it does.
    pub(super) code: DangerCode,
}

/// A danger that depends on options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OptionDanger {
    /// Any of these.
    pub(super) options: String,
    /// How bad.
    pub(super) level: ProgramDangerLevel,
    /// What it does.
    pub(super) code: DangerCode,
}
