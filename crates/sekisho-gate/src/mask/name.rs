//! Names that say: what follows is secret.
//!
//! A name is read by its last word, because that is what the value *is*: `token_file` is a file, `max_tokens` a number,
//! `API_TOKEN` a token.

/// Whether a value under this name is a secret.
pub(super) fn secret(name: &[u8]) -> bool {
    let mut rest = name;
    for _ in 0..4 {
        let (before, word) = last_word(rest);
        if word.is_empty() {
            return false;
        }
        if is_any(word, SAY_NOTHING) || word.iter().all(u8::is_ascii_digit) {
            rest = before;
            continue;
        }
        return decides(name, before, word);
    }
    false
}

/// Words after the telling one that change nothing: `password_new`, `TOKEN_PROD`, `secretBase64`.
const SAY_NOTHING: &[&str] = &[
    "value",
    "base",
    "b",
    "hex",
    "plain",
    "plaintext",
    "text",
    "raw",
    "new",
    "old",
    "current",
    "prod",
    "production",
    "dev",
    "staging",
    "test",
    "live",
    "confirm",
    "confirmation",
    "encoded",
];

/// Also where they end a word written in one: `authtoken`, `dbpassword`.
const ENDS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "passwort",
    "secret",
    "token",
    "apikey",
    "secretkey",
    "accesskey",
    "privatekey",
    "credential",
    "credentials",
    "accountkey",
    "connectionstring",
];

const WORDS: &[&str] = &["pwd", "pass", "pw", "jwt", "psk", "creds", "authorization", "otp"];

/// `key` alone is the key of a map; with one of these before it, it opens something.
const KEYS: &[&str] = &[
    "api",
    "access",
    "secret",
    "private",
    "signing",
    "encryption",
    "decryption",
    "auth",
    "account",
    "master",
    "storage",
    "shared",
    "subscription",
    "session",
    "webhook",
    "hmac",
    "app",
    "admin",
];

fn decides(name: &[u8], before: &[u8], word: &[u8]) -> bool {
    // The shell's working directory.
    if matches!(name, b"PWD" | b"OLDPWD") {
        return false;
    }
    let previous = last_word(before).1;
    if word.eq_ignore_ascii_case(b"key") {
        return is_any(previous, KEYS);
    }
    if word.eq_ignore_ascii_case(b"string") {
        return previous.eq_ignore_ascii_case(b"connection");
    }
    if word.eq_ignore_ascii_case(b"id") {
        return is_any(previous, &["session", "sess"]);
    }
    if word.eq_ignore_ascii_case(b"auth") {
        return name == b"_auth";
    }
    is_any(word, WORDS) || is_any(word, &["sessionid"]) || ENDS.iter().any(|end| ends_any_case(word, end))
}

fn is_any(word: &[u8], words: &[&str]) -> bool {
    words.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

fn ends_any_case(word: &[u8], end: &str) -> bool {
    word.len()
        .checked_sub(end.len())
        .and_then(|from| word.get(from..))
        .is_some_and(|tail| tail.eq_ignore_ascii_case(end.as_bytes()))
}

/// The last word of `snake_case`, `kebab-case`, `camelCase` or `dotted.names`, and what stands before it.
fn last_word(name: &[u8]) -> (&[u8], &[u8]) {
    let kept = name.iter().rposition(u8::is_ascii_alphanumeric).map_or(0, |last| last + 1);
    let (name, _) = name.split_at(kept);
    let tail = |fits: fn(&u8) -> bool| name.iter().rev().take_while(|byte| fits(byte)).count();
    let length = match name.last() {
        Some(last) if last.is_ascii_digit() => tail(u8::is_ascii_digit),
        Some(last) if last.is_ascii_uppercase() => tail(u8::is_ascii_uppercase),
        _ => {
            let lower = tail(u8::is_ascii_lowercase);
            let head = name.iter().rev().nth(lower).is_some_and(u8::is_ascii_uppercase);
            lower + usize::from(head)
        }
    };
    name.split_at(name.len() - length)
}
