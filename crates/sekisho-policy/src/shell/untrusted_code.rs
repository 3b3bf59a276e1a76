//! Detects harmless-looking parts that are dangerous together: one part produces a text, another executes it.
//! Together they execute downloaded code (`curl … | sh`, `python3 <(curl …)`, `curl -o x …; ./x`) or code
//! that nobody could read (`base64 -d … | sh`), which deserves more than caution.

use super::executed_code::{ExecutedCode, runs_commands};
use super::executed_output::{executors_of_output, uses_network};
use super::execution_plan::{ExecutionPlan, Step};
use crate::danger::DangerSpan;
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
    let danger = |code, executors: &[&Step]| {
        let spans = executors.iter().filter_map(|step| executor_span(plan, step));
        Danger::new(DangerLevel::Danger, code).at(spans)
    };
    if let Some(executors) = fetched_code_executors(plan) {
        return Some(danger(DangerCode::RunsFetched, &executors));
    }
    let executors = executors_of_output(plan, decodes);
    (!executors.is_empty()).then(|| danger(DangerCode::RunsDecoded, &executors))
}

/// The commands that execute downloaded code. A shell together with a download is enough: files and variables
/// inside what it runs are not followed.
fn fetched_code_executors(plan: &ExecutionPlan) -> Option<Vec<&Step>> {
    if !plan.steps.iter().any(uses_network) {
        return None;
    }
    let runs = |step: &&Step| runs_commands(step) || ExecutedCode::of(step).input;
    let mut executors: Vec<&Step> = plan.steps.iter().filter(runs).collect();
    if executors.is_empty() {
        executors = executors_of_output(plan, uses_network);
    }
    (!executors.is_empty()).then_some(executors)
}

/// The program's word, with the pipe before it: `| sh`. For a command in an inner text, the word of the command
/// that runs that text.
fn executor_span<'p>(plan: &'p ExecutionPlan, mut step: &'p Step) -> Option<DangerSpan> {
    while step.text != 0 {
        step = plan.steps.get(step.parent?)?;
    }
    let word = step.words.first()?.span;
    let before = plan.texts.first()?.source.get(..word.start as usize)?.trim_end_matches([' ', '\t']);
    let piped = before.strip_suffix("|&").or_else(|| before.strip_suffix('|'));
    let start = match piped.filter(|before| !before.ends_with('|')) {
        Some(before) => u32::try_from(before.len()).ok()?,
        None => word.start,
    };
    Some(DangerSpan { start, end: word.end })
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
