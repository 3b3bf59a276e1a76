//! How much is shown. What is left out is said, and keeps the call from being remembered.

use crate::note::LeftOut;

/// The most text of one kind that is shown, in bytes: the form, and besides it the JSON.
pub const LARGEST_SHOWN: usize = 256 * 1024;

/// Notes what is left out.
#[derive(Default)]
pub(super) struct Limit {
    pub(super) left_out: Vec<LeftOut>,
}

impl Limit {
    /// The text, or as much of it as is shown. `left_out` says of what so many bytes are not shown.
    pub(super) fn text(&mut self, text: &str, left_out: impl FnOnce(usize) -> LeftOut) -> String {
        if text.len() <= LARGEST_SHOWN {
            return text.to_owned();
        }
        let (shown, rest) = text.split_at(text.floor_char_boundary(LARGEST_SHOWN));
        self.left_out.push(left_out(rest.len()));
        shown.to_owned()
    }
}
