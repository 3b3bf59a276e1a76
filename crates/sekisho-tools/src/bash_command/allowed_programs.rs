//! Whether every program that a command could run is in a list.
//!
//! The policy's own analysis finds the programs, also inside substitutions, wrappers and inner shells. Anything it
//! cannot determine is refused. So are assignments, including those made by builtins such as `read` or `printf -v`,
//! because a changed variable (`PATH`) can make a listed name start another program. A program that runs programs
//! itself, such as an interpreter, is not looked into.

use std::sync::LazyLock;

use sekisho_policy::{Call, JudgeContext, Layers, Part, PartKind, Policy, judge};
use sekisho_shell::analyse;
use serde_json::json;

use super::assigning_builtins::assigns;

static NO_RULES: LazyLock<Policy> = LazyLock::new(|| Policy::compile(Layers::from(Vec::new())));

/// Fails with a message that names a program that is not in the list.
pub(super) fn check(command: &str, allowed: &[String]) -> Result<(), String> {
    let call = Call::new("bash", json!({ "command": command }));
    let verdict = judge(&NO_RULES, &call, &JudgeContext::at(jiff::Timestamp::UNIX_EPOCH));
    if verdict.parts.is_empty() {
        return Err(unknown(command, allowed));
    }
    let mut open: Vec<&Part> = verdict.parts.iter().collect();
    while let Some(part) = open.pop() {
        match part.kind {
            PartKind::Command => check_program(&part.text, allowed)?,
            PartKind::Redirect => {}
            PartKind::Assignment | PartKind::Opaque => return Err(unknown(&part.text, allowed)),
        }
        open.extend(&part.parts);
    }
    Ok(())
}

fn check_program(text: &str, allowed: &[String]) -> Result<(), String> {
    let script = analyse(text);
    let first = script.commands.iter().min_by_key(|command| (command.depth, command.span.start));
    let Some(name) = first.and_then(|command| command.words.first()?.literal()) else {
        return Err(unknown(text, allowed));
    };
    if first.is_some_and(|command| assigns(&command.words)) {
        return Err(unknown(text, allowed));
    }
    match allowed.iter().any(|allowed| *allowed == name) {
        true => Ok(()),
        false => Err(format!("Command '{name}' is not in the allowed command list. Allowed: {allowed:?}")),
    }
}

fn unknown(text: &str, allowed: &[String]) -> String {
    format!(
        "Command '{text}' could run programs that are not in the allowed command list: it sets a variable, or it \
         cannot be analysed. Allowed: {allowed:?}"
    )
}

#[cfg(test)]
mod tests {
    use super::check;

    const ALLOWED: [&str; 18] = [
        "ls", "wc", "cat", "grep", "xargs", "bash", "printf", "read", "mapfile", "hash", "alias", "unset",
        "declare", "wait", "compgen", "complete", "bind", "fc",
    ];

    fn check_all(cases: &[(&str, Option<&str>)]) {
        let allowed = ALLOWED.map(String::from);
        for (command, refused) in cases {
            let found = check(command, &allowed);
            match refused {
                None => assert_eq!(found, Ok(()), "{command}"),
                Some(words) => {
                    let message = found.expect_err(command);
                    assert!(message.contains(words), "{command}: {message}");
                }
            }
        }
    }

    #[test]
    fn every_program_must_be_in_the_list() {
        check_all(&[
            ("ls -la", None),
            ("ls | wc -l", None),
            ("cat a && grep x b; ls > out", None),
            ("bash -c 'ls | wc'", None),
            ("/bin/ls", Some("'/bin/ls'")),
            ("./ls", Some("'./ls'")),
            ("ls && rm -rf /", Some("'rm'")),
            ("ls | sh", Some("'sh'")),
            ("ls $(id)", Some("'id'")),
            ("ls `id`", Some("'id'")),
            ("cat <(id)", Some("'id'")),
            ("ls\nid", Some("'id'")),
            ("(id)", Some("'id'")),
            ("if id; then ls; fi", Some("'id'")),
            ("bash -c 'id'", Some("'id'")),
            ("ls | xargs id", Some("'id'")),
            ("$PROGRAM", Some("could run")),
            ("\"l\"s; i'd'", Some("'id'")),
            ("LD_PRELOAD=./x.so ls", Some("could run")),
            ("PATH=. ls", Some("could run")),
            ("ls() { id; }; ls", Some("'id'")),
            ("eval id", Some("'")),
            ("ls \"", Some("could run")),
        ]);
    }

    #[test]
    fn builtins_that_give_names_another_meaning_are_refused() {
        check_all(&[
            ("printf '%s' x | wc", None),
            ("printf -v 'BASH_CMDS[ls]' /bin/id; ls", Some("could run")),
            ("printf -vPATH doc; ls", Some("could run")),
            ("printf $x PATH; ls", Some("could run")),
            ("read -r line; ls", None),
            ("read PATH <<< doc; ls", Some("could run")),
            ("read 'BASH_CMDS[ls]' <<< /bin/id; ls", Some("could run")),
            ("mapfile -t PATH <<< doc; ls", Some("could run")),
            ("hash -p /bin/id ls; ls", Some("could run")),
            ("alias ls=id", Some("could run")),
            ("unset PATH; ls", Some("could run")),
            ("declare PATH=doc; ls", Some("could run")),
            ("ls & wait", None),
            ("ls & wait -n %1", None),
            ("ls & wait -p PATH; ls", Some("could run")),
            ("ls & wait -n -p PATH; ls", Some("could run")),
            ("ls & wait -np PATH; ls", Some("could run")),
            ("ls & wait -fnpPATH %1; ls", Some("could run")),
            ("ls & wait -n $x; ls", Some("could run")),
            ("compgen -C id x", Some("could run")),
            ("complete -C id ls", Some("could run")),
            ("bind -x '\"x\":id'", Some("could run")),
            ("fc -s", Some("could run")),
        ]);
    }
}
