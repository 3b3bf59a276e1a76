//! `watch`, on a real terminal.

use std::time::Duration;

use serde_json::json;

use super::approvals_fixture::{ApprovalsFixture, short};
use super::pty::PtyTerminal;
use crate::serve::test_server::TestServer;

/// What the line says when a question waits for a key.
const READY: &str = "a approve, d deny";

fn watch(desk: &ApprovalsFixture) -> PtyTerminal {
    let terminal = PtyTerminal::run(&desk.place, &["approvals", "watch"], &[]);
    terminal.wait_for_text("waiting for questions");
    terminal
}

#[test]
fn a_question_is_asked_and_approved_by_a_key_that_was_pressed_after_it_was_seen() {
    let desk = ApprovalsFixture::new();
    let mut terminal = watch(&desk);
    // Typed before there is anything to answer.
    terminal.press("a");
    terminal.press("a\r\ra");
    let id = desk.push("one");
    terminal.wait_for_text("git push origin main");
    terminal.wait_for_text(READY);
    terminal.wait_for_text("left, then denied");
    terminal.settle();
    assert_eq!(desk.question(&id)["state"], "pending", "{}", terminal.screen_text());
    terminal.press("\r");
    terminal.press("aa");
    terminal.settle();
    assert_eq!(desk.question(&id)["state"], "pending", "neither Enter nor a paste decides");
    terminal.press("a");
    terminal.wait_for_text(&format!("approved {}", short(&id)));
    assert_eq!(desk.question(&id)["outcome"]["how"], "terminal");
    terminal.wait_for_text("waiting for questions");
    terminal.press("q");
    assert!(terminal.ended().success());
    assert!(terminal.is_restored());
}

#[test]
fn a_denial_asks_for_a_reason() {
    let desk = ApprovalsFixture::new();
    let terminal = watch(&desk);
    let id = desk.push("one");
    terminal.wait_for_text(READY);
    terminal.settle();
    terminal.press("d");
    terminal.wait_for_text("Deny it. Why?");
    terminal.press("use a branch");
    terminal.wait_for_text("Deny it. Why? use a branch");
    terminal.press("\r");
    terminal.wait_for_text(&format!("denied {}", short(&id)));
    assert_eq!(desk.question(&id)["outcome"]["message"], "use a branch");
}

#[test]
fn what_is_answered_elsewhere_is_withdrawn_and_the_next_is_asked() {
    let desk = ApprovalsFixture::new();
    desk.out(&["list"]);
    let terminal = watch(&desk);
    let first = desk.push("one");
    terminal.wait_for_text(READY);
    let second = desk.ask("two", "bash", &json!({ "command": "make install" }));
    terminal.wait_for_text("1 more");
    terminal.settle();
    // In the middle of typing a reason.
    terminal.press("d");
    terminal.wait_for_text("Deny it. Why?");
    terminal.press("b");
    terminal.wait_for_text("Deny it. Why? b");
    desk.out(&["deny", &first, "--reason", "from elsewhere"]);
    terminal.wait_for_text(&format!("{} denied by terminal of tester (terminal)", short(&first)));
    terminal.wait_for_text("from elsewhere");
    // Typed on, long after the next one could have been seen.
    terminal.wait_for_text("Enter goes on");
    type_on(&terminal, "a bad idea");
    assert!(!terminal.screen_text().contains("make install"), "{}", terminal.screen_text());
    terminal.press("\r");
    terminal.wait_for_text("make install");
    terminal.wait_for_text(short(&second));
    terminal.wait_for_text(READY);
    assert_eq!(desk.question(&second)["state"], "pending", "{}", terminal.screen_text());
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
fn danger_takes_two_keys() {
    let desk = ApprovalsFixture::new();
    let terminal = watch(&desk);
    let id = desk.ask("one", "bash", &json!({ "command": "echo \u{202e}x; git push" }));
    terminal.wait_for_text("A+Enter approve");
    terminal.wait_for_text(r"echo \u{202e}x; git push");
    terminal.settle();
    terminal.press("a");
    terminal.wait_for_text("press A, then Enter");
    assert_eq!(desk.question(&id)["state"], "pending");
    terminal.press("A");
    terminal.wait_for_text("Enter approves it");
    terminal.press("\r");
    terminal.wait_for_text(&format!("approved {}", short(&id)));
}

#[test]
fn the_input_is_edited_and_shown_before_it_is_sent() {
    let desk = ApprovalsFixture::new();
    let editor = desk.place.home().join("editor.sh");
    // The first time it saves nonsense, the second time another branch.
    let script = "#!/bin/sh\nif [ -e \"$0.once\" ]; then printf '{\"command\":\"git push origin feature\"}' > \"$1\"\nelse touch \"$0.once\"; stat -c %a \"$1\" > \"$0.mode\"; echo '{' > \"$1\"; fi\n";
    sekisho_testkit::write_executable(&editor, script);
    let variables = [("EDITOR", editor.to_str().unwrap())];
    let terminal = PtyTerminal::run(&desk.place, &["approvals", "watch"], &variables);
    terminal.wait_for_text("waiting for questions");
    let id = desk.push("one");
    terminal.wait_for_text(READY);
    terminal.settle();
    terminal.press("e");
    terminal.wait_for_text("what was saved is no input");
    terminal.wait_for_text("Enter opens it again");
    terminal.press("\r");
    terminal.wait_for_text("+  \"command\": \"git push origin feature\"");
    terminal.wait_for_text("a approve the edited input");
    terminal.settle();
    terminal.press("a");
    terminal.wait_for_text(&format!("approved {}", short(&id)));
    assert_eq!(
        desk.question(&id)["outcome"]["updatedInput"],
        json!({ "command": "git push origin feature" })
    );
    assert_eq!(std::fs::read_to_string(editor.with_extension("sh.mode")).unwrap(), "600\n");
}

#[test]
fn an_answer_is_remembered_where_it_was_chosen_to_be() {
    let desk = ApprovalsFixture::new();
    let terminal = watch(&desk);
    let id = desk.push("one");
    terminal.wait_for_text(READY);
    terminal.settle();
    terminal.press("r");
    terminal.wait_for_text("every command that begins with `git push`");
    terminal.wait_for_text("Remember which?");
    terminal.press("2");
    terminal.wait_for_text("Where?");
    terminal.press("s");
    terminal.wait_for_text("and remember 2 (session)");
    terminal.press("a");
    terminal.wait_for_text("remembered for the session");
    assert_eq!(desk.question(&id)["state"], "approved");
}

#[test]
fn the_terminal_is_set_back_however_it_ends() {
    use rustix::process::Signal;
    let desk = ApprovalsFixture::new();
    desk.push("one");
    for end in [Some(Signal::TERM), Some(Signal::HUP), Some(Signal::INT), None] {
        let mut terminal = PtyTerminal::run(&desk.place, &["approvals", "watch"], &[]);
        terminal.wait_for_text(READY);
        assert!(!terminal.is_restored());
        match end {
            Some(signal) => terminal.signal(signal),
            None => terminal.press("\u{3}"),
        }
        assert!(terminal.ended().success(), "{end:?}: {}", terminal.screen_text());
        assert!(terminal.is_restored(), "{end:?}");
        terminal.wait_for_text("1 question still waits");
    }
}

#[test]
fn a_server_that_goes_away_and_comes_back_is_told() {
    let desk = ApprovalsFixture::new();
    let terminal = watch(&desk);
    let ApprovalsFixture { place, server } = desk;
    server.stop();
    terminal.wait_for_text("trying again");
    let desk = ApprovalsFixture { server: TestServer::start(&place, &[]), place };
    desk.push("one");
    terminal.wait_for_text("connected again");
    terminal.wait_for_text(READY);
}

#[test]
fn without_a_terminal_it_says_so() {
    let desk = ApprovalsFixture::new();
    let said = desk.run(&["watch"]);
    assert_eq!((said.code, said.out.as_str()), (1, ""));
    assert!(said.err.contains("`watch` asks on a terminal, and standard said is none"), "{}", said.err);
}

#[test]
fn no_colours_where_none_are_wanted() {
    let desk = ApprovalsFixture::new();
    desk.push("one");
    let plain = PtyTerminal::run(&desk.place, &["approvals", "watch"], &[("NO_COLOR", "1")]);
    plain.wait_for_text(READY);
    assert!(plain.colours().is_empty(), "{:?}", plain.colours());
    let coloured = PtyTerminal::run(&desk.place, &["approvals", "watch"], &[]);
    coloured.wait_for_text(READY);
    assert!(!coloured.colours().is_empty());
}
