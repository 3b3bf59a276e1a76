//! Pushing with git, as a command and as a tool call.

use serde_json::Value;

use super::ForbiddenCode;
use super::budget::Budget;
use super::resolved_arguments::Argument;

/// Subcommands that send commits to another repository.
const PUSHES: [&str; 3] = ["push", "send-pack", "http-push"];
/// Subcommands that push when this word follows.
const NESTED: [(&str, &str); 3] = [("subtree", "push"), ("lfs", "push"), ("svn", "dcommit")];
/// Subcommands that run commands.
const RUNNERS: [&str; 5] = ["submodule", "bisect", "rebase", "filter-branch", "for-each-repo"];
/// Global options whose value is the next word.
const VALUED: [&str; 8] = [
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--super-prefix",
    "--config-env",
    "--attr-source",
];
/// Global options without a value.
const FLAGS: [&str; 14] = [
    "-p",
    "-P",
    "--paginate",
    "--no-pager",
    "--bare",
    "--no-replace-objects",
    "--literal-pathspecs",
    "--glob-pathspecs",
    "--noglob-pathspecs",
    "--icase-pathspecs",
    "--no-optional-locks",
    "--no-lazy-fetch",
    "--no-advice",
    "--exec-path",
];

/// Whether a call of `git_ops` would push, or force anything.
pub fn forbidden_git(action: &str, arguments: &Value) -> Option<ForbiddenCode> {
    let action = action.to_lowercase();
    let words: Vec<&str> = action.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let pushes = words.iter().any(|word| matches!(*word, "push" | "pushed"));
    if pushes || has_key(arguments, "push") {
        return Some(ForbiddenCode::GitPush);
    }
    (words.contains(&"force") || forces(arguments)).then_some(ForbiddenCode::GitForce)
}

/// Whether there is such a field anywhere that is not false.
fn has_key(value: &Value, key: &str) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|item| has_key(item, key)),
        Value::Object(fields) => {
            fields.iter().any(|(name, value)| name == key && !is_off(value) || has_key(value, key))
        }
        _ => false,
    }
}

fn is_off(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Bool(false))
}

/// Looks for `-f` and `--force…` in every argument except `message`, and for keys such as `force` that are not false.
fn forces(value: &Value) -> bool {
    let is_force = |text: &str| text == "-f" || text.starts_with("--force") || text == "force";
    match value {
        Value::String(text) => text == "-f" || text.starts_with("--force"),
        Value::Array(items) => items.iter().any(forces),
        Value::Object(fields) => fields
            .iter()
            .any(|(name, value)| name != "message" && (is_force(name) && !is_off(value) || forces(value))),
        _ => false,
    }
}

/// Whether a `git` command pushes. Calls `text` with every command text that git might run.
pub(super) fn pushes(arguments: &[Argument], budget: &Budget, text: &mut dyn FnMut(&str)) -> bool {
    let rest = arguments.get(1..).unwrap_or_default();
    aliases(rest, budget, text);
    for at in subcommands(rest) {
        let Some(name) = rest.get(at).map(|argument| argument.text.as_str()) else { continue };
        let next = rest.get(at + 1..).unwrap_or_default();
        let nested =
            NESTED.iter().any(|(of, push)| name == *of && next.iter().any(|word| word.text == *push));
        if PUSHES.contains(&name) || nested {
            return true;
        }
        if RUNNERS.contains(&name) {
            next.iter().for_each(|argument| text(&argument.text));
            for from in 0..next.len() {
                let inner = joined(next.get(from..).unwrap_or_default());
                if !budget.spend(inner.len()) {
                    return false;
                }
                // `for-each-repo` is given a subcommand of git.
                text(&if name == "for-each-repo" { format!("git {inner}") } else { inner });
            }
        }
    }
    false
}

/// The positions at which the subcommand may be. There can be two: the word after an unknown option may be the option's
/// value or the subcommand.
fn subcommands(words: &[Argument]) -> Vec<usize> {
    let (mut found, mut at, mut allowed) = (Vec::new(), 0, 1);
    while let Some(word) = words.get(at) {
        let name = word.text.as_str();
        if VALUED.contains(&name) {
            at += 1;
        } else if !name.starts_with('-') {
            found.push(at);
            if found.len() >= allowed {
                break;
            }
        } else if !name.contains('=') && !FLAGS.contains(&name) {
            allowed = 2;
        }
        at += 1;
    }
    found
}

/// `-c alias.p=push`, `config alias.p push`, `-c alias.p='!git push'`.
fn aliases(words: &[Argument], budget: &Budget, text: &mut dyn FnMut(&str)) {
    for (at, word) in words.iter().enumerate() {
        let lower = word.text.to_lowercase();
        if !lower.starts_with("alias.") && !lower.starts_with("-calias.") {
            continue;
        }
        let value = match word.text.split_once('=') {
            Some((_, value)) => value.to_owned(),
            None => joined(words.get(at + 1..).unwrap_or_default()),
        };
        if !budget.spend(value.len()) {
            return;
        }
        text(&alias_command(&value));
    }
}

/// What the aliases in the text of a config file run.
pub(super) fn aliases_in_config(text: &str) -> Vec<String> {
    let mut is_alias = false;
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            is_alias = section.to_ascii_lowercase().starts_with("alias");
        }
        let setting = line.rsplit(']').next().unwrap_or_default();
        let value = setting.split_once('=').map(|(_, value)| value.trim().trim_matches('"'));
        found.extend(value.filter(|_| is_alias).map(alias_command));
    }
    found
}

/// What an alias runs.
pub(super) fn alias_command(value: &str) -> String {
    match value.strip_prefix('!') {
        Some(command) => command.to_owned(),
        None => format!("git {value}"),
    }
}

pub(super) fn joined(words: &[Argument]) -> String {
    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}
