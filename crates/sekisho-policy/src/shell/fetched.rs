//! Two harmless-looking halves: one part reaches the network, another runs what it is given. Together they run what somebody
//! else wrote a moment ago (`curl … | sh`, `bash <(curl …)`, `eval "$(curl …)"`), and that is not a matter of caution.

use std::borrow::Cow;

use sekisho_shell::word::Word;

use super::plan::Plan;
use crate::verdict::{Danger, DangerLevel};

/// How the program table speaks of programs that reach the network.
const REACHES: &str = "reaches the network";
/// How it speaks of shells, which run a text or a file as commands whatever their arguments are.
const COMMANDS: [&str; 3] =
    ["runs a text or a file as commands", "runs a text as commands", "runs a file of commands in this shell"];
/// How it speaks of interpreters. Those that are given a file of their own do not run what was fetched.
const INTERPRETS: &str = "runs a program";

/// Options of interpreters whose value may be a word of its own (`-W ignore`, `-r module`).
const WITH_VALUE: [&str; 6] = ["-W", "-X", "-I", "-r", "--require", "--import"];

/// The danger of a text that runs what it may have fetched.
pub(super) fn runs_fetched(plan: &Plan) -> Option<Danger> {
    let (mut reaches, mut runs) = (false, false);
    for step in &plan.steps {
        let Some(danger) = &step.reading.danger else { continue };
        reaches |= danger.why.starts_with(REACHES);
        runs |= COMMANDS.contains(&danger.why.as_str()) || (danger.why == INTERPRETS && is_fed(&step.words));
    }
    let why = Cow::Borrowed("runs as commands what it fetches from the network");
    (reaches && runs).then_some(Danger { level: DangerLevel::Danger, why })
}

/// Whether an interpreter is given no file of its own, so that it runs what comes in: its arguments are options, or name its
/// input.
fn is_fed(words: &[Word]) -> bool {
    let mut value = false;
    words.iter().skip(1).all(|word| {
        let Some(text) = word.literal() else {
            // `$OPTIONS` may be options, or nothing at all.
            return word.pieces.len() == 1 && word.may_split();
        };
        let fed = value || text.starts_with('-') || is_input(&text);
        value = WITH_VALUE.contains(&text.as_ref());
        fed
    })
}

fn is_input(path: &str) -> bool {
    path == "/dev/stdin"
        || path == "/dev/fd/0"
        || path.strip_prefix("/proc/").is_some_and(|rest| rest.ends_with("/fd/0"))
}
