//! Changing a call's input in an editor.

use std::io::Write;

use sekisho_policy::exact_json;
use serde_json::Value;
use similar::TextDiff;

use crate::failure::Failure;
use crate::spawn;

/// What came out of the editor.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum EditResult {
    /// Nothing else than went in.
    Unchanged,
    /// Another input.
    Changed(Value),
    /// Something that is no input: the text, and what is wrong with it.
    Invalid { text: String, why: String },
}

/// Opens an input in the editor.
pub(super) fn edit_input(input: &Value, editor: Option<&str>) -> Result<EditResult, Failure> {
    edit_text(&pretty(input), input, editor)
}

/// Opens a text in the editor that is to become another input. The file is for our eyes only, and gone afterwards.
pub(super) fn edit_text(text: &str, input: &Value, editor: Option<&str>) -> Result<EditResult, Failure> {
    let mut file = tempfile::Builder::new().prefix("sekisho-input-").suffix(".json").tempfile()?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    // Closed while the editor has it: many put another file in its place.
    let path = file.into_temp_path();
    spawn::open_editor(editor, &path)?;
    Ok(read(&std::fs::read_to_string(&path)?, input))
}

fn read(text: &str, input: &Value) -> EditResult {
    match exact_json::read(text) {
        Ok(value) if value == *input => EditResult::Unchanged,
        Ok(value @ Value::Object(_)) => EditResult::Changed(value),
        Ok(_) => EditResult::Invalid { text: text.to_owned(), why: "the input has to be an object: { … }".into() },
        Err(why) => EditResult::Invalid { text: text.to_owned(), why },
    }
}

/// An input as people read and write it.
pub(super) fn pretty(input: &Value) -> String {
    serde_json::to_string_pretty(input).unwrap_or_default() + "\n"
}

/// What an edit changes, line by line.
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
    fn what_was_saved_is_read_strictly() {
        let input = json!({ "command": "ls" });
        assert_eq!(read("{ \"command\": \"ls\" }", &input), EditResult::Unchanged);
        assert_eq!(read("{\"command\":\"pwd\"}", &input), EditResult::Changed(json!({ "command": "pwd" })));
        for broken in ["", "{", "[]", "\"ls\"", "{\"a\":1,\"a\":2}"] {
            assert!(matches!(read(broken, &input), EditResult::Invalid { .. }), "{broken}");
        }
    }

    #[test]
    fn an_edit_is_shown_as_a_diff() {
        let said = input_diff(&json!({ "command": "ls", "cwd": "/" }), &json!({ "command": "pwd", "cwd": "/" }));
        assert!(said.contains("-  \"command\": \"ls\",\n+  \"command\": \"pwd\",\n"), "{said}");
    }
}
