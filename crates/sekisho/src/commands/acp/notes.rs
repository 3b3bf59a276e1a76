//! Lines for people.

use std::io::Write;

use crate::terminal::visible;

/// Prints a line for people. Editors keep what their agents print on standard error.
pub(super) fn print_note(text: &str) {
    // Without standard error there is nobody to tell.
    let _ = writeln!(anstream::stderr(), "sekisho: {}", visible(text));
}
