//! Records of calls: what else is masked because it repeats a secret of the same record.

use serde_json::json;

use super::masks;

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
