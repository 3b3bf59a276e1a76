//! Bounds on values and operands by their names; what they admit is said in `values.rs`.

use serde::{Deserialize, Serialize};

/// A bound, by the name the table gives it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Check {
    /// Any value; it is a path that is read.
    Read,
    /// Known text; it is a path that is read, and not standard input.
    ReadFile,
    /// Any value; it is a path that is written.
    Write,
    /// Known text.
    Literal,
    /// One of these words.
    OneOf(Vec<String>),
    /// A glob or a range of lines that names files to read, as far as it does so plainly.
    Names,
    /// `@file`, or `field=@file`.
    AtFile,
    /// A pretty format of git that starts no program.
    GitFormat,
    /// A field that git sorts by without starting a program.
    GitSort,
    /// A key of git's config, and no word that `git config` takes for a subcommand.
    GitKey,
    /// A number of seconds that is soon over.
    Seconds,
    /// A program of jq that loads nothing and does not show the environment.
    JqProgram,
    /// A `key=value` of git's config that starts no program.
    GitConfig,
    /// A script of sed that only prints.
    SedScript,
    /// A format of printf that sets no variable.
    PrintfFormat,
}

impl Check {
    /// The check of that name.
    pub(super) fn named(name: &str) -> Result<Check, String> {
        if let Some(list) = name.strip_prefix("one-of ") {
            return Ok(Check::OneOf(list.split_whitespace().map(str::to_owned).collect()));
        }
        match name {
            "read" => Ok(Check::Read),
            "read-file" => Ok(Check::ReadFile),
            "write" => Ok(Check::Write),
            "literal" => Ok(Check::Literal),
            "git-format" => Ok(Check::GitFormat),
            "names" => Ok(Check::Names),
            "at-file" => Ok(Check::AtFile),
            "git-sort" => Ok(Check::GitSort),
            "git-key" => Ok(Check::GitKey),
            "seconds" => Ok(Check::Seconds),
            "jq-program" => Ok(Check::JqProgram),
            "git-config" => Ok(Check::GitConfig),
            "sed-script" => Ok(Check::SedScript),
            "printf-format" => Ok(Check::PrintfFormat),
            _ => Err(format!("no check is called {name}")),
        }
    }
}
