//! The result of a tool in a few lines, for people.

use serde_json::Value;

/// Lines of a summary. Of longer texts, the first and the last are shown.
const HEAD: usize = 4;
const TAIL: usize = 4;
/// The longest text that is shown beside its name.
const SHORT: usize = 60;
/// Fields that repeat the call, or say nothing to a person.
const LEFT_OUT: [&str; 12] = [
    "command",
    "success",
    "sandbox",
    "duration_ms",
    "path",
    "signal",
    "exit_code",
    "truncated",
    "mode",
    "first_line",
    "last_line",
    "total_lines",
];
/// Lists that say something even if they are empty.
const FOUND: [&str; 4] = ["matches", "files", "results", "todos"];
/// Texts that are shown themselves. Of others, the number of lines is.
const OUTPUT: [&str; 4] = ["output", "stdout", "stderr", "error"];

/// What a tool returned. Results are JSON objects or sentences.
pub(super) fn summary(content: &str) -> Vec<String> {
    match serde_json::from_str::<Value>(content) {
        Ok(Value::Object(fields)) => of_fields(&fields),
        _ => shortened(content.lines().map(str::to_owned).collect()),
    }
}

fn of_fields(fields: &serde_json::Map<String, Value>) -> Vec<String> {
    let mut facts = Vec::new();
    match fields.get("exit_code").and_then(Value::as_i64) {
        Some(0) | None => {}
        Some(code) => facts.push(format!("exit code {code}")),
    }
    if let Some(signal) = fields.get("signal").and_then(Value::as_i64) {
        facts.push(format!("ended by signal {signal}"));
    }
    let named = fields.iter().filter(|(name, _)| !LEFT_OUT.contains(&name.as_str()));
    facts.extend(named.filter_map(|(name, value)| fact(name, value)));
    let mut lines = Vec::new();
    if !facts.is_empty() {
        lines.push(facts.join(", "));
    }
    for name in OUTPUT {
        let text = fields.get(name).and_then(Value::as_str).unwrap_or_default();
        lines.extend(shortened(text.lines().map(str::to_owned).collect()));
    }
    lines
}

/// A field in a few words.
fn fact(name: &str, value: &Value) -> Option<String> {
    let words = name.replace('_', " ");
    match value {
        Value::String(_) if OUTPUT.contains(&name) => None,
        Value::String(text) if text.is_empty() => None,
        Value::String(text) if text.len() <= SHORT && !text.contains('\n') => Some(format!("{words} {text}")),
        Value::String(text) => Some(format!("{words} of {}", counted(text.lines().count(), "line"))),
        Value::Number(number) => Some(format!("{words} {number}")),
        Value::Bool(true) => Some(words),
        Value::Bool(false) => Some(format!("not {words}")),
        Value::Array(items) if items.is_empty() && !FOUND.contains(&name) => None,
        Value::Array(items) => Some(format!("{} {words}", items.len())),
        Value::Null | Value::Object(_) => None,
    }
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// The first and the last lines of a text.
fn shortened(mut lines: Vec<String>) -> Vec<String> {
    let left_out = lines.len().saturating_sub(HEAD + TAIL);
    if left_out > 1 {
        let more = format!("… {left_out} more lines");
        lines.splice(HEAD..HEAD + left_out, [more]);
    }
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn results_are_summarised() {
        let check = |result: Value, expected: &[&str]| assert_eq!(summary(&result.to_string()), expected);
        let shell = |code: i64, out: &str, err: &str| {
            json!({ "command": "x", "exit_code": code, "signal": null, "stdout": out, "stderr": err,
                "duration_ms": 5, "success": code == 0, "sandbox": "full" })
        };
        check(shell(0, "a\nb\n", ""), &["a", "b"]);
        check(shell(1, "", "no such file\n"), &["exit code 1", "no such file"]);
        check(shell(0, "", ""), &[]);
        check(json!({ "success": true, "path": "a.txt", "bytes_written": 6 }), &["bytes written 6"]);
        check(json!({ "path": "a", "content": "1\n2\n3\n" , "total_lines": 3 }), &["content of 3 lines"]);
        check(json!({ "matches": [1, 2], "truncated": false }), &["2 matches"]);
        assert_eq!(summary("Unknown tool: x"), ["Unknown tool: x"]);
        assert_eq!(summary(""), Vec::<String>::new());
    }

    #[test]
    fn long_output_shows_beginning_and_end() {
        let text: String = (1..=20).map(|number| format!("{number}\n")).collect();
        let lines = summary(&json!({ "output": text }).to_string());
        assert_eq!(lines, ["1", "2", "3", "4", "… 12 more lines", "17", "18", "19", "20"]);
    }
}
