//! The table of places where secrets stand.

use std::ops::Range;

use super::detector::{Detector, Find, Looked};
use super::scan::{at, before, blanks, mixed, part, quote, run};
use super::{assign, command, header, pem, url};

pub(super) static CONTEXTS: &[Detector] = &[
    place(
        "gcp-private-key",
        "the private key in a Google service account's file",
        &["private_key"],
        pem::service_account,
    ),
    place("ssh-private-key", "OpenSSH private key", &["-----BEGIN "], pem::ssh),
    place("pgp-private-key", "PGP private key block", &["-----BEGIN "], pem::pgp),
    place("private-key", "private key in PEM, of any kind, also cut off", &["-----BEGIN "], pem::private_key),
    place("telegram-token", "Telegram bot token", &[":AA"], url::telegram),
    place(
        "aws-secret-key",
        "AWS secret access key, under its name or next to its id",
        &["secret_access_key", "secretaccesskey", "secret-access-key", "AKIA", "ASIA"],
        aws_secret,
    ),
    place(
        "authorization",
        "credentials of an Authorization header",
        &["authorization"],
        header::authorization,
    ),
    place("bearer-token", "a bearer token away from its header", &["bearer"], header::bearer),
    place("cookie", "values of Cookie and Set-Cookie headers", &["cookie"], header::cookie),
    place("connection-string", "password in the URL of a database or queue", &["://"], url::connection),
    place("url-password", "password or token in the user part of a URL", &["://"], url::password),
    place(
        "command-password",
        "password under a short flag of mysql, sshpass or redis-cli",
        &["mysql", "mariadb", "sshpass", "redis-cli"],
        command::password,
    ),
    place("curl-user", "password in `curl -u user:password`", &["curl"], command::user),
    place("curl-cookie", "cookies in `curl -b name=value`", &["curl"], command::cookie),
    place(
        "secret-value",
        "value under a secret-looking name: variables, flags, fields, markup",
        &[
            "pass", "pwd", "pw", "secret", "token", "key", "cred", "jwt", "psk", "otp", "session", "_auth",
            "string",
        ],
        assign::look,
    ),
];

const fn place(
    name: &'static str,
    doc: &'static str,
    keys: &'static [&'static str],
    look: fn(&[u8], Range<usize>) -> Looked,
) -> Detector {
    Detector { name, doc, keys, find: Find::Context(look) }
}

const AWS_SECRET: usize = 40;

fn aws_secret(bytes: &[u8], hit: Range<usize>) -> Looked {
    let start = if hit.len() == 4 { after_id(bytes, hit.end) } else { after_name(bytes, hit.end) };
    let Some(start) = start else { return Looked::NOTHING };
    let end =
        run(bytes, start, AWS_SECRET + 1, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'));
    if end - start == AWS_SECRET && mixed(part(bytes, start, end)) {
        return Looked::Secret(start..end);
    }
    Looked::NOTHING
}

/// As in the file that AWS hands out: the id, a comma, the secret.
fn after_id(bytes: &[u8], from: usize) -> Option<usize> {
    let id = run(bytes, from, 17, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    let start = run(bytes, id, 4, |byte| matches!(byte, b',' | b':' | b' ' | b'\t' | b'"' | b'\''));
    (id - from == 16 && start > id).then_some(start)
}

fn after_name(bytes: &[u8], from: usize) -> Option<usize> {
    let joint = blanks(bytes, quote(bytes, from).map_or(from, |(_, end)| end));
    let start = run(bytes, joint, 2, |byte| matches!(byte, b':' | b'=' | b'>'));
    let start = blanks(bytes, start);
    let start = quote(bytes, start).map_or(start, |(_, open)| open);
    (start > from && before(bytes, start) != 0 && at(bytes, start) != 0).then_some(start)
}
