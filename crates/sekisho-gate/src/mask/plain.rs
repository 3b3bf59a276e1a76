//! Values that are no secrets: references, placeholders, paths, and words of prose.

const WORDS: &[&str] = &[
    "true",
    "false",
    "null",
    "none",
    "nil",
    "undefined",
    "string",
    "str",
    "number",
    "integer",
    "int",
    "boolean",
    "bool",
    "bytes",
    "any",
    "object",
    "array",
    "required",
    "optional",
    "include",
    "omit",
    "same-origin",
    "yes",
    "no",
    "on",
    "off",
    "bearer",
    "basic",
    "secretstr",
    "masked",
    "redacted",
    "hidden",
    "secret",
];

const PROSE: &[&str] = &[
    "flag",
    "flags",
    "option",
    "options",
    "is",
    "and",
    "or",
    "to",
    "for",
    "with",
    "argument",
    "value",
    "the",
    "a",
    "an",
    "in",
    "on",
    "of",
    "from",
    "can",
    "must",
    "should",
    "may",
    "if",
    "when",
    "instead",
    "takes",
    "parameter",
    "as",
    "via",
];

/// Where values come from in code.
const SOURCES: &[&str] = &[
    "os.",
    "process.",
    "env.",
    "self.",
    "this.",
    "req.",
    "request.",
    "config.",
    "args.",
    "settings.",
    "secrets.",
    "vars.",
    "var.",
    "local.",
    "data.",
    "std::",
    "import.meta.",
    "ctx.",
    "options.",
    "opts.",
    "props.",
    "&self.",
];

const ROOTS: &[&str] = &[
    "/etc/",
    "/run/",
    "/var/",
    "/home/",
    "/usr/",
    "/tmp/",
    "/opt/",
    "/root/",
    "/mnt/",
    "/Users/",
    "/proc/",
    "/dev/",
    "/srv/",
    "/secrets/",
    "./",
    "../",
    "~/",
    "file://",
];

/// Whether this value says where a secret is, or that there is none, and holds none itself.
///
/// Every rule has a longest value: what is longer is a secret. Otherwise a text of names that each rule out the rest of
/// the text would be read once for every name.
pub(super) fn value(value: &[u8], mark: u8) -> bool {
    reference(value, mark)
        || is_any(value, WORDS)
        || (value.len() <= 256 && ROOTS.iter().any(|root| value.starts_with(root.as_bytes())))
        || (mark == 0
            && value.len() <= 64
            && SOURCES.iter().any(|source| value.starts_with(source.as_bytes())))
        || (value.len() <= 64
            && value.iter().all(|byte| matches!(byte, b'*' | b'.' | b'-' | b'_' | b'[' | b'\\')))
}

/// Whether this is the next word of a sentence about a flag.
pub(super) fn prose(word: &[u8]) -> bool {
    is_any(word, PROSE)
}

/// `$NAME`, `${NAME}`, `$(command)`, `{{ name }}`, `<name>`, `%s`.
pub(super) fn reference(value: &[u8], mark: u8) -> bool {
    let short = value.len() <= 64;
    let name = |inner: &[u8]| short && inner.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    match value {
        [b'$', b'{', b'{', ..] | [b'{', b'{', ..] => short && value.ends_with(b"}}"),
        [b'$', ..] if mark == b'\'' => false,
        [b'$', b'(', ..] => true,
        [b'$', b'{', inner @ .., b'}'] => name(inner),
        [b'$', inner @ ..] => matches!(inner, b"@" | b"*" | b"?" | b"$" | b"!" | b"#") || name(inner),
        [b'{', inner @ .., b'}'] => name(inner),
        [b'<', .., b'>'] => short,
        [b'%', inner @ ..] => matches!(inner, b"s" | b"d" | b"v" | b"q" | b"@"),
        [b'`', ..] => true,
        _ => false,
    }
}

fn is_any(word: &[u8], words: &[&str]) -> bool {
    words.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}
