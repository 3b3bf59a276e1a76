//! Spellings of denied commands. A deny must hold for nearly all of them, and no one may turn into an allow.

use serde_json::json;

use crate::corpus_row::Row;
use crate::row_judge;

/// Denied commands, as program and arguments.
const COMMANDS: [(&str, &str); 5] = [
    ("rm", "-r old"),
    ("git", "push origin main"),
    ("curl", "https://example.com/x"),
    ("npm", "publish"),
    ("kubectl", "delete pod web"),
];

/// Ways to write a command: `P` stands for the program, `A` for its arguments, `H` and `T` for the first letter of the
/// program and the others.
const SPELLINGS: [&str; 61] = [
    "P A",
    "  P   A  ",
    "\\P A",
    "'P' A",
    "\"P\" A",
    "H''T A",
    "H\"\"T A",
    "H\\T A",
    "$'P' A",
    "$\"P\" A",
    "/usr/bin/P A",
    "/usr/bin/../bin/P A",
    "P\\\n A",
    "P A; true",
    "true; P A",
    "true && P A",
    "false || P A",
    "ls | P A",
    "P A | cat",
    "P A &",
    "! P A",
    "(P A)",
    "{ P A; }",
    "if true; then P A; fi",
    "for i in 1; do P A; done",
    "while P A; do break; done",
    "case x in x) P A;; esac",
    "f() { P A; }; f",
    "echo $(P A)",
    "echo `P A`",
    "cat <(P A)",
    "X=$(P A)",
    "[[ -n $(P A) ]]",
    "echo \"${X:-$(P A)}\"",
    "bash -c 'P A'",
    "sh -c \"P A\"",
    "eval 'P A'",
    "eval P A",
    "command P A",
    "exec P A",
    "env P A",
    "env X=1 P A",
    "X=1 P A",
    "sudo P A",
    "sudo -u root P A",
    "nohup P A",
    "timeout 5 P A",
    "nice -n 5 P A",
    "time P A",
    "xargs P A",
    "find . -exec P A \\;",
    "setsid P A",
    "stdbuf -o0 P A",
    "busybox sh -c 'P A'",
    "P A > /dev/null 2>&1",
    "</dev/null P A",
    "X=P; $X A",
    "P=HT; \"$P\" A",
    "echo 'P A' | bash",
    "bash <<< 'P A'",
    "bash <<'E'\nP A\nE",
];

fn spelled(spelling: &str, program: &str, arguments: &str) -> String {
    let (head, tail) = program.split_at(1);
    let mut text = String::new();
    for (at, c) in spelling.char_indices() {
        let (before, from) = spelling.split_at(at);
        match c {
            'P' if from.starts_with("P=") || before.ends_with('$') => text.push(c),
            'P' => text.push_str(program),
            'A' => text.push_str(arguments),
            'H' => text.push_str(head),
            'T' => text.push_str(tail),
            c => text.push(c),
        }
    }
    text
}

#[test]
fn no_spelling_of_a_denied_command_is_allowed() {
    let (mut denied, mut asked) = (0, Vec::new());
    for (program, arguments) in COMMANDS {
        for spelling in SPELLINGS {
            let command = spelled(spelling, program, arguments);
            let words: Vec<&str> = arguments.split(' ').collect();
            let denied_words =
                if program == "rm" { program.to_owned() } else { format!("{program} {}", words[0]) };
            let row: Row = serde_json::from_value(json!({
                "command": command,
                "given": [{ "decision": "deny", "command": denied_words }],
                "settings": { "presets": ["dev", "network-read", "local-work"] },
            }))
            .unwrap();
            match row_judge::judge(&row).decision.name() {
                "deny" => denied += 1,
                "confirm" => asked.push(command),
                other => panic!("{other}: `{command}`"),
            }
        }
    }
    println!("spellings: {denied} denied, {} asked: {asked:#?}", asked.len());
    assert!(denied >= 290, "{denied} of {} are denied", COMMANDS.len() * SPELLINGS.len());
}
