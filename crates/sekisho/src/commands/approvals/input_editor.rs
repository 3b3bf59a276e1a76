//! Edits a call's input in an editor.

use std::io::Write;

use sekisho_policy::exact_json;
use serde_json::Value;
use similar::TextDiff;

use crate::failure::Failure;
use crate::spawn;

#[derive(Clone, Debug, PartialEq)]
pub(in crate::commands) enum EditResult {
    /// The same input as before.
    Unchanged,
    Changed(Value),
    /// The saved text is not an input.
    Invalid {
        text: String,
        why: String,
    },
}

/// Opens an input in the editor.
pub(super) fn edit_input(input: &Value, editor: Option<&str>) -> Result<EditResult, Failure> {
    edit_text(&pretty(input), input, editor)
}

/// Opens `text` in the editor, to replace `input`. The temporary file is readable by this user only and is
/// removed afterwards.
pub(super) fn edit_text(text: &str, input: &Value, editor: Option<&str>) -> Result<EditResult, Failure> {
    let mut file = tempfile::Builder::new().prefix("sekisho-input-").suffix(".json").tempfile()?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    // Close our handle: many editors replace the file instead of writing to it.
    let path = file.into_temp_path();
    spawn::open_editor(editor, &path)?;
    Ok(read(&std::fs::read_to_string(&path)?, input))
}

fn read(text: &str, input: &Value) -> EditResult {
    match exact_json::read(text) {
        Ok(value) if value == *input => EditResult::Unchanged,
        Ok(value @ Value::Object(_)) => EditResult::Changed(value),
        Ok(_) => {
            EditResult::Invalid { text: text.to_owned(), why: "the input must be an object: { … }".into() }
        }
        Err(why) => EditResult::Invalid { text: text.to_owned(), why },
    }
}

/// An input as indented JSON.
pub(super) fn pretty(input: &Value) -> String {
    serde_json::to_string_pretty(input).unwrap_or_default() + "\n"
}

/// The difference between two inputs, line by line.
pub(super) fn input_diff(before: &Value, after: &Value) -> String {
    let (before, after) = (pretty(before), pretty(after));
    let diff = TextDiff::from_lines(&before, &after);
    diff.unified_diff().context_radius(2).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn saved_text_is_parsed_strictly() {
        let input = json!({ "command": "ls" });
        assert_eq!(read("{ \"command\": \"ls\" }", &input), EditResult::Unchanged);
        assert_eq!(read("{\"command\":\"pwd\"}", &input), EditResult::Changed(json!({ "command": "pwd" })));
        for broken in ["", "{", "[]", "\"ls\"", "{\"a\":1,\"a\":2}"] {
            assert!(matches!(read(broken, &input), EditResult::Invalid { .. }), "{broken}");
        }
    }

    #[test]
    fn edit_is_shown_as_a_diff() {
        let diff =
            input_diff(&json!({ "command": "ls", "cwd": "/" }), &json!({ "command": "pwd", "cwd": "/" }));
        assert!(diff.contains("-  \"command\": \"ls\",\n+  \"command\": \"pwd\",\n"), "{diff}");
    }
}
