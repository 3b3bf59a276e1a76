//! `watch`, on a real terminal.

use std::time::Duration;

use serde_json::json;

use super::approvals_fixture::{ApprovalsFixture, short};
use super::pty::PtyTerminal;
use crate::serve::test_server::TestServer;

/// The prompt while a question waits for a key.
const READY: &str = "a approve, d deny";

fn watch(fixture: &ApprovalsFixture) -> PtyTerminal {
    let terminal = PtyTerminal::run(&fixture.place, &["approvals", "watch"], &[]);
    terminal.wait_for_text("waiting for questions");
    terminal
}

#[test]
fn key_approves_only_after_the_question_was_seen() {
    let fixture = ApprovalsFixture::new();
    let mut terminal = watch(&fixture);
    // Typed before there is a question.
    terminal.press("a");
    terminal.press("a\r\ra");
    let id = fixture.push("one");
    terminal.wait_for_text("git push origin main");
    terminal.wait_for_text(READY);
    terminal.wait_for_text("1:5");
    terminal.settle();
    assert_eq!(fixture.question(&id)["state"], "pending", "{}", terminal.screen_text());
    terminal.press("\r");
    terminal.press("aa");
    terminal.settle();
    assert_eq!(fixture.question(&id)["state"], "pending", "neither Enter nor a paste decides");
    terminal.press("a");
    terminal.wait_for_text(&format!("approved {}", short(&id)));
    assert_eq!(fixture.question(&id)["outcome"]["how"], "terminal");
    terminal.wait_for_text("waiting for questions");
    terminal.press("q");
    assert!(terminal.ended().success());
    assert!(terminal.is_restored());
}

#[test]
fn denial_asks_for_a_reason() {
    let fixture = ApprovalsFixture::new();
    let terminal = watch(&fixture);
    let id = fixture.push("one");
    terminal.wait_for_text(READY);
    terminal.settle();
    terminal.press("d");
    terminal.wait_for_text("Deny. Reason:");
    terminal.press("use a branch");
    terminal.wait_for_text("Deny. Reason: use a branch");
    terminal.press("\r");
    terminal.wait_for_text(&format!("denied {}", short(&id)));
    assert_eq!(fixture.question(&id)["outcome"]["message"], "use a branch");
}

#[test]
fn question_answered_elsewhere_is_withdrawn() {
    let fixture = ApprovalsFixture::new();
    fixture.out(&["list"]);
    let terminal = watch(&fixture);
    let first = fixture.push("one");
    terminal.wait_for_text(READY);
    let second = fixture.ask("two", "bash", &json!({ "command": "make install" }));
    terminal.wait_for_text("1 more");
    terminal.settle();
    // In the middle of typing a reason.
    terminal.press("d");
    terminal.wait_for_text("Deny. Reason:");
    terminal.press("b");
    terminal.wait_for_text("Deny. Reason: b");
    fixture.out(&["deny", &first, "--reason", "from elsewhere"]);
    terminal.wait_for_text(&format!("{} denied by terminal of tester (terminal)", short(&first)));
    terminal.wait_for_text("from elsewhere");
    // Typed long after the next question could have been seen.
    terminal.wait_for_text("Press Enter");
    type_on(&terminal, "a bad idea");
    assert!(!terminal.screen_text().contains("make install"), "{}", terminal.screen_text());
    terminal.press("\r");
    terminal.wait_for_text("make install");
    terminal.wait_for_text(short(&second));
    terminal.wait_for_text(READY);
    assert_eq!(fixture.question(&second)["state"], "pending", "{}", terminal.screen_text());
    terminal.settle();
    terminal.press("a");
    terminal.wait_for_text(&format!("approved {}", short(&second)));
}

/// Presses one key after the other, as a person types.
fn type_on(terminal: &PtyTerminal, text: &str) {
    for c in text.chars() {
        terminal.press(&c.to_string());
        std::thread::sleep(Duration::from_millis(150));
    }
}

#[test]
fn danger_needs_two_keys() {
    let fixture = ApprovalsFixture::new();
    let terminal = watch(&fixture);
    let id = fixture.ask("one", "bash", &json!({ "command": "echo \u{202e}x; git push" }));
    terminal.wait_for_text("A+Enter approve");
    terminal.wait_for_text(r"echo \u{202e}x; git push");
    terminal.settle();
    terminal.press("a");
    terminal.wait_for_text("press A, then Enter");
    assert_eq!(fixture.question(&id)["state"], "pending");
    terminal.press("A");
    terminal.wait_for_text("Press Enter to approve");
    terminal.press("\r");
    terminal.wait_for_text(&format!("approved {}", short(&id)));
}

#[test]
fn edited_input_is_shown_before_it_is_sent() {
    let fixture = ApprovalsFixture::new();
    let editor = fixture.place.home().join("editor.sh");
    // The first time it saves invalid text, the second time another branch.
    let script = "#!/bin/sh\nif [ -e \"$0.once\" ]; then printf '{\"command\":\"git push origin feature\"}' > \"$1\"\nelse touch \"$0.once\"; stat -c %a \"$1\" > \"$0.mode\"; echo '{' > \"$1\"; fi\n";
    sekisho_testkit::write_executable(&editor, script);
    let variables = [("EDITOR", editor.to_str().unwrap())];
    let terminal = PtyTerminal::run(&fixture.place, &["approvals", "watch"], &variables);
    terminal.wait_for_text("waiting for questions");
    let id = fixture.push("one");
    terminal.wait_for_text(READY);
    terminal.settle();
    terminal.press("e");
    terminal.wait_for_text("the saved text is not a valid input");
    terminal.wait_for_text("Enter: edit again");
    terminal.press("\r");
    terminal.wait_for_text("+  \"command\": \"git push origin feature\"");
    terminal.wait_for_text("a approve the edited input");
    terminal.settle();
    terminal.press("a");
    // What was approved, not what was asked.
    terminal.wait_for_text(&format!("approved {} bash: git push origin feature, edited", short(&id)));
    assert_eq!(
        fixture.question(&id)["outcome"]["updatedInput"],
        json!({ "command": "git push origin feature" })
    );
    assert_eq!(std::fs::read_to_string(editor.with_extension("sh.mode")).unwrap(), "600\n");
}

#[test]
fn rule_is_remembered_in_the_chosen_scope() {
    let fixture = ApprovalsFixture::new();
    let terminal = watch(&fixture);
    let id = fixture.push("one");
    terminal.wait_for_text(READY);
    terminal.settle();
    terminal.press("r");
    terminal.wait_for_text("every command that begins with `git push`");
    terminal.wait_for_text("Remember which rule?");
    terminal.press("2");
    terminal.wait_for_text("Where?");
    terminal.press("s");
    terminal.wait_for_text("and remember 2 (session)");
    terminal.press("a");
    terminal.wait_for_text("remembered for the session");
    assert_eq!(fixture.question(&id)["state"], "approved");
}

#[test]
fn project_scope_is_not_offered_without_a_project() {
    let fixture = ApprovalsFixture::new();
    let terminal = watch(&fixture);
    let id = fixture.push("one");
    terminal.wait_for_text(READY);
    terminal.settle();
    terminal.press("r");
    terminal.wait_for_text("Remember which rule?");
    terminal.press("1");
    terminal.wait_for_text("Where? s only this conversation, g everywhere, Esc: back");
    terminal.press("p");
    terminal
        .wait_for_text("it cannot be remembered there: the call belongs to no project that the server knows");
    terminal.press("a");
    terminal.settle();
    assert_eq!(fixture.question(&id)["state"], "pending", "{}", terminal.screen_text());
    let output = fixture.run(&["approve", &id, "--remember", "project"]);
    assert_eq!(output.code, 1);
    assert!(output.err.contains("nothing was sent: it cannot be remembered there"), "{}", output.err);
    assert_eq!(fixture.question(&id)["state"], "pending");
}

#[test]
fn question_answered_while_stopped_is_not_shown() {
    use rustix::process::Signal;
    let fixture = ApprovalsFixture::new();
    fixture.out(&["list"]);
    let terminal = watch(&fixture);
    terminal.signal(Signal::STOP);
    let gone = fixture.push("one");
    fixture.out(&["deny", &gone]);
    let open = fixture.ask("two", "bash", &json!({ "command": "make install" }));
    terminal.signal(Signal::CONT);
    terminal.wait_for_text(short(&open));
    terminal.wait_for_text(READY);
    assert!(!terminal.screen_text().contains(short(&gone)), "{}", terminal.screen_text());
}

#[test]
fn time_left_is_shown_once() {
    let fixture = ApprovalsFixture::new();
    let terminal = watch(&fixture);
    fixture.push("one");
    terminal.wait_for_text(READY);
    assert_eq!(terminal.screen_text().matches(" left").count(), 1, "{}", terminal.screen_text());
}

#[test]
fn terminal_is_restored_however_it_ends() {
    use rustix::process::Signal;
    let fixture = ApprovalsFixture::new();
    fixture.push("one");
    for end in [Some(Signal::TERM), Some(Signal::HUP), Some(Signal::INT), None] {
        let mut terminal = PtyTerminal::run(&fixture.place, &["approvals", "watch"], &[]);
        terminal.wait_for_text(READY);
        assert!(!terminal.is_restored());
        match end {
            Some(signal) => terminal.signal(signal),
            None => terminal.press("\u{3}"),
        }
        assert!(terminal.ended().success(), "{end:?}: {}", terminal.screen_text());
        assert!(terminal.is_restored(), "{end:?}");
        terminal.wait_for_text("1 question is still open");
    }
}

#[test]
fn lost_and_restored_connection_is_reported() {
    let fixture = ApprovalsFixture::new();
    let terminal = watch(&fixture);
    let ApprovalsFixture { place, server } = fixture;
    server.stop();
    terminal.wait_for_text("trying again");
    let fixture = ApprovalsFixture { server: TestServer::start(&place, &[]), place };
    fixture.push("one");
    terminal.wait_for_text("reconnected");
    terminal.wait_for_text(READY);
}

#[test]
fn missing_terminal_is_reported() {
    let fixture = ApprovalsFixture::new();
    let output = fixture.run(&["watch"]);
    assert_eq!((output.code, output.out.as_str()), (1, ""));
    assert!(
        output.err.contains("`watch` needs a terminal, and standard output is not one"),
        "{}",
        output.err
    );
}

#[test]
fn no_color_is_respected() {
    let fixture = ApprovalsFixture::new();
    fixture.push("one");
    let plain = PtyTerminal::run(&fixture.place, &["approvals", "watch"], &[("NO_COLOR", "1")]);
    plain.wait_for_text(READY);
    assert!(plain.colours().is_empty(), "{:?}", plain.colours());
    let coloured = PtyTerminal::run(&fixture.place, &["approvals", "watch"], &[]);
    coloured.wait_for_text(READY);
    assert!(!coloured.colours().is_empty());
}
