//! Whether a value looks machine-generated.
//!
//! The last resort: a value of unknown shape next to a word that suggests a secret. Common and public
//! values must not match: paths, versions, ids, hashes of commits and files.

use super::byte_scan::{at, before, has, part};

/// The minimum length. Shorter values are inconclusive.
const MIN_LENGTH: usize = 16;
/// Longer values are judged by this many leading bytes.
const MAX_LENGTH: usize = 256;

/// Whether only a generator would produce this value.
pub(super) fn value(text: &[u8]) -> bool {
    let text = part(text, 0, text.len().min(MAX_LENGTH));
    text.len() >= MIN_LENGTH && is_one_word(text) && !is_public(text) && varies(text)
}

/// Whether this could be a password, made by a person or a generator: one word of lower-case letters,
/// capitals and digits.
pub(super) fn password(text: &[u8]) -> bool {
    let has = |fits: fn(&u8) -> bool| text.iter().any(fits);
    let is_mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_digit);
    let is_signed = has(u8::is_ascii_alphabetic)
        && has(u8::is_ascii_digit)
        && has(|byte| matches!(byte, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'?'));
    let text = part(text, 0, text.len().min(MAX_LENGTH));
    text.len() >= 8 && (is_mixed || is_signed) && is_one_word(text) && !text.contains(&b'/') || value(text)
}

/// Whether this looks generated and like no name of a program: `zR4tWm2x`, `bb9cc8dd`, `whale9x`. A
/// program may end in its version.
pub(super) fn generated_name(text: &[u8]) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let is_word = text.iter().all(|byte| byte.is_ascii_alphanumeric());
    let before_version = text.iter().rposition(|byte| !is_digit(byte)).map_or(0, |last| last + 1);
    let has_digit_inside = part(text, 0, before_version).iter().any(is_digit);
    let runs =
        text.windows(2).filter(|pair| matches!(pair, [a, b] if a.is_ascii_digit() != b.is_ascii_digit()));
    password(text) || (is_word && text.len() >= 6 && has_digit_inside && runs.count() >= 2)
}

/// Whether this looks like no word, term, id or name, however short: letters mixed with digits or
/// punctuation.
pub(super) fn unlike_words(text: &[u8]) -> bool {
    let has = |fits: fn(&u8) -> bool| text.iter().any(fits);
    let is_signed = has(u8::is_ascii_alphabetic)
        && has(u8::is_ascii_digit)
        && has(|byte| matches!(byte, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*'));
    is_private_word(text) && (is_signed || !words(text))
}

/// Whether this looks like no word, name, path or pattern, where a name suggests a secret: `mapb0xV41ue`,
/// `Sommer2024`, `f3rnetV41ue=`.
pub(super) fn unusual(text: &[u8]) -> bool {
    let padding = text.iter().rev().take_while(|byte| **byte == b'=').count().min(2);
    let inner = part(text, 0, text.len() - padding);
    let is_pattern = inner.iter().any(|byte| matches!(byte, b'*' | b'?' | b'^' | b'$'));
    value(text) || (!is_pattern && (password(inner) || unlike_words(inner)))
}

/// Whether this is one or more words with a number, in mixed case: `Copper_Lantern870`. Both passwords
/// and names look like this.
pub(super) fn numbered(text: &[u8]) -> bool {
    let has = |fits: fn(&u8) -> bool| text.iter().any(fits);
    is_private_word(text)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && text.iter().filter(|byte| byte.is_ascii_digit()).count() >= 3
}

/// Whether this is a word with a number and a capital: `Baguette-75`. Only at the end of a sentence that
/// announces a password can it be no name.
pub(super) fn capitalised(text: &[u8]) -> bool {
    let has = |fits: fn(&u8) -> bool| text.iter().any(fits);
    let is_version = text.contains(&b'.') && text.last().is_some_and(u8::is_ascii_digit);
    is_private_word(text) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && !is_version
}

/// Whether a sign inside this token makes it no word and no code: `pBAkJbDmy!x`, `kq)3sXw;ZpLa`.
pub(super) fn signed(text: &[u8]) -> bool {
    let has_any = |fits: fn(&u8) -> bool| text.iter().any(fits);
    let inner = part(text, 1, text.len().saturating_sub(1));
    let signs = |byte: &u8| {
        matches!(byte, b'!' | b'#' | b'%' | b'^' | b'&' | b'*' | b'+' | b'~' | b'$' | b'@' | b';' | b')')
    };
    let code = ["&&", "!.", "?.", "::", "->", "=>", "()", "![", "&#", "@."];
    let is_mail = text.contains(&b'@') && text.contains(&b'.');
    let letters = usize::from(has_any(u8::is_ascii_lowercase));
    let kinds =
        letters + usize::from(has_any(u8::is_ascii_uppercase)) + usize::from(has_any(u8::is_ascii_digit));
    (8..=64).contains(&text.len())
        && text.iter().all(u8::is_ascii_graphic)
        && kinds >= 2
        && letters == 1
        && inner.iter().any(signs)
        && !text
            .iter()
            .any(|byte| matches!(byte, b'/' | b'(' | b'<' | b'"' | b'\'' | b'`' | b'{' | b'[' | b'|' | b'='))
        && !matches!(text.first(), Some(b'&' | b'*' | b'$' | b'@' | b'#' | b'%' | b'-'))
        && !code.iter().any(|code| has(text, code))
        && !is_mail
}

/// Whether these are letters in an order of upper and lower case that no name has: `slkLjBBReyasXV`.
pub(super) fn scrambled(text: &[u8]) -> bool {
    let vowels = text.iter().filter(|byte| b"aeiouy".contains(&byte.to_ascii_lowercase())).count();
    (10..=64).contains(&text.len())
        && text.iter().all(u8::is_ascii_alphabetic)
        && cases(text) >= 5
        && vowels * 3 <= text.len()
        && !is_camel(text)
}

/// Whether this is an app password as Google writes it: four groups of four letters.
pub(super) fn grouped(text: &[u8]) -> bool {
    text.len() == 19
        && text
            .split(|byte| *byte == b' ')
            .all(|group| group.len() == 4 && group.iter().all(u8::is_ascii_lowercase))
}

/// Whether this is a password of letters, digits and punctuation, where some of the punctuation does
/// not join words.
pub(super) fn strong(text: &[u8]) -> bool {
    let has = |fits: fn(&u8) -> bool| text.iter().any(fits);
    let signs = |byte: &u8| {
        matches!(byte, b'!' | b'#' | b'%' | b'^' | b'&' | b'*' | b'?' | b'>' | b'<' | b'+' | b'~')
    };
    let is_code = (text.contains(&b'<') && text.contains(&b'>')) || has(|byte| matches!(byte, b'(' | b'/'));
    (8..=64).contains(&text.len())
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_digit)
        && has(signs)
        && !is_code
        && text.iter().all(u8::is_ascii_graphic)
}

/// Small words that are also joined by dashes in prose: `up-to-date`.
const SMALL: &[&str] = &[
    "to", "of", "the", "by", "in", "on", "so", "per", "and", "or", "it", "a", "at", "as", "is", "not", "non",
];

/// Whether this is a passphrase of words, as people make them up: `correct-horse-battery`.
pub(super) fn passphrase(text: &[u8]) -> bool {
    let words = || text.split(|byte| *byte == b'-');
    let is_word = |word: &[u8]| {
        (2..=14).contains(&word.len())
            && word.iter().all(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80)
            && !SMALL.iter().any(|small| word.eq_ignore_ascii_case(small.as_bytes()))
    };
    (12..=64).contains(&text.len()) && words().count() >= 3 && words().all(is_word)
}

/// Terms that are written with digits, alone or at the start of a longer one.
const TERMS: &[&str] = &[
    "base64", "base32", "sha1", "sha2", "sha3", "sha5", "md5", "oauth2", "auth0", "utf8", "utf16", "x509",
    "http2", "ec2", "k8s", "i18n", "l10n", "a11y", "e2e", "p2p", "b2b", "b2c", "argon2", "pbkdf2", "25519",
    "secp256", "256k1", "aes1", "aes2", "rs256", "hs256", "es256", "2fa", "3des", "blake2", "blake3",
    "neo4j", "log4j", "win32", "x86", "arm64", "amd64", "ipv4", "ipv6", "web3", "h264", "fido2", "u2f",
    "p256", "utf8mb4", "cp1252", "iso8859", "py3", "bcrypt", "scrypt", "cve-", "v1", "v2", "v3",
];

fn is_private_word(text: &[u8]) -> bool {
    let is_hex = text.iter().all(u8::is_ascii_hexdigit);
    let is_date = part(text, 0, 4).iter().all(u8::is_ascii_digit) && at(text, 4) == b'-';
    let is_mail = text
        .iter()
        .position(|byte| *byte == b'@')
        .is_some_and(|sign| part(text, sign, text.len()).contains(&b'.'));
    (8..=MAX_LENGTH).contains(&text.len())
        && is_one_word(text)
        && text.iter().any(u8::is_ascii_alphabetic)
        && text.iter().any(u8::is_ascii_digit)
        && !text.iter().any(|byte| matches!(byte, b'/' | b'='))
        && !(is_hex || is_date || is_mail || is_id(text) || holds_term(text))
}

fn holds_term(text: &[u8]) -> bool {
    let starts =
        |index: usize| !before(text, index).is_ascii_alphabetic() || at(text, index).is_ascii_uppercase();
    TERMS.iter().any(|term| {
        text.windows(term.len())
            .enumerate()
            .any(|(index, found)| found.eq_ignore_ascii_case(term.as_bytes()) && starts(index))
    })
}

fn is_one_word(text: &[u8]) -> bool {
    let signs = |byte: &u8| {
        matches!(
            byte,
            b'+' | b'/'
                | b'='
                | b'_'
                | b'-'
                | b'.'
                | b'~'
                | b'%'
                | b'!'
                | b'@'
                | b'#'
                | b'$'
                | b'^'
                | b'*'
                | b'&'
                | b'?'
                | b':'
        )
    };
    text.iter().all(|byte| byte.is_ascii_alphanumeric() || signs(byte))
}

/// Ids, hashes with their name, versions, paths and addresses.
fn is_public(text: &[u8]) -> bool {
    is_id(text) || words(text)
}

fn is_id(text: &[u8]) -> bool {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| text.starts_with(prefix.as_bytes()));
    is_uuid(text)
        || is_app_id(text)
        || starts(&[
            "sha1-", "sha256-", "sha384-", "sha512-", "sha1:", "sha256:", "sha512:", "md5:", "ssh-",
            "ecdsa-", "arn:", "urn:", "http", "./", "../", "~/", "/", "v0.", "v1.", "v2.", "pk_", "AAAA",
        ])
        || has(text, "://")
}

pub(super) fn is_uuid(text: &[u8]) -> bool {
    text.len() == 36
        && text.iter().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// The public id of a WeChat app.
fn is_app_id(text: &[u8]) -> bool {
    text.len() == 18 && text.starts_with(b"wx") && text.iter().skip(2).all(u8::is_ascii_hexdigit)
}

/// Words or names joined by punctuation, with at most numbers between them:
/// `my-cluster-2024.example.com`, `src/a/b.rs`.
fn words(text: &[u8]) -> bool {
    text.split(|byte| !byte.is_ascii_alphanumeric()).all(|word| {
        let letters = word.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
        let digits = word.len() - letters;
        let head = word.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let is_word = digits == 0 && (word.len() <= 14 || cases(word) < 3 || is_camel(word));
        let is_numbered = head == letters && digits <= 4 && letters <= 14;
        is_word || is_numbered || (letters == 0 && word.len() <= 10)
    })
}

/// `PasswordResetTokenGenerator`: each capital starts a word.
fn is_camel(word: &[u8]) -> bool {
    let capitals = word.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    word.len() <= 64 && word.len() >= 4 * capitals && word.last().is_some_and(u8::is_ascii_lowercase)
}

/// How often the letter case changes.
fn cases(word: &[u8]) -> usize {
    word.windows(2)
        .filter(|pair| at(pair, 0).is_ascii_uppercase() != at(pair, 1).is_ascii_uppercase())
        .count()
}

/// Entropy of at least three bits per byte, and more than one class of letters.
fn varies(text: &[u8]) -> bool {
    let has = |fits: fn(&u8) -> bool| usize::from(text.iter().any(fits));
    let classes = has(u8::is_ascii_lowercase) + has(u8::is_ascii_uppercase) + has(u8::is_ascii_digit);
    let mut counts = [0u32; 256];
    for byte in text {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let total = text.len() as f64;
    let entropy: f64 = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) / total)
        .map(|share| -share * share.log2())
        .sum();
    classes >= 2 && entropy >= 3.0
}
