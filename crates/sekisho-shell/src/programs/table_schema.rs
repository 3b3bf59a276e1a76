//! The format of the files below `programs/`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::danger_code::DangerCode;
use super::shared_enums::{BuiltinList, PresetList, ProgramDangerLevel, ShellKind};

/// One file of the table.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TableFile {
    /// Option lists shared by several programs or subcommands of the file.
    #[serde(default)]
    pub(super) options: BTreeMap<String, OptionLists>,
    /// The programs, by name.
    #[serde(default)]
    pub(super) program: BTreeMap<String, ProgramSpec>,
}

/// A list of options with their arity. Long options are in one string, separated by blanks: `all` takes no
/// value, `width=` needs one, `color=?` may have one, attached only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct OptionLists {
    /// Short options without a value.
    pub(super) flags: String,
    /// Short options that need a value, attached or in the next word.
    pub(super) valued: String,
    /// Short options with an optional, attached value.
    pub(super) optional: String,
    pub(super) long: String,
    /// Shared lists of the same file to include.
    pub(super) include: Vec<String>,
}

/// A program or a subcommand. The parts that compilation converts (names, options, value checks, subcommands)
/// are empty afterwards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ProgramSpec {
    /// Other names.
    pub(super) also: Vec<String>,
    /// The same name with a version or a dotted suffix (`python3.12`, `mkfs.ext4`) is also this program.
    pub(super) versioned: bool,
    /// The built-in list that contains it.
    pub(super) builtin: Option<BuiltinList>,
    /// The preset that contains it. Its `harmless` options and operands are those that stay within what the preset trusts.
    pub(super) preset: Option<PresetList>,
    /// Not on a built-in list, but its harmless use is described.
    pub(super) judged: bool,
    /// With one of these words and nothing else it only prints, and is on the longer list.
    pub(super) alone: String,
    /// `alone` is not on the longer list but in this preset, because the project can choose the program that is started.
    pub(super) alone_in: Option<PresetList>,
    /// With one of these words at the end, after nothing but the names of known subcommands, it only prints help, and is on
    /// the longer list.
    pub(super) help: String,
    /// `help` is not on the longer list but in this preset, because the program contacts its service even then.
    pub(super) help_in: Option<PresetList>,
    /// With this word and then only the names of files it parses them and runs nothing, and is on the longer list, or in the
    /// preset of `alone_in`.
    pub(super) parses_if: String,
    /// Commands that have the same effect, one a line: a deny or confirm of one of them also matches this.
    pub(super) acts_as: String,
    /// Like `acts_as`, if it has certain options.
    pub(super) acts_if: Vec<OptionEquivalent>,
    /// Programs that it starts by itself, with words that nobody can choose.
    pub(super) starts: String,
    /// A wrapper that adds nothing of its own to the command it runs.
    pub(super) transparent: bool,
    /// Names that `-m NAME` at the beginning starts as the program of that name, with the words after it. Python looks for
    /// them in the working directory first, so these commands belong to the preset `dev`.
    pub(super) modules: String,
    /// It expands wildcards in its operands by itself, and prints or changes what it finds.
    pub(super) expands: bool,
    /// The directory with the programs that it runs. What is not there it may download.
    pub(super) installed: String,
    /// How its words are parsed.
    pub(super) grammar: Grammar,
    /// `harmless` and `other` together contain every long option, so that abbreviations can be checked.
    pub(super) complete: bool,
    /// A computed word that turns out to be an option is harmless, because it has no harmful option.
    pub(super) tolerant: bool,
    /// For a tolerant program: one of its options opens other files than its operands (`grep -r`, `wc
    /// --files0-from`). Words that may become options are listed, so that a caller that knows the files can
    /// check them.
    pub(super) opens_by_option: bool,
    /// For a tolerant program: it prints names, and an option can change which. Globs that may become options are
    /// listed.
    pub(super) lists_by_option: bool,
    /// It drops a `=` before the value of a short option: `-g=x` is `-g x`.
    pub(super) drops_equals: bool,
    /// For a subcommand of git: its words are read once, so the value of an option may begin with a dash. Others look
    /// for some options in all words first, and take them away even where they are values.
    pub(super) dashed_values: bool,
    /// `-5` and similar options are harmless.
    pub(super) number: bool,
    /// Words that begin with `+` are also options.
    pub(super) plus: bool,
    /// The first word may be a bundle of options without a dash (`tar xzf`).
    pub(super) dashless: bool,
    /// Options known to be harmless.
    pub(super) harmless: OptionLists,
    /// Options that are known and not harmless.
    pub(super) other: OptionLists,
    /// Options that make it run something else, or work on other files than those of the project. A user's allow of the
    /// program does not include them, unless its glob contains them.
    pub(super) outside: String,
    /// Options of which the same holds if their value may be a file outside the working directory.
    pub(super) outside_paths: String,
    /// Checks on the values of harmless options, by option. `value_check.rs` lists the names.
    pub(super) values: BTreeMap<String, String>,
    /// The check on the values of all other options.
    pub(super) each_value: Option<String>,
    /// One of these options must come before the operands, or the command is not harmless.
    pub(super) needs: String,
    /// Options that name a directory to change to first.
    pub(super) directory: String,
    /// Options whose value is run, and in which form.
    pub(super) execs: BTreeMap<String, ExecForm>,
    pub(super) operands: OperandSpec,
    /// Position of the command it runs.
    pub(super) inner: Option<InnerCommandSpec>,
    /// Evaluates a program given as text or as a file.
    pub(super) program_text: bool,
    /// Changes the state of the shell that runs it.
    pub(super) changes_shell: bool,
    /// If it is not harmless, it sets variables by name or evaluates subscripts (`printf -v`, `test -v`).
    pub(super) evaluates: bool,
    /// Which of its words zsh evaluates as arithmetic, which can run commands.
    pub(super) arithmetic: Option<ArithmeticWords>,
    /// Its first two operands are a key and a value of git's config.
    pub(super) setting: bool,
    /// Its first operand may be another name for standard input, which is then a shell text.
    pub(super) sources: bool,
    /// Its operands are `name=text`, and the text is run as a command later.
    pub(super) aliases: bool,
    /// Operands that begin with `+` are commands of vim.
    pub(super) plus_commands: bool,
    /// Lines of its standard input that begin with `!` are shell text.
    pub(super) bang_lines: bool,
    /// A lone `-` is an option.
    pub(super) dash: bool,
    /// With one of these options it reads files below a directory.
    pub(super) walks_if: String,
    /// The commands it runs run in directories that its words do not name.
    pub(super) elsewhere: bool,
    /// Options that make `elsewhere` true.
    pub(super) elsewhere_if: String,
    /// Reads a git repository, whose config can name programs.
    pub(super) repository: bool,
    /// Reads files below a directory.
    pub(super) walks: bool,
    /// How many leading words make a sensible rule.
    pub(super) depth: Option<u8>,
    /// Never propose a rule for its bare name.
    pub(super) never_bare: Option<bool>,
    /// The effect it has outside.
    pub(super) danger: Option<DangerSpec>,
    /// Additional effects of some of its options and operands.
    pub(super) danger_if: Vec<OptionDanger>,
    pub(super) sub: BTreeMap<String, ProgramSpec>,
}

/// Words that zsh evaluates as arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ArithmeticWords {
    /// Every operand.
    Operands,
    /// The operands that a format prints as numbers or takes for widths.
    Conversions,
    /// The word after `-t`.
    Terminal,
}

/// How a program's words are parsed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Grammar {
    /// Options anywhere, bundles, `--`.
    #[default]
    Gnu,
    /// Options before the first operand only.
    Posix,
    /// `-name` and `--name` are the same; no bundles (Go, Java, Terraform).
    SingleDash,
    /// Like `SingleDash`, but options come only before the first operand.
    SingleDashFirst,
    /// No options at all: every word is an operand.
    Plain,
    /// `find`'s start points and expression.
    Find,
    /// `test` and `[`.
    Test,
    /// `ps`: three kinds of options in one.
    Ps,
}

/// How the value of an executing option is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ExecForm {
    /// The value is the program.
    Program,
    /// The value is shell text.
    Text,
    /// The value and the words after it are arguments of the program itself (`env -S`).
    Again,
    /// A vim command; after `!` it is shell text.
    Ex,
    /// The following words up to `;` or `+` are the command.
    UntilSemicolon,
    /// `key=value` of git's config.
    GitConfig,
    /// `ProxyCommand=…` and similar options.
    SshOption,
    /// `exec=…`
    ExecEquals,
    /// It runs something unknown.
    Unknown,
}

/// What the operands are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct OperandSpec {
    /// The kind of every operand, unless specified otherwise.
    pub(super) kind: OperandKind,
    /// The kind of the first operand.
    pub(super) first: Option<OperandKind>,
    /// Options that cancel `first`.
    pub(super) first_unless: String,
    /// The kind of the last operand.
    pub(super) last: Option<OperandKind>,
    /// The smallest number of operands that is harmless.
    pub(super) min: usize,
    /// The largest number of operands that is harmless.
    pub(super) max: Option<usize>,
    /// Operands are harmless only with one of these options.
    pub(super) need: String,
    /// A single operand that passes this check makes the options in `needs` unnecessary.
    pub(super) alone: Option<String>,
    /// Every operand must begin with this.
    pub(super) prefix: String,
    /// Name of the check on the first operand (as for option values).
    pub(super) check: Option<String>,
    /// Name of the check on every operand.
    pub(super) each: Option<String>,
    /// For a command of a preset: the largest number of operands that may come before `--`.
    pub(super) before: Option<usize>,
    /// For a command of a preset: the words with a dash that may come after `--`. One that ends in `=` may have any value.
    pub(super) dashed: String,
    /// For a command of a preset: the programs of the entry that join the words after `--` to a text without quotes.
    pub(super) joined_by: String,
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

/// Position of a wrapper's inner command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct InnerCommandSpec {
    /// How the inner command is given.
    pub(super) form: InnerCommandForm,
    /// Number of operands before it.
    pub(super) skip: usize,
    /// The skipped operands may be missing.
    pub(super) or_none: bool,
    /// `NAME=value` words may come before it.
    pub(super) assignments: bool,
    /// Options may also come between the skipped operands and the command.
    pub(super) between: bool,
    /// It begins after `--`, if there is one.
    pub(super) dashes: bool,
    /// Only with one of these options; the first operand alone is then the text.
    pub(super) when: String,
    /// With one of these options there is no inner command.
    pub(super) unless: String,
    /// Without operands, or with one of the options `input_when`, its standard input is the text.
    pub(super) input: bool,
    /// See `input`.
    pub(super) input_when: String,
    /// Unknown words are appended to it.
    pub(super) append: bool,
    /// Options that name a string to be replaced in it.
    pub(super) replace: String,
    /// A word that ends it.
    pub(super) until: Vec<String>,
    /// With one of these options it is text.
    pub(super) text_when: String,
    /// The number of words in it, if not zero.
    pub(super) take: usize,
    /// The shell that reads it, if it is text.
    pub(super) shell: Option<ShellKind>,
}

/// How an inner command is given.
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
    /// Words of the program itself, after its name: `git for-each-repo … push` runs `git push`.
    Subcommand,
    /// Words that are changed in unknown ways before they are run.
    Mixed,
}

/// A danger level and code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DangerSpec {
    pub(super) level: ProgramDangerLevel,
    pub(super) code: DangerCode,
}

/// Commands that have the same effect, if certain options are given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OptionEquivalent {
    /// One of these options is given,
    pub(super) options: String,
    /// and one of these, unless the list is empty.
    #[serde(default)]
    pub(super) and: String,
    /// The commands, one a line.
    pub(super) same: String,
}

/// A danger that depends on options or operands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OptionDanger {
    /// Any one of these options causes it.
    #[serde(default)]
    pub(super) options: String,
    /// Any one of these operands causes it. `+*` stands for all that begin with `+`.
    #[serde(default)]
    pub(super) operands: String,
    pub(super) level: ProgramDangerLevel,
    pub(super) code: DangerCode,
}
