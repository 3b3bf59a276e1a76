//! Whether the beginning of a file is text.

/// Beginnings of common binary files.
const KINDS: &[(&[u8], &str)] = &[
    (b"\x7fELF", "an ELF program or library"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "gzip data"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"\xfd7zXZ\0", "xz data"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"\0asm", "a WebAssembly module"),
    (b"OggS", "an Ogg file"),
];

/// What a file is, if its beginning is not text: it contains a NUL, or begins as a known kind does.
pub(super) fn binary_kind(sample: &[u8]) -> Option<&'static str> {
    let known = KINDS.iter().find(|(magic, _)| sample.starts_with(magic)).map(|(_, kind)| *kind);
    let is_utf16 = sample.starts_with(b"\xff\xfe") || sample.starts_with(b"\xfe\xff");
    let is_binary = !is_utf16 && sample.contains(&0);
    known.or_else(|| is_binary.then_some("a binary file"))
}

#[cfg(test)]
mod tests {
    use super::binary_kind;

    #[test]
    fn text_is_told_from_other_files() {
        let check = |sample: &[u8], expected: Option<&str>| assert_eq!(binary_kind(sample), expected);
        check(b"", None);
        check("日本\n".as_bytes(), None);
        check(b"caf\xe9", None);
        check(b"\xff\xfea\0", None);
        check(b"\xfe\xff\0a", None);
        check(b"a\0b", Some("a binary file"));
        check(b"\x7fELF\x02", Some("an ELF program or library"));
        check(b"%PDF-1.7\n", Some("a PDF document"));
    }
}
