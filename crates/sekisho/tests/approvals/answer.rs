//! `approve` and `deny`.

use serde_json::json;

use super::approvals_fixture::{ApprovalsFixture, short};

#[test]
fn second_answer_names_the_first() {
    let fixture = ApprovalsFixture::new();
    let id = fixture.push("one");
    let out = fixture.out(&["approve", short(&id), "--message", "go on"]);
    assert_eq!(out, format!("approved {} bash: git push origin main\n", short(&id)));
    let question = fixture.question(&id);
    assert_eq!(question["outcome"]["by"], "terminal of tester");
    assert_eq!(question["outcome"]["how"], "terminal");
    assert_eq!(question["outcome"]["message"], "go on");
    let output = fixture.run(&["deny", &id]);
    assert_eq!((output.code, output.out.as_str()), (1, ""));
    assert!(
        output.err.contains("nothing was changed: approved by terminal of tester (terminal) at "),
        "{}",
        output.err
    );
}

#[test]
fn denial_has_a_reason_and_can_stop_the_run() {
    let fixture = ApprovalsFixture::new();
    let id = fixture.push("one");
    fixture.out(&["deny", &id, "--reason", "not on main", "--interrupt"]);
    let question = fixture.question(&id);
    assert_eq!(question["state"], "denied");
    assert_eq!(question["outcome"]["message"], "not on main");
    assert_eq!(question["outcome"]["interrupt"], true);
}

#[test]
fn edited_input_can_be_approved() {
    let fixture = ApprovalsFixture::new();
    let id = fixture.push("one");
    assert_eq!(fixture.run(&["approve", &id, "--input", "{"]).code, 64);
    fixture.out(&["approve", &id, "--input", r#"{"command":"git push origin feature"}"#]);
    assert_eq!(
        fixture.question(&id)["outcome"]["updatedInput"],
        json!({ "command": "git push origin feature" })
    );
}

#[test]
fn answer_can_be_remembered() {
    let fixture = ApprovalsFixture::new();
    let id = fixture.push("one");
    let output = fixture.run(&["approve", &id, "--remember", "session", "--rule", "9"]);
    assert_eq!(output.code, 64);
    assert!(output.err.contains("there is no proposed rule 9; they are numbered 1 to 2"), "{}", output.err);
    let out = fixture.out(&["approve", &id, "--remember", "session", "--rule", "2"]);
    assert!(out.contains("remembered for the session: ") && out.contains("git push"), "{out}");
}

#[test]
fn danger_needs_a_terminal_or_yes_flag() {
    let fixture = ApprovalsFixture::new();
    let id = fixture.ask("one", "bash", &json!({ "command": "echo \u{202e}x; git push" }));
    let output = fixture.run(&["approve", &id]);
    assert_eq!(output.code, 1);
    assert!(output.err.contains("this call is dangerous"), "{}", output.err);
    assert_eq!(fixture.question(&id)["state"], "pending");
    let output = fixture.run(&["approve", &id, "--remember", "session", "--yes"]);
    assert!(
        output.err.contains("cannot remember a rule: the call contains characters that hide"),
        "{}",
        output.err
    );
    fixture.out(&["approve", &id, "--yes"]);
}

#[test]
fn beginning_of_an_id_matches_no_question() {
    let fixture = ApprovalsFixture::new();
    let (first, second) = (fixture.push("one"), fixture.push("two"));
    // Ids begin with the time, so a beginning could match another question than the one that was seen.
    let piece = first.get(..4).unwrap();
    for verb in ["approve", "deny"] {
        let output = fixture.run(&[verb, piece]);
        assert_eq!((output.code, output.out.as_str()), (1, ""));
        assert!(output.err.contains("no question id ends with"), "{}", output.err);
    }
    for id in [&first, &second] {
        assert_eq!(fixture.question(id)["state"], "pending");
    }
}
