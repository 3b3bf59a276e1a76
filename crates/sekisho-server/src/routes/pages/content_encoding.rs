//! Chooses the content coding of a file: the one the browser prefers, and among equals the smallest.

use axum::http::{HeaderMap, header};
use sekisho_ui::UiFile;

/// A file as it is sent.
pub(super) struct EncodedFile {
    /// The name of its coding; `None` for no coding.
    pub(super) coding: Option<&'static str>,
    pub(super) bytes: &'static [u8],
}

/// Chooses by `Accept-Encoding`. The plain file can always be sent: it serves a browser that accepts nothing
/// we have better than an error.
pub(super) fn choose(file: &UiFile, headers: &HeaderMap) -> EncodedFile {
    let accepted = accepted_encodings(headers);
    // If it is not named, it is accepted, with the lowest preference.
    let plain = find(&accepted, &["identity"]).unwrap_or(0.0);
    let (mut best, mut sent) = (plain, EncodedFile { coding: None, bytes: file.plain });
    let compressed = [("gzip", &["gzip", "x-gzip", "*"][..], file.gzip), ("br", &["br", "*"], file.brotli)];
    for (name, names, bytes) in compressed {
        let (Some(bytes), Some(weight)) = (bytes, find(&accepted, names)) else { continue };
        if weight > 0.0 && weight >= best {
            (best, sent) = (weight, EncodedFile { coding: Some(name), bytes });
        }
    }
    sent
}

/// The weight of the first of these names that the browser lists.
fn find(accepted: &[(String, f32)], names: &[&str]) -> Option<f32> {
    let weight = |name: &&str| accepted.iter().find(|(coding, _)| coding == name).map(|(_, weight)| *weight);
    names.iter().find_map(weight)
}

/// Parses `br;q=0.8, gzip, *;q=0` into names and weights.
fn accepted_encodings(headers: &HeaderMap) -> Vec<(String, f32)> {
    let lines = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|line| line.to_str().ok());
    let parse = |item: &str| {
        let mut parts = item.split(';').map(|part| part.trim().to_ascii_lowercase());
        let name = parts.next()?;
        let weight = parts.find_map(|part| Some(weight(part.strip_prefix("q=")?))).unwrap_or(1.0);
        (!name.is_empty()).then_some((name, weight))
    };
    lines.flat_map(|line| line.split(',')).filter_map(parse).collect()
}

/// A weight from 0 to 1; an invalid weight counts as 0.
fn weight(text: &str) -> f32 {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let weight = text.parse().ok().filter(|_| plain);
    weight.filter(|weight| (0.0..=1.0).contains(weight)).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue, header};
    use sekisho_ui::UiFile;

    use super::choose;

    static FILE: UiFile = UiFile {
        path: "favicon.svg",
        content_type: "image/svg+xml",
        plain: b"plain",
        brotli: Some(b"br"),
        gzip: Some(b"gzip"),
        etag: "W/\"0\"",
        is_immutable: false,
    };
    static ONLY_GZIP: UiFile = UiFile { brotli: None, ..FILE };
    static ONLY_PLAIN: UiFile = UiFile { gzip: None, ..ONLY_GZIP };

    fn sent(file: &UiFile, lines: &[&'static str]) -> &'static str {
        let lines = lines.iter().map(|line| (header::ACCEPT_ENCODING, HeaderValue::from_static(line)));
        let sent = choose(file, &HeaderMap::from_iter(lines));
        assert_eq!(sent.bytes, sent.coding.unwrap_or("plain").as_bytes());
        sent.coding.unwrap_or("plain")
    }

    #[test]
    fn smallest_of_the_preferred_codings_is_sent() {
        for (accept, coding) in [
            ("gzip, deflate, br, zstd", "br"),
            ("br, gzip", "br"),
            ("gzip", "gzip"),
            ("X-GZip", "gzip"),
            ("BR", "br"),
            ("br;q=0.5, gzip", "gzip"),
            ("br;q=0.5, gzip;q=0.5", "br"),
            ("br ; q=0.5 , gzip ; Q=0.501", "gzip"),
            ("*", "br"),
            ("br;q=0, *", "gzip"),
            ("*;q=0.1, gzip;q=0.2", "gzip"),
            ("identity, br;q=0.9", "plain"),
            ("identity;q=0.9, br", "br"),
            ("identity;q=0, gzip;q=0.001", "gzip"),
        ] {
            assert_eq!(sent(&FILE, &[accept]), coding, "{accept}");
        }
        assert_eq!(sent(&FILE, &["gzip", "br"]), "br", "on two lines");
    }

    #[test]
    fn coding_that_is_not_accepted_is_not_sent() {
        for accept in [
            "",
            ",",
            ";q=1",
            "deflate, zstd",
            "br;q=0, gzip;q=0.0",
            "br;q=0.000",
            "*;q=0",
            "identity;q=0, *;q=0",
            "br;q=x",
            "br;q=",
            "br;q=2",
            "br;q=-1",
            "br;q=inf",
            "br;q=1e0",
            "brotli",
            "br gzip",
        ] {
            assert_eq!(sent(&FILE, &[accept]), "plain", "{accept}");
        }
        assert_eq!(sent(&FILE, &[]), "plain", "no header");
    }

    #[test]
    fn only_available_codings_are_sent() {
        assert_eq!(sent(&ONLY_GZIP, &["br, gzip;q=0.1"]), "gzip");
        assert_eq!(sent(&ONLY_GZIP, &["br"]), "plain");
        assert_eq!(sent(&ONLY_PLAIN, &["br, gzip, identity;q=0"]), "plain");
    }
}
