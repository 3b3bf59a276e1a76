//! Commands with their parts marked.

use sekisho_policy::{Call, Decision};
use serde_json::json;

use super::shown;
use crate::display::{Form, Mark};

fn parts(command: &str) -> (String, Vec<Mark>) {
    match shown(Call::new("Bash", json!({ "command": command })), &[]).form {
        Form::Command { text, parts } => (text, parts),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn check(command: &str, expected: &[(&str, Decision)]) {
    let (text, parts) = parts(command);
    let found: Vec<(&str, Decision)> = parts
        .iter()
        .map(|mark| {
            (
                mark.range
                    .map_or(mark.text.as_str(), |(from, to)| text.get(from as usize..to as usize).unwrap()),
                mark.decision,
            )
        })
        .collect();
    assert_eq!(found, expected, "{command}");
}

#[test]
fn parts_are_marked_where_they_stand() {
    use Decision::{Allow, Confirm};
    check("pwd && git push", &[("pwd", Allow), ("git push", Confirm)]);
    check("  pwd\n\tgit push", &[("pwd", Allow), ("git push", Confirm)]);
    check("echo $(git push)", &[("echo $(git push)", Allow), ("git push", Confirm)]);
    check("echo hi > out", &[("echo hi > out", Allow), ("> out", Confirm)]);
    check(
        "echo \u{202e} ; git push",
        &[("echo \\u{202e}", Allow), ("\\u{202e}", Confirm), ("git push", Confirm)],
    );
    check("rm -rf /", &[("rm -rf /", Confirm)]);
}

#[test]
fn what_stands_in_no_text_is_under_what_runs_it() {
    let (text, parts) = parts("bash -c 'git push'");
    assert_eq!(text, "bash -c 'git push'");
    assert_eq!(parts.len(), 1, "{parts:?}");
    assert_eq!(parts[0].inner.len(), 1);
    assert_eq!((parts[0].inner[0].text.as_str(), parts[0].inner[0].range), ("git push", None));
    assert_eq!(parts[0].inner[0].danger.as_ref().unwrap().why, "sends commits to a remote repository");
}
