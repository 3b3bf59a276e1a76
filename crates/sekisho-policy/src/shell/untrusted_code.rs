//! Two harmless-looking halves: one part brings a text, another runs what it is given. Together they run what somebody else
//! wrote a moment ago (`curl … | sh`, `python3 <(curl …)`, `curl -o x …; ./x`), or what nobody could read
//! (`base64 -d … | sh`), and that is not a matter of caution.

use super::data_flow::{executes_output_of, uses_network};
use super::executed_code::{ExecutedCode, runs_commands};
use super::execution_plan::{ExecutionPlan, Step};
use crate::verdict::{Danger, DangerCode, DangerLevel};

/// Programs that decode when they are told to, by these letters or names.
const DECODE_IF: [(&[&str], &str, &[&str]); 4] = [
    (&["base64", "base32", "basenc", "base58", "gbase64"], "dD", &["decode"]),
    (&["xxd"], "r", &["revert"]),
    (&["openssl"], "d", &[]),
    (
        &["gzip", "bzip2", "xz", "zstd", "lz4", "lzip", "lzma", "pigz", "pbzip2", "brotli"],
        "d",
        &["decompress", "uncompress"],
    ),
];
/// Programs that do nothing else.
const DECODES: [&str; 15] = [
    "gunzip",
    "zcat",
    "gzcat",
    "bunzip2",
    "bzcat",
    "unxz",
    "xzcat",
    "unlzma",
    "lzcat",
    "unzstd",
    "zstdcat",
    "lz4cat",
    "uncompress",
    "funzip",
    "uudecode",
];

/// The danger of a text that runs what it may have fetched or decoded.
pub(super) fn untrusted_code_danger(plan: &ExecutionPlan) -> Option<Danger> {
    let danger = |code| Some(Danger::new(DangerLevel::Danger, code));
    if runs_fetched(plan) {
        return danger(DangerCode::RunsFetched);
    }
    if executes_output_of(plan, decodes) {
        return danger(DangerCode::RunsDecoded);
    }
    None
}

/// A shell beside a fetch is enough: what it runs is not followed through files and variables of its own.
fn runs_fetched(plan: &ExecutionPlan) -> bool {
    let runs = |step: &Step| runs_commands(step) || ExecutedCode::of(step).input;
    plan.steps.iter().any(uses_network)
        && (plan.steps.iter().any(runs) || executes_output_of(plan, uses_network))
}

fn decodes(step: &Step) -> bool {
    let program = step.profile.program.as_deref().unwrap_or("");
    let told = |letters: &str, names: &[&str]| {
        step.words.iter().skip(1).any(|word| match word.prefix().strip_prefix('-') {
            Some(long) if long.starts_with('-') => names.contains(&long.trim_start_matches('-')),
            // Options of `xxd` and `openssl` are words, of which only the first letter is looked at.
            Some(short) if letters.len() == 1 && matches!(program, "xxd" | "openssl") => {
                short == letters || names.contains(&short)
            }
            Some(short) => short.contains(|c| letters.contains(c)),
            None => false,
        })
    };
    DECODES.contains(&program)
        || DECODE_IF.iter().any(|(named, letters, names)| named.contains(&program) && told(letters, names))
}
