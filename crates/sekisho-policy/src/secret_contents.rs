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

/// Ends of the names of git's settings whose values are secret.
const GIT_KEYS: &[&str] =
    &["token", "pass", "password", "passwd", "passphrase", "pwd", "secret", "apikey", "extraheader", "oauth"];
/// What precedes a secret in a value: in a header, in a parameter of an address, or in what a helper prints.
const BEFORE_SECRETS: &[&str] = &[
    "authorization:",
    "token:",
    "bearer ",
    "token=",
    "pass=",
    "password=",
    "passwd=",
    "pwd=",
    "secret=",
    "api_key=",
    "apikey=",
    "signature=",
];
/// What tokens of code hosting begin with.
const TOKEN_BEGINNINGS: &[&str] =
    &["ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_", "glpat-", "x-access-token"];

/// A path segment before a token in an address of a package channel.
const TOKEN_SEGMENT: &str = "/t/";
/// A longer run of letters and digits may be a token.
const TOKEN_LENGTH: usize = 20;

/// Whether the text of a file holds a secret of a kind.
pub fn text_secrecy(text: &str, contents: ContentCheck) -> FileSecrecy {
    let harmless = match contents {
        ContentCheck::NotNeeded => false,
        ContentCheck::Key => is_public(text),
        ContentCheck::PrivateKey => !names_a_private_key(text),
        ContentCheck::Credentials | ContentCheck::CredentialsInSearch => !names_a_secret(text),
        ContentCheck::GitCredentials => !has_git_credential(text),
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

/// Whether a text has a line that private keys begin with: of OpenSSL, OpenSSH, PuTTY, GnuPG, age, WireGuard or minisign.
fn names_a_private_key(text: &str) -> bool {
    let upper = text.to_ascii_uppercase();
    let marks = ["PRIVATE KEY", "PRIVATE-LINES", "PRIVATEKEY", "SECRET-KEY-", "SECRET KEY"];
    marks.iter().any(|mark| upper.contains(mark))
}

/// Whether settings name a password or a token, or contain one in a URL.
fn names_a_secret(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    SECRET_WORDS.iter().any(|word| lower.contains(word))
        || lower.contains(TOKEN_SEGMENT)
        || contains_a_token(text)
        || lower.lines().any(is_login)
        || has_login_in_address(&lower)
}

/// Whether settings of git contain a password or a token.
fn has_git_credential(text: &str) -> bool {
    // A value may continue on the next line, and parts of it may be in quotes.
    let joined = text.replace("\\\r\n", "").replace("\\\n", "").replace('"', "");
    let lower = joined.to_ascii_lowercase();
    let is_key_of_commits = |line: &&str| line.to_ascii_lowercase().contains("signingkey");
    has_login_in_address(&lower)
        || BEFORE_SECRETS.iter().chain(TOKEN_BEGINNINGS).any(|beginning| lower.contains(beginning))
        || lower.contains(TOKEN_SEGMENT)
        || lower.lines().any(is_secret_setting)
        || joined.lines().filter(|line| !is_key_of_commits(line)).any(contains_a_token)
}

/// Whether a line of git's settings, in lower case, sets one that is secret.
fn is_secret_setting(line: &str) -> bool {
    line.split_once('=').is_some_and(|(name, value)| {
        let is_secret = GIT_KEYS.iter().any(|key| name.trim_end().ends_with(key));
        is_secret && !matches!(value.trim(), "" | "true" | "false")
    })
}

/// Whether a text in lower case contains an address with a password, or one of the web with a user.
fn has_login_in_address(lower: &str) -> bool {
    let in_address = |rest: &str| {
        let host = rest.split(['/', ' ', '\t', '\n', '\r', '"']).next().unwrap_or_default();
        host.contains('@')
    };
    let mut addresses = lower.split("://").skip(1).zip(lower.split("://"));
    addresses.any(|(rest, before)| {
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
    use super::{has_git_credential, is_public, names_a_private_key, names_a_secret};

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
    fn private_keys_are_known_by_their_first_lines() {
        for text in [
            "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA",
            "-----BEGIN PGP PRIVATE KEY BLOCK-----",
            "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----",
            "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 8",
            "# created: 2026\nAGE-SECRET-KEY-1QQ",
            "[Interface]\nPrivateKey = AAAA",
            "untrusted comment: minisign encrypted secret key\nAAAA",
        ] {
            assert!(names_a_private_key(text), "{text}");
        }
        for text in
            ["", "-----BEGIN PGP SIGNATURE-----", "ssh-rsa AAAA u@h", "= A guide\n\nThe keys of a piano"]
        {
            assert!(!names_a_private_key(text), "{text}");
        }
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

    #[test]
    fn settings_of_git_with_a_token_are_secret() {
        let check = |text: &str, expected: bool| assert_eq!(has_git_credential(text), expected, "{text}");
        for text in [
            "[url \"https://hunter2@example.org/\"]\n\tinsteadOf = https://example.org/\n",
            "[url \"https://oauth2:hunter2@example.org/\"]\n\tinsteadOf = x:\n",
            "[http \"https://example.org/\"]\n\textraHeader = X-Access: hunter2\n",
            "[http]\n\tproxy = http://u:hunter2@127.0.0.1:8080\n",
            "[alias]\n\tget = !curl -H 'Authorization: basic aDI='\n",
            "[alias]\n\tget = !curl -H 'Private-Token: h2'\n",
            "[credential]\n\thelper = \"!f() { echo username=u; echo password=hunter2; }; f\"\n",
            "[github]\n\ttoken = hunter2\n",
            "[github] token=hunter2",
            "[sendemail]\n\tsmtpPass = hunter2\n",
            "[remote \"o\"]\n\turl = https://example.org/r?private_token=h2\n",
            "[remote \"o\"]\n\turl = https://example.org/glpat-h2/r\n",
            "[remote \"o\"]\n\turl = https://\"u:h2\"@example.org/r\n",
            "[remote \"o\"]\n\turl = https://u:\\\nh2@example.org/r\n",
            "[remote \"o\"]\n\turl = https://u:\\\r\nh2@example.org/r\n",
            "# aB3dE5fG7hJ9kL1mN3pQ\n",
            "[x]\n\tchannel = https://conda.example.org/t/ab-12/chan\n",
        ] {
            check(text, true);
        }
        for text in [
            "",
            "[user]\n\tname = Ann Other\n\temail = ann@example.org\n",
            "[user]\n\tsigningKey = 0123456789ABCDEF0123456789ABCDEF01234567\n",
            "[credential]\n\thelper = store\n",
            "[credential \"https://example.org\"]\n\thelper = !gh auth git-credential\n",
            "[credential]\n\thelper = /usr/lib/git-core/git-credential-libsecret\n",
            "[credential]\n\thelper = oauth\n",
            "[url \"git@example.org:\"]\n\tinsteadOf = https://example.org/\n",
            "[url \"ssh://git@example.org/\"]\n\tinsteadOf = https://example.org/\n",
            "[http]\n\tsslVerify = true\n\tcookieFile = ~/cookies\n",
            "[x]\n\ttoken =\n[y]\n\ttoken = true\n[z]\n\tpass = false\n",
            "[includeIf \"gitdir:~/work/\"]\n\tpath = .gitconfig-work\n",
        ] {
            check(text, false);
        }
    }
}
