//! How much is shown. What is left out is said, and keeps the call from being remembered.

/// The most text of one kind that is shown, in bytes: the form, and besides it the JSON.
pub const LARGEST_SHOWN: usize = 256 * 1024;

/// Notes what is left out.
#[derive(Default)]
pub(super) struct Limit {
    pub(super) left_out: Vec<String>,
}

impl Limit {
    /// The text, or as much of it as is shown. `of` says what it is a text of: `of the command`.
    pub(super) fn text(&mut self, of: &str, text: &str) -> String {
        if text.len() <= LARGEST_SHOWN {
            return text.to_owned();
        }
        let (shown, rest) = text.split_at(text.floor_char_boundary(LARGEST_SHOWN));
        self.leave_out(rest.len(), of);
        shown.to_owned()
    }

    /// Notes that so many bytes of something are not shown.
    pub(super) fn leave_out(&mut self, bytes: usize, of: &str) {
        self.left_out.push(format!("{bytes} bytes {of} are not shown"));
    }

    /// Notes that so many parts of the command are shown like any other text, without what they do.
    pub(super) fn unmarked(&mut self, parts: usize) {
        let less = "none of them is graver than those that are";
        self.left_out.push(match parts {
            1 => "1 part of the command is not marked; it is not graver than those that are".into(),
            _ => format!("{parts} parts of the command are not marked; {less}"),
        });
    }
}
