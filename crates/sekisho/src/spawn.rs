//! The one place that starts processes: the editor a person chose.

use std::path::Path;
use std::process::{Command, ExitStatus};

use crate::failure::Failure;

/// Opens a file in an editor and waits until it is closed. The editor is what `VISUAL` or `EDITOR` says: a program, and
/// perhaps arguments. No shell reads it.
#[expect(clippy::disallowed_methods, reason = "the one place that starts processes")]
pub(crate) fn editor(editor: Option<&str>, file: &Path) -> Result<(), Failure> {
    let named = editor.unwrap_or("vi");
    let mut words = named.split_whitespace();
    let program = words.next().unwrap_or("vi");
    let cannot = |why: String| {
        Failure::new(format!("the editor `{named}` {why}; set `VISUAL` or `EDITOR` to one that works"))
    };
    let status = Command::new(program).args(words).arg(file).status();
    let status: ExitStatus = status.map_err(|error| cannot(format!("could not be started: {error}")))?;
    match status.success() {
        true => Ok(()),
        false => Err(cannot(format!("gave up ({status})"))),
    }
}
