//! Decodes the text of a page: by its byte order mark, the header, its own `<meta>`, or by guessing.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE};

/// How many bytes are searched for a `<meta>`.
const META_BYTES: usize = 1024;
/// How many bytes are looked at for guessing.
const GUESS_BYTES: usize = 256 << 10;

/// A decoded text.
#[derive(Debug, PartialEq)]
pub(super) struct Decoded {
    pub(super) text: String,
    /// The name of the encoding.
    pub(super) charset: &'static str,
}

/// Decodes bytes. `label` is the charset of the header. Fails if the named encoding exists only to attack readers.
pub(super) fn decode(bytes: &[u8], label: Option<&str>, is_html: bool) -> Result<Decoded, String> {
    let encoding = match Encoding::for_bom(bytes) {
        Some((encoding, length)) => {
            let rest = bytes.get(length..).unwrap_or_default();
            return Ok(decoded(rest, encoding));
        }
        None => label
            .and_then(|label| Encoding::for_label(label.as_bytes()))
            .or_else(|| meta_encoding(bytes).filter(|_| is_html))
            .unwrap_or_else(|| guess(bytes)),
    };
    if encoding == REPLACEMENT {
        let label = label.unwrap_or("of the page").chars().take(40).collect::<String>();
        return Err(format!("the charset `{}` is not supported", crate::input_fields::shown(&label)));
    }
    Ok(decoded(bytes, encoding))
}

fn decoded(bytes: &[u8], encoding: &'static Encoding) -> Decoded {
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    Decoded { text: text.into_owned(), charset: encoding.name() }
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    let start = bytes.get(..GUESS_BYTES).unwrap_or(bytes);
    // A character may be cut at the end of what is looked at.
    let is_utf8 = match std::str::from_utf8(start) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    if is_utf8 {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(start, true);
    detector.guess(None, Utf8Detection::Allow)
}

/// The encoding that a `<meta>` at the beginning names. A page that can be read so far is not UTF-16.
fn meta_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = bytes.get(..META_BYTES).unwrap_or(bytes).to_ascii_lowercase();
    let start = String::from_utf8_lossy(&start);
    let encoding = start.split("<meta").skip(1).find_map(|tag| {
        let tag = tag.split('>').next()?;
        let (_, value) = tag.split_once("charset")?;
        let value = value.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
        let label = value.split(|c: char| c.is_whitespace() || "\"';/".contains(c)).next()?;
        Encoding::for_label(label.as_bytes())
    })?;
    if encoding == UTF_16BE || encoding == UTF_16LE { Some(UTF_8) } else { Some(encoding) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], label: Option<&str>, text: &str, charset: &str) {
        let found = decode(bytes, label, true).unwrap();
        assert_eq!((found.text.as_str(), found.charset), (text, charset));
    }

    #[test]
    fn header_mark_and_page_name_the_encoding() {
        let (sjis, _, _) = encoding_rs::SHIFT_JIS.encode("日本語");
        check(&sjis, Some("Shift_JIS"), "日本語", "Shift_JIS");
        check(b"\xef\xbb\xbfa\xc3\xa9", Some("iso-8859-1"), "aé", "UTF-8");
        check(b"\xff\xfea\0", None, "a", "UTF-16LE");
        check(b"<meta charset='iso-8859-2'>\xb1", None, "<meta charset='iso-8859-2'>ą", "ISO-8859-2");
        let page = b"<META http-equiv=x content=\"text/html; charset=windows-1251\">\xcf";
        check(page, None, "<META http-equiv=x content=\"text/html; charset=windows-1251\">П", "windows-1251");
        check(b"<meta charset=utf-16>\xc3\xa9", None, "<meta charset=utf-16>é", "UTF-8");
        check(b"\xe9", Some("latin1"), "é", "windows-1252");
        check("é".as_bytes(), Some("no-such-thing"), "é", "UTF-8");
        check("é".as_bytes(), None, "é", "UTF-8");
        check(b"a\xffb\0", Some("utf-8"), "a\u{fffd}b\0", "UTF-8");
    }

    #[test]
    fn encoding_is_guessed() {
        let text = "これは日本語の文章です。文字コードを推測します。".repeat(4);
        for encoding in [encoding_rs::SHIFT_JIS, encoding_rs::EUC_JP] {
            let (bytes, _, _) = encoding.encode(&text);
            check(&bytes, None, &text, encoding.name());
        }
    }

    #[test]
    fn encodings_for_attacks_are_refused() {
        for label in ["iso-2022-kr", "hz-gb-2312", "replacement", "iso-2022-cn"] {
            assert!(decode(b"x", Some(label), true).unwrap_err().contains("is not supported"), "{label}");
        }
        check(b"+ADw-script+AD4-", Some("utf-7"), "+ADw-script+AD4-", "UTF-8");
    }
}
