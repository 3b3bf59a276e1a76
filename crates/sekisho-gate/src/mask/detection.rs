//! The result of a detector.

use std::ops::Range;

/// What a detector found at a position.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Detection {
    /// These bytes are secret.
    Secret(Range<usize>),
    /// Each of these ranges is secret. The detector read no further than a fixed reach.
    Secrets(Vec<Range<usize>>),
    /// These bytes are secret if they are base64 of a text that contains a secret.
    Encoded(Range<usize>),
    /// Nothing, and no position up to `read` can lead to more.
    Nothing {
        /// Where the next search may start.
        read: usize,
    },
}

impl Detection {
    pub(super) const NOTHING: Detection = Detection::Nothing { read: 0 };
}
