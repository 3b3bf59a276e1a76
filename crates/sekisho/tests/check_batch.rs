use serde_json::Value;

use crate::test_home::TestHome;

fn batch(place: &TestHome, lines: &[u8]) -> (i32, Vec<Value>) {
    let assert = place.command(&["check", "--batch"]).stdin(lines.to_vec()).assert();
    let text = place.output(&assert);
    (text.code, text.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

#[test]
fn verdicts_keep_the_order_and_bad_lines_do_not_stop() {
    let place = TestHome::new();
    let deny = r#"{ "version": 1, "permissions": { "deny": [{ "tool": "x" }] } }"#;
    TestHome::write(&place.global(), deny);
    let mut lines = Vec::new();
    for (line, _) in LINES {
        lines.extend_from_slice(line);
        lines.push(b'\n');
    }
    let (code, answers) = batch(&place, &lines);
    assert_eq!(code, 1);
    assert_eq!(answers.len(), LINES.len());
    for ((line, expected), answer) in LINES.iter().zip(&answers) {
        let text = answer["decision"].as_str().or(answer["error"].as_str()).unwrap();
        assert!(text.contains(expected), "{}: {text}", String::from_utf8_lossy(line));
    }
}

const LINES: &[(&[u8], &str)] = &[
    (br#"{"tool":"done"}"#, "allow"),
    (br#"{"tool":"x","input":{}}"#, "deny"),
    (b"", "line 3: the line is empty"),
    (b"{", "line 4: EOF"),
    (b"\xff", "line 5: invalid utf-8"),
    (br#"{"tool":"read","input":{"path":"a"}}"#, "allow"),
    (br#"{"tool":"read","imput":{"path":"a"}}"#, "unknown field `imput`; did you mean `input`?"),
    (br#"{"tool":"done","tool":"x"}"#, "the key `tool` occurs twice"),
    (br#"{"tool":7}"#, "tool: expected a string"),
    (br#"{"input":{}}"#, "`tool` is missing or empty"),
    (br"[]", "a call must be an object"),
    (br#"{"tool":"done","cwd":"/nowhere/at/all"}"#, "cwd: `/nowhere/at/all` is not a directory"),
    (br#"{"tool":"read","input":{"path":"etc/shadow"},"cwd":"/"}"#, "confirm"),
    (br#"{"tool":"a","server":"s","agent":"g"}"#, "confirm"),
];

#[test]
fn project_files_above_the_call_directory_count() {
    let place = TestHome::new();
    let sub = place.project().ancestors().nth(2).unwrap().join("sub");
    let deny = r#"{ "version": 1, "permissions": { "deny": [{ "tool": "done" }] } }"#;
    TestHome::write(&sub.join(".sekisho/config.json"), deny);
    let lines =
        format!("{{\"tool\":\"done\"}}\n{{\"tool\":\"done\",\"cwd\":{:?}}}\n{{\"tool\":\"done\"}}", sub);
    let (code, answers) = batch(&place, lines.as_bytes());
    let decisions: Vec<&str> = answers.iter().map(|answer| answer["decision"].as_str().unwrap()).collect();
    assert_eq!((code, decisions), (0, vec!["allow", "deny", "allow"]));
}

#[test]
fn json_may_be_asked_for_by_name() {
    let place = TestHome::new();
    let assert = place.command(&["check", "--batch", "--json"]).stdin("{\"tool\":\"done\"}\n").assert();
    let said = place.output(&assert);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.starts_with("{\"decision\":\"allow\""), "{}", said.out);
}
