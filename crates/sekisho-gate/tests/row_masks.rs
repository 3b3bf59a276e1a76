//! No field of any kind of row reveals a secret.

use std::sync::Arc;

use jiff::Timestamp;
use proptest::prelude::*;
use sekisho_gate::answer::{Actor, Approver, Role};
use sekisho_gate::audit::ChainRow;
use sekisho_gate::audit::{ChainWriter, WriterId};
use sekisho_gate::record::{AuditEntry, RecordKind, SecretContext, opening_record, verdict_record};
use sekisho_policy::{Call, Reason};
use sekisho_testkit::fixtures::{audit_config, call, caller, masked, pending_approval, seconds_after_start};
use serde_json::{Value, json};

const KINDS: [RecordKind; 9] = [
    RecordKind::Verdict,
    RecordKind::Question,
    RecordKind::Outcome,
    RecordKind::Claim,
    RecordKind::Execution,
    RecordKind::Rules,
    RecordKind::Trust,
    RecordKind::Token,
    RecordKind::Upkeep,
];

/// Where the secret occurs with context that a detector recognises.
#[derive(Clone, Copy, Debug)]
enum Known {
    Input,
    Text,
    Body,
}

fn known() -> impl Strategy<Value = Known> {
    prop_oneof![Just(Known::Input), Just(Known::Text), Just(Known::Body)]
}

/// An entry with the bare secret in each of its fields, and with its context in one.
fn entry(kind: RecordKind, secret: &str, known: Known) -> AuditEntry {
    let context = format!("deploy --token {secret} now");
    let alone = || Some(format!("x/{secret}"));
    let person = Approver {
        credential: format!("proxy:{secret}"),
        name: format!("n {secret}"),
        role: Role::Admin,
        device: alone(),
        how: format!("by {secret}"),
    };
    let mut body = json!({
        "facts": [[{ "resolve": format!("/w/{secret}") }, { "resolved": format!("/w/\u{202e}{secret}\u{200b}") }]],
        "reasons": [{ "code": "path", "path": format!("/w/{secret}"), "pattern": format!("{secret}*") }],
        "rules": [{ "command": format!("a {secret}"), "nested": { format!("/w/{secret}"): [secret, 1, null] } }],
        "danger": [{ "level": "high", "what": format!("{secret}\u{85}") }],
        "reason": secret,
    });
    if let (Known::Body, Value::Object(fields)) = (known, &mut body) {
        fields.insert("message".into(), context.clone().into());
    }
    AuditEntry {
        tool: alone(),
        server: alone(),
        agent: alone(),
        credential: alone(),
        text: if matches!(known, Known::Text) { context.clone() } else { format!("reads /w/{secret}") },
        context: SecretContext(if matches!(known, Known::Input) {
            json!({ "command": context })
        } else {
            Value::Null
        }),
        ..AuditEntry::without_call(
            kind,
            Timestamp::UNIX_EPOCH,
            Some(Actor::Person(person)),
            String::new(),
            body,
        )
    }
}

fn written(entry: &AuditEntry) -> String {
    let writer = WriterId(uuid::Uuid::from_bytes([1; 16]));
    format!("{:?}", ChainWriter::new(writer, audit_config().keys).write(&masked(entry.clone())).unwrap())
}

proptest! {
    #[test]
    fn secret_known_by_context_is_in_no_field(
        secret in "[a-z]{3}[A-Z0-9]{4,20}[a-z]{2}",
        kind in prop::sample::select(&KINDS),
        known in known(),
    ) {
        // Names that the caller did not choose stay, whatever it passes as a secret.
        let unnamed = AuditEntry { tool: None, server: None, agent: None, credential: None, by: None, ..entry(kind, &secret, known) };
        let row = written(&unnamed);
        prop_assert!(!row.contains(&secret), "{row}");
        prop_assert!(!row.contains(['\u{202e}', '\u{200b}', '\u{85}']), "{row}");
    }

    #[test]
    fn secret_known_by_shape_is_in_no_field(end in "[A-Za-z0-9]{36}", kind in prop::sample::select(&KINDS)) {
        let secret = format!("{}{end}", ["gh", "p_"].concat());
        let mut entry = entry(kind, &secret, Known::Text);
        entry.text = format!("reads {secret}");
        let row = written(&entry);
        prop_assert!(!row.contains(&secret), "{row}");
    }
}

#[test]
fn other_text_stays() {
    let mut entry = entry(RecordKind::Verdict, "plain-word", Known::Text);
    entry.text = "reads /w/plain-word".into();
    assert!(written(&entry).contains("/w/plain-word"));
}

/// A secret as a command may spell it, and what bash makes of it.
#[derive(Clone, Debug)]
struct Spelling {
    raw: String,
    read: String,
}

/// Spells a secret of three parts. What bash makes of it was checked with bash 5.2.
fn spelling((a, b, c): &(String, String, String), how: usize) -> Spelling {
    let whole = [a.as_str(), b, c].concat();
    let hex: String = b.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
    let (raw, read) = match how {
        0 => (whole.clone(), whole),
        1 => (format!("'{whole}'"), whole),
        2 => (format!("\"{whole}\""), whole),
        3 => (format!("{a}\\$\\${b}{c}"), format!("{a}$${b}{c}")),
        4 => (format!("\"{a}\\\"{b}{c}\""), format!("{a}\"{b}{c}")),
        5 => (format!("{a}'{b}'{c}"), whole),
        6 => (format!("$'{a}{hex}{c}'"), whole),
        7 => (format!("{a}\\{b}\\{c}"), whole),
        8 => (format!("'{a}'\"'\"'{b}{c}'"), format!("{a}'{b}{c}")),
        9 => (format!("'{a}'\"{b}\"\\{c}"), whole),
        10 => (format!("{b}//{a}{c}{b}=="), format!("{b}/{a}{c}{b}==")),
        11 => (format!("{a}/./{b}{c}/"), format!("{a}/{b}{c}")),
        12 => (format!("{a}{{x,y}}{b}{c}"), format!("{a}y{b}{c}")),
        13 => (format!("{a}{b}\\\n{c}"), whole),
        _ => (format!("\"{a}\\${b}\"'{c}'"), format!("{a}${b}{c}")),
    };
    Spelling { raw, read }
}

const SPELLINGS: usize = 15;

/// Where the secret is in a command.
fn command(raw: &str, place: usize) -> String {
    match place {
        0 => format!("deploy --token {raw} now"),
        1 => format!("deploy --password={raw}"),
        2 => format!("API_KEY={raw} deploy ./a"),
        3 => format!("cd a && deploy --password {raw}; ls"),
        4 => format!("bash -c \"deploy --token {} now\"", in_double_quotes(raw)),
        _ => format!("bash -c 'deploy --token {raw} now'"),
    }
}

fn in_double_quotes(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$")
}

/// Every text of a row.
fn shown(row: &ChainRow) -> Vec<String> {
    let body: Value = serde_json::from_str(&row.body).unwrap();
    let (mut open, mut texts) = (vec![body], vec![row.text.clone()]);
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => texts.push(text),
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => {
                for (name, value) in fields {
                    texts.push(name);
                    open.push(value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    texts
}

fn row(input: &Value, message: &str, paths: &[&str]) -> Vec<String> {
    let facts: Vec<Value> =
        paths.iter().map(|path| json!([{ "resolve": path }, { "resolved": path }])).collect();
    let reasons: Vec<Value> = paths
        .iter()
        .map(|path| json!({ "code": "path", "path": path, "pattern": format!("{path}*") }))
        .collect();
    let body = json!({ "message": message, "facts": facts, "reasons": reasons });
    let text = format!("reads {}", paths.join(", "));
    let entry = AuditEntry {
        context: SecretContext(input.clone()),
        ..AuditEntry::without_call(RecordKind::Question, Timestamp::UNIX_EPOCH, None, text, body)
    };
    let writer = WriterId(uuid::Uuid::from_bytes([1; 16]));
    shown(&ChainWriter::new(writer, audit_config().keys).write(&masked(entry)).unwrap())
}

#[track_caller]
fn check(command: &str, read: &[&str]) {
    let paths: Vec<String> = read.iter().map(|read| format!("/w/{read}")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    for shown in row(&json!({ "command": command }), command, &paths) {
        assert!(!shown.contains("SECRET"), "{command}: {shown}");
        assert!(!read.iter().any(|read| shown.contains(read)), "{command}: {shown}");
    }
}

#[test]
fn secret_is_masked_as_bash_reads_it() {
    check(r"foo --password pa\$\$w0rdSECRETxyz", &["pa$$w0rdSECRETxyz"]);
    check(r#"foo --password "pa\"ssw0rdSECRETxyz""#, &["pa\"ssw0rdSECRETxyz"]);
    check(r#"foo --password="SECRETxyz\$hunter""#, &["SECRETxyz$hunter"]);
    check("foo --password hunter'2'SECRETxyz", &["hunter2SECRETxyz"]);
    check(r"foo --password $'hunter\x32SECRETxyz'", &["hunter2SECRETxyz"]);
    check(r"foo --token hunter\2SECRETxyz", &["hunter2SECRETxyz"]);
    check(r#"foo --password 'it'"'"'sSECRETxyz' "#, &["it'sSECRETxyz"]);
    check("foo --token {SECRETxyzab,SECRETxyzcd}", &["SECRETxyzab", "SECRETxyzcd"]);
    check("foo --token hun{ter,tar}SECRETxyz", &["hunterSECRETxyz", "huntarSECRETxyz"]);
    check("foo --token aGVsbG8//SECRETxyzABCDEF12==", &["aGVsbG8/SECRETxyzABCDEF12==", "aGVsbG8"]);
    check("foo --token SECRETxyzhunter/", &["SECRETxyzhunter"]);
    check("foo --token SECRET\\\nxyzhunter2", &["SECRETxyzhunter2"]);
    check(r#"bash -c 'foo --password "SECRETxyz\$hunter"'"#, &["SECRETxyz$hunter"]);
    check(r#"bash -c "foo --password \"SECRETxyz\\\$hunter\"""#, &["SECRETxyz$hunter"]);
    check(r#"API_KEY="SECRETxyz\$hunter"; cat "$API_KEY""#, &["SECRETxyz$hunter"]);
    check(r"curl -u user:SECRETxyz\$hunter https://example.com/a", &["SECRETxyz$hunter"]);
    check("curl https://user:SECRETxyz%24hunter@example.com/x", &["SECRETxyz$hunter"]);
}

#[test]
fn token_is_masked_without_its_scheme() {
    for scheme in ["Bearer", "token", "Basic"] {
        let input = json!({
            "url": "https://e.com/SECRETxyz1hunter",
            "headers": { "Authorization": format!("{scheme} SECRETxyz1hunter") },
        });
        for shown in row(&input, "fetch https://e.com/SECRETxyz1hunter", &["/w/SECRETxyz1hunter"]) {
            assert!(!shown.contains("SECRET"), "{shown}");
        }
    }
}

#[test]
fn everyday_rows_stay_readable() {
    let command = r#"cd project && git commit -m "it's done" --author 'A B <a@b.c>' && deploy --token "x\$Y12345/project/src" ./src"#;
    let paths = ["/home/ann/project/src/main.rs", "/home/ann/project/node_modules/README.md"];
    let shown = row(&json!({ "command": command }), "run git commit", &paths);
    for path in paths {
        assert!(shown.iter().any(|text| text == path), "{shown:?}");
    }
    let content = "# Don't\nset \"password\": \"string\" in project/settings; it's 'token: value' \\ there";
    let shown = row(
        &json!({ "file_path": "/w/settings", "content": content }),
        "write /w/settings",
        &["/w/settings", "/w/project/string"],
    );
    assert!(shown.iter().any(|text| text == "/w/settings"), "{shown:?}");
    assert!(shown.iter().any(|text| text == "/w/project/string"), "{shown:?}");
}

#[test]
fn hidden_characters_are_escaped_in_rows() {
    let shown = row(&Value::Null, "a\u{2800}b\\u{200b}c é", &["/w/\u{2800}x"]);
    assert!(!shown.concat().contains('\u{2800}'), "{shown:?}");
    assert!(shown.iter().any(|text| text == "a\\u{2800}b\\u{200b}c é"), "{shown:?}");
}

proptest! {
    #[test]
    fn secret_in_any_spelling_is_in_no_field(
        parts in ("[a-z]{3}[0-9]", "[A-Z]{2}[A-Z0-9]{4,12}", "[a-z]{3,8}"),
        how in 0..SPELLINGS,
        place in 0..6usize,
    ) {
        let Spelling { raw, read } = spelling(&parts, how);
        // Single quotes cannot be inside single quotes.
        prop_assume!(!(place == 5 && raw.contains('\'')));
        let command = command(&raw, place);
        let path = format!("/w/{read}");
        for shown in row(&json!({ "command": command }), &command, &[&path]) {
            prop_assert!(!shown.contains(&read) && !shown.contains(&raw), "{command:?}: {shown:?}");
        }
    }
}

/// These took minutes each while the work grew faster than the text.
#[test]
fn large_rows_with_repetitive_secrets_are_masked() {
    let long = format!("foo --password '{}SECRETxyz'", "aB3$/".repeat(12_000));
    let json = r#"{\"password\":\""#.repeat(1500) + "SECRETxyz1";
    let many: String =
        (0..50).map(|count| format!("--password '{count:04}{}SECRETxyz' ", r"aB3/x\".repeat(200))).collect();
    let escapes = r"a\;".repeat(20_000) + " --password SECRETxyz1";
    let quotes = "'a'".repeat(20_000) + " --password SECRETxyz1";
    for command in [long, json, many, escapes, quotes] {
        let shown = row(&json!({ "command": command }), &command, &["/w/x"]).concat();
        assert!(!shown.contains("SECRET"), "{shown}");
    }
}

/// In a call this large the secrets are unknown, so the row contains none of its text.
#[test]
fn row_of_a_call_too_large_to_scan_has_only_codes() {
    let secret = "hunter2-hunter2";
    let command = format!("{}deploy --token {secret}", "echo a; ".repeat(40_000));
    let large = "x".repeat(300_000);
    let inputs = [
        ("Bash", json!({ "command": command })),
        ("Bash", json!({ "command": command, "cmd": "" })),
        ("WebFetch", json!({ "url": format!("https://e.com/{secret}"), "api_key": secret, "x": large })),
        ("Write", json!({ "file_path": format!("/w/{secret}"), "token": secret, "content": large })),
    ];
    for (tool, input) in inputs {
        let call = Call { input, tool: tool.into(), ..call("c") };
        let mut asked = pending_approval(call.clone(), caller(), seconds_after_start(0), None);
        let reason = Reason::OutsideWorkspace { path: format!("/w/{secret}") };
        let request = Arc::make_mut(&mut asked.asked);
        request.verdict.reasons = [reason].into_iter().collect();
        request.shown.message = format!("run {secret}");
        let rows = [
            opening_record(&asked).entry,
            verdict_record(
                seconds_after_start(0),
                (asked.asked.call_id, &call),
                &caller(),
                &asked.asked.verdict,
                None,
            )
            .entry,
        ];
        for row in rows {
            let row = written(&row);
            assert!(!row.contains("hunter2") && row.contains("outside_workspace"), "{row}");
        }
    }
}

/// `facts`: what the policy looks up. Nothing of `hidden` may be in the row's facts.
#[track_caller]
fn check_facts(command: &str, facts: &[&str], hidden: &[&str]) {
    let facts: Vec<Value> = facts.iter().map(|name| json!({ "resolve": format!("/w/{name}") })).collect();
    let body = json!({ "message": format!("bash: {command}"), "commands": ["x"], "facts": facts });
    let entry = AuditEntry {
        context: SecretContext(json!({ "command": command })),
        ..AuditEntry::without_call(RecordKind::Question, Timestamp::UNIX_EPOCH, None, "asks".into(), body)
    };
    let writer = WriterId(uuid::Uuid::from_bytes([1; 16]));
    let row = ChainWriter::new(writer, audit_config().keys).write(&masked(entry)).unwrap();
    let body: Value = serde_json::from_str(&row.body).unwrap();
    let facts = body["facts"].to_string();
    for hidden in hidden {
        assert!(!facts.contains(hidden), "{command}: {hidden} in {body}");
    }
}

#[test]
fn secret_with_shell_signs_is_in_no_fact() {
    for sign in ["&", ";", "|", "(", ">", "<", " ", "`", "@", "=", ":", "#", ",", "?"] {
        let secret = format!("Tr0ub{sign}4dor3xyzQ");
        for command in [
            format!("sshpass -p '{secret}' ssh h"),
            format!("foo --password '{secret}'"),
            format!("foo --password='{secret}' x"),
            format!("PASSWORD='{secret}' git push"),
        ] {
            check_facts(&command, &[&secret, &format!("me:{secret}")], &[&secret]);
        }
    }
}

#[test]
fn part_of_a_secret_is_in_no_fact() {
    for sign in ["@", "=", ":", "#"] {
        let secret = format!("Tr0ub4dor3{sign}xyzQ");
        for command in [
            format!("foo --password '{secret}'"),
            format!("foo --password='{secret}' x"),
            format!("sshpass -p '{secret}' ls"),
            format!("mysql -p'{secret}' db"),
            format!("curl -u 'me:{secret}' h"),
        ] {
            let facts =
                ["Tr0ub4dor3", "0ub4dor3", "xyzQ", &secret, &format!("me:{secret}"), &format!("x={secret}")];
            check_facts(&command, &facts, &["4dor3", "xyzQ"]);
        }
    }
    for (secret, parts, hidden) in [
        ("Tr0ub/4dor3xyzQ", &["r0ub/4dor3xyzQ", "dor3xyzQ", "3xyzQ"][..], &["3xyzQ", "r0ub"][..]),
        ("Tr0ub4dor3,xyzQ", &["r0ub4dor3", "Tr0ub4dor3", "r0ub4dor3,xyzQ"], &["4dor3"]),
        ("Tr0ub4?dor3xyzQ", &["r0ub4", "r0ub4?dor3xyzQ"], &["r0ub4"]),
        ("Tr0ub4 dor3xyzQ", &["r0ub4", "r0ub4 dor3xyzQ", "dor3xyzQ"], &["r0ub4", "dor3"]),
    ] {
        check_facts(&format!("mysql -u root -p'{secret}' db"), parts, hidden);
    }
}

/// The policy takes parts of a text in quotes for paths.
#[test]
fn part_of_a_secret_in_a_quoted_text_is_in_no_fact() {
    let parts = &["Kq93mZpwLx", "Rt51vBnQe"];
    check_facts(
        r#"docker exec db sh -c 'mysqldump -uroot -p"Kq93mZpwLx@Rt51vBnQe#Ux" db > /b.sql'"#,
        &["/mysqldump -uroot -p\"Kq93mZpwLx", "/Rt51vBnQe#Ux\" db > /b.sql"],
        parts,
    );
    check_facts(
        r#"node -e 'process.env.API_KEY="Kq93mZpwLx@Rt51vBnQe#Ux"; require("./x")'"#,
        &["/w/\"Kq93mZpwLx", "/w/Rt51vBnQe#Ux\"; require(\"./x\")"],
        parts,
    );
    for (command, facts) in [
        ("bash -c 'PGPASSWORD=\"xK3!pQ7@mW9#zT2\" psql'", &["/w/\"xK3!pQ7", "/w/mW9#zT2\" psql"][..]),
        ("sshpass -p 'xK3@pQ7@mW9@zT2' ssh h", &["xK3", "pQ7", "mW9", "zT2"]),
        ("sed -i \"s/^API_KEY=.*$/API_KEY=Wq7#kP2w@pQ7xLt/g\" .env", &["pQ7xLt/g", "pQ7xLt/' /srv/.env"]),
        ("smbclient -U 'dom/me%pQ7s/mW9d:Xy8k' //h/s", &["me%pQ7s/mW9d:Xy8k"]),
    ] {
        check_facts(command, facts, &["xK3", "pQ7", "mW9", "zT2"]);
    }
    check_facts(
        "docker run -e 'PASSWORD=Kq93mZpwLx&Rt51vBnQe' i sh",
        &["/w/PASSWORD=Kq93mZpwLx&Rt51vBnQe"],
        parts,
    );
}

#[test]
fn secret_like_a_host_a_path_or_an_option_is_in_no_fact() {
    for secret in ["Tr0ub4dor3.xyz", "~Tr0ub4dor3xyzQ", "-Tr0ub4dor3xyzQ"] {
        check_facts(&format!("curl -u 'me:{secret}' h"), &[&format!("me:{secret}"), secret], &["4dor3"]);
    }
}

#[test]
fn name_in_the_message_stays_in_the_facts() {
    for (input, message, kept) in [
        ("cat main.rs --password xmain.rsx1", "bash: cat main.rs --password xmain.rsx1", "/w/main.rs"),
        ("tool --token evil9.sh; sh evil9.sh", "bash: tool --token evil9.sh; sh evil9.sh", "/w/evil9.sh"),
    ] {
        let body = json!({ "message": message, "commands": ["cat"], "facts": [{ "resolve": kept }] });
        let entry = AuditEntry {
            context: SecretContext(json!({ "command": input })),
            ..AuditEntry::without_call(RecordKind::Question, Timestamp::UNIX_EPOCH, None, "asks".into(), body)
        };
        assert!(written(&entry).contains(kept), "{}", written(&entry));
    }
    let body = json!({ "message": "write /etc/evil9.sh", "facts": [{ "resolve": "/etc/evil9.sh" }] });
    let entry = AuditEntry {
        context: SecretContext(json!({ "file_path": "/etc/evil9.sh", "token": "evil9.sh" })),
        ..AuditEntry::without_call(RecordKind::Question, Timestamp::UNIX_EPOCH, None, "asks".into(), body)
    };
    assert_eq!(written(&entry).matches("/etc/evil9.sh").count(), 2, "{}", written(&entry));
}
