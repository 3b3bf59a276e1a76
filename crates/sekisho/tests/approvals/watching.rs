//! `watch`, on a real terminal.

use std::time::Duration;

use serde_json::json;

use super::desk::{Desk, short};
use super::pty::Terminal;
use crate::serve::server::Server;

/// What the line says when a question waits for a key.
const READY: &str = "a approve, d deny";

fn watch(desk: &Desk) -> Terminal {
    let terminal = Terminal::run(&desk.place, &["approvals", "watch"], &[]);
    terminal.see("waiting for questions");
    terminal
}

#[test]
fn a_question_is_asked_and_approved_by_a_key_that_was_pressed_after_it_was_seen() {
    let desk = Desk::new();
    let mut terminal = watch(&desk);
    // Typed before there is anything to answer.
    terminal.press("a");
    terminal.press("a\r\ra");
    let id = desk.push("one");
    terminal.see("git push origin main");
    terminal.see(READY);
    terminal.see("1:5");
    terminal.settle();
    assert_eq!(desk.question(&id)["state"], "pending", "{}", terminal.seen());
    terminal.press("\r");
    terminal.press("aa");
    terminal.settle();
    assert_eq!(desk.question(&id)["state"], "pending", "neither Enter nor a paste decides");
    terminal.press("a");
    terminal.see(&format!("approved {}", short(&id)));
    assert_eq!(desk.question(&id)["outcome"]["how"], "terminal");
    terminal.see("waiting for questions");
    terminal.press("q");
    assert!(terminal.ended().success());
    assert!(terminal.is_as_it_was());
}

#[test]
fn a_denial_asks_for_a_reason() {
    let desk = Desk::new();
    let terminal = watch(&desk);
    let id = desk.push("one");
    terminal.see(READY);
    terminal.settle();
    terminal.press("d");
    terminal.see("Deny it. Why?");
    terminal.press("use a branch");
    terminal.see("Deny it. Why? use a branch");
    terminal.press("\r");
    terminal.see(&format!("denied {}", short(&id)));
    assert_eq!(desk.question(&id)["outcome"]["message"], "use a branch");
}

#[test]
fn what_is_answered_elsewhere_is_withdrawn_and_the_next_is_asked() {
    let desk = Desk::new();
    desk.out(&["list"]);
    let terminal = watch(&desk);
    let first = desk.push("one");
    terminal.see(READY);
    let second = desk.ask("two", "bash", &json!({ "command": "make install" }));
    terminal.see("1 more");
    terminal.settle();
    // In the middle of typing a reason.
    terminal.press("d");
    terminal.see("Deny it. Why?");
    terminal.press("b");
    terminal.see("Deny it. Why? b");
    desk.out(&["deny", &first, "--reason", "from elsewhere"]);
    terminal.see(&format!("{} denied by terminal of tester (terminal)", short(&first)));
    terminal.see("from elsewhere");
    // Typed on, long after the next one could have been seen.
    terminal.see("Enter goes on");
    type_on(&terminal, "a bad idea");
    assert!(!terminal.seen().contains("make install"), "{}", terminal.seen());
    terminal.press("\r");
    terminal.see("make install");
    terminal.see(short(&second));
    terminal.see(READY);
    assert_eq!(desk.question(&second)["state"], "pending", "{}", terminal.seen());
    terminal.settle();
    terminal.press("a");
    terminal.see(&format!("approved {}", short(&second)));
}

/// Presses one key after the other, as a person types.
fn type_on(terminal: &Terminal, text: &str) {
    for c in text.chars() {
        terminal.press(&c.to_string());
        std::thread::sleep(Duration::from_millis(150));
    }
}

#[test]
fn danger_takes_two_keys() {
    let desk = Desk::new();
    let terminal = watch(&desk);
    let id = desk.ask("one", "bash", &json!({ "command": "echo \u{202e}x; git push" }));
    terminal.see("A+Enter approve");
    terminal.see(r"echo \u{202e}x; git push");
    terminal.settle();
    terminal.press("a");
    terminal.see("press A, then Enter");
    assert_eq!(desk.question(&id)["state"], "pending");
    terminal.press("A");
    terminal.see("Enter approves it");
    terminal.press("\r");
    terminal.see(&format!("approved {}", short(&id)));
}

#[test]
fn the_input_is_edited_and_shown_before_it_is_sent() {
    let desk = Desk::new();
    let editor = desk.place.home().join("editor.sh");
    // The first time it saves nonsense, the second time another branch.
    let script = "#!/bin/sh\nif [ -e \"$0.once\" ]; then printf '{\"command\":\"git push origin feature\"}' > \"$1\"\nelse touch \"$0.once\"; stat -c %a \"$1\" > \"$0.mode\"; echo '{' > \"$1\"; fi\n";
    sekisho_testkit::script(&editor, script);
    let variables = [("EDITOR", editor.to_str().unwrap())];
    let terminal = Terminal::run(&desk.place, &["approvals", "watch"], &variables);
    terminal.see("waiting for questions");
    let id = desk.push("one");
    terminal.see(READY);
    terminal.settle();
    terminal.press("e");
    terminal.see("what was saved is no input");
    terminal.see("Enter opens it again");
    terminal.press("\r");
    terminal.see("+  \"command\": \"git push origin feature\"");
    terminal.see("a approve the edited input");
    terminal.settle();
    terminal.press("a");
    // What was approved, not what was asked.
    terminal.see(&format!("approved {} bash: git push origin feature, edited", short(&id)));
    assert_eq!(
        desk.question(&id)["outcome"]["updatedInput"],
        json!({ "command": "git push origin feature" })
    );
    assert_eq!(std::fs::read_to_string(editor.with_extension("sh.mode")).unwrap(), "600\n");
}

#[test]
fn an_answer_is_remembered_where_it_was_chosen_to_be() {
    let desk = Desk::new();
    let terminal = watch(&desk);
    let id = desk.push("one");
    terminal.see(READY);
    terminal.settle();
    terminal.press("r");
    terminal.see("every command that begins with `git push`");
    terminal.see("Remember which?");
    terminal.press("2");
    terminal.see("Where?");
    terminal.press("s");
    terminal.see("and remember 2 (session)");
    terminal.press("a");
    terminal.see("remembered for the session");
    assert_eq!(desk.question(&id)["state"], "approved");
}

#[test]
fn a_project_is_not_offered_where_there_is_none() {
    let desk = Desk::new();
    let terminal = watch(&desk);
    let id = desk.push("one");
    terminal.see(READY);
    terminal.settle();
    terminal.press("r");
    terminal.see("Remember which?");
    terminal.press("1");
    terminal.see("Where? s this session, g everywhere, Esc: back");
    terminal.press("p");
    terminal.see("it cannot be remembered there: the call belongs to no project that the server knows");
    terminal.press("a");
    terminal.settle();
    assert_eq!(desk.question(&id)["state"], "pending", "{}", terminal.seen());
    let said = desk.run(&["approve", &id, "--remember", "project"]);
    assert_eq!(said.code, 1);
    assert!(said.err.contains("nothing was sent: it cannot be remembered there"), "{}", said.err);
    assert_eq!(desk.question(&id)["state"], "pending");
}

#[test]
fn what_was_answered_while_nobody_looked_is_not_asked() {
    use rustix::process::Signal;
    let desk = Desk::new();
    desk.out(&["list"]);
    let terminal = watch(&desk);
    terminal.signal(Signal::STOP);
    let gone = desk.push("one");
    desk.out(&["deny", &gone]);
    let open = desk.ask("two", "bash", &json!({ "command": "make install" }));
    terminal.signal(Signal::CONT);
    terminal.see(short(&open));
    terminal.see(READY);
    assert!(!terminal.seen().contains(short(&gone)), "{}", terminal.seen());
}

#[test]
fn the_time_that_is_left_is_told_once() {
    let desk = Desk::new();
    let terminal = watch(&desk);
    desk.push("one");
    terminal.see(READY);
    assert_eq!(terminal.seen().matches(" left").count(), 1, "{}", terminal.seen());
}

#[test]
fn the_terminal_is_set_back_however_it_ends() {
    use rustix::process::Signal;
    let desk = Desk::new();
    desk.push("one");
    for end in [Some(Signal::TERM), Some(Signal::HUP), Some(Signal::INT), None] {
        let mut terminal = Terminal::run(&desk.place, &["approvals", "watch"], &[]);
        terminal.see(READY);
        assert!(!terminal.is_as_it_was());
        match end {
            Some(signal) => terminal.signal(signal),
            None => terminal.press("\u{3}"),
        }
        assert!(terminal.ended().success(), "{end:?}: {}", terminal.seen());
        assert!(terminal.is_as_it_was(), "{end:?}");
        terminal.see("1 question still waits");
    }
}

#[test]
fn a_server_that_goes_away_and_comes_back_is_told() {
    let desk = Desk::new();
    let terminal = watch(&desk);
    let Desk { place, server } = desk;
    server.stop();
    terminal.see("trying again");
    let desk = Desk { server: Server::start(&place, &[]), place };
    desk.push("one");
    terminal.see("connected again");
    terminal.see(READY);
}

#[test]
fn without_a_terminal_it_says_so() {
    let desk = Desk::new();
    let said = desk.run(&["watch"]);
    assert_eq!((said.code, said.out.as_str()), (1, ""));
    assert!(said.err.contains("`watch` asks on a terminal, and standard output is none"), "{}", said.err);
}

#[test]
fn no_colours_where_none_are_wanted() {
    let desk = Desk::new();
    desk.push("one");
    let plain = Terminal::run(&desk.place, &["approvals", "watch"], &[("NO_COLOR", "1")]);
    plain.see(READY);
    assert!(plain.colours().is_empty(), "{:?}", plain.colours());
    let coloured = Terminal::run(&desk.place, &["approvals", "watch"], &[]);
    coloured.see(READY);
    assert!(!coloured.colours().is_empty());
}
