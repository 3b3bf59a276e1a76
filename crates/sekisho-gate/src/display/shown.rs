//! A call as it is shown: the forms, and what they are made of.

use schemars::JsonSchema;
use sekisho_policy::{Danger, Decision, PartKind, distinct};
use serde::{Deserialize, Serialize};

use super::hidden::Hidden;
use super::title::TitleCode;
use crate::note::{AddressNote, FileNote, LeftOut, known_code, known_codes};

/// A call as it is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Shown {
    /// `Run command?`, `Run tool?`, …
    pub title: String,
    /// The same as a code; none in what was kept before there were codes.
    #[serde(
        default,
        rename = "titleCode",
        skip_serializing_if = "Option::is_none",
        deserialize_with = "known_code"
    )]
    pub title_code: Option<TitleCode>,
    /// The tool and its main input; for commands the normalised command.
    pub message: String,
    /// How much care it wants, and why.
    pub danger: Danger,
    /// Why it was asked.
    pub why: String,
    /// The form fit to the tool.
    pub form: Form,
    /// What the input says besides what the form shows. To be shown beside it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub besides: Vec<Beside>,
    /// Where a command would start, if its input names another directory than the call's `cwd`; empty where that cannot be
    /// told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// The whole input, pretty, with hidden characters made visible.
    pub json: String,
    /// Whether everything could be shown. What cannot be shown whole cannot be remembered.
    pub whole: bool,
    /// What is not shown and how much of it, one sentence each; empty where `whole` is true. To be shown beside the form.
    #[serde(default, rename = "leftOut", alias = "left_out", skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The same as codes, one for each sentence; empty in what was kept before there were codes.
    #[serde(
        default,
        rename = "leftOutCodes",
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "known_codes"
    )]
    pub left_out_codes: Vec<LeftOut>,
    /// The characters that were written out because they hide or disguise text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<Hidden>,
    /// The files that were read to show it, and what they are known by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileMark>,
}

impl Shown {
    /// All that is dangerous about the call, worst first.
    pub fn dangers(&self) -> Vec<Danger> {
        fn of_parts<'a>(parts: &'a [Mark], found: &mut Vec<&'a Danger>) {
            for part in parts {
                found.extend(&part.danger);
                of_parts(&part.inner, found);
            }
        }
        let mut parts = Vec::new();
        if let Form::Command { parts: marks, .. } = &self.form {
            of_parts(marks, &mut parts);
        }
        distinct(&self.danger, parts)
    }
}

/// A field of the input that the form does not show. All text in it is visible text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FieldBeside")]
pub struct Beside {
    /// Its name.
    pub name: String,
    /// What it says: a text as it is, anything else as JSON.
    pub value: String,
}

/// A file that was read to show a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileMark {
    /// Absolute, and as it is: for looking the file up again, not for showing.
    pub path: String,
    /// `absent`, or the SHA-256 of its bytes.
    pub mark: String,
}

/// The form fit to the tool. All text in it is visible text: hidden characters are written out as `\u{…}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "form", rename_all = "snake_case")]
pub enum Form {
    /// The pretty JSON says it all.
    Json,
    /// A shell text.
    Command {
        /// The text verbatim, line breaks and tabs included.
        text: String,
        /// Its parts, in the order they stand. Nested ones that stand in the text are in this list as well. Of more than
        /// 2000 the gravest are marked, and `leftOut` says how many are not.
        parts: Vec<Mark>,
    },
    /// A change of files.
    Diff {
        /// One for each file.
        files: Vec<FileDiff>,
    },
    /// Addresses that would be fetched.
    Url {
        /// Each of them.
        addresses: Vec<Address>,
    },
}

/// A marked part of a shell text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MarkedPart")]
pub struct Mark {
    /// What it is.
    pub kind: PartKind,
    /// Where it stands in the visible text, in UTF-8 bytes; none for what stands in no text (the inside of `bash -c '…'`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<(u32, u32)>,
    /// The part itself.
    pub text: String,
    /// What was decided for it alone.
    pub decision: Decision,
    /// Why, in a sentence.
    pub why: String,
    /// What it does to the world, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub danger: Option<Danger>,
    /// What it runs that has no place in the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inner: Vec<Mark>,
}

/// What would become of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileDiff {
    /// The file; absolute where that can be told, else as the call names it.
    pub path: String,
    /// Where it is moved to.
    #[serde(default, rename = "movedTo", alias = "moved_to", skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
    /// What happens to it.
    pub change: Change,
    /// The changed lines with a few around them.
    pub hunks: Vec<Hunk>,
    /// How many lines are added.
    pub added: usize,
    /// How many lines are removed.
    pub removed: usize,
    /// What else to know. Where the change is `unknown`: why, and the hunks are what was asked for, not what comes of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The same as codes, one for each sentence; empty in what was kept before there were codes.
    #[serde(
        default,
        rename = "noteCodes",
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "known_codes"
    )]
    pub note_codes: Vec<FileNote>,
}

/// What happens to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "FileChange")]
pub enum Change {
    /// It is new.
    Created,
    /// It is there and becomes another.
    Changed,
    /// It goes.
    Deleted,
    /// It is there and stays as it is.
    Same,
    /// What comes of it cannot be told.
    Unknown,
}

/// Changed lines that stand together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DiffHunk")]
pub struct Hunk {
    /// The lines.
    pub lines: Vec<Line>,
}

/// A line of a diff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DiffLine")]
pub struct Line {
    /// What becomes of it.
    pub sign: Sign,
    /// Its number before, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<u32>,
    /// Its number afterwards, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<u32>,
    /// What it says, without its line break.
    pub text: String,
}

/// What becomes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DiffSign")]
pub enum Sign {
    /// It stays.
    #[serde(rename = " ")]
    Context,
    /// It comes.
    #[serde(rename = "+")]
    Added,
    /// It goes.
    #[serde(rename = "-")]
    Removed,
}

/// An address that would be fetched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "WebAddress")]
pub struct Address {
    /// As the call names it.
    pub url: String,
    /// The host it leads to, as the network sees it (punycode); none where that cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// What a reader could miss: a user name that looks like a host, a name in another script, an unusual port.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The same as codes, one for each sentence; empty in what was kept before there were codes.
    #[serde(
        default,
        rename = "noteCodes",
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "known_codes"
    )]
    pub note_codes: Vec<AddressNote>,
}
