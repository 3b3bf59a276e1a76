//! Records of calls: what else is masked because it repeats a secret of the same record.

use serde_json::{Value, json};

use super::masks;

/// The masked body of a record about a call of a tool with this input.
fn record(tool: &str, input: &Value) -> Value {
    let body = json!({ "message": format!("{tool}: {input}"), "facts": [] });
    masks().of_named_row([tool], ["no rule matches"], [&body, input]).value(&body)
}

/// The masked facts of a record about a command.
fn facts(command: &str, names: &[&str]) -> Value {
    let look_up = |name: &&str| json!([{ "resolve": format!("/w/{name}") }, { "resolved": null }]);
    let facts: Vec<Value> = names.iter().map(look_up).collect();
    let input = json!({ "command": command });
    let body = json!({ "message": format!("Bash: {command}"), "commands": ["x"], "facts": facts });
    masks().of_named_row(["Bash"], ["no rule matches"], [&body, &input]).value(&body)["facts"].clone()
}

#[test]
fn fields_beside_a_secret_stay_readable() {
    let token = format!("Bearer X2QsobYy{}", "fzrkbTOBvKr7WiQQ");
    for (input, secret) in [
        (json!({ "path": "/app/db.py", "content": "password = \"fjord1265CVJ\"" }), "fjord1265CVJ"),
        (
            json!({ "path": "/app/db.py", "content": "password = \"fjord1265CVJ\"\nx()\n", "zone": "production" }),
            "fjord1265CVJ",
        ),
        (
            json!({ "method": "GET", "url": "https://api.corp/v1/x",
                "headers": { "Authorization": token, "Accept": "application/json" } }),
            "fzrkbTOB",
        ),
        (
            json!({ "method": "POST", "url": "https://api.corp/v1/x",
                "headers": [{ "name": "X-Api-Key", "value": "z8B3fjf5oYZh1hk5" }, { "name": "Accept", "value": "*/*" }] }),
            "z8B3fjf5",
        ),
        (
            json!({ "method": "POST", "body": "{\"user\":\"bob\",\"passwd\":\"Lcopper_8183\"}" }),
            "Lcopper_8183",
        ),
        (
            json!({ "connection_string": "Server=sql01;Database=Shop;User Id=app;Password=raven-harbor-973;Encrypt=true" }),
            "raven-harbor-973",
        ),
    ] {
        let message = record("mcp__x__y", &input)["message"].to_string();
        assert!(!message.contains(secret) && message.contains("[masked:"), "{message}");
        assert!(!message.contains("same-secret"), "{message}");
    }
}

#[test]
fn repeated_secret_of_another_field_is_masked() {
    let input = json!({ "content": "password = \"fjord1265CVJ\"", "path": "/app/fjord1265CVJ" });
    let message = record("mcp__fs__write_file", &input)["message"].to_string();
    assert!(!message.contains("fjord1265") && message.contains("/app/[masked:same-secret]"), "{message}");
}

#[test]
fn facts_tell_neither_end_nor_length_of_a_secret() {
    for (command, secret, kept) in [
        ("mysql -u root -pthistle-umber-902 shop", "thistle-umber-902", &["root", "shop"][..]),
        ("7z x -p4ZjJIEdPxDJ8yg a.7z", "4ZjJIEdPxDJ8yg", &["x", "a.7z"]),
        ("unrar x -pQ4ZjJIEdPxDJ8 parts.rar out/", "Q4ZjJIEdPxDJ8", &["x", "parts.rar", "out"]),
    ] {
        let ends = (0..secret.len()).filter_map(|start| secret.get(start..));
        let names: Vec<&str> = ends.chain(kept.iter().copied()).collect();
        let written = facts(command, &names);
        let mut expected = vec![json!([{ "resolve": "/w/[masked:same-secret]" }, { "resolved": null }])];
        expected.extend(
            kept.iter().map(|name| json!([{ "resolve": format!("/w/{name}") }, { "resolved": null }])),
        );
        assert_eq!(written, Value::Array(expected), "{command}");
    }
}

#[test]
fn quoted_value_with_shell_signs_is_masked_in_a_script() {
    for (command, secret) in [
        ("cat > a.py <<'EOF'\nPASSWORD = '§'\nEOF", "Wx7;Kdef&ghij9|mnop"),
        ("cat > a.py <<EOF\nimport os\n# don't\nSECRET_KEY = '§'\nEOF", "ab(cdefghijklmnop"),
        ("cat > a.py <<'EOF'\nclass A:\n    password = \"§\"\nEOF\npython a.py", "Wx7)Kdefghij9mnop"),
        ("python -c \"PASSWORD = '§'\"", "Wx7(Kdefghij9mnop"),
        ("python -c 'PASSWORD = \"§\"'", "Wx7(Kdefghij9mnop"),
        ("node -e \"const password = '§'; f(password)\"", "Wx7;Kdef&ghij9|mnop"),
    ] {
        let shown = format!("Bash: {}", command.replace('§', "[masked:secret-value]"));
        let command = command.replace('§', secret);
        let body = json!({ "message": format!("Bash: {command}"), "commands": ["x"] });
        let input = json!({ "command": command });
        let row = masks().of_named_row(["Bash"], [], [&body, &input]).value(&body);
        assert_eq!(row["message"], shown);
    }
}

#[test]
fn command_behind_a_quote_that_seems_to_open_is_readable() {
    for command in [
        "cat > a.sh <<'EOF'\nx='\nPASSWORD = ';shred;'\nEOF\nsh a.sh",
        "cat > a.rb <<'EOF'\nx='\\'\nPASSWORD = ';shred;y='\nEOF",
        "bash -c \"echo '\"\"PASSWORD = ';shred;'\"",
        "bash -c \"ssh token = ';shred;'\"",
    ] {
        let body = json!({ "message": format!("Bash: {command}"), "commands": ["x"] });
        let input = json!({ "command": command });
        let row = masks().of_named_row(["Bash"], [], [&body, &input]).value(&body);
        assert!(row["message"].to_string().contains(";shred"), "{}", row["message"]);
    }
}
