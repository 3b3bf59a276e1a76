//! Whether a text is secret, for files whose names do not decide it alone.

use memchr::memmem;

use crate::default_protected_paths::ContentCheck;
use crate::facts::FileSecrecy;

/// The most bytes of a file that are worth checking. A larger file counts as secret. Certificate bundles have
/// some hundred kilobytes.
pub const MAX_CHECKED_BYTES: u64 = 1 << 20;

/// PEM labels that anybody may read.
const PUBLIC: &[&str] = &[
    "CERTIFICATE",
    "TRUSTED CERTIFICATE",
    "X509 CERTIFICATE",
    "X509 CRL",
    "CERTIFICATE REQUEST",
    "NEW CERTIFICATE REQUEST",
    "PUBLIC KEY",
    "RSA PUBLIC KEY",
    "SSH2 PUBLIC KEY",
    "DH PARAMETERS",
    "EC PARAMETERS",
    "PKCS7",
    "CMS",
];

/// Words that appear in settings next to passwords and tokens.
const SECRET_WORDS: &[&str] = &[
    "auth",
    "pass",
    "pwd",
    "token",
    "secret",
    "api_key",
    "apikey",
    "api-key",
    "key=",
    "credential",
    "private",
];

/// A path segment before a token in an address of a package channel.
const TOKEN_SEGMENT: &str = "/t/";
/// A longer run of letters and digits may be a token.
const TOKEN_LENGTH: usize = 20;

/// Whether the text of a file holds a secret of a kind.
pub fn text_secrecy(text: &str, contents: ContentCheck) -> FileSecrecy {
    let harmless = match contents {
        ContentCheck::NotNeeded => false,
        ContentCheck::Key => is_public(text),
        ContentCheck::Credentials | ContentCheck::CredentialsInSearch => !names_a_secret(text),
    };
    if harmless { FileSecrecy::NoSecret } else { FileSecrecy::Secret }
}

/// Whether a text consists of certificates and public keys.
fn is_public(text: &str) -> bool {
    let mut labels = text.split("-----BEGIN ").skip(1).map(|rest| rest.split("-----").next()).peekable();
    let known = labels.peek().is_some();
    // Other formats write the line that begins a key with another number of dashes.
    let begins = memmem::find_iter(text.as_bytes(), b"BEGIN ").count();
    known
        && begins == memmem::find_iter(text.as_bytes(), b"-----BEGIN ").count()
        && labels.all(|label| label.is_some_and(|label| PUBLIC.contains(&label)))
        && memmem::find(text.to_ascii_uppercase().as_bytes(), b"PRIVATE").is_none()
}

/// Whether settings name a password or a token, or contain one in a URL.
fn names_a_secret(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let in_address = |rest: &str| {
        let host = rest.split(['/', ' ', '\t', '\n', '\r', '"']).next().unwrap_or_default();
        host.contains('@')
    };
    let mut addresses = lower.split("://").skip(1).zip(lower.split("://"));
    SECRET_WORDS.iter().any(|word| lower.contains(word))
        || lower.contains(TOKEN_SEGMENT)
        || contains_a_token(text)
        || lower.lines().any(is_login)
        || addresses.any(|(rest, before)| {
            let (user, _) = rest.split_once('@').unwrap_or_default();
            // `ssh://git@host` names a user and no password.
            in_address(rest) && (user.contains(':') || before.ends_with("http") || before.ends_with("https"))
        })
}

/// Whether a text contains a long run of letters and digits that mixes both.
fn contains_a_token(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|run| {
        let digits = run.bytes().filter(u8::is_ascii_digit).count();
        let letters = run.bytes().filter(u8::is_ascii_alphabetic).count();
        run.len() >= TOKEN_LENGTH && digits >= 3 && letters >= 3
    })
}

/// Whether a line of Bundler's settings has a user and a password as its value.
fn is_login(line: &str) -> bool {
    let value = line.strip_prefix("bundle_").and_then(|rest| rest.split_once(": "));
    value.is_some_and(|(_, value)| value.contains(':') && !value.contains("://"))
}

#[cfg(test)]
mod tests {
    use super::{is_public, names_a_secret};

    #[test]
    fn certificates_and_public_keys_are_not_secret() {
        let block = |label: &str| format!("-----BEGIN {label}-----\nAAAA\n-----END {label}-----\n");
        for label in ["CERTIFICATE", "PUBLIC KEY", "X509 CRL"] {
            assert!(is_public(&block(label)), "{label}");
        }
        for label in ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "X"] {
            assert!(!is_public(&block(label)), "{label}");
            assert!(!is_public(&(block("CERTIFICATE") + &block(label))), "{label} behind a certificate");
        }
        for text in ["", "0f3a9c", "-----BEGIN CERTIFICATE\n", "Private-Key: 1"] {
            assert!(!is_public(text), "{text}");
        }
        assert!(!is_public(&(block("CERTIFICATE") + "Private-MAC: 1")));
        assert!(!is_public(&(block("CERTIFICATE") + "---- BEGIN SSH2 ENCRYPTED KEY ----\nAAAA\n")));
    }

    #[test]
    fn settings_that_name_a_password_are_secret() {
        for text in [
            "//registry.npmjs.org/:_authToken=x",
            "npmAuthToken: x",
            "[remote \"o\"]\n\turl = https://user:pass@example.org/x.git",
            "[remote \"o\"]\n\turl = https://ghp_x@example.org/x.git",
            "extraheader = AUTHORIZATION: basic x",
            "index-url = http://a:b@pypi.example.org/simple",
            "BUNDLE_RUBYGEMS__PKG__GITHUB__COM: \"octocat:hunter2\"",
            "mavenPwd=hunter2",
            "url = ssh://deploy:hunter2@example.org/x.git",
            "signing.pass=hunter2",
            "  - https://conda.example.org/t/ab-12/chan",
            "index-url = https://pypi.example.org/aB3dE5fG7hJ9kL1mN3pQ/simple",
            "registry \"https://npm.example.org/?key=x\"",
        ] {
            assert!(names_a_secret(text), "{text}");
        }
        for text in [
            "nodeLinker: node-modules",
            "engine-strict=true",
            "BUNDLE_PATH: \"vendor\"",
            "levels: a1 b2 c3 d4 e5 f6 g7",
            "[remote \"o\"]\n\turl = git@example.org:x.git",
            "[remote \"o\"]\n\turl = ssh://git@example.org/x.git",
            "[remote \"o\"]\n\turl = https://example.org/a@b/x.git",
        ] {
            assert!(!names_a_secret(text), "{text}");
        }
    }
}
