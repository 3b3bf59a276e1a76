//! Named checks on option values and operands. `value_check_functions.rs` defines what they accept.

use serde::{Deserialize, Serialize};

/// A check, by its name in the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum ValueCheck {
    /// Any value. It is a path that is read.
    Read,
    /// Known text. It is a path that is read, and not standard input.
    ReadFile,
    /// Any value. It is a path that is written.
    Write,
    /// Known text.
    Literal,
    /// One of these words.
    OneOf(Vec<String>),
    /// A format that prints these columns and no others: `table {{.Name}}`, `{{.ID}} {{.Driver}}`.
    Columns(Vec<String>),
    /// A glob or a line range that names files to read, as far as it names them explicitly.
    Names,
    /// `@file`, or `field=@file`.
    AtFile,
    /// A pretty format of git that starts no program.
    GitFormat,
    /// A field that git sorts by without starting a program.
    GitSort,
    /// A key of git's config that `git config` does not mistake for a subcommand.
    GitKey,
    /// A number.
    Number,
    /// A short duration in seconds.
    Seconds,
    /// A jq program that loads nothing and does not show the environment.
    JqProgram,
    /// A `key=value` of git's config that starts no program.
    GitConfig,
    /// A sed script that only prints.
    SedScript,
    /// A printf format that sets no variable.
    PrintfFormat,
    /// An awk program that only reads its input and prints.
    AwkProgram,
    /// `name=value` for awk.
    AwkAssignment,
    /// A path of plain names for `yq`.
    YqPath,
    /// The name of an encoding, and not the path of a file.
    Encoding,
    /// A filter of `ss` that names no host.
    SsFilter,
    /// Known text without `@`, which would name a file or a host.
    NotAt,
    /// A name of letters, digits and `-_.`, and not the path of a file.
    PlainName,
    /// Known text without a colon, which would name a host.
    NoColon,
    /// Names with `and`, `or`, `not` and parentheses: text that calls nothing if it is evaluated as Python, as old versions
    /// of pytest do.
    NoCall,
    /// Keys of fzf with actions that move, select or leave.
    FzfBindings,
    /// Any text, also computed: it is only stored, and never a path.
    Message,
    /// The path of one file or directory, or the name of a branch: no wildcards and nothing that a program expands.
    PlainPath,
    /// `owner/name`: a repository on the default host.
    OwnerAndName,
    /// The path of one file that is read, not on another machine and not standard input.
    OneFile,
    /// Known text without a colon. It is a path that is read, and not on another machine.
    LocalFile,
    /// Known text that is used as it is: no option, no address, and no `@file` or `file://…` that stands for a file's
    /// content.
    Inline,
    /// The name of a resource of a cloud, or several with commas: no part of a path or an address.
    ResourceName,
    /// The path of a resource of a cloud, which leads nowhere else.
    ResourcePath,
    /// A version of Python, and not the name of a program.
    PythonVersion,
    /// The path of a resource of GitHub that holds no secrets.
    ApiPath,
    /// The name of a formula or cask of Homebrew, and not of a file or a tap.
    FormulaName,
    /// The name of a package, perhaps with a scope and a version: `@types/node@20`.
    PackageName,
    /// A word for a script of the project, which a shell may read once more.
    ScriptOperand,
    /// The name of a test or a lint of Rust: `tests::parses`, `clippy::all`.
    RustPath,
    /// Names of classes and methods of Java, which Maven runs as tests.
    JavaTests,
    /// A directory of the project that unittest does not take for a module of Python's library. It is a path that is read.
    StartDirectory,
    /// `discover`, or the dotted name of a test below `tests`.
    UnittestTarget,
    /// A file or directory of tests, perhaps with a line.
    TestPath,
    /// A directory, or the file of a project or solution of .NET, and no switch of its build tool.
    DotnetProject,
    /// A filter of tests of .NET, which is a part of a word for its build tool.
    TestFilter,
    /// Names of environments that only check or test, with commas between them.
    TestEnvironments,
    /// Endings of source files of JavaScript and its relatives.
    ScriptExtensions,
    /// One of these tasks, perhaps of a project of the build: `:module:test`.
    TaskOf(Vec<String>),
    /// Packages as Go names them: `./...`, `std`, `github.com/owner/name`. Not in another directory.
    PackagePath,
    /// What `kubectl wait` waits for, if it prints nothing of the resource.
    WaitCondition,
}

impl ValueCheck {
    /// The check that compares with a list.
    fn of_list(kind: &str, list: &str) -> Option<ValueCheck> {
        let list = list.split_whitespace().map(str::to_owned).collect();
        match kind {
            "one-of" => Some(ValueCheck::OneOf(list)),
            "columns" => Some(ValueCheck::Columns(list)),
            "task-of" => Some(ValueCheck::TaskOf(list)),
            _ => None,
        }
    }

    /// The check with this name.
    pub(super) fn named(name: &str) -> Result<ValueCheck, String> {
        if let Some((kind, list)) = name.split_once(' ') {
            return ValueCheck::of_list(kind, list).ok_or_else(|| format!("unknown check `{name}`"));
        }
        match name {
            "read" => Ok(ValueCheck::Read),
            "read-file" => Ok(ValueCheck::ReadFile),
            "write" => Ok(ValueCheck::Write),
            "literal" => Ok(ValueCheck::Literal),
            "git-format" => Ok(ValueCheck::GitFormat),
            "names" => Ok(ValueCheck::Names),
            "at-file" => Ok(ValueCheck::AtFile),
            "git-sort" => Ok(ValueCheck::GitSort),
            "git-key" => Ok(ValueCheck::GitKey),
            "number" => Ok(ValueCheck::Number),
            "seconds" => Ok(ValueCheck::Seconds),
            "jq-program" => Ok(ValueCheck::JqProgram),
            "git-config" => Ok(ValueCheck::GitConfig),
            "sed-script" => Ok(ValueCheck::SedScript),
            "printf-format" => Ok(ValueCheck::PrintfFormat),
            "awk-program" => Ok(ValueCheck::AwkProgram),
            "awk-assignment" => Ok(ValueCheck::AwkAssignment),
            "yq-path" => Ok(ValueCheck::YqPath),
            "encoding" => Ok(ValueCheck::Encoding),
            "ss-filter" => Ok(ValueCheck::SsFilter),
            "not-at" => Ok(ValueCheck::NotAt),
            "plain-name" => Ok(ValueCheck::PlainName),
            "no-colon" => Ok(ValueCheck::NoColon),
            "no-call" => Ok(ValueCheck::NoCall),
            "fzf-bindings" => Ok(ValueCheck::FzfBindings),
            "message" => Ok(ValueCheck::Message),
            "plain-path" => Ok(ValueCheck::PlainPath),
            "owner-and-name" => Ok(ValueCheck::OwnerAndName),
            "one-file" => Ok(ValueCheck::OneFile),
            "local-file" => Ok(ValueCheck::LocalFile),
            "inline" => Ok(ValueCheck::Inline),
            "resource-name" => Ok(ValueCheck::ResourceName),
            "resource-path" => Ok(ValueCheck::ResourcePath),
            "python-version" => Ok(ValueCheck::PythonVersion),
            "api-path" => Ok(ValueCheck::ApiPath),
            "formula-name" => Ok(ValueCheck::FormulaName),
            "package-name" => Ok(ValueCheck::PackageName),
            "script-operand" => Ok(ValueCheck::ScriptOperand),
            "rust-path" => Ok(ValueCheck::RustPath),
            "java-tests" => Ok(ValueCheck::JavaTests),
            "start-directory" => Ok(ValueCheck::StartDirectory),
            "unittest-target" => Ok(ValueCheck::UnittestTarget),
            "test-path" => Ok(ValueCheck::TestPath),
            "dotnet-project" => Ok(ValueCheck::DotnetProject),
            "test-filter" => Ok(ValueCheck::TestFilter),
            "test-environments" => Ok(ValueCheck::TestEnvironments),
            "script-extensions" => Ok(ValueCheck::ScriptExtensions),
            "package-path" => Ok(ValueCheck::PackagePath),
            "wait-condition" => Ok(ValueCheck::WaitCondition),
            _ => Err(format!("unknown check `{name}`")),
        }
    }
}
