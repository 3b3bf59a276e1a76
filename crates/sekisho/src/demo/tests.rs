//! The demo's messages and its directory.

use serde_json::{Value, json};

use super::demo_directory::DemoDirectory;
use super::messages::{AnsweredBy, DemoAnswer, DemoEvent, message_lines};
use super::script::{DEPLOY, ScriptStep};

fn text_of(event: DemoEvent) -> String {
    let lines: Vec<String> =
        message_lines(&event).iter().map(|line| format!("{}|{}", line.label, line.text)).collect();
    lines.join("\n")
}

fn answered(scene: ScriptStep, answer: DemoAnswer) -> String {
    text_of(DemoEvent::Answered { scene, by: AnsweredBy::Person("mai".into()), answer })
}

fn yes(input: Value, changed: bool, written: Option<Result<String, String>>) -> DemoAnswer {
    DemoAnswer::Yes { input, changed, written }
}

#[test]
fn every_step_says_what_it_asks() {
    let directory = std::path::Path::new("/demo");
    for (scene, expected) in [
        (ScriptStep::Read, "1 asks|may I run `cat /demo/notes.txt`?\n|it only reads, "),
        (ScriptStep::Change, "2 asks|may I change deploy.toml?\n|shown as a diff "),
        (ScriptStep::Pipeline, "3 asks|may I run `ls -l && find . -name '*.log' -delete && curl "),
        (ScriptStep::Customer, "4 asks|may I call crm/delete_customer with {\"customer_id\":\"C-10482\","),
    ] {
        let text = text_of(DemoEvent::QuestionOpened { scene, input: scene.input(directory) });
        assert!(text.starts_with(expected), "{text}");
    }
}

#[test]
fn answer_says_what_it_does() {
    let run = json!({ "command": "ls" });
    assert_eq!(
        answered(ScriptStep::Pipeline, yes(run.clone(), false, None)),
        "3 yes|approved by mai: the agent would now run `ls`"
    );
    assert_eq!(
        answered(ScriptStep::Pipeline, yes(run, true, None)),
        "3 yes|approved by mai, with a change: the agent would now run `ls`"
    );
    assert_eq!(
        answered(ScriptStep::Change, yes(json!({}), true, Some(Ok("a\nb\u{1b}[1m\n".into())))),
        "2 yes|approved by mai, with a change: the demo changed its own file\n|it now reads\n|  a\n|  b\\u{1b}[1m"
    );
    assert_eq!(
        answered(ScriptStep::Change, yes(json!({}), false, Some(Err("no".into())))),
        "2 yes|approved by mai: nothing was written: no"
    );
    assert_eq!(
        answered(ScriptStep::Read, DemoAnswer::No { message: "not mine".into(), stops: false }),
        "1 no|denied by mai: the model receives `Permission denied: not mine`"
    );
    let stopped = answered(ScriptStep::Read, DemoAnswer::No { message: "enough".into(), stops: true });
    assert!(stopped.ends_with("`Permission denied: enough`\n|and the run is stopped: a real agent would end here, and so does the demo"));
}

#[test]
fn read_only_call_runs_without_a_question() {
    let through = Ok(json!({ "command": "cat /demo/notes.txt" }));
    assert_eq!(
        text_of(DemoEvent::Decided { scene: ScriptStep::Read, through }),
        "1 runs|without a question: run `cat /demo/notes.txt`\n|it only reads, and a built-in rule allows that, so you are not asked"
    );
}

#[test]
fn rule_and_person_are_named_differently() {
    let by = AnsweredBy::Rule("session:1".into());
    let answer = yes(json!({ "command": "cat /a" }), false, None);
    assert_eq!(
        text_of(DemoEvent::Answered { scene: ScriptStep::Read, by, answer }),
        "1 yes|allowed by a rule that was just saved, session:1: the agent would now run `cat /a`"
    );
    let kept = DemoEvent::Remembered { scene: ScriptStep::Read, allowed: true, why: "a rule".into() };
    assert_eq!(text_of(kept), "1 kept|from now on it runs without a question; the demo asks again\n|a rule");
    assert_eq!(
        text_of(DemoEvent::AskedAgain { scene: ScriptStep::Read, through: Ok(()) }),
        "1 again|allowed without a question"
    );
    assert!(text_of(DemoEvent::Finished).contains("sekisho install claude-code"));
}

#[test]
fn untrusted_text_is_escaped() {
    let hostile = "\u{1b}[2J\u{202e}\n";
    let by = AnsweredBy::Person(hostile.into());
    for answer in [
        yes(json!({ "file_path": hostile, "command": hostile, hostile: 1 }), true, None),
        DemoAnswer::No { message: hostile.into(), stops: true },
        DemoAnswer::Nothing(hostile.into()),
    ] {
        for scene in ScriptStep::ALL {
            let event = DemoEvent::Answered { scene, by: by.clone(), answer: answer.clone() };
            for line in message_lines(&event) {
                assert!(!line.text.contains(['\u{1b}', '\u{202e}', '\n']), "{line:?}");
            }
        }
    }
}

#[test]
fn demo_changes_only_its_own_file() {
    let workshop = DemoDirectory::open().unwrap();
    let input = ScriptStep::Change.input(workshop.path());
    let after = workshop.change(&input).unwrap();
    assert!(after.contains("\"production\"") && after.contains("[mail]\nsend = false"), "{after}");
    assert_eq!(std::fs::read_to_string(workshop.path().join(DEPLOY.0)).unwrap(), after);
    // The text to replace is gone.
    assert!(workshop.change(&input).unwrap_err().contains("exactly once"));
    workshop.reset().unwrap();
    let elsewhere = workshop.path().join("../elsewhere.toml");
    for (field, value) in [
        ("file_path", json!(elsewhere)),
        ("file_path", json!(7)),
        ("old_string", json!("")),
        ("new_string", Value::Null),
    ] {
        let mut other = input.clone();
        other[field] = value;
        assert!(workshop.change(&other).is_err(), "{other}");
    }
    assert!(!elsewhere.exists());
    let path = workshop.path().to_path_buf();
    drop(workshop);
    assert!(!path.exists());
}
