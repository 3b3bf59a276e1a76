//! What a detector saw.

use std::ops::Range;

/// What a detector saw from a place.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Detection {
    /// These bytes are secret.
    Secret(Range<usize>),
    /// Each of these is; the detector read no further than a fixed reach.
    Secrets(Vec<Range<usize>>),
    /// These are, if they are base64 of a text that holds a secret.
    Encoded(Range<usize>),
    /// Nothing; and no place up to `read` can lead to more.
    Nothing {
        /// Where the next look may start.
        read: usize,
    },
}

impl Detection {
    pub(super) const NOTHING: Detection = Detection::Nothing { read: 0 };
}
