//! `CallView`: a call as people see it, and its pieces.

use schemars::JsonSchema;
use sekisho_policy::{Danger, DangerLevel, DangerSpan, Decision, PartKind, distinct};
use serde::{Deserialize, Serialize};

use super::hidden_characters::HiddenCharacter;
use super::title_code::TitleCode;
use crate::display_notes::{AddressNote, FileNote, LeftOut, known_code, known_codes};

/// A call as people see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Shown")]
pub struct CallView {
    /// `Run command?`, `Run tool?`, …
    pub title: String,
    /// The same as a code. Absent in views stored before codes existed.
    #[serde(
        default,
        rename = "titleCode",
        skip_serializing_if = "Option::is_none",
        deserialize_with = "known_code"
    )]
    pub title_code: Option<TitleCode>,
    /// The tool and its main input. For commands, the normalised command.
    pub message: String,
    /// How dangerous the call is, and why.
    pub danger: Danger,
    /// Why it needs an answer.
    pub why: String,
    /// The form that fits the tool.
    pub form: Form,
    /// Input fields that the form does not show. Display them beside it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub besides: Vec<OtherField>,
    /// The directory a command would start in, if the input names one other than the call's `cwd`.
    /// Empty if it cannot be determined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// The whole input as pretty-printed JSON, with hidden characters made visible.
    pub json: String,
    /// Whether everything could be shown. A call that is not shown whole cannot be remembered.
    pub whole: bool,
    /// What is not shown and how much, one sentence each. Empty if `whole` is true. Display them beside
    /// the form.
    #[serde(default, rename = "leftOut", alias = "left_out", skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The same as codes, one per sentence. Empty in views stored before codes existed.
    #[serde(
        default,
        rename = "leftOutCodes",
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "known_codes"
    )]
    pub left_out_codes: Vec<LeftOut>,
    /// The escaped characters that hide or disguise text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<HiddenCharacter>,
    /// The files that were read for this view, with their fingerprints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileFingerprint>,
}

impl CallView {
    /// All dangers of the call, worst first.
    pub fn dangers(&self) -> Vec<Danger> {
        distinct(&self.danger, self.part_dangers())
    }

    /// Where the words stand that make the call dangerous, as byte ranges of the shown command. Words that
    /// deserve only caution are left out.
    pub fn danger_spans(&self) -> Vec<DangerSpan> {
        let dangers = std::iter::once(&self.danger).chain(self.part_dangers());
        let grave = dangers.filter(|danger| danger.level == DangerLevel::Danger);
        let mut spans: Vec<DangerSpan> = grave.flat_map(|danger| danger.spans.iter().copied()).collect();
        spans.sort_unstable();
        spans.dedup();
        spans
    }

    fn part_dangers(&self) -> Vec<&Danger> {
        fn of_parts<'a>(parts: &'a [MarkedPart], found: &mut Vec<&'a Danger>) {
            for part in parts {
                found.extend(&part.danger);
                of_parts(&part.inner, found);
            }
        }
        let mut found = Vec::new();
        if let Form::Command { parts, .. } = &self.form {
            of_parts(parts, &mut found);
        }
        found
    }
}

/// An input field that the form does not show. All text in it is visible text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FieldBeside")]
pub struct OtherField {
    /// Its name.
    pub name: String,
    /// The value: a string as it is, anything else as JSON.
    pub value: String,
}

/// A file that was read to show a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FileMark")]
pub struct FileFingerprint {
    /// The absolute path, unescaped: for reading the file again, not for display.
    pub path: String,
    /// The fingerprint: `absent`, or the SHA-256 of the file's bytes.
    pub mark: String,
}

/// The form that fits the tool. All text in it is visible text: hidden characters are escaped as
/// `\u{…}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "form", rename_all = "snake_case")]
pub enum Form {
    /// The pretty-printed JSON alone.
    Json,
    /// A shell command.
    Command {
        /// The command verbatim, including line breaks and tabs.
        text: String,
        /// The parts in text order. Nested parts that appear in the text are in this list as well. If
        /// there are more than 2000, the most dangerous are marked and `leftOut` says how many are not.
        parts: Vec<MarkedPart>,
    },
    /// Changes to files.
    Diff {
        /// One diff per file.
        files: Vec<FileDiff>,
    },
    /// Addresses that would be fetched.
    Url {
        /// The addresses.
        addresses: Vec<WebAddress>,
    },
    /// A sub-agent that would be made or started.
    Delegation {
        /// The name of the sub-agent, below that of its parent.
        agent: String,
        /// The name of its parent.
        parent: String,
        /// The system prompt of the sub-agent.
        prompt: String,
        /// What the sub-agent is to do, if it would be started.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<String>,
        /// What the sub-agent gets, beside what its parent has.
        rows: Vec<DelegationRow>,
    },
}

/// One thing that a sub-agent gets, beside what its parent has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DelegationRow {
    /// What it is.
    pub item: DelegationItem,
    /// The name of the tool or of the limit. Empty for others.
    pub name: String,
    /// What the sub-agent gets. Absent if it gets none of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// What its parent has. Absent if it has none of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
}

/// What a [`DelegationRow`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DelegationItem {
    /// The model.
    Model,
    /// The workspace.
    Workspace,
    /// A tool, with its settings.
    Tool,
    /// A limit. What a sub-agent spends, its parent spends too.
    Limit,
}

/// A marked part of a shell command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MarkedPart")]
pub struct MarkedPart {
    /// The kind of part.
    pub kind: PartKind,
    /// The range in the visible text, in UTF-8 bytes. None for parts that do not appear in it (the
    /// inside of `bash -c '…'`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<(u32, u32)>,
    /// The text of the part.
    pub text: String,
    /// The decision for this part alone.
    pub decision: Decision,
    /// The reason as a sentence.
    pub why: String,
    /// What it does, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub danger: Option<Danger>,
    /// Parts it runs that do not appear in the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inner: Vec<MarkedPart>,
}

/// The change to one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileDiff {
    /// The path of the file: absolute if that is known, otherwise as the call names it.
    pub path: String,
    /// The new path, if the file is moved.
    #[serde(default, rename = "movedTo", alias = "moved_to", skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
    /// What happens to the file.
    pub change: FileChange,
    /// The changed lines with some context.
    pub hunks: Vec<DiffHunk>,
    /// The number of added lines.
    pub added: usize,
    /// The number of removed lines.
    pub removed: usize,
    /// Notes on the change. If the change is `unknown`, they say why, and the hunks show what was
    /// requested, not the result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The same as codes, one per sentence. Empty in views stored before codes existed.
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
pub enum FileChange {
    /// The file is created.
    Created,
    /// The file exists and changes.
    Changed,
    /// The file is deleted.
    Deleted,
    /// The file exists and stays the same.
    Same,
    /// The result is unknown.
    Unknown,
}

/// A group of changed lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DiffHunk")]
pub struct DiffHunk {
    /// The lines of the hunk.
    pub lines: Vec<DiffLine>,
}

/// A line of a diff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DiffLine")]
pub struct DiffLine {
    /// Whether the line is kept, added or removed.
    pub sign: DiffSign,
    /// The line number before the change, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<u32>,
    /// The line number after the change, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<u32>,
    /// The text without its line break.
    pub text: String,
}

/// What happens to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DiffSign")]
pub enum DiffSign {
    /// The line is kept.
    #[serde(rename = " ")]
    Context,
    /// The line is added.
    #[serde(rename = "+")]
    Added,
    /// The line is removed.
    #[serde(rename = "-")]
    Removed,
}

/// An address that would be fetched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "WebAddress")]
pub struct WebAddress {
    /// The address as the call names it.
    pub url: String,
    /// The host as the network sees it (punycode). None if it cannot be determined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Notes on what is easy to miss: a user name that looks like a host, a name in another script, an
    /// unusual port.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The same as codes, one per sentence. Empty in views stored before codes existed.
    #[serde(
        default,
        rename = "noteCodes",
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "known_codes"
    )]
    pub note_codes: Vec<AddressNote>,
}
