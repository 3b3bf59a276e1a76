//! What a text of a row is: a command, a script, or any other text.

use serde_json::{Map, Value};

use super::shell_syntax::ShellSyntax;
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
            TextKind::Command(from) => Some(ShellSyntax::of(bytes, from, false)),
            TextKind::Script(from) => Some(ShellSyntax::of(bytes, from, true)),
        }
    }
}

/// The kind of the text in a field of an object that is itself of this kind. Whatever is in a field for
/// commands is one, in any letter case and at any depth: tools read it in different ways.
pub(super) fn of_field(
    field: &str,
    value: &Value,
    fields: &Map<String, Value>,
    around: TextKind,
) -> TextKind {
    if around != TextKind::Plain {
        return around;
    }
    if COMMANDS.iter().any(|known| field.eq_ignore_ascii_case(known)) {
        return TextKind::Command(0);
    }
    match value {
        // A record lists programs only if its message is a command, after the name of the tool.
        Value::String(text) if field == MESSAGE && fields.contains_key(PROGRAMS) => of_message(text),
        _ => TextKind::Plain,
    }
}

/// The kind of a message about a command. The input of a call without a single command is JSON, and the
/// rest of a long command may run what is shown.
fn of_message(text: &str) -> TextKind {
    let from = text.find(": ").map_or(0, |colon| colon + 2);
    let shown = text.get(from..).unwrap_or_default();
    let is_json = shown.starts_with("{\"") || shown.starts_with("[\"");
    let is_cut = shown.ends_with(" more bytes");
    if is_json || is_cut { TextKind::Script(from) } else { TextKind::Command(from) }
}

/// The message of a record that is a sentence.
pub(super) fn message(record: &Value) -> Option<(&str, TextKind)> {
    let fields = record.get("about").unwrap_or(record).as_object()?;
    let value = fields.get(MESSAGE)?;
    let kind = of_field(MESSAGE, value, fields, TextKind::Plain);
    value.as_str().filter(|_| kind == TextKind::Plain).map(|text| (text, kind))
}

/// Reports every command in a value.
pub(super) fn commands<'v>(value: &'v Value, found: &mut dyn FnMut(&'v str, usize)) {
    let mut open = vec![(value, TextKind::Plain)];
    while let Some((value, kind)) = open.pop() {
        match value {
            Value::String(text) => {
                if let Some(from) = kind.command_start() {
                    found(text, from);
                }
            }
            Value::Array(items) => {
                let kind = of_words(kind, items);
                open.extend(items.iter().map(|item| (item, kind)));
            }
            Value::Object(fields) => {
                for (name, value) in fields {
                    open.push((value, of_field(name, value, fields, kind)));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// The kind of each word of an array. A first word that is no plain name may be a whole command.
pub(super) fn of_words(array: TextKind, items: &[Value]) -> TextKind {
    let words = || items.iter().filter_map(Value::as_str);
    let is_name = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c));
    let is_command = || items.len() > words().count() || !words().next().is_some_and(is_name);
    match array {
        TextKind::Plain => TextKind::Plain,
        TextKind::Command(_) | TextKind::Script(_) if is_command() || text_runners::any_word(words()) => {
            TextKind::Script(0)
        }
        TextKind::Command(_) | TextKind::Script(_) => TextKind::Plain,
    }
}
