//! How much is shown. What is left out is said, and keeps the call from being remembered.

use crate::display_notes::LeftOut;

/// The most text of one kind that is shown, in bytes: the form, and besides it the JSON.
pub const MAX_SHOWN_BYTES: usize = 256 * 1024;

/// Notes what is left out.
#[derive(Default)]
pub(super) struct SizeLimit {
    pub(super) left_out: Vec<LeftOut>,
}

impl SizeLimit {
    /// The text, or as much of it as is shown. `left_out` says of what so many bytes are not shown.
    pub(super) fn text(&mut self, text: &str, left_out: impl FnOnce(usize) -> LeftOut) -> String {
        if text.len() <= MAX_SHOWN_BYTES {
            return text.to_owned();
        }
        let (shown, rest) = text.split_at(text.floor_char_boundary(MAX_SHOWN_BYTES));
        self.left_out.push(left_out(rest.len()));
        shown.to_owned()
    }
}
