//! In which coding a file is sent: the one the browser likes best, and of equals the smallest.

use axum::http::{HeaderMap, header};
use sekisho_ui::UiFile;

/// What is sent of a file.
pub(super) struct EncodedFile {
    /// The name of its coding; none: as it is.
    pub(super) coding: Option<&'static str>,
    /// The bytes.
    pub(super) bytes: &'static [u8],
}

/// Chooses by `Accept-Encoding`. A file as it is can always be sent: a browser that takes nothing we have is better off with
/// it than with an error.
pub(super) fn choose(file: &UiFile, headers: &HeaderMap) -> EncodedFile {
    let wishes = accepted_encodings(headers);
    // Not named, it is taken, but liked least.
    let plain = find(&wishes, &["identity"]).unwrap_or(0.0);
    let (mut liked, mut sent) = (plain, EncodedFile { coding: None, bytes: file.plain });
    let compressed = [("gzip", &["gzip", "x-gzip", "*"][..], file.gzip), ("br", &["br", "*"], file.brotli)];
    for (name, names, bytes) in compressed {
        let (Some(bytes), Some(weight)) = (bytes, find(&wishes, names)) else { continue };
        if weight > 0.0 && weight >= liked {
            (liked, sent) = (weight, EncodedFile { coding: Some(name), bytes });
        }
    }
    sent
}

/// The weight of the first of these names that is wished for at all.
fn find(wishes: &[(String, f32)], names: &[&str]) -> Option<f32> {
    let weight = |name: &&str| wishes.iter().find(|(wish, _)| wish == name).map(|(_, weight)| *weight);
    names.iter().find_map(weight)
}

/// `br;q=0.8, gzip, *;q=0` as names and weights.
fn accepted_encodings(headers: &HeaderMap) -> Vec<(String, f32)> {
    let lines = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|line| line.to_str().ok());
    let wish = |wish: &str| {
        let mut parts = wish.split(';').map(|part| part.trim().to_ascii_lowercase());
        let name = parts.next()?;
        let weight = parts.find_map(|part| Some(weight(part.strip_prefix("q=")?))).unwrap_or(1.0);
        (!name.is_empty()).then_some((name, weight))
    };
    lines.flat_map(|line| line.split(',')).filter_map(wish).collect()
}

/// A weight from 0 to 1; what is none is no wish.
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
    fn the_smallest_that_is_liked_best() {
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
    fn what_is_not_wished_for_is_not_sent() {
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
        assert_eq!(sent(&FILE, &[]), "plain", "nothing said");
    }

    #[test]
    fn only_what_there_is_is_sent() {
        assert_eq!(sent(&ONLY_GZIP, &["br, gzip;q=0.1"]), "gzip");
        assert_eq!(sent(&ONLY_GZIP, &["br"]), "plain");
        assert_eq!(sent(&ONLY_PLAIN, &["br, gzip, identity;q=0"]), "plain");
    }
}
