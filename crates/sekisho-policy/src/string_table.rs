//! Texts by position, stored one after another and storable as bytes.

use crate::byte_encoding::{ByteEncoded, FixedRow, PartReader, PartWriter, Rows};
use crate::byte_slice::ByteSlice;

/// Texts by position, stored one after another.
#[derive(Clone, Debug)]
pub(crate) enum StringTable {
    /// As compiled: all texts, and the end offset of each.
    Own(String, Vec<u32>),
    /// As stored.
    Stored(ByteSlice, Rows<u32, 4>),
}

impl Default for StringTable {
    fn default() -> StringTable {
        StringTable::Own(String::new(), Vec::new())
    }
}

impl StringTable {
    /// Adds a text. A stored table is complete and does not change.
    pub(crate) fn push(&mut self, added: &str) {
        if let StringTable::Own(text, ends) = self {
            text.push_str(added);
            ends.push(u32::try_from(text.len()).unwrap_or(u32::MAX));
        }
    }

    /// The text at a position; empty if there is none.
    #[inline]
    pub(crate) fn get(&self, at: u32) -> &str {
        std::str::from_utf8(self.bytes(at)).unwrap_or("")
    }

    /// The bytes of the text at a position; empty if there is none. Cheaper than [`get`](Self::get), which checks
    /// that they are UTF-8.
    #[inline]
    pub(crate) fn bytes(&self, at: u32) -> &[u8] {
        let (at, before) = (at as usize, (at as usize).checked_sub(1));
        let (bytes, start, end) = match self {
            StringTable::Own(text, ends) => {
                let start = before.and_then(|before| ends.get(before)).copied().unwrap_or(0);
                (text.as_bytes(), start, ends.get(at).copied().unwrap_or(start))
            }
            StringTable::Stored(text, ends) => {
                let start = before.and_then(|before| ends.get(before)).unwrap_or(0);
                (text.bytes(), start, ends.get(at).unwrap_or(start))
            }
        };
        bytes.get(start as usize..end as usize).unwrap_or_default()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|at| self.get(at))
    }

    pub(crate) fn len(&self) -> u32 {
        let length = match self {
            StringTable::Own(_, ends) => ends.len(),
            StringTable::Stored(_, ends) => ends.len(),
        };
        u32::try_from(length).unwrap_or(u32::MAX)
    }

    pub(crate) fn shrink(&mut self) {
        if let StringTable::Own(text, ends) = self {
            text.shrink_to_fit();
            ends.shrink_to_fit();
        }
    }
}

impl ByteEncoded for StringTable {
    fn write(&self, to: &mut PartWriter) {
        to.part(self.iter());
        let ends = self.iter().scan(0, |end, text| {
            *end += text.len();
            u32::try_from(*end).ok()
        });
        to.part(ends.map(u32::to_row));
    }

    fn read(from: &mut PartReader<'_>) -> Option<StringTable> {
        Some(StringTable::Stored(from.part()?, Rows::read(from)?))
    }
}
