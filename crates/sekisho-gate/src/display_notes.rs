//! Notes and omissions shown with a call: codes, and the sentences people read.

use schemars::JsonSchema;
use sekisho_policy::say;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// A note on a web address: something that is easy to miss. All text in it is visible text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum AddressNote {
    /// The address cannot be parsed.
    Unreadable,
    /// It is not a web address.
    NotWeb {
        /// Its scheme.
        scheme: String,
    },
    /// A user name precedes the host.
    UserBeforeHost {
        /// The user name.
        user: String,
    },
    /// It contains a space or a backslash.
    Blank,
    /// No host can have this name.
    ImpossibleHost {
        /// The name.
        host: String,
    },
    /// The host name contains non-ASCII letters.
    LettersBeyondAscii,
    /// The host is spelled differently from how it is parsed.
    HostWrittenOtherwise {
        /// The host as parsed.
        host: String,
    },
    /// The IP address is spelled differently from how it is parsed.
    IpWrittenOtherwise {
        /// The address as parsed.
        host: String,
    },
    /// The port is unusual.
    Port {
        /// The port.
        port: u16,
    },
}

impl AddressNote {
    /// The sentence people read.
    pub fn sentence(&self) -> String {
        let sentence = match self {
            AddressNote::Unreadable => {
                "the address cannot be parsed; where the tool would connect is unknown".into()
            }
            AddressNote::NotWeb { scheme } => format!("not a web address: the scheme is `{scheme}:`"),
            AddressNote::UserBeforeHost { user } => {
                format!("the text before the `@` (`{user}`) is a user name, not the host")
            }
            AddressNote::Blank => {
                "it contains a space or a backslash, which programs parse differently".into()
            }
            AddressNote::ImpossibleHost { host } => {
                format!("`{host}` is not a valid host name; where the tool would connect is unknown")
            }
            AddressNote::LettersBeyondAscii => {
                "the host name contains non-ASCII letters, which can look like other letters".into()
            }
            AddressNote::HostWrittenOtherwise { host } => {
                format!("the host is an unusual spelling of `{host}`")
            }
            AddressNote::IpWrittenOtherwise { host } => {
                format!("this is an unusual spelling of the address `{host}`")
            }
            AddressNote::Port { port } => format!("port {port}"),
        };
        say(sentence).into_owned()
    }
}

/// A note on a file change, or why its result is unknown. All text in it is visible text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum FileNote {
    /// The file does not exist.
    NoSuchFile,
    /// The file cannot be shown as text.
    Unshown {
        /// Why, as displayed to people.
        why: String,
    },
    /// The file is on another machine.
    OtherMachine,
    /// The tool decides which file the name means.
    NameUnclear,
    /// The directory the path is relative to cannot be determined.
    DirectoryUnclear,
    /// The directory the path is relative to was not stated.
    DirectoryUnknown,
    /// The path goes through a symbolic link.
    ReachedByLink {
        /// The path.
        path: String,
        /// The resolved path of the file.
        target: String,
    },
    /// A file exists at the destination of the move.
    MoveOverwrites,
    /// The destination of the move is unknown.
    MoveUnclear {
        /// Why it is unknown.
        because: Box<FileNote>,
    },
    /// The tool merges a sketch into the file in its own way.
    Sketch,
    /// The new content does not end with a line break.
    LastLineBreakRemoved,
    /// The change adds a line break at the end of the file.
    LastLineBreakAdded,
    /// Too many lines differ for a line-by-line comparison.
    ComparedAsBlock,
    /// Some lines of the change are not shown.
    LinesNotShown {
        /// The number of lines.
        lines: usize,
    },
    /// Computing the result exceeds the work limit of one call.
    TooMuchWork,
    /// One of several edits cannot be made.
    Edit {
        /// The number of the edit, from 1.
        number: usize,
        /// Why it cannot be made.
        because: Box<FileNote>,
    },
    /// The edit has no text to replace, and the file is not empty.
    NothingToReplace,
    /// The text to replace is not in the file.
    TextNotFound,
    /// The text to replace occurs more than once in the file.
    TextFoundTwice,
    /// The text to replace does not occur as often as expected.
    TextFoundOtherTimes {
        /// How often it occurs.
        found: usize,
        /// How often it should occur.
        times: u64,
    },
    /// The changed file would exceed the size limit.
    TooLarge {
        /// The limit in bytes.
        most: usize,
    },
    /// A chunk of a patch cannot be applied.
    Chunk {
        /// The number of the chunk, from 1.
        number: usize,
        /// Why it cannot be applied.
        because: Box<FileNote>,
    },
    /// The line after `@@` is not in the file.
    AnchorNotFound,
    /// The line after `@@` occurs more than once in the file.
    AnchorFoundTwice,
    /// The lines to replace are not in the file.
    LinesNotFound,
    /// The lines to replace occur more than once in the file.
    LinesFoundTwice,
}

impl FileNote {
    /// The sentence people read.
    pub fn sentence(&self) -> String {
        let sentence = match self {
            FileNote::Unshown { why } => why.clone(),
            FileNote::ReachedByLink { path, target } => {
                format!("`{path}` goes through a link; the file is `{target}`")
            }
            FileNote::MoveUnclear { because } => format!("destination of the move: {}", because.sentence()),
            FileNote::LinesNotShown { lines } => format!("{lines} lines are not shown"),
            FileNote::Edit { number, because } => format!("edit {number}: {}", because.sentence()),
            FileNote::TextFoundOtherTimes { found, times } => {
                format!("the text to replace occurs {found} times in the file, not {times}")
            }
            FileNote::TooLarge { most } => {
                format!("the changed file would exceed the limit of {most} bytes")
            }
            FileNote::Chunk { number, because } => {
                format!("chunk {number} of the patch: {}", because.sentence())
            }
            other => other.plain_sentence().into(),
        };
        say(sentence).into_owned()
    }

    /// The sentence of a note without parameters.
    fn plain_sentence(&self) -> &'static str {
        match self {
            FileNote::NoSuchFile => "the file does not exist",
            FileNote::OtherMachine => "the file is on another machine",
            FileNote::NameUnclear => "which file this is depends on how the tool interprets the name",
            FileNote::DirectoryUnclear => "the directory the path is relative to cannot be determined",
            FileNote::DirectoryUnknown => "the directory the path is relative to is unknown",
            FileNote::MoveOverwrites => "the destination of the move exists and is overwritten",
            FileNote::Sketch => "the tool merges the sketch into the file in its own way",
            FileNote::LastLineBreakRemoved => "the file does not end with a line break",
            FileNote::LastLineBreakAdded => "the change adds a line break at the end of the file",
            FileNote::ComparedAsBlock => {
                "too many lines differ; everything from the first to the last difference is one block"
            }
            FileNote::TooMuchWork => "computing the result exceeds the work limit of one call",
            FileNote::NothingToReplace => "the edit has no text to replace, and the file is not empty",
            FileNote::TextNotFound => "the text to replace is not in the current file",
            FileNote::TextFoundTwice => "the text to replace occurs more than once in the file",
            FileNote::AnchorNotFound => "the line after `@@` is not in the current file",
            FileNote::AnchorFoundTwice => "the line after `@@` occurs more than once in the file",
            FileNote::LinesNotFound => "the lines to replace are not in the current file",
            FileNote::LinesFoundTwice => "the lines to replace occur more than once in the file",
            FileNote::Unshown { .. }
            | FileNote::ReachedByLink { .. }
            | FileNote::MoveUnclear { .. }
            | FileNote::LinesNotShown { .. }
            | FileNote::Edit { .. }
            | FileNote::TextFoundOtherTimes { .. }
            | FileNote::TooLarge { .. }
            | FileNote::Chunk { .. } => "",
        }
    }
}

/// A part of a call that is not shown. All text in it is visible text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum LeftOut {
    /// Part of the command.
    Command {
        /// How many bytes are not shown.
        bytes: usize,
    },
    /// Part of the input.
    Input {
        /// How many bytes are not shown.
        bytes: usize,
    },
    /// Part of an address.
    Address {
        /// How many bytes are not shown.
        bytes: usize,
    },
    /// Part of a field.
    Field {
        /// How many bytes are not shown.
        bytes: usize,
        /// The field.
        field: String,
    },
    /// Part of a file change.
    Change {
        /// How many bytes are not shown.
        bytes: usize,
        /// The path of the file.
        path: String,
    },
    /// Descriptions of the command's parts.
    Sentences {
        /// How many bytes are not shown.
        bytes: usize,
    },
    /// Marks of command parts. None of them is more dangerous than the marked parts.
    Marks {
        /// How many parts are not marked.
        parts: usize,
    },
    /// Fields of the input.
    Fields {
        /// How many fields are not listed.
        fields: usize,
    },
    /// File changes.
    Changes {
        /// How many changes are not shown.
        changes: usize,
    },
    /// The current content of a file.
    FileNow {
        /// The path of the file.
        path: String,
        /// Why it is not shown.
        because: FileNote,
    },
    /// The current content of this file and all later ones: reading them exceeds the work limit of one
    /// call.
    FilesNow {
        /// The path of the first file.
        path: String,
    },
    /// The input, because it was purged.
    Purged,
}

impl LeftOut {
    /// The sentence people read.
    pub fn sentence(&self) -> String {
        let sentence = match self {
            LeftOut::Command { bytes } => format!("{bytes} bytes of the command are not shown"),
            LeftOut::Input { bytes } => format!("{bytes} bytes of the input are not shown"),
            LeftOut::Address { bytes } => format!("{bytes} bytes of an address are not shown"),
            LeftOut::Field { bytes, field } => {
                format!("{bytes} bytes of the field `{field}` are not shown")
            }
            LeftOut::Change { bytes, path } => {
                format!("{bytes} bytes of the change to `{path}` are not shown")
            }
            LeftOut::Sentences { bytes } => {
                format!("{bytes} bytes of descriptions of the command's parts are not shown")
            }
            LeftOut::Marks { parts: 1 } => {
                "1 part of the command is not marked; it is no more dangerous than the marked parts".into()
            }
            LeftOut::Marks { parts } => format!(
                "{parts} parts of the command are not marked; none is more dangerous than the marked parts"
            ),
            LeftOut::Fields { fields } => format!("{fields} more input fields are not listed"),
            LeftOut::Changes { changes } => format!("{changes} more file changes are not shown"),
            LeftOut::FileNow { path, because } => {
                format!("current content of `{path}`: {}", because.sentence())
            }
            LeftOut::FilesNow { path } => {
                let because = FileNote::TooMuchWork.sentence();
                format!("current content of `{path}` and all later files: {because}")
            }
            LeftOut::Purged => "the input was purged".into(),
        };
        say(sentence).into_owned()
    }
}

/// Reads codes that are stored beside their sentences. If one is of another version, returns none of
/// them; the sentences remain.
pub(crate) fn known_codes<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    let codes = Vec::<Value>::deserialize(deserializer)?;
    Ok(codes.into_iter().map(serde_json::from_value).collect::<Result<_, _>>().unwrap_or_default())
}

/// Reads a code that stands beside its sentence. None where it is of another version: the sentence is there.
pub(crate) fn known_code<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(deserializer)?).ok())
}
