//! `approve` and `deny`.

use serde_json::json;

use super::approvals_fixture::{ApprovalsFixture, short};

#[test]
fn an_answer_is_taken_once_and_says_who_was_first() {
    let desk = ApprovalsFixture::new();
    let id = desk.push("one");
    let out = desk.out(&["approve", short(&id), "--message", "go on"]);
    assert_eq!(out, format!("approved {} bash: git push origin main\n", short(&id)));
    let question = desk.question(&id);
    assert_eq!(question["outcome"]["by"], "terminal of tester");
    assert_eq!(question["outcome"]["how"], "terminal");
    assert_eq!(question["outcome"]["message"], "go on");
    let said = desk.run(&["deny", &id]);
    assert_eq!((said.code, said.out.as_str()), (1, ""));
    assert!(
        said.err.contains("nothing was changed: approved by terminal of tester (terminal) at "),
        "{}",
        said.err
    );
}

#[test]
fn a_denial_has_a_reason_and_can_stop_the_run() {
    let desk = ApprovalsFixture::new();
    let id = desk.push("one");
    desk.out(&["deny", &id, "--reason", "not on main", "--interrupt"]);
    let question = desk.question(&id);
    assert_eq!(question["state"], "denied");
    assert_eq!(question["outcome"]["message"], "not on main");
    assert_eq!(question["outcome"]["interrupt"], true);
}

#[test]
fn another_input_can_be_approved_instead() {
    let desk = ApprovalsFixture::new();
    let id = desk.push("one");
    assert_eq!(desk.run(&["approve", &id, "--input", "{"]).code, 64);
    desk.out(&["approve", &id, "--input", r#"{"command":"git push origin feature"}"#]);
    assert_eq!(
        desk.question(&id)["outcome"]["updatedInput"],
        json!({ "command": "git push origin feature" })
    );
}

#[test]
fn an_answer_can_be_remembered() {
    let desk = ApprovalsFixture::new();
    let id = desk.push("one");
    let said = desk.run(&["approve", &id, "--remember", "session", "--rule", "9"]);
    assert_eq!(said.code, 64);
    assert!(said.err.contains("there is no proposal 9; they are numbered 1 to 2"), "{}", said.err);
    let out = desk.out(&["approve", &id, "--remember", "session", "--rule", "2"]);
    assert!(out.contains("remembered for the session: ") && out.contains("git push"), "{out}");
}

#[test]
fn danger_is_not_approved_without_a_person_or_a_word() {
    let desk = ApprovalsFixture::new();
    let id = desk.ask("one", "bash", &json!({ "command": "echo \u{202e}x; git push" }));
    let said = desk.run(&["approve", &id]);
    assert_eq!(said.code, 1);
    assert!(said.err.contains("this one is dangerous"), "{}", said.err);
    assert_eq!(desk.question(&id)["state"], "pending");
    let said = desk.run(&["approve", &id, "--remember", "session", "--yes"]);
    assert!(said.err.contains("nothing can be remembered: it holds characters that hide"), "{}", said.err);
    desk.out(&["approve", &id, "--yes"]);
}

#[test]
fn the_beginning_of_an_id_answers_no_question() {
    let desk = ApprovalsFixture::new();
    let (first, second) = (desk.push("one"), desk.push("two"));
    // Ids begin with the time, so it could come to mean another question than the one that was seen.
    let piece = first.get(..4).unwrap();
    for verb in ["approve", "deny"] {
        let said = desk.run(&[verb, piece]);
        assert_eq!((said.code, said.out.as_str()), (1, ""));
        assert!(said.err.contains("no question whose id ends with"), "{}", said.err);
    }
    for id in [&first, &second] {
        assert_eq!(desk.question(id)["state"], "pending");
    }
}
