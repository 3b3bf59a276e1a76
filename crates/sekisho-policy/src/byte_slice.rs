//! A range of the bytes a policy was read from, not decoded until it is used.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A range of shared bytes.
#[derive(Clone, Default)]
pub(crate) struct ByteSlice {
    bytes: Arc<Cow<'static, [u8]>>,
    range: Range<usize>,
}

impl ByteSlice {
    pub(crate) fn all(bytes: Cow<'static, [u8]>) -> ByteSlice {
        let range = 0..bytes.len();
        ByteSlice { bytes: Arc::new(bytes), range }
    }

    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(self.range.clone()).unwrap_or_default()
    }

    /// A subrange, if it is within bounds.
    pub(crate) fn part(&self, within: Range<usize>) -> Option<ByteSlice> {
        let start = self.range.start.checked_add(within.start)?;
        let end = self.range.start.checked_add(within.end)?;
        (start <= end && end <= self.range.end)
            .then(|| ByteSlice { bytes: Arc::clone(&self.bytes), range: start..end })
    }
}

impl fmt::Debug for ByteSlice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stretch({:?})", self.range)
    }
}
