//! Two harmless-looking halves: one part reaches the network, another runs what it is given. Together they run what somebody
//! else wrote a moment ago (`curl … | sh`, `bash <(curl …)`, `eval "$(curl …)"`), and that is not a matter of caution.

use std::borrow::Cow;

use crate::verdict::{Danger, DangerLevel, Part};

use super::each;

/// How the program table speaks of programs that reach the network.
const REACHES: &str = "reaches the network";
/// How it speaks of shells, which run a text or a file as commands whatever their arguments are.
const COMMANDS: [&str; 3] =
    ["runs a text or a file as commands", "runs a text as commands", "runs a file of commands in this shell"];
/// How it speaks of interpreters. Those that are given a file of their own do not run what was fetched.
const INTERPRETS: &str = "runs a program";

/// The danger of a text that runs what it may have fetched.
pub(super) fn runs_fetched(parts: &[Part]) -> Option<Danger> {
    let (mut reaches, mut runs) = (false, false);
    each(parts, &mut |part| {
        let Some(danger) = &part.danger else { return };
        reaches |= danger.why.starts_with(REACHES);
        let fed = !part.text.contains(' ') || part.text.ends_with(" -");
        runs |= COMMANDS.contains(&danger.why.as_ref()) || (danger.why == INTERPRETS && fed);
    });
    let why = Cow::Borrowed("runs as commands what it fetches from the network");
    (reaches && runs).then_some(Danger { level: DangerLevel::Danger, why })
}
