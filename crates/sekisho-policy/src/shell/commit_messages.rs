//! Words of git that are messages, so that `git commit -m .env` names no file.

use sekisho_shell::word::Word;

use super::execution_plan::Step;

/// Subcommands whose `-m` takes a message from the next word.
const SUBCOMMANDS: &[&str] = &["commit", "merge", "notes", "stash", "tag"];
/// Words between the subcommand and `-m` that surely do not take `-m` as their value.
const BEFORE: &[&str] = &[
    "--all",
    "--allow-empty",
    "--amend",
    "--annotate",
    "--no-ff",
    "--no-verify",
    "--quiet",
    "--signoff",
    "-a",
    "-q",
    "-s",
    "add",
    "push",
    "save",
];
/// Letters without a value that may precede `m` in one word.
const LETTERS: &str = "anqsv";

/// The positions of a command's words that are messages. A word that looks like an option is none.
pub(super) fn message_words(step: &Step) -> Vec<usize> {
    let mut found = Vec::new();
    let words: Vec<&str> = step.words.iter().map(known).collect();
    let Some(first) = subcommand(step, &words) else { return found };
    let mut rest = words.iter().enumerate().skip(first + 1);
    while let Some((at, word)) = rest.next() {
        if word.starts_with("--message=") {
            found.push(at);
        } else if introduces_message(word) {
            match rest.next() {
                Some((next, message)) if !message.is_empty() && !message.starts_with('-') => found.push(next),
                // Git takes the next word, whatever it begins with, if it is exactly one word.
                Some((next, message)) if message.is_empty() && is_one_computed_word(step, next) => {
                    found.push(next)
                }
                _ => return found,
            }
        } else if !BEFORE.contains(word) {
            return found;
        }
    }
    found
}

/// The position of the subcommand, which directly follows `git`.
fn subcommand(step: &Step, words: &[&str]) -> Option<usize> {
    let is_git = step.profile.program.as_deref() == Some("git");
    let at = words.iter().position(|word| SUBCOMMANDS.contains(word))?;
    (is_git && at == 1).then_some(at)
}

fn introduces_message(word: &str) -> bool {
    let letters = word.strip_prefix('-').and_then(|letters| letters.strip_suffix('m'));
    word == "--message" || letters.is_some_and(|letters| letters.chars().all(|c| LETTERS.contains(c)))
}

fn is_one_computed_word(step: &Step, at: usize) -> bool {
    step.words.get(at).is_some_and(|word| word.literal().is_none() && !word.may_split())
}

/// The text of a word; empty if it is not known.
fn known(word: &Word) -> &str {
    if word.literal().is_some() { word.prefix() } else { "" }
}

#[cfg(test)]
mod tests {
    use super::message_words;
    use crate::shell::execution_plan::ExecutionPlan;

    #[test]
    fn message_follows_the_option_that_introduces_it() {
        let check = |text: &str, expected: &[usize]| {
            let plan = ExecutionPlan::new(text, Some("/w"), None);
            let step = plan.steps.iter().max_by_key(|step| step.words.len()).unwrap();
            assert_eq!(message_words(step), expected, "{text}");
        };
        check("git commit -m .env", &[3]);
        check("git commit -am .env", &[3]);
        check("git commit --amend --message .env", &[4]);
        check("git commit -a -m one -m .env", &[4, 6]);
        check("git commit --message=.env", &[2]);
        check("git tag -m .env v1", &[3]);
        check("git stash push -m .env", &[4]);
        // The option may be the value of another one.
        check("git commit -F -m .env", &[]);
        check("git commit -t -m .env", &[]);
        check("git commit -F --message=.env", &[]);
        check("git commit x -m .env", &[]);
        check("git commit -Fm .env", &[]);
        check("git commit -m -F .env", &[]);
        check("git commit -m \"$x\" -F .env", &[3]);
        check("git commit -m \"$(cat a)\" -m .env", &[3, 5]);
        check("git commit -m $x -m .env", &[]);
        check("git commit -m '' -m .env", &[]);
        check("git commit -m a -F .env", &[3]);
        check("git -C d commit -m .env", &[]);
        check("git log -m .env", &[]);
        check("hg commit -m .env", &[]);
    }
}
