//! What a reader of a call could miss, and what of it is not shown: codes, and the sentences people read.

use schemars::JsonSchema;
use sekisho_policy::say;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// What a reader of an address could miss. All text in it is visible text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum AddressNote {
    /// It is no address that can be read.
    Unreadable,
    /// It is no web address.
    NotWeb {
        /// Its scheme.
        scheme: String,
    },
    /// A user name stands where a host is looked for.
    UserBeforeHost {
        /// The user name.
        user: String,
    },
    /// It holds a blank or a backslash.
    Blank,
    /// No host can have this name.
    ImpossibleHost {
        /// The name.
        host: String,
    },
    /// The host's name holds letters beyond ASCII.
    LettersBeyondAscii,
    /// The host is written in another way than it is read.
    HostWrittenOtherwise {
        /// As it is read.
        host: String,
    },
    /// The IP address is written in another way than it is read.
    IpWrittenOtherwise {
        /// As it is read.
        host: String,
    },
    /// An unusual port.
    Port {
        /// The port.
        port: u16,
    },
}

impl AddressNote {
    /// For people.
    pub fn sentence(&self) -> String {
        let sentence = match self {
            AddressNote::Unreadable => {
                "it is no address that can be read; what the tool makes of it is not known".into()
            }
            AddressNote::NotWeb { scheme } => format!("it is no web address but `{scheme}:`"),
            AddressNote::UserBeforeHost { user } => {
                format!("what stands before the `@` (`{user}`) is a user name, not the host")
            }
            AddressNote::Blank => "it holds a blank or a backslash: readers differ in where it leads".into(),
            AddressNote::ImpossibleHost { host } => {
                format!("no host has a name like `{host}`: what the tool makes of it is not known")
            }
            AddressNote::LettersBeyondAscii => {
                "the host's name holds letters beyond ASCII, which can look like others".into()
            }
            AddressNote::HostWrittenOtherwise { host } => {
                format!("the host is written in another way than `{host}`")
            }
            AddressNote::IpWrittenOtherwise { host } => {
                format!("it is another way to write the address `{host}`")
            }
            AddressNote::Port { port } => format!("port {port}"),
        };
        say(sentence).into_owned()
    }
}

/// What to know about the change of a file, or why it cannot be told what comes of it. All text in it is visible text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum FileNote {
    /// There is no such file.
    NoSuchFile,
    /// The file cannot be shown as text.
    Unshown {
        /// Why, for people.
        why: String,
    },
    /// The file is on another machine.
    OtherMachine,
    /// Which file is meant depends on the tool.
    NameUnclear,
    /// Which directory the path is relative to cannot be told.
    DirectoryUnclear,
    /// Which directory the path is relative to is not known.
    DirectoryUnknown,
    /// A file is reached by a link.
    ReachedByLink {
        /// The path.
        path: String,
        /// Where the file really is.
        target: String,
    },
    /// There is a file where this one is moved to.
    MoveOverwrites,
    /// Where it is moved to cannot be told.
    MoveUnclear {
        /// Why.
        because: Box<FileNote>,
    },
    /// The tool works a sketch into the file in a way of its own.
    Sketch,
    /// The last line has no line break afterwards.
    LastLineBreakRemoved,
    /// The last line gets a line break.
    LastLineBreakAdded,
    /// Too many lines differ to compare each with each.
    ComparedAsBlock,
    /// Lines of the change are not shown.
    LinesNotShown {
        /// How many.
        lines: usize,
    },
    /// Working it out takes more than one call may cost.
    TooMuchWork,
    /// One of several edits cannot be made.
    Edit {
        /// Which, from 1.
        number: usize,
        /// Why.
        because: Box<FileNote>,
    },
    /// There is no text to replace, and the file is not empty.
    NothingToReplace,
    /// The text to replace is not in the file.
    TextNotFound,
    /// The text to replace stands in the file more than once.
    TextFoundTwice,
    /// The text to replace stands in the file another number of times.
    TextFoundOtherTimes {
        /// How often it does.
        found: usize,
        /// How often it should.
        times: u64,
    },
    /// The file would be larger than what is made here.
    TooLarge {
        /// The most, in bytes.
        most: usize,
    },
    /// A chunk of a patch cannot be applied.
    Chunk {
        /// Which, from 1.
        number: usize,
        /// Why.
        because: Box<FileNote>,
    },
    /// The file does not hold the line behind `@@`.
    AnchorNotFound,
    /// The file holds the line behind `@@` more than once.
    AnchorFoundTwice,
    /// The file does not hold the lines to replace.
    LinesNotFound,
    /// The file holds the lines to replace more than once.
    LinesFoundTwice,
}

impl FileNote {
    /// For people.
    pub fn sentence(&self) -> String {
        let sentence = match self {
            FileNote::Unshown { why } => why.clone(),
            FileNote::ReachedByLink { path, target } => {
                format!("`{path}` is reached by a link; the file is `{target}`")
            }
            FileNote::MoveUnclear { because } => format!("where it is moved to: {}", because.sentence()),
            FileNote::LinesNotShown { lines } => format!("{lines} lines are not shown"),
            FileNote::Edit { number, because } => format!("edit {number}: {}", because.sentence()),
            FileNote::TextFoundOtherTimes { found, times } => {
                format!("the text to replace stands in the file {found} times, not {times}")
            }
            FileNote::TooLarge { most } => {
                format!("the file would have more than the {most} bytes that are made here")
            }
            FileNote::Chunk { number, because } => {
                format!("chunk {number} of the patch: {}", because.sentence())
            }
            other => other.plain_sentence().into(),
        };
        say(sentence).into_owned()
    }

    /// The sentence of a note that names nothing.
    fn plain_sentence(&self) -> &'static str {
        match self {
            FileNote::NoSuchFile => "there is no such file",
            FileNote::OtherMachine => "it is on another machine",
            FileNote::NameUnclear => "which file that is depends on how the tool reads its name",
            FileNote::DirectoryUnclear => "which directory the path is relative to cannot be told",
            FileNote::DirectoryUnknown => "which directory the path is relative to is not known",
            FileNote::MoveOverwrites => "there is a file at the place it is moved to, which is lost",
            FileNote::Sketch => "the tool works the sketch into the file by its own lights",
            FileNote::LastLineBreakRemoved => "its last line has no line break afterwards",
            FileNote::LastLineBreakAdded => "its last line gets a line break",
            FileNote::ComparedAsBlock => {
                "too many lines differ to compare each with each: all between the first and the last is one block"
            }
            FileNote::TooMuchWork => "working out what comes of it takes more than one call may cost",
            FileNote::NothingToReplace => "there is no text to replace, and the file is not empty",
            FileNote::TextNotFound => "the text to replace is not in the file as it is now",
            FileNote::TextFoundTwice => "the text to replace stands in the file more than once",
            FileNote::AnchorNotFound => "the file as it is now does not hold the line behind `@@`",
            FileNote::AnchorFoundTwice => "the file holds the line behind `@@` more than once",
            FileNote::LinesNotFound => "the file as it is now does not hold the lines to replace",
            FileNote::LinesFoundTwice => "the file holds the lines to replace more than once",
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

/// What of a call is not shown. All text in it is visible text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum LeftOut {
    /// A part of the command.
    Command {
        /// How much of it.
        bytes: usize,
    },
    /// A part of the input.
    Input {
        /// How much of it.
        bytes: usize,
    },
    /// A part of an address.
    Address {
        /// How much of it.
        bytes: usize,
    },
    /// A part of a field.
    Field {
        /// How much of it.
        bytes: usize,
        /// The field.
        field: String,
    },
    /// A part of a change.
    Change {
        /// How much of it.
        bytes: usize,
        /// The file.
        path: String,
    },
    /// What the parts of the command do.
    Sentences {
        /// How much of it.
        bytes: usize,
    },
    /// Marks of parts of the command. None of these is graver than those that are marked.
    Marks {
        /// How many.
        parts: usize,
    },
    /// Fields of the input.
    Fields {
        /// How many.
        fields: usize,
    },
    /// Changes of files.
    Changes {
        /// How many.
        changes: usize,
    },
    /// A file as it is now.
    FileNow {
        /// The file.
        path: String,
        /// Why.
        because: FileNote,
    },
    /// A file and those after it as they are now: looking at them takes more than one call may cost.
    FilesNow {
        /// The first of them.
        path: String,
    },
    /// The input, which was purged.
    Purged,
}

impl LeftOut {
    /// For people.
    pub fn sentence(&self) -> String {
        let sentence = match self {
            LeftOut::Command { bytes } => format!("{bytes} bytes of the command are not shown"),
            LeftOut::Input { bytes } => format!("{bytes} bytes of the input are not shown"),
            LeftOut::Address { bytes } => format!("{bytes} bytes of an address are not shown"),
            LeftOut::Field { bytes, field } => {
                format!("{bytes} bytes of the field `{field}` are not shown")
            }
            LeftOut::Change { bytes, path } => {
                format!("{bytes} bytes of the change of `{path}` are not shown")
            }
            LeftOut::Sentences { bytes } => {
                format!("{bytes} bytes of sentences about the command's parts are not shown")
            }
            LeftOut::Marks { parts: 1 } => {
                "1 part of the command is not marked; it is not graver than those that are".into()
            }
            LeftOut::Marks { parts } => format!(
                "{parts} parts of the command are not marked; none of them is graver than those that are"
            ),
            LeftOut::Fields { fields } => format!("{fields} more fields of the input are not listed"),
            LeftOut::Changes { changes } => format!("{changes} more changes of files are not shown"),
            LeftOut::FileNow { path, because } => {
                format!("`{path}` as it is now: {}", because.sentence())
            }
            LeftOut::FilesNow { path } => {
                let because = FileNote::TooMuchWork.sentence();
                format!("`{path}` and what follows as they are now: {because}")
            }
            LeftOut::Purged => "the input was purged".into(),
        };
        say(sentence).into_owned()
    }
}

/// Reads codes that stand beside their sentences. None of them where one is of another version: the sentences are there.
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
