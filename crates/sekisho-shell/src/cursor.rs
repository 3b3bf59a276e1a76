//! A position in the text.
//!
//! Bash removes a backslash followed by a newline before it recognises any token, so `&\⏎&` is `&&` and
//! `$\⏎(` opens a substitution. The cursor does the same. It stops at such a pair only where the caller reads
//! raw bytes (single quotes, comments, here-documents, after a backslash).

/// A position in a text, with line continuations already skipped.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'t> {
    text: &'t str,
    pos: usize,
}

impl<'t> Cursor<'t> {
    /// Starts at `pos` of `text`. If `text` is a prefix of a longer text, offsets are the same in both.
    pub(crate) fn new(text: &'t str, pos: usize) -> Cursor<'t> {
        let mut cursor = Cursor { text, pos };
        cursor.settle();
        cursor
    }

    pub(crate) fn pos(&self) -> usize {
        self.pos.min(self.text.len())
    }

    pub(crate) fn text(&self) -> &'t str {
        self.text
    }

    /// The byte at the cursor.
    pub(crate) fn at(&self) -> Option<u8> {
        self.raw(0)
    }

    /// The byte `offset` further on. Line continuations are not skipped.
    pub(crate) fn raw(&self, offset: usize) -> Option<u8> {
        self.text.as_bytes().get(self.pos + offset).copied()
    }

    /// The byte after this one. Line continuations are skipped.
    pub(crate) fn second(&self) -> Option<u8> {
        match self.raw(1) {
            Some(b'\\') => {
                let mut next = *self;
                next.bump();
                next.at()
            }
            other => other,
        }
    }

    /// Advances by one byte.
    pub(crate) fn bump(&mut self) {
        self.pos += 1;
        self.settle();
    }

    /// Advances by one byte without skipping a line continuation.
    pub(crate) fn bump_raw(&mut self) {
        self.pos += 1;
    }

    /// Moves to an offset without skipping a line continuation.
    pub(crate) fn jump_raw(&mut self, pos: usize) {
        self.pos = pos;
    }

    /// Skips line continuations at the cursor.
    pub(crate) fn settle(&mut self) {
        while self.raw(0) == Some(b'\\') && self.raw(1) == Some(b'\n') {
            self.pos += 2;
        }
    }

    /// Consumes `byte` if it is next.
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        let here = self.at() == Some(byte);
        if here {
            self.bump();
        }
        here
    }

    /// Appends the text up to the next byte for which `stop` holds, without line continuations. `stop` must
    /// hold for a backslash and for no byte above ASCII, so that the run always ends on a character boundary.
    pub(crate) fn run(&mut self, stop: impl Fn(u8) -> bool, out: &mut String) {
        loop {
            let rest = self.text.as_bytes().get(self.pos..).unwrap_or_default();
            let length = rest.iter().position(|byte| stop(*byte)).unwrap_or(rest.len());
            out.push_str(self.slice(self.pos, self.pos + length));
            self.pos += length;
            self.settle();
            if self.at().is_none_or(&stop) {
                return;
            }
        }
    }

    /// A part of the text. Empty if the offsets are out of range or not on character boundaries.
    pub(crate) fn slice(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// The offset of the next `byte` at or after this position.
    pub(crate) fn find(&self, byte: u8) -> Option<usize> {
        let rest = self.text.as_bytes().get(self.pos..)?;
        rest.iter().position(|other| *other == byte).map(|offset| self.pos + offset)
    }
}

/// Whether bash separates words by this byte.
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Whether this byte ends an unquoted word.
pub(crate) fn is_meta(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}

/// Whether `text` is a valid variable name.
pub(crate) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(begins_name) && bytes.all(continues_name)
}

/// Whether a variable name may begin with this byte.
pub(crate) fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// Whether a variable name may contain this byte after the first.
pub(crate) fn continues_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
