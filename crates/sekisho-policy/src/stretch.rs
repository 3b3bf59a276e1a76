//! A part of the bytes a policy was read from, kept as it is until somebody asks for it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::de::DeserializeOwned;

/// A range of bytes that are shared.
#[derive(Clone, Default)]
pub(crate) struct Stretch {
    bytes: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl Stretch {
    /// All the bytes.
    pub(crate) fn all(bytes: Vec<u8>) -> Stretch {
        let range = 0..bytes.len();
        Stretch { bytes: Arc::new(bytes), range }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(self.range.clone()).unwrap_or_default()
    }

    /// A part of it, if it has that many bytes.
    pub(crate) fn part(&self, within: Range<usize>) -> Option<Stretch> {
        let start = self.range.start.checked_add(within.start)?;
        let end = self.range.start.checked_add(within.end)?;
        (start <= end && end <= self.range.end)
            .then(|| Stretch { bytes: Arc::clone(&self.bytes), range: start..end })
    }

    /// A part of it as text; none where it is no text.
    pub(crate) fn text(&self, within: Range<usize>) -> Option<&str> {
        std::str::from_utf8(self.bytes().get(within)?).ok()
    }

    /// What the bytes say, if they say one such thing and no more.
    pub(crate) fn decode<T: DeserializeOwned>(&self) -> Option<T> {
        let (value, rest) = postcard::take_from_bytes(self.bytes()).ok()?;
        rest.is_empty().then_some(value)
    }
}

impl fmt::Debug for Stretch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stretch({:?})", self.range)
    }
}
