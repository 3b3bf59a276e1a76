//! Content types and immutability, by file name.

/// Extensions and their content types.
const KINDS: &[(&str, &str)] = &[
    ("avif", "image/avif"),
    ("css", "text/css; charset=utf-8"),
    ("html", "text/html; charset=utf-8"),
    ("ico", "image/x-icon"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript; charset=utf-8"),
    ("json", "application/json"),
    ("map", "application/json"),
    ("mjs", "text/javascript; charset=utf-8"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("txt", "text/plain; charset=utf-8"),
    ("wasm", "application/wasm"),
    ("webmanifest", "application/manifest+json"),
    ("webp", "image/webp"),
    ("woff", "font/woff"),
    ("woff2", "font/woff2"),
];

/// How many characters of a hash Vite puts into a name.
const HASH: usize = 8;

/// The content type. An unknown extension is served as bytes, which no browser runs or shows.
pub(crate) fn content_type(name: &str) -> &'static str {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let known = KINDS.iter().find(|(known, _)| *known == ending);
    known.map_or("application/octet-stream", |(_, kind)| kind)
}

/// Whether the name contains a hash of the content, so that the file never changes. When in doubt it does
/// not, and the browser asks once more.
pub(crate) fn has_content_hash(name: &str) -> bool {
    let Some((stem, _)) = name.strip_prefix("assets/").and_then(|file| file.rsplit_once('.')) else {
        return false;
    };
    let Some((front, hash)) = stem.len().checked_sub(HASH).and_then(|at| stem.split_at_checked(at)) else {
        return false;
    };
    let of_a_hash = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    // A word is not a hash: `assets/on-standard.css`.
    let of_no_word = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    front.len() > 1 && front.ends_with('-') && hash.bytes().all(of_a_hash) && hash.bytes().any(of_no_word)
}
