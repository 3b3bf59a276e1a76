//! The table of detectors by surrounding text.

use std::ops::Range;

use super::byte_scan::{at, before, blanks, mixed, part, quote, run};
use super::command_word_cache::CommandWordCache;
use super::detection::Detection;
use super::detector::{Detector, Find};
use super::{
    assignment, browser_input, csv_table, function_calls, http_header, jwk, kubernetes_secret, login_array,
    network_device, password_prompt, pem, program_arguments, program_table, prose, protocol_login,
    secret_name, sql_insert, sql_password, stdin_secret, text_table, unlisted_programs, url,
    user_password_lines,
};

pub(super) static CONTEXTS: &[Detector] = &[
    place(
        "gcp-private-key",
        "private key in a Google service account file",
        &["private_key"],
        pem::service_account,
    ),
    place("ssh-private-key", "OpenSSH private key", pem::MARKERS, pem::ssh),
    place("pgp-private-key", "PGP private key block", pem::MARKERS, pem::pgp),
    place("private-key", "private key in PEM, whole or truncated", pem::MARKERS, pem::private_key),
    place("putty-private-key", "private key in a PuTTY file", &["Private-Lines: "], pem::putty),
    place("jwk-private-key", "private members of a JSON web key", jwk::MEMBERS, jwk::look),
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
        http_header::authorization,
    ),
    place("bearer-token", "bearer token outside its header", &["bearer"], http_header::bearer),
    place("cookie", "values of Cookie and Set-Cookie headers", &["cookie"], http_header::cookie),
    place(
        "connection-string",
        "password in the URL of a database or queue",
        &["://", ":thin:", "@tcp(", "@tcp6(", "@unix(", "@cloudsql("],
        url::connection,
    ),
    place("url-key", "service key in a URL parameter", url::PARAMETERS, url::parameter),
    place("stream-key", "stream key in its URL", &["rtmp://", "rtmps://"], url::stream),
    place("channel-token", "token in the URL of a conda channel", &["/t/"], url::channel),
    place("url-password", "password or token in the user part of a URL", &["://"], url::password),
    arguments(
        "command-password",
        "password in the arguments of a listed program",
        program_table::NAMES,
        program_arguments::password,
    ),
    place(
        "login-flags",
        "password under a short flag of any program, next to a flag that names a user",
        unlisted_programs::FLAGS,
        unlisted_programs::flagged,
    ),
    arguments(
        "domain-login",
        "password in `domain/user:password@host` in the arguments of a script",
        unlisted_programs::SCRIPTS,
        unlisted_programs::domain_login,
    ),
    place("device-key", "key or community in router settings", network_device::KEYS, network_device::look),
    place("login-list", "user and password in a two-element list", login_array::KEYS, login_array::look),
    place("here-document", "password in a here-document", &["<<"], stdin_secret::here_document),
    arguments(
        "piped-password",
        "password written to a program's input",
        &["echo", "printf"],
        stdin_secret::echoed,
    ),
    place(
        "password-list",
        "users and passwords in a here-document",
        &["chpasswd"],
        user_password_lines::list,
    ),
    place("here-string", "password in a here-string", &["<<<"], stdin_secret::here_string),
    place("sent-password", "answer to a password prompt", &["send"], password_prompt::sent),
    place("manifest-secret", "values of a Kubernetes Secret manifest", &["data:"], kubernetes_secret::look),
    place("protocol-password", "password in a protocol line", protocol_login::KEYS, protocol_login::look),
    place("typed-password", "text typed into a password field", browser_input::KEYS, browser_input::look),
    place(
        "pgpass",
        "password in a line of a .pgpass file",
        &[":5432:", ":*:", ":6432:", ":5433:"],
        user_password_lines::pgpass,
    ),
    place(
        "relay-password",
        "user and password in a line for a mail relay",
        user_password_lines::RELAYS,
        user_password_lines::relay,
    ),
    place("sql-identified", "password after IDENTIFIED BY", &["identified "], sql_password::identified),
    place(
        "sql-key",
        "key in a statement that opens or attaches a database",
        sql_password::KEYS,
        sql_password::keyed,
    ),
    place("sql-password", "password in a statement on a role or user", &["password"], sql_password::password),
    place("sql-insert", "password among the values of an INSERT", &["insert into "], sql_insert::look),
    place("csv-secret", "passwords in a column of comma-separated values", csv_table::KEYS, csv_table::look),
    place("table-secret", "passwords in a column of a table", text_table::KEYS, text_table::look),
    place(
        "call-password",
        "password as an argument of a function call",
        function_calls::KEYS,
        function_calls::look,
    ),
    place("said-login", "user and password in a sentence", prose::LOGINS, prose::login),
    place("basic-credentials", "user and password in base64 after `Basic`", &["basic "], http_header::basic),
    arguments("curl-cookie", "cookies in `curl -b name=value`", &["curl"], program_arguments::cookie),
    place(
        "secret-value",
        "value under a secret-looking name: variables, flags, fields, markup",
        secret_name::FOUND_BY,
        assignment::look,
    ),
];

const fn place(
    name: &'static str,
    doc: &'static str,
    keys: &'static [&'static str],
    look: fn(&[u8], Range<usize>) -> Detection,
) -> Detector {
    Detector { name, doc, keys, find: Find::Context(look) }
}

const fn arguments(
    name: &'static str,
    doc: &'static str,
    keys: &'static [&'static str],
    look: fn(&[u8], Range<usize>, &mut CommandWordCache) -> Detection,
) -> Detector {
    Detector { name, doc, keys, find: Find::Command(look) }
}

const AWS_SECRET: usize = 40;

fn aws_secret(bytes: &[u8], hit: Range<usize>) -> Detection {
    let start = if hit.len() == 4 { after_id(bytes, hit.end) } else { after_name(bytes, hit.end) };
    let Some(start) = start else { return Detection::NOTHING };
    let end =
        run(bytes, start, AWS_SECRET + 1, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'));
    if end - start == AWS_SECRET && mixed(part(bytes, start, end)) {
        return Detection::Secret(start..end);
    }
    Detection::NOTHING
}

/// The format of the file that AWS hands out: the id, a comma, the secret.
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
