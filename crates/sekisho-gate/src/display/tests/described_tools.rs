//! Calls to tools that are known by descriptor only.

use sekisho_policy::{Call, DangerLevel, SourcedDescriptor};
use serde_json::{Value, json};

use super::shown;
use crate::display::{CallView, Form};

fn described(written: Value, input: Value, proven: bool) -> Call {
    let tool = serde_json::from_value(written).unwrap();
    let call = Call::new("mine", input).in_directory("/w");
    call.with_descriptor(if proven {
        SourcedDescriptor::by_registry(tool)
    } else {
        SourcedDescriptor::claimed(tool)
    })
}

#[track_caller]
fn check(written: Value, input: Value, title: &str, message: &str) -> CallView {
    let shown = shown(described(written, input, true), &[("/w/a", "x")]);
    assert_eq!((shown.title.as_str(), shown.message.as_str()), (title, message));
    shown
}

#[test]
fn proven_tool_is_shown_by_its_descriptor() {
    let shell = json!({ "kind": "shell", "commands": ["/do/run"] });
    let input = json!({ "do": { "run": "git  push", "env": { "A": "b" } }, "note": "x" });
    let shown = check(shell, input, "Run command?", "mine: git push");
    let Form::Command { text, parts } = &shown.form else { panic!("{:?}", shown.form) };
    assert_eq!((text.as_str(), parts.len()), ("git  push", 1));
    // Every field besides the command is listed.
    let besides: Vec<&str> = shown.besides.iter().map(|beside| beside.name.as_str()).collect();
    assert_eq!(besides, ["do", "note"]);

    let plain = json!({ "kind": "shell", "commands": ["run"] });
    let shown = check(plain, json!({ "run": "ls", "description": "x" }), "Run command?", "mine: ls");
    let besides: Vec<&str> = shown.besides.iter().map(|beside| beside.name.as_str()).collect();
    assert_eq!(besides, ["description"]);

    let web = json!({ "kind": "web", "addresses": ["/from/*"] });
    let input = json!({ "from": ["https://a.test/", "https://user@b.test/"] });
    let shown = check(web, input, "Fetch from the web?", "mine: https://a.test/, https://user@b.test/");
    let Form::Url { addresses } = &shown.form else { panic!("{:?}", shown.form) };
    assert_eq!(addresses.len(), 2);
    assert_eq!(shown.danger.level, DangerLevel::Danger);

    check(
        json!({ "kind": "read_files", "reads": ["f"] }),
        json!({ "f": ["a", "b"] }),
        "Read file?",
        "mine: a, b",
    );
    let searches = json!({ "kind": "search_files", "searches": ["f"] });
    check(searches, json!({ "f": "a" }), "Search files?", "mine: a");
    // What it writes is unknown, so there is no diff.
    let writes = json!({ "kind": "write_files", "writes": ["path"] });
    let shown = check(writes, json!({ "path": "a", "content": "y" }), "Change files?", "mine: a");
    assert_eq!(shown.form, Form::Json);
    let several = json!({ "kind": "composite", "reads": ["a"], "writes": ["b"] });
    let shown = check(several, json!({ "a": "x", "b": "y" }), "Run tool?", r#"mine: {"a":"x","b":"y"}"#);
    assert_eq!((shown.form, shown.danger.level), (Form::Json, DangerLevel::Caution));
}

#[test]
fn claimed_descriptor_hides_no_input() {
    let shell = json!({ "kind": "shell", "commands": ["run"] });
    let shown = shown(described(shell, json!({ "run": "ls", "really": "rm -rf /" }), false), &[]);
    assert_eq!((shown.title.as_str(), &shown.form), ("Run tool?", &Form::Json));
    assert!(shown.message.contains("rm -rf /"), "{}", shown.message);
}

#[test]
fn hidden_text_in_a_described_field_is_dangerous() {
    for proven in [true, false] {
        let reads = json!({ "kind": "composite", "reads": ["/a/*/b"] });
        let call = described(reads, json!({ "a": [{ "b": "x\u{202e}y" }] }), proven);
        assert_eq!(shown(call, &[]).danger.level, DangerLevel::Danger);
    }
}
