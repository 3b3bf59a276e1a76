//! The words and the workshop.

use serde_json::{Value, json};

use super::script::{DEPLOY, Scene};
use super::words::{Answered, Happened, Who, lines};
use super::workshop::Workshop;

fn said(happened: Happened) -> String {
    let lines: Vec<String> =
        lines(&happened).iter().map(|line| format!("{}|{}", line.label, line.text)).collect();
    lines.join("\n")
}

fn answered(scene: Scene, answer: Answered) -> String {
    said(Happened::Answered { scene, by: Who::Person("mai".into()), answer })
}

fn yes(input: Value, changed: bool, written: Option<Result<String, String>>) -> Answered {
    Answered::Yes { input, changed, written }
}

#[test]
fn every_scene_says_what_it_asks() {
    let directory = std::path::Path::new("/demo");
    for (scene, expected) in [
        (Scene::Read, "1 asks|may I run `cat /demo/notes.txt`?\n|it only reads, "),
        (Scene::Change, "2 asks|may I change deploy.toml?\n|shown as a diff "),
        (Scene::Pipeline, "3 asks|may I run `ls -l && find . -name '*.log' -delete && curl "),
        (Scene::Customer, "4 asks|may I call crm/delete_customer with {\"customer_id\":\"C-10482\","),
    ] {
        let said = said(Happened::Asked { scene, input: scene.input(directory) });
        assert!(said.starts_with(expected), "{said}");
    }
}

#[test]
fn an_answer_says_what_it_does() {
    let run = json!({ "command": "ls" });
    assert_eq!(
        answered(Scene::Pipeline, yes(run.clone(), false, None)),
        "3 yes|approved by mai: the agent would now run `ls`"
    );
    assert_eq!(
        answered(Scene::Pipeline, yes(run, true, None)),
        "3 yes|approved by mai, with a change: the agent would now run `ls`"
    );
    assert_eq!(
        answered(Scene::Change, yes(json!({}), true, Some(Ok("a\nb\u{1b}[1m\n".into())))),
        "2 yes|approved by mai, with a change: the file in the demo's own directory is changed\n|it now reads\n|  a\n|  b\\u{1b}[1m"
    );
    assert_eq!(
        answered(Scene::Change, yes(json!({}), false, Some(Err("no".into())))),
        "2 yes|approved by mai: nothing is written: no"
    );
    assert_eq!(
        answered(Scene::Read, Answered::No { message: "not mine".into(), stops: false }),
        "1 no|denied by mai: the model is told `Permission denied: not mine`"
    );
    let stopped = answered(Scene::Read, Answered::No { message: "enough".into(), stops: true });
    assert!(stopped.ends_with("`Permission denied: enough`\n|and its run is stopped: a real agent would end here, and so does the demo"));
}

#[test]
fn what_only_reads_runs_at_once() {
    let through = Ok(json!({ "command": "cat /demo/notes.txt" }));
    assert_eq!(
        said(Happened::Decided { scene: Scene::Read, through }),
        "1 runs|at once: run `cat /demo/notes.txt`\n|it only reads, and a built-in rule allows that: you are not asked"
    );
}

#[test]
fn a_rule_is_told_from_a_person() {
    let by = Who::Rule("session:1".into());
    let answer = yes(json!({ "command": "cat /a" }), false, None);
    assert_eq!(
        said(Happened::Answered { scene: Scene::Read, by, answer }),
        "1 yes|let through by a rule that was just kept, session:1: the agent would now run `cat /a`"
    );
    let kept = Happened::Remembered { scene: Scene::Read, allowed: true, why: "a rule".into() };
    assert_eq!(
        said(kept),
        "1 kept|from now on it runs, and nobody is asked; the demo asks the same again\n|a rule"
    );
    assert_eq!(
        said(Happened::Again { scene: Scene::Read, through: Ok(()) }),
        "1 again|let through, and nobody was asked"
    );
    assert!(said(Happened::Over).contains("sekisho install claude-code"));
}

#[test]
fn what_people_write_cannot_draw_on_the_terminal() {
    let hostile = "\u{1b}[2J\u{202e}\n";
    let by = Who::Person(hostile.into());
    for answer in [
        yes(json!({ "file_path": hostile, "command": hostile, hostile: 1 }), true, None),
        Answered::No { message: hostile.into(), stops: true },
        Answered::Nothing(hostile.into()),
    ] {
        for scene in Scene::ALL {
            let happened = Happened::Answered { scene, by: by.clone(), answer: answer.clone() };
            for line in lines(&happened) {
                assert!(!line.text.contains(['\u{1b}', '\u{202e}', '\n']), "{line:?}");
            }
        }
    }
}

#[test]
fn only_its_own_file_is_changed() {
    let workshop = Workshop::open().unwrap();
    let input = Scene::Change.input(workshop.path());
    let after = workshop.change(&input).unwrap();
    assert!(after.contains("\"production\"") && after.contains("[mail]\nsend = false"), "{after}");
    assert_eq!(std::fs::read_to_string(workshop.path().join(DEPLOY.0)).unwrap(), after);
    // What was replaced is not there any more.
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
