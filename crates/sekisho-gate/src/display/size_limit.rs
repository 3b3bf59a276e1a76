//! Limits how much text is shown. Omissions are reported, and a call with omissions cannot be remembered.

use crate::display_notes::LeftOut;

/// The maximum size of the form, and separately of the JSON, in bytes.
pub const MAX_SHOWN_BYTES: usize = 256 * 1024;

/// Collects what is left out.
#[derive(Default)]
pub(super) struct SizeLimit {
    pub(super) left_out: Vec<LeftOut>,
}

impl SizeLimit {
    /// The text, cut to the limit. `left_out` makes the note from the number of bytes that are not
    /// shown.
    pub(super) fn text(&mut self, text: &str, left_out: impl FnOnce(usize) -> LeftOut) -> String {
        if text.len() <= MAX_SHOWN_BYTES {
            return text.to_owned();
        }
        let (shown, rest) = text.split_at(text.floor_char_boundary(MAX_SHOWN_BYTES));
        self.left_out.push(left_out(rest.len()));
        shown.to_owned()
    }
}
