//! What a response contains, by its type and its first bytes.

/// What a response contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Media {
    Html,
    /// Text that is shown as it is.
    Text,
    /// Not text. The type as the server names it.
    Binary(String),
    /// The server names no type.
    Unknown,
}

/// The type and charset of a `Content-Type`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MediaType {
    pub(super) media: Media,
    pub(super) charset: Option<String>,
}

/// Types beside `text/*` that are text.
const TEXT: &[&str] = &[
    "application/json",
    "application/xml",
    "application/javascript",
    "application/ecmascript",
    "application/x-javascript",
    "application/x-sh",
    "application/yaml",
    "application/x-yaml",
    "application/toml",
    "application/sql",
    "application/graphql",
    "application/rtf",
    "application/x-www-form-urlencoded",
    "application/x-ndjson",
    "application/jsonl",
    "image/svg+xml",
];

impl MediaType {
    pub(super) fn parse(header: &str) -> MediaType {
        let mut parts = header.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default().to_ascii_lowercase();
        let charset = parts.find_map(|part| {
            let (key, value) = part.split_once('=')?;
            let is_charset = key.trim().eq_ignore_ascii_case("charset");
            is_charset.then(|| value.trim().trim_matches(['"', '\'']).to_owned())
        });
        let media = match name.as_str() {
            "" | "application/octet-stream" => Media::Unknown,
            "text/html" | "application/xhtml+xml" => Media::Html,
            name if name.starts_with("text/") || TEXT.contains(&name) => Media::Text,
            name if name.ends_with("+json") || name.ends_with("+xml") => Media::Text,
            name => Media::Binary(name.chars().take(100).collect()),
        };
        MediaType { media, charset }
    }

    /// The contents, decided by the bytes where the type does not say it.
    pub(super) fn with_bytes(&self, bytes: &[u8]) -> Media {
        let start = bytes.get(..1024).unwrap_or(bytes);
        let is_wide = start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff") || self.is_utf16();
        match &self.media {
            Media::Html | Media::Text if start.contains(&0) && !is_wide => {
                Media::Binary("text with NUL bytes".into())
            }
            Media::Unknown if start.contains(&0) && !is_wide => Media::Binary("of an unknown type".into()),
            Media::Unknown if is_html(start) => Media::Html,
            Media::Unknown if start.starts_with(b"%PDF-") => Media::Binary("application/pdf".into()),
            Media::Unknown => match start.iter().filter(|byte| is_control(**byte)).count() * 20 > start.len()
            {
                true => Media::Binary("of an unknown type".into()),
                false => Media::Text,
            },
            known => known.clone(),
        }
    }

    fn is_utf16(&self) -> bool {
        self.charset.as_ref().is_some_and(|charset| charset.to_ascii_lowercase().starts_with("utf-16"))
    }
}

fn is_control(byte: u8) -> bool {
    byte < 0x20 && !byte.is_ascii_whitespace()
}

fn is_html(start: &[u8]) -> bool {
    let text =
        String::from_utf8_lossy(start).trim_start_matches('\u{feff}').trim_start().to_ascii_lowercase();
    ["<!doctype html", "<html", "<head", "<body"].iter().any(|tag| text.starts_with(tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(header: &str, bytes: &[u8], expected: Media) {
        assert_eq!(MediaType::parse(header).with_bytes(bytes), expected, "{header}");
    }

    #[test]
    fn contents_are_recognised() {
        check("text/html; charset=utf-8", b"x", Media::Html);
        check("TEXT/HTML", b"x", Media::Html);
        check("application/xhtml+xml", b"x", Media::Html);
        check("text/plain", b"<html>", Media::Text);
        check("application/json", b"{}", Media::Text);
        check("application/vnd.api+json", b"{}", Media::Text);
        check("image/png", b"x", Media::Binary("image/png".into()));
        check("application/pdf", b"%PDF-", Media::Binary("application/pdf".into()));
        check("", b" \n<!DOCTYPE html>", Media::Html);
        check("", b"plain", Media::Text);
        check("application/octet-stream", b"plain", Media::Text);
        check("", b"\x7fELF\0\0", Media::Binary("of an unknown type".into()));
        check("", b"%PDF-1.7", Media::Binary("application/pdf".into()));
        check("text/plain", b"a\0b", Media::Binary("text with NUL bytes".into()));
        check("text/plain; charset=utf-16le", b"a\0", Media::Text);
        check("", &[1; 100], Media::Binary("of an unknown type".into()));
    }

    #[test]
    fn charset_is_read() {
        for (header, expected) in [
            ("text/html; charset=utf-8", Some("utf-8")),
            ("text/html;CHARSET=\"Shift_JIS\"; x=y", Some("Shift_JIS")),
            ("text/html; boundary=x", None),
            ("text/html", None),
        ] {
            assert_eq!(MediaType::parse(header).charset.as_deref(), expected, "{header}");
        }
    }
}
