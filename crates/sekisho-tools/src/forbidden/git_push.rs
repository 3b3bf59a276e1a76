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
const VALUED: [&str; 9] = [
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--super-prefix",
    "--config-env",
    "--attr-source",
    "--shallow-file",
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
pub(super) fn pushes(
    arguments: &[Argument],
    (budget, corrects): (&Budget, bool),
    text: &mut dyn FnMut(&str),
) -> bool {
    let corrects = corrects || arguments.iter().any(|word| corrects_names(&word.text));
    let rest = arguments.get(1..).unwrap_or_default();
    aliases(rest, budget, text);
    for at in subcommands(rest) {
        let Some(name) = rest.get(at).map(|argument| argument.text.as_str()) else { continue };
        let next = rest.get(at + 1..).unwrap_or_default();
        if at == 0 && name == "push" && is_call_for_help(next) {
            return false;
        }
        let nested =
            NESTED.iter().any(|(of, push)| name == *of && next.iter().any(|word| word.text == *push));
        if PUSHES.contains(&name) || nested || corrects && is_taken_for_push(name, budget) {
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

/// `git push --help` and `git push -h` show a text and do nothing else.
fn is_call_for_help(words: &[Argument]) -> bool {
    matches!(words, [word] if matches!(word.text.as_str(), "--help" | "-h"))
}

/// The positions at which the subcommand may be. There can be two: the word after an unknown option may be the option's
/// value or the subcommand.
pub(super) fn subcommands(words: &[Argument]) -> Vec<usize> {
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

/// Whether a text mentions the setting with which git runs a subcommand that is spelled alike.
pub(super) fn corrects_names(text: &str) -> bool {
    text.to_ascii_lowercase().contains("autocorrect")
}

/// Subcommands that a misspelt one may be taken for.
const COMMANDS: &str = "add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore \
    checkout checkout-index cherry cherry-pick clean clone column commit config count-objects describe diff difftool \
    fast-export fast-import fetch fetch-pack filter-branch format-patch fsck gc grep hash-object help hook \
    http-fetch http-push init instaweb log lfs ls-files ls-remote ls-tree maintenance merge merge-base mergetool mktag \
    mktree mv name-rev notes pack-refs patch-id prune pull push range-diff read-tree rebase reflog refs remote repack \
    replace rerere reset restore rev-list rev-parse revert rm send-email send-pack shortlog show show-branch \
    show-ref sparse-checkout stage stash status stripspace submodule subtree svn switch symbolic-ref tag update-index \
    update-ref var verify-commit version whatchanged worktree write-tree";
/// Names that differ more are not taken for each other.
const MAX_DIFFERENCE: usize = 6;
/// Longer words are no misspelt subcommand.
const LONGEST_COMMAND: usize = 32;

/// Whether git takes a word for a subcommand that pushes, as it compares names: exchanged letters cost nothing, other
/// letters two, missing ones one, and additional ones three.
fn is_taken_for_push(word: &str, budget: &Budget) -> bool {
    let is_known = COMMANDS.split_whitespace().any(|name| name == word);
    if is_known || word.is_empty() || word.len() > LONGEST_COMMAND {
        return false;
    }
    // Each letter is compared with each letter of all names.
    if !budget.spend(word.len() * COMMANDS.len() / 4) {
        return false;
    }
    let difference = |name: &str| if name.starts_with(word) { 0 } else { difference(word, name) };
    let least = COMMANDS.split_whitespace().map(difference).min().unwrap_or_default();
    least <= MAX_DIFFERENCE && PUSHES.iter().any(|name| difference(name) == least)
}

fn difference(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (at, letter) in from.iter().enumerate() {
        let mut row = vec![(at + 1) * 3];
        for (here, wanted) in to.iter().enumerate() {
            let cost = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(usize::MAX / 2);
            let mut least = cost(&last, here) + if letter == wanted { 0 } else { 2 };
            let is_exchanged =
                at > 0 && here > 0 && from.get(at - 1) == Some(wanted) && to.get(here - 1) == Some(letter);
            if is_exchanged {
                least = least.min(cost(&before, here - 1));
            }
            least = least.min(cost(&last, here + 1) + 3).min(cost(&row, here) + 1);
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_subcommands_are_compared_as_git_does() {
        for word in ["psuh", "pus", "pussh", "puhs", "upsh", "push1", "pusj", "sendpack", "http-psuh"] {
            assert!(is_taken_for_push(word, &Budget::default()), "{word}");
        }
        for word in ["push", "pull", "stauts", "comit", "publish", "checkuot", "", "stash"] {
            assert!(!is_taken_for_push(word, &Budget::default()), "{word}");
        }
    }
}
