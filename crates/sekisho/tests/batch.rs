use serde_json::Value;

use crate::place::Place;

fn batch(place: &Place, lines: &[u8]) -> (i32, Vec<Value>) {
    let assert = place.command(&["check", "--batch"]).stdin(lines.to_vec()).assert();
    let said = place.said(&assert);
    (said.code, said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

#[test]
fn verdicts_come_in_the_order_of_the_calls_and_a_bad_line_stops_nothing() {
    let place = Place::new();
    let deny = r#"{ "version": 1, "permissions": { "deny": [{ "tool": "x" }] } }"#;
    Place::write(&place.global(), deny);
    let mut lines = Vec::new();
    for (line, _) in LINES {
        lines.extend_from_slice(line);
        lines.push(b'\n');
    }
    let (code, answers) = batch(&place, &lines);
    assert_eq!(code, 1);
    assert_eq!(answers.len(), LINES.len());
    for ((line, expected), answer) in LINES.iter().zip(&answers) {
        let said = answer["decision"].as_str().or(answer["error"].as_str()).unwrap();
        assert!(said.contains(expected), "{}: {said}", String::from_utf8_lossy(line));
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
    (br#"{"tool":"done","tool":"x"}"#, "the key `tool` is there twice"),
    (br#"{"tool":7}"#, "tool: expected a string"),
    (br#"{"input":{}}"#, "`tool` is missing or empty"),
    (br"[]", "a call is an object"),
    (br#"{"tool":"done","cwd":"/nowhere/at/all"}"#, "cwd: `/nowhere/at/all` is not a directory"),
    (br#"{"tool":"read","input":{"path":"a"},"cwd":"/"}"#, "confirm"),
    (br#"{"tool":"a","server":"s","agent":"g"}"#, "confirm"),
];

#[test]
fn project_files_on_the_way_to_a_calls_directory_count() {
    let place = Place::new();
    let sub = place.project().ancestors().nth(2).unwrap().join("sub");
    let deny = r#"{ "version": 1, "permissions": { "deny": [{ "tool": "done" }] } }"#;
    Place::write(&sub.join(".sekisho/config.json"), deny);
    let lines =
        format!("{{\"tool\":\"done\"}}\n{{\"tool\":\"done\",\"cwd\":{:?}}}\n{{\"tool\":\"done\"}}", sub);
    let (code, answers) = batch(&place, lines.as_bytes());
    let decisions: Vec<&str> = answers.iter().map(|answer| answer["decision"].as_str().unwrap()).collect();
    assert_eq!((code, decisions), (0, vec!["allow", "deny", "allow"]));
}

#[test]
fn json_may_be_asked_for_by_name() {
    let place = Place::new();
    let assert = place.command(&["check", "--batch", "--json"]).stdin("{\"tool\":\"done\"}\n").assert();
    let said = place.said(&assert);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.starts_with("{\"decision\":\"allow\""), "{}", said.out);
}
