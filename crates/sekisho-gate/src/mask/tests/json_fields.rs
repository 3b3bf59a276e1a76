use serde_json::{Value, json};

use super::{Masks, built, masks};

#[track_caller]
fn check(value: Value, expected: Value) {
    let masks = masks();
    let masked = masks.value(&value);
    assert_eq!(masked, expected);
    assert_eq!(masks.value(&masked), masked, "masked twice");
}

const FIELD: &str = "[masked:secret-field]";

#[test]
fn values_of_secret_names_are_masked() {
    for name in [
        "password",
        "Passwd",
        "token",
        "access_token",
        "apiKey",
        "api-key",
        "APIKey",
        "X-Api-Key",
        "client_secret",
        "clientSecret",
        "authorization",
        "Cookie",
        "set-cookie",
        "private_key",
        "passphrase",
        "credentials",
        "DB_PWD",
        "refreshToken",
        "session_id",
        "secret",
        "authtoken",
        "connectionString",
        "PASSWORD_2",
        "token_prod",
    ] {
        check(json!({ name: "x", "n": "y" }), json!({ name: FIELD, "n": "y" }));
    }
}

#[test]
fn values_of_other_names_are_kept() {
    for name in [
        "tokens",
        "max_tokens",
        "token_type",
        "token_file",
        "passwordless",
        "key",
        "public_key",
        "primary_key",
        "pwd_dir",
        "cookie_policy",
        "secretary",
        "password_hash_algorithm",
        "author",
        "command",
        "path",
        "keyboard",
        "PWD",
        "access_key_id",
        "nextPageToken",
        "page_token",
    ] {
        check(json!({ name: "x" }), json!({ name: "x" }));
    }
}

#[test]
fn structure_is_kept() {
    check(
        json!({"token": {"a": ["x", 7, true, null, {"b": "y"}], "e": ""}, "list": [], "n": 1.5}),
        json!({"token": {"a": [FIELD, FIELD, true, null, {"b": FIELD}], "e": ""}, "list": [], "n": 1.5}),
    );
}

#[test]
fn strings_are_masked_as_text() {
    check(
        json!({"command": "FOO_TOKEN=abc curl -u me:pw https://host/"}),
        json!({"command": "FOO_TOKEN=[masked:secret-value] curl -u me:[masked:command-password] https://host/"}),
    );
}

#[test]
fn name_and_value_fields_are_paired() {
    check(
        json!([{"name": "API_TOKEN", "value": "x"}, {"name": "HOME", "value": "/root"}]),
        json!([{"name": "API_TOKEN", "value": FIELD}, {"name": "HOME", "value": "/root"}]),
    );
}

#[test]
fn values_at_a_path_are_masked() {
    for path in [
        json!(["db", "password"]),
        json!("/db/password"),
        json!("db.password"),
        json!("$.db['password']"),
        json!("smtp/auth/api_key"),
    ] {
        check(json!({ "path": path, "value": "hunter2" }), json!({ "path": path, "value": FIELD }));
        check(
            json!([{ "op": "replace", "path": path, "value": { "a": "hunter2" } }]),
            json!([{ "op": "replace", "path": path, "value": { "a": FIELD } }]),
        );
    }
    for kept in [
        json!({ "path": "/docs/password", "content": "hello" }),
        json!({ "path": ["password", "rules"], "value": "long" }),
        json!({ "path": "/db/host", "value": "h" }),
        json!({ "op": "remove", "path": "/db/password" }),
    ] {
        check(kept.clone(), kept);
    }
}

#[test]
fn keys_of_services_are_masked_in_an_environment() {
    check(
        json!({ "env": { "STRIPE_KEY": "hunter", "BILLING_KEY": "b1ll1ngV41", "SORT_KEY": "b1ll1ngV41" } }),
        json!({ "env": { "STRIPE_KEY": FIELD, "BILLING_KEY": FIELD, "SORT_KEY": "b1ll1ngV41" } }),
    );
    check(
        json!({ "env": { "BILLING_KEY": "nightly", "FILE_PAT": "data2024*.csv", "STRIPE_KEY": "$STRIPE_KEY" } }),
        json!({ "env": { "BILLING_KEY": "nightly", "FILE_PAT": "data2024*.csv", "STRIPE_KEY": "$STRIPE_KEY" } }),
    );
    check(
        json!([{ "name": "STRIPE_KEY", "value": "hunter" }, { "name": "STRIPE_KEY", "value": "stripe" }]),
        json!([{ "name": "STRIPE_KEY", "value": FIELD }, { "name": "STRIPE_KEY", "value": "stripe" }]),
    );
}

#[test]
fn second_line_of_a_login_is_masked() {
    check(
        json!({ "command": "npm login", "stdin": "bob\nhunter2\nbob@example.com\n" }),
        json!({ "command": "npm login", "stdin": format!("bob\n{FIELD}\nbob@example.com\n") }),
    );
}

#[test]
fn command_words_are_masked() {
    check(
        json!(["run", "--password", "x", "--token", "--verbose", "file", "--api-key=abc"]),
        json!([
            "run",
            "--password",
            FIELD,
            "--token",
            "--verbose",
            "file",
            "--api-key=[masked:secret-value]"
        ]),
    );
}

#[test]
fn secret_field_name_loses_no_field() {
    let masked = masks().value(&json!({built("ghp_{a36}"): 1, built("ghp_{x36}"): 2}));
    let fields = masked.as_object().unwrap();
    assert_eq!(fields.len(), 2);
    assert!(fields.keys().all(|field| field.starts_with("[masked:github-token]")));
}

#[test]
fn number_can_be_a_configured_secret() {
    let masked = Masks::new(["8412759012".to_owned()]).value(&json!({"pin": 8_412_759_012_u64, "n": 12}));
    assert_eq!(masked, json!({"pin": "[masked:configured-secret]", "n": 12}));
}

#[test]
fn values_that_are_too_deep_are_dropped() {
    let mut value = json!("TOKEN=abc");
    for _ in 0..300 {
        value = json!([value]);
    }
    let masked = masks().value(&value).to_string();
    assert!(masked.contains("[masked:too-deep]"));
    assert!(!masked.contains("abc"));
}

#[test]
fn words_of_a_listed_program_are_masked() {
    check(
        json!(["docker", "login", "-u", "me", "-p", "hunter2", "ghcr.io"]),
        json!(["docker", "login", "-u", "me", "-p", FIELD, "ghcr.io"]),
    );
    check(
        json!({"argv": ["/usr/bin/mysql", "-uroot", "-phunter2", "app"]}),
        json!({"argv": ["/usr/bin/mysql", "-uroot", "-p[masked:secret-field]", "app"]}),
    );
    check(
        json!(["curl", "-su", "me:hunter2", "https://host"]),
        json!(["curl", "-su", "me:[masked:secret-field]", "https://host"]),
    );
    check(json!(["docker", "run", "-p", "80:80", "nginx"]), json!(["docker", "run", "-p", "80:80", "nginx"]));
    check(json!(["sshpass", "-p", "$PW", "ssh"]), json!(["sshpass", "-p", "$PW", "ssh"]));
}

#[test]
fn hint_needs_a_matching_value() {
    check(json!({"auth": "bWU6aHVudGVyMg=="}), json!({ "auth": FIELD }));
    check(json!({"auth": "none"}), json!({"auth": "none"}));
    check(json!({ "pin": 4711 }), json!({ "pin": FIELD }));
    check(json!({"Name": "DB_PASSWORD", "Value": "x"}), json!({"Name": "DB_PASSWORD", "Value": FIELD}));
    check(json!({"пароль": "x", "密码": "y"}), json!({"пароль": FIELD, "密码": FIELD}));
}

#[test]
fn members_are_recognised_by_their_siblings() {
    check(
        json!({"kty": "EC", "x": "public", "d": "private"}),
        json!({"kty": "EC", "x": "public", "d": FIELD}),
    );
    check(
        json!({"kind": "Secret", "metadata": {"name": "a"}, "data": {"relay.conf": "eA=="}}),
        json!({"kind": "Secret", "metadata": {"name": "a"}, "data": {"relay.conf": FIELD}}),
    );
    check(
        json!({"selector": "#password", "text": "hunter2"}),
        json!({"selector": "#password", "text": FIELD}),
    );
    check(
        json!({"name": "Password field", "ref": "e7", "value": "hunter2"}),
        json!({"name": "Password field", "ref": "e7", "value": FIELD}),
    );
    check(
        json!({"name": "password-rules.md", "text": "x"}),
        json!({"name": "password-rules.md", "text": "x"}),
    );
    check(
        json!({"selector": "#name", "text": "me", "d": "x"}),
        json!({"selector": "#name", "text": "me", "d": "x"}),
    );
}

#[test]
fn references_and_placeholders_are_kept() {
    for value in [
        "${API_KEY}",
        "$API_KEY",
        "${input:api-key}",
        "${env:API_KEY}",
        "Bearer ${API_KEY}",
        "{{ api_key }}",
        "${{ secrets.API_KEY }}",
        "%DB_PASSWORD%",
        "<your key>",
    ] {
        let fields = json!({ "env": { "API_KEY": value }, "headers": { "Authorization": value } });
        check(fields.clone(), fields);
    }
    for value in [
        "$ommer",
        "$SOMMER24",
        "${API_KEY:-hunter2}",
        "${db.password:hunter2}",
        "Bearer hunter2",
        "%hunter2%",
        "<hunter2>",
        "{{ x }}hunter2",
        "${A}hunter2",
        "$",
        "%%",
        "<>",
    ] {
        check(json!({ "password": value }), json!({ "password": FIELD }));
    }
}

#[test]
fn secrets_announced_by_other_fields_are_masked() {
    let x = |start: &str| format!("{start}{FIELD}");
    for (value, expected) in [
        (
            json!({ "command": "mysql", "args": ["-uroot", "-phunter2", "db"] }),
            json!({ "command": "mysql", "args": ["-uroot", x("-p"), "db"] }),
        ),
        (
            json!({ "cmd": "docker login", "arguments": ["-u", "me", "-p", "hunter2"] }),
            json!({ "cmd": "docker login", "arguments": ["-u", "me", "-p", FIELD] }),
        ),
        (
            json!({ "tool": "curl", "argv": ["-u", "me:hunter2", "h"] }),
            json!({ "tool": "curl", "argv": ["-u", x("me:"), "h"] }),
        ),
        (json!({ "command": "AUTH", "args": ["hunter2"] }), json!({ "command": "AUTH", "args": [FIELD] })),
        (
            json!({ "args": ["CONFIG", "SET", "requirepass", "hunter2"] }),
            json!({ "args": ["CONFIG", "SET", "requirepass", FIELD] }),
        ),
        (
            json!({ "command": "sudo -S ls", "stdin": "a b c\ny\n" }),
            json!({ "command": "sudo -S ls", "stdin": x("") + "\ny\n" }),
        ),
        (
            json!({ "command": "chpasswd", "input": "me:a b c\n" }),
            json!({ "command": "chpasswd", "input": x("me:") + "\n" }),
        ),
        (
            json!({ "keys": "hunter2\n", "prompt": "Password:" }),
            json!({ "keys": x("") + "\n", "prompt": "Password:" }),
        ),
    ] {
        check(value, expected);
    }
}

#[test]
fn secrets_of_named_columns_and_pairs_are_masked() {
    for (value, expected) in [
        (
            json!({ "query": "INSERT INTO u (name, password) VALUES ($1, $2)", "params": ["me", "hunter2"] }),
            json!({ "query": "INSERT INTO u (name, password) VALUES ($1, $2)", "params": ["me", FIELD] }),
        ),
        (
            json!({ "columns": ["name", "password"], "values": ["me", "hunter2"] }),
            json!({ "columns": ["name", "password"], "values": ["me", FIELD] }),
        ),
        (
            json!({ "header": ["user", "password"], "rows": [["a", "b"], ["c", "d"]] }),
            json!({ "header": ["user", "password"], "rows": [["a", FIELD], ["c", FIELD]] }),
        ),
        (
            json!({ "env": [["API_KEY", "x9"], ["A", "b"]] }),
            json!({ "env": [["API_KEY", FIELD], ["A", "b"]] }),
        ),
        (
            json!({ "secrets": [{ "name": "a", "value": "Tr0ub4dor3xyzQ" }] }),
            json!({ "secrets": [{ "name": "a", "value": FIELD }] }),
        ),
        (
            json!({ "name": "DB_PASSWORD", "data": "hunter2" }),
            json!({ "name": "DB_PASSWORD", "data": FIELD }),
        ),
        (
            json!({ "key": "STRIPE_KEY", "value": "Tr0ub4dor3xyzQ" }),
            json!({ "key": "STRIPE_KEY", "value": FIELD }),
        ),
        (
            json!({ "SecretString": "a", "pass_word": "b" }),
            json!({ "SecretString": FIELD, "pass_word": FIELD }),
        ),
    ] {
        check(value, expected);
    }
}

#[test]
fn values_beside_other_fields_are_kept() {
    for value in [
        json!({ "command": "ls", "args": ["-p", "x"] }),
        json!({ "command": "sudo -S bash", "stdin": "rm -rf x\n" }),
        json!({ "command": "bash", "stdin": "ls\n" }),
        json!({ "command": "su", "input": "rm -rf x\n" }),
        json!({ "command": "cat", "input": "hunter2\n" }),
        json!({ "query": "SELECT * FROM t WHERE name = $1", "params": ["me"] }),
        json!({ "columns": ["name", "age"], "values": ["me", "7"] }),
        json!({ "fields": ["password", "email"] }),
        json!({ "secrets": ["DB_PASSWORD", "API_KEY"] }),
        json!({ "secrets": { "db": { "external": true, "file": "./db.txt" } } }),
        json!({ "name": "password", "text": "Enter your password" }),
        json!({ "key": "PRIMARY_KEY", "value": "id" }),
        json!({ "string": "a", "word": "b", "keys": "Ctrl+C" }),
    ] {
        check(value.clone(), value);
    }
}
