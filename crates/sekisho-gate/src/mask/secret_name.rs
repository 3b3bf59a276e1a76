//! Whether a name announces a secret.
//!
//! The last word of a name decides, because it says what the value *is*: `token_file` is a file,
//! `max_tokens` a number, `API_TOKEN` a token.

use super::key_name::{self, KeyPurpose};

/// What a name says about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameHint {
    /// Any value is a secret.
    Secret,
    /// A value that is not an ordinary word is a secret: `AUTH`, `SALT`.
    Likely,
    /// A value that looks generated is a secret: `cacheKey`, `sig`.
    Generated,
    /// Any value but the name of the service is a secret: `STRIPE_KEY`, `GH_PAT`.
    Service,
    /// A value of letters and digits that is no word with a number is a secret: `BILLING_KEY`.
    Unusual,
    /// A value that looks generated or is a UUID is a secret: `secret_id` of Vault.
    Issued,
    /// A few digits are a secret: `PIN`.
    Digits,
    Nothing,
}

/// Whether any value under this name is a secret.
pub(super) fn secret(name: &[u8]) -> bool {
    name_hint(name) == NameHint::Secret
}

/// Whether this names where a secret is read from: `--password-file`, `PASSWORD_COMMAND`,
/// `GIT_ASKPASS`.
pub(super) fn source(name: &[u8]) -> bool {
    let (before, word) = last_word(name);
    ["askpass", "passcommand", "passcmd", "passeval", "passwordeval"]
        .iter()
        .any(|end| ends_any_case(word, end))
        || (is_any(word, &["file", "fd", "command", "cmd", "path", "stdin", "eval"]) && secret(before))
}

/// Whether the value under this name is a password that people choose and type.
pub(super) fn password(name: &[u8]) -> bool {
    let (_, word) = last_word(name);
    PASSWORDS.iter().any(|end| ends_any_case(word, end)) || ends_foreign(name)
}

/// The same, including short words for it.
pub(super) fn any_password(name: &[u8]) -> bool {
    let (_, word) = last_word(name);
    password(name) || ends_in_pass(word) || ["pwd", "passwd"].iter().any(|end| ends_any_case(word, end))
}

/// Whether this is just a word for a secret.
pub(super) fn is_word(name: &[u8]) -> bool {
    is_any(name, ENDS) || is_any(name, FOREIGN)
}

/// Whether the name has more than one word: `storePassword`, `auth_token`.
pub(super) fn several(name: &[u8]) -> bool {
    !last_word(last_word(name).0).1.is_empty()
}

/// What this name says about its value.
pub(super) fn name_hint(name: &[u8]) -> NameHint {
    if OPAQUE.iter().any(|end| ends_any_case(name, end)) {
        return NameHint::Secret;
    }
    let mut rest = name;
    for _ in 0..4 {
        if ends_foreign(rest) {
            return NameHint::Secret;
        }
        let (before, word) = last_word(rest);
        if word.is_empty() {
            return NameHint::Nothing;
        }
        // `SecretString`, `pass_word`
        let is_joined = (word.eq_ignore_ascii_case(b"string") && secret(before) && !before.is_empty())
            || (word.eq_ignore_ascii_case(b"word") && is_any(last_word(before).1, &["pass"]));
        if is_joined {
            return NameHint::Secret;
        }
        if is_any(word, SAY_NOTHING) || word.iter().all(u8::is_ascii_digit) {
            rest = before;
            continue;
        }
        return decides(name, before, word);
    }
    NameHint::Nothing
}

/// Trailing words that change nothing: `password_new`, `TOKEN_PROD`, `secretBase64`.
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
    "default",
    "primary",
    "secondary",
    "backup",
    "local",
    "ci",
    "qa",
    "uat",
    "stage",
    "data",
];

/// Also at the end of a compound word: `authtoken`, `dbpassword`.
const ENDS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "passwort",
    "passord",
    "motdepasse",
    "pwd",
    "secret",
    "token",
    "apikey",
    "secretkey",
    "accesskey",
    "privatekey",
    "securitykey",
    "encryptionkey",
    "managementkey",
    "credential",
    "credentials",
    "accountkey",
    "connectionstring",
    "creds",
    "psk",
    "mnemonic",
    "sessid",
    "sessionid",
    "masterauth",
    "seedphrase",
    "authtok",
];

/// Those of them that people choose and type. `passe` ends `mot de passe`.
const PASSWORDS: &[&str] = &["password", "passphrase", "passcode", "passwort", "passord", "passe"];

/// Words for a password that contain none of [`PARTS`]. Only ASCII letters match in either case.
const FOREIGN: &[&str] = &[
    "kennwort",
    "wlan-schlüssel",
    "wlanschlüssel",
    "wifi-schlüssel",
    "netzwerkschlüssel",
    "senha",
    "contrasena",
    "wachtwoord",
    "haslo",
    "heslo",
    "salasana",
    "losenord",
    "adgangskode",
    "lozinka",
    "contraseña",
    "contraseÑa",
    "clé_secrète",
    "hasło",
    "hasŁo",
    "lösenord",
    "lÖsenord",
    "jelszó",
    "jelszÓ",
    "şifre",
    "Şifre",
    "пароль",
    "Пароль",
    "ПАРОЛЬ",
    "κωδικός",
    "密码",
    "密碼",
    "口令",
    "密钥",
    "暗証番号",
    "비밀번호",
    "암호",
    "パスワード",
    "รหัสผ่าน",
    "पासवर्ड",
    "סיסמה",
];

/// Names of headers and settings that hold a secret without saying so.
const OPAQUE: &[&str] = &[
    "jfrog-art-api",
    "honeycomb-team",
    "token-code",
    "tokencode",
    "sse-c-key",
    "sse-c-copy-source-key",
    "sse-customer-key",
    "ssecustomerkey",
    "sse_customer_key",
];

/// One of these is part of every other name that can announce a secret.
const PARTS: &[&str] = &[
    "pass", "pwd", "pw", "secret", "token", "key", "cred", "jwt", "psk", "otp", "sess", "auth", "string",
    "salt", "pepper", "seed", "phrase", "mnemonic", "pin", "cvv", "mfa", "_sk", "sig", "sid", "hmac", "hash",
    "bearer", "dsn", "webhook", "nonce", "code", "answer", "_pat", ".login",
];

/// The texts at which a name can be found, for the automaton.
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time, where a wrong index is an error")]
pub(super) const FOUND_BY: &[&str] = &{
    let mut all = [""; PARTS.len() + FOREIGN.len() + OPAQUE.len()];
    let mut index = 0;
    while index < all.len() {
        all[index] = if index < PARTS.len() {
            PARTS[index]
        } else if index < PARTS.len() + FOREIGN.len() {
            FOREIGN[index - PARTS.len()]
        } else {
            OPAQUE[index - PARTS.len() - FOREIGN.len()]
        };
        index += 1;
    }
    all
};

const WORDS: &[&str] = &["jwt", "authorization", "otp", "totp", "cred"];

/// Words that end in `pass` and are not passwords.
const OTHER_PASSES: &[&str] = &[
    "bypass",
    "compass",
    "encompass",
    "keepass",
    "lastpass",
    "multipass",
    "overpass",
    "renderpass",
    "subpass",
    "surpass",
    "trespass",
    "underpass",
];

const LIKELY: &[&str] = &["auth", "sk", "salt", "bearer", "pepper"];

/// Programs that name their password `AUTH`: `REDISCLI_AUTH`.
const PASSWORD_ONLY: &[&str] = &["redis", "rediscli", "valkey", "valkeycli", "keydb", "keydbcli", "sentinel"];

const GENERATED: &[&str] =
    &["sig", "signature", "sid", "session", "sess", "seed", "webhook", "hmac", "nonce", "code", "login"];

const PHRASES: &[&str] = &["seed", "pass", "recovery", "backup", "secret", "mnemonic"];

/// Codes that grant access.
const CODES: &[&str] =
    &["recovery", "backup", "auth", "verification", "mfa", "otp", "time", "access", "security", "pin", "puk"];

/// Special tokens in the text of language models: `pad_token`.
const MARKS: &[&str] =
    &["pad", "eos", "bos", "unk", "sep", "cls", "mask", "eot", "eod", "special", "start", "stop", "end"];

fn decides(name: &[u8], before: &[u8], word: &[u8]) -> NameHint {
    // The shell's working directory; the id of a public key in git's configuration.
    if matches!(name, b"PWD" | b"OLDPWD" | b"user.signingkey") {
        return NameHint::Nothing;
    }
    let previous = last_word(before).1;
    let secret = |is_secret: bool| if is_secret { NameHint::Secret } else { NameHint::Nothing };
    if word.eq_ignore_ascii_case(b"key") {
        return key(name, previous);
    }
    if word.eq_ignore_ascii_case(b"string") {
        return secret(previous.eq_ignore_ascii_case(b"connection"));
    }
    if word.eq_ignore_ascii_case(b"id") {
        let is_issued = previous.eq_ignore_ascii_case(b"secret");
        return if is_issued { NameHint::Issued } else { secret(is_any(previous, &["session", "sess"])) };
    }
    if is_any(word, &["code", "codes"]) && is_any(previous, CODES) {
        return NameHint::Secret;
    }
    if word.eq_ignore_ascii_case(b"answer") {
        return secret(is_any(previous, &["security", "secret"]));
    }
    if word.eq_ignore_ascii_case(b"passe") {
        return secret(is_any(previous, &["de", "palavra"]));
    }
    if word.eq_ignore_ascii_case(b"phrase") {
        return secret(is_any(previous, PHRASES));
    }
    if is_any(word, &["hash"]) && (is_any(previous, &["pass", "pw"]) || is_end(previous)) {
        return NameHint::Generated;
    }
    if word.eq_ignore_ascii_case(b"token") && is_any(previous, MARKS) {
        return NameHint::Nothing;
    }
    // A position in a list or an access token of a page; the name of an object that holds the secret.
    let is_position = word.eq_ignore_ascii_case(b"token") && is_any(previous, &["page"]);
    if is_position || word.eq_ignore_ascii_case(b"secret") && is_any(previous, &["existing", "pull"]) {
        return NameHint::Generated;
    }
    if is_any(word, &["pin", "cvv", "mfa"]) {
        return NameHint::Digits;
    }
    if name == b"_auth" || is_any(word, WORDS) || is_end(word) || ends_in_pass(word) {
        return NameHint::Secret;
    }
    if word.eq_ignore_ascii_case(b"auth") && is_any(previous, PASSWORD_ONLY) {
        return NameHint::Secret;
    }
    if is_any(word, LIKELY) {
        return NameHint::Likely;
    }
    if word.eq_ignore_ascii_case(b"pat") {
        return pat(name, previous);
    }
    if word == b"DSN" || word == b"dsn" {
        return of_constant(name);
    }
    if is_any(word, GENERATED) {
        return NameHint::Generated;
    }
    one_word_key(word)
}

/// Whether two words with a blank between them name a secret: `api key`, `seed phrase`.
pub(super) fn two_words(first: &[u8], second: &[u8]) -> bool {
    match second.to_ascii_lowercase().as_slice() {
        b"key" => key_name::purpose(first) == KeyPurpose::Access,
        b"phrase" => is_any(first, PHRASES),
        b"code" | b"codes" => is_any(first, CODES),
        b"passe" => is_any(first, &["de"]),
        _ => false,
    }
}

/// Whether a key after this word is public, or sorts and finds things.
pub(super) fn is_open_key(previous: &[u8]) -> bool {
    key_name::purpose(previous) == KeyPurpose::Open
}

fn key(name: &[u8], previous: &[u8]) -> NameHint {
    // `wireless.radio0.key` of OpenWrt
    if name.starts_with(b"wireless.") {
        return NameHint::Secret;
    }
    if previous.is_empty() {
        return if name == b"KEY" { NameHint::Generated } else { NameHint::Nothing };
    }
    match key_name::purpose(previous) {
        KeyPurpose::Access => NameHint::Secret,
        KeyPurpose::Service if is_constant(name) => NameHint::Service,
        KeyPurpose::Open => NameHint::Nothing,
        KeyPurpose::Lookup => NameHint::Generated,
        KeyPurpose::Service | KeyPurpose::Unknown => of_constant(name),
    }
}

/// `GH_PAT`, `FILE_PAT`: an access token, or a pattern.
fn pat(name: &[u8], previous: &[u8]) -> NameHint {
    let is_token = key_name::purpose(previous) == KeyPurpose::Service && is_constant(name);
    if is_token { NameHint::Service } else { of_constant(name) }
}

/// `STRIPE_KEY = "stripe"`: whether a value is only a word of its name.
pub(super) fn repeats(name: &[u8], value: &[u8]) -> bool {
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-');
    let bare = |text: &[u8]| -> Vec<u8> {
        text.iter().filter(|byte| byte.is_ascii_alphabetic()).map(u8::to_ascii_lowercase).collect()
    };
    let (name, word) = (bare(name), bare(value));
    value.iter().all(is_letter) && name.windows(word.len().max(1)).any(|part| part == word)
}

/// A variable of the environment holds a setting; a field or a variable of code may hold anything.
fn of_constant(name: &[u8]) -> NameHint {
    if is_constant(name) { NameHint::Unusual } else { NameHint::Generated }
}

/// `MAPBOX_KEY`, `config.MAPBOX_KEY`: several words in capitals.
fn is_constant(name: &[u8]) -> bool {
    let own = name.rsplit(|byte| *byte == b'.').next().unwrap_or(name);
    own.contains(&b'_')
        && own.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
}

/// `authkey`, `signingkey`
fn one_word_key(word: &[u8]) -> NameHint {
    let opens = word.len().checked_sub(3).and_then(|at| word.split_at_checked(at));
    match opens {
        Some((opens, key))
            if key.eq_ignore_ascii_case(b"key") && key_name::purpose(opens) == KeyPurpose::Access =>
        {
            NameHint::Secret
        }
        _ => NameHint::Nothing,
    }
}

fn is_end(word: &[u8]) -> bool {
    ENDS.iter().any(|end| ends_any_case(word, end))
}

/// `pass`, `userpass`, `pw`, `rootpw`
fn ends_in_pass(word: &[u8]) -> bool {
    (ends_any_case(word, "pass") && !is_any(word, OTHER_PASSES))
        || (ends_any_case(word, "pw") && word.len() <= 8)
}

/// Whether a name ends in a word of [`FOREIGN`]. Its words cannot be split: they may not be ASCII.
fn ends_foreign(name: &[u8]) -> bool {
    let kept = name.iter().rposition(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80);
    let name = name.get(..=kept.unwrap_or(0)).unwrap_or_default();
    FOREIGN.iter().any(|end| ends_any_case(name, end))
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

/// The last word of `snake_case`, `kebab-case`, `camelCase` or `dotted.names`, and the text before it.
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
