//! What a text of a row is: a command, a script, or any other text.

use serde_json::{Map, Value};

use super::shell_syntax::{ShellSyntax, runs_text};
use super::text_runners;

/// Fields of a tool's input that hold a command.
const COMMANDS: [&str; 2] = ["command", "cmd"];
/// The field of a record that shows the call, and the field that lists the programs of a command.
pub(super) const MESSAGE: &str = "message";
pub(super) const PROGRAMS: &str = "commands";

/// The kind of a text, which decides where a mask must end.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum TextKind {
    /// Data, or a sentence.
    Plain,
    /// A shell command from this position on.
    Command(usize),
    /// Text that is run, or a command that runs quoted text.
    Script(usize),
}

impl TextKind {
    /// Where the command starts, if it is one.
    pub(super) fn command_start(self) -> Option<usize> {
        match self {
            TextKind::Plain => None,
            TextKind::Command(from) | TextKind::Script(from) => Some(from),
        }
    }

    /// The syntax that no mask may hide.
    pub(super) fn syntax(self, text: &str) -> Option<ShellSyntax> {
        let bytes = text.as_bytes();
        match self {
            TextKind::Plain => None,
            TextKind::Command(from) => Some(ShellSyntax::of(bytes, from, runs_text(bytes, from))),
            TextKind::Script(from) => Some(ShellSyntax::of(bytes, from, true)),
        }
    }
}

/// The kind of the text in a field.
pub(super) fn of_field(field: &str, value: &Value, fields: &Map<String, Value>) -> TextKind {
    if COMMANDS.contains(&field) {
        return TextKind::Command(0);
    }
    match value {
        // A record lists programs only if its message is a command, after the name of the tool.
        Value::String(text) if field == MESSAGE && fields.contains_key(PROGRAMS) => {
            TextKind::Command(text.find(": ").map_or(0, |colon| colon + 2))
        }
        _ => TextKind::Plain,
    }
}

/// The message of a record that is a sentence.
pub(super) fn message(record: &Value) -> Option<(&str, TextKind)> {
    let fields = record.get("about").unwrap_or(record).as_object()?;
    let value = fields.get(MESSAGE)?;
    let kind = of_field(MESSAGE, value, fields);
    value.as_str().filter(|_| kind == TextKind::Plain).map(|text| (text, kind))
}

/// Reports every command in a value.
pub(super) fn commands<'v>(value: &'v Value, found: &mut dyn FnMut(&'v str, usize)) {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => {
                for (field, value) in fields {
                    match (value, of_field(field, value, fields).command_start()) {
                        (Value::String(text), Some(from)) => found(text, from),
                        _ => open.push(value),
                    }
                }
            }
            _ => {}
        }
    }
}

/// The kind of each word of an array.
pub(super) fn of_words(array: TextKind, items: &[Value]) -> TextKind {
    let runs = || text_runners::any_word(items.iter().filter_map(Value::as_str));
    match array {
        TextKind::Plain => TextKind::Plain,
        TextKind::Command(_) | TextKind::Script(_) if runs() => TextKind::Script(0),
        TextKind::Command(_) | TextKind::Script(_) => TextKind::Plain,
    }
}
