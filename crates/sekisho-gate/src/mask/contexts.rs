//! The table of places where secrets stand.

use std::ops::Range;

use super::commands::Commands;
use super::detector::{Detector, Find};
use super::looked::Looked;
use super::scan::{at, before, blanks, mixed, part, quote, run};
use super::{
    any_program, assign, browser, calls, command, device, header, insert, jwk, login_list, logins, manifest,
    pem, piped, programs, prompt, protocol, sentence, sql, table, url,
};

pub(super) static CONTEXTS: &[Detector] = &[
    place(
        "gcp-private-key",
        "the private key in a Google service account's file",
        &["private_key"],
        pem::service_account,
    ),
    place("ssh-private-key", "OpenSSH private key", pem::MARKERS, pem::ssh),
    place("pgp-private-key", "PGP private key block", pem::MARKERS, pem::pgp),
    place("private-key", "private key in PEM, of any kind, also cut off", pem::MARKERS, pem::private_key),
    place("putty-private-key", "private key in a file of PuTTY", &["Private-Lines: "], pem::putty),
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
        header::authorization,
    ),
    place("bearer-token", "a bearer token away from its header", &["bearer"], header::bearer),
    place("cookie", "values of Cookie and Set-Cookie headers", &["cookie"], header::cookie),
    place(
        "connection-string",
        "password in the URL of a database or queue",
        &["://", ":thin:", "@tcp(", "@tcp6(", "@unix(", "@cloudsql("],
        url::connection,
    ),
    place("url-key", "the key of a service in a parameter of a URL", url::PARAMETERS, url::parameter),
    place("stream-key", "the key of a stream in its URL", &["rtmp://", "rtmps://"], url::stream),
    place("url-password", "password or token in the user part of a URL", &["://"], url::password),
    arguments(
        "command-password",
        "password under a short flag of a program, or in its place among the arguments",
        programs::NAMES,
        command::password,
    ),
    place(
        "login-flags",
        "password under a short flag of any program, beside a flag that names a user",
        any_program::FLAGS,
        any_program::flagged,
    ),
    arguments(
        "domain-login",
        "password in `domain/user:password@host` among the arguments of a script",
        any_program::SCRIPTS,
        any_program::domain_login,
    ),
    place("device-key", "key or community in the settings of a router", device::KEYS, device::look),
    place("login-list", "user and password in a list of two", login_list::KEYS, login_list::look),
    place("here-document", "password in a here-document", &["<<"], piped::here_document),
    arguments("piped-password", "password written to a program's input", &["echo", "printf"], piped::echoed),
    place("password-list", "users and passwords in a here-document", &["chpasswd"], logins::list),
    place("here-string", "password in a here-string", &["<<<"], piped::here_string),
    place("sent-password", "the answer to a prompt for a password", &["send"], prompt::sent),
    place("manifest-secret", "values in the manifest of a Kubernetes Secret", &["data:"], manifest::look),
    place("protocol-password", "password in a line of a protocol", protocol::KEYS, protocol::look),
    place("typed-password", "what is typed into the field of a page", browser::KEYS, browser::look),
    place(
        "pgpass",
        "password in a line of a .pgpass file",
        &[":5432:", ":*:", ":6432:", ":5433:"],
        logins::pgpass,
    ),
    place("sql-identified", "password after IDENTIFIED BY", &["identified "], sql::identified),
    place("sql-key", "key in a statement that opens or attaches a database", sql::KEYS, sql::keyed),
    place("sql-password", "password in a statement on a role or user", &["password"], sql::password),
    place("sql-insert", "password among the values of an INSERT", &["insert into "], insert::look),
    place("table-secret", "passwords in a column of a table", table::KEYS, table::look),
    place("call-password", "password as an argument of a call in code", calls::KEYS, calls::look),
    place("said-login", "a user and a password in a sentence", sentence::LOGINS, sentence::login),
    place("basic-credentials", "user and password in base64 after `Basic`", &["basic "], header::basic),
    arguments("curl-cookie", "cookies in `curl -b name=value`", &["curl"], command::cookie),
    place(
        "secret-value",
        "value under a secret-looking name: variables, flags, fields, markup",
        &[
            "pass",
            "pwd",
            "pw",
            "secret",
            "token",
            "key",
            "cred",
            "jwt",
            "psk",
            "otp",
            "sess",
            "auth",
            "string",
            "salt",
            "pepper",
            "seed",
            "phrase",
            "mnemonic",
            "pin",
            "cvv",
            "mfa",
            "_sk",
            "sig",
            "sid",
            "hmac",
            "hash",
            "bearer",
            "dsn",
            "webhook",
            "nonce",
            "code",
            "answer",
            "kennwort",
            "senha",
            "contrasena",
            "contraseñ",
            "contraseÑ",
            "_pat",
            ".login",
            "wachtwoord",
            "haslo",
            "hasło",
            "heslo",
            "salasana",
            "losenord",
            "lösenord",
            "şifre",
            "adgangskode",
            "lozinka",
            "jelszó",
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

const fn arguments(
    name: &'static str,
    doc: &'static str,
    keys: &'static [&'static str],
    look: fn(&[u8], Range<usize>, &mut Commands) -> Looked,
) -> Detector {
    Detector { name, doc, keys, find: Find::Command(look) }
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
