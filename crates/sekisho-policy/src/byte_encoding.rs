//! Values that can be stored as bytes and used in place, without being decoded first.
//!
//! Everything is either *owned*, as it was compiled, or *stored*: a [`ByteSlice`] of the bytes that were
//! read. Only what a call needs is decoded. Reading a policy then mostly means finding the offsets of its
//! parts.

use std::ops::Range;
use std::sync::Arc;

use crate::byte_slice::ByteSlice;

/// Something that is written as consecutive parts and read back in the same order.
pub(crate) trait ByteEncoded: Sized {
    /// Writes the parts.
    fn write(&self, to: &mut PartWriter);
    /// Finds the parts. `None` if there are too few bytes.
    fn read(from: &mut PartReader<'_>) -> Option<Self>;
}

/// Writes parts, each after its length.
#[derive(Default)]
pub(crate) struct PartWriter(Vec<u8>);

impl PartWriter {
    /// The encoded bytes of `what`.
    pub(crate) fn bytes_of(what: &impl ByteEncoded) -> Vec<u8> {
        let mut writer = PartWriter::default();
        what.write(&mut writer);
        writer.0
    }

    /// Adds a part. A part whose length exceeds 32 bits is left out; the result then has too few bytes to be
    /// read.
    pub(crate) fn part<B: AsRef<[u8]>>(&mut self, pieces: impl Iterator<Item = B>) {
        let start = self.0.len();
        self.0.extend([0; 4]);
        pieces.for_each(|piece| self.0.extend_from_slice(piece.as_ref()));
        match u32::try_from(self.0.len() - start - 4) {
            Ok(length) => {
                let place = self.0.iter_mut().skip(start);
                place.zip(length.to_le_bytes()).for_each(|(slot, byte)| *slot = byte);
            }
            Err(_) => self.0.truncate(start),
        }
    }
}

/// Reads parts.
pub(crate) struct PartReader<'a> {
    stretch: &'a ByteSlice,
    at: usize,
}

impl PartReader<'_> {
    pub(crate) fn new(stretch: &ByteSlice) -> PartReader<'_> {
        PartReader { stretch, at: 0 }
    }

    pub(crate) fn part(&mut self) -> Option<ByteSlice> {
        let length = u32::from_le_bytes(*self.stretch.bytes().get(self.at..)?.first_chunk()?);
        let start = self.at + 4;
        let part = self.stretch.part(start..start.checked_add(length as usize)?)?;
        self.at = start + length as usize;
        Some(part)
    }

    /// Whether everything has been read.
    pub(crate) fn is_done(&self) -> bool {
        self.stretch.bytes().len() == self.at
    }
}

/// A value of fixed size in bytes.
pub(crate) trait FixedRow<const N: usize>: Copy {
    fn to_row(self) -> [u8; N];
    /// Every byte sequence is a valid value.
    fn from_row(row: [u8; N]) -> Self;
}

impl<const N: usize> FixedRow<N> for [u8; N] {
    fn to_row(self) -> [u8; N] {
        self
    }
    #[inline]
    fn from_row(row: [u8; N]) -> Self {
        row
    }
}

/// Packs numbers into a row.
pub(crate) fn pack<const N: usize, const W: usize>(words: [u32; W]) -> [u8; N] {
    let mut row = [0; N];
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    row.iter_mut().zip(bytes).for_each(|(slot, byte)| *slot = byte);
    row
}

/// Unpacks the numbers of a row.
#[inline]
pub(crate) fn unpack<const N: usize, const W: usize>(row: [u8; N]) -> [u32; W] {
    let (words, _) = row.as_chunks::<4>();
    std::array::from_fn(|at| words.get(at).copied().map_or(0, u32::from_le_bytes))
}

impl FixedRow<4> for u32 {
    fn to_row(self) -> [u8; 4] {
        self.to_le_bytes()
    }
    #[inline]
    fn from_row(row: [u8; 4]) -> u32 {
        u32::from_le_bytes(row)
    }
}

impl FixedRow<8> for (u32, u32) {
    fn to_row(self) -> [u8; 8] {
        pack([self.0, self.1])
    }
    #[inline]
    fn from_row(row: [u8; 8]) -> (u32, u32) {
        let [a, b] = unpack(row);
        (a, b)
    }
}

/// A list of values.
#[derive(Clone, Debug)]
pub(crate) enum Rows<T, const N: usize> {
    /// As compiled.
    Owned(Vec<T>),
    /// As stored.
    Stored(ByteSlice),
}

impl<T, const N: usize> Default for Rows<T, N> {
    fn default() -> Self {
        Rows::Owned(Vec::new())
    }
}

impl<T, const N: usize> From<Vec<T>> for Rows<T, N> {
    fn from(mut list: Vec<T>) -> Self {
        list.shrink_to_fit();
        Rows::Owned(list)
    }
}

impl<T: FixedRow<N>, const N: usize> Rows<T, N> {
    #[inline]
    pub(crate) fn get(&self, at: usize) -> Option<T> {
        match self {
            Rows::Owned(list) => list.get(at).copied(),
            Rows::Stored(stretch) => stretch.bytes().as_chunks().0.get(at).copied().map(T::from_row),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Rows::Owned(list) => list.len(),
            Rows::Stored(stretch) => stretch.bytes().len() / N,
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = T> {
        (0..self.len()).map_while(|at| self.get(at))
    }

    /// The first position at which `before` does not hold. It must not hold for any later position.
    pub(crate) fn partition_point(&self, before: impl Fn(T) -> bool) -> usize {
        let (mut start, mut end) = (0, self.len());
        while start < end {
            let middle = start.midpoint(end);
            match self.get(middle) {
                Some(value) if before(value) => start = middle + 1,
                _ => end = middle,
            }
        }
        start
    }
}

impl<const N: usize> Rows<[u8; N], N> {
    /// All rows. To read many rows, call this once.
    #[inline]
    pub(crate) fn all(&self) -> &[[u8; N]] {
        match self {
            Rows::Owned(list) => list,
            Rows::Stored(stretch) => stretch.bytes().as_chunks().0,
        }
    }
}

impl<T: FixedRow<N>, const N: usize> ByteEncoded for Rows<T, N> {
    fn write(&self, to: &mut PartWriter) {
        to.part(self.iter().map(T::to_row));
    }

    fn read(from: &mut PartReader<'_>) -> Option<Self> {
        from.part().map(Rows::Stored)
    }
}

/// Bytes.
#[derive(Clone, Debug)]
pub(crate) enum Blob {
    /// As compiled.
    Own(Vec<u8>),
    /// As stored.
    Stored(ByteSlice),
}

impl Default for Blob {
    fn default() -> Blob {
        Blob::Own(Vec::new())
    }
}

impl Blob {
    #[inline]
    pub(crate) fn all(&self) -> &[u8] {
        match self {
            Blob::Own(bytes) => bytes,
            Blob::Stored(stretch) => stretch.bytes(),
        }
    }
}

impl From<Vec<u8>> for Blob {
    fn from(mut bytes: Vec<u8>) -> Blob {
        bytes.shrink_to_fit();
        Blob::Own(bytes)
    }
}

impl ByteEncoded for Blob {
    fn write(&self, to: &mut PartWriter) {
        to.part(std::iter::once(self.all()));
    }

    fn read(from: &mut PartReader<'_>) -> Option<Blob> {
        from.part().map(Blob::Stored)
    }
}

/// A text.
#[derive(Clone, Debug)]
pub(crate) enum LazyText {
    /// As it was read.
    Own(Arc<str>),
    /// As stored. It is checked to be UTF-8 when it is used.
    Stored(ByteSlice),
}

impl LazyText {
    /// The whole text. Empty if it is not UTF-8.
    pub(crate) fn all(&self) -> &str {
        match self {
            LazyText::Own(text) => text,
            LazyText::Stored(stretch) => std::str::from_utf8(stretch.bytes()).unwrap_or_default(),
        }
    }

    /// A part of the text.
    pub(crate) fn get(&self, range: Range<usize>) -> Option<&str> {
        match self {
            LazyText::Own(text) => text.get(range),
            LazyText::Stored(stretch) => std::str::from_utf8(stretch.bytes().get(range)?).ok(),
        }
    }
}

impl ByteEncoded for LazyText {
    fn write(&self, to: &mut PartWriter) {
        let bytes = match self {
            LazyText::Own(text) => text.as_bytes(),
            LazyText::Stored(stretch) => stretch.bytes(),
        };
        to.part(std::iter::once(bytes));
    }

    fn read(from: &mut PartReader<'_>) -> Option<LazyText> {
        from.part().map(LazyText::Stored)
    }
}
