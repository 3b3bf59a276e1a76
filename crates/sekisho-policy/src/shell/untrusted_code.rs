//! Detects harmless-looking parts that are dangerous together: one part produces a text, another executes it.
//! Together they execute downloaded code (`curl … | sh`, `python3 <(curl …)`, `curl -o x …; ./x`) or code
//! that nobody could read (`base64 -d … | sh`), which deserves more than caution.

use super::executed_code::{ExecutedCode, runs_commands};
use super::executed_output::{executes_output_of, uses_network};
use super::execution_plan::{ExecutionPlan, Step};
use crate::verdict::{Danger, DangerCode, DangerLevel};

/// Programs that decode with these option letters or names.
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
/// Programs that only decode.
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

/// The danger of a text that executes downloaded or decoded code.
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

/// A shell together with a download is enough: files and variables inside what it runs are not followed.
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
            // Options of `xxd` and `openssl` are words, of which only the first letter is compared.
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
