//! Compares the analysis with bash itself.
//!
//! Scripts are made from a grammar and from common commands, then damaged, so that many of them are unusual
//! but valid. The programs in them are marker functions. Bash runs every script. Every marker that ran, with
//! its arguments, must be among the commands of the analysis, and every file it created among the redirects,
//! unless the script is opaque. A script that bash rejects part of the way is checked like any other, by what
//! ran before.

mod bash_runner;
mod grammar_scripts;
mod grammar_words;
mod script_generator;

pub(crate) use script_generator::Random;

use std::collections::HashMap;

use sekisho_shell::analyse;
use sekisho_shell::script::{RedirectKind, Script};
use sekisho_shell::word::{Piece, Word};

use crate::render::render;

const CASES: usize = 5_000;
const BATCH: usize = 250;

#[derive(Default, Debug)]
struct Tally {
    scripts: usize,
    opaque: usize,
    markers: usize,
    proven: usize,
    exact: usize,
    files: usize,
    opaque_markers: usize,
    opaque_unseen: usize,
    violations: Vec<String>,
}

#[test]
fn analysis_finds_everything_bash_runs() {
    let wanted = std::env::var("SEKISHO_DIFFERENTIAL_CASES").ok().and_then(|count| count.parse().ok());
    let seed = std::env::var("SEKISHO_DIFFERENTIAL_SEED").ok().and_then(|seed| seed.parse().ok());
    let cases: usize = wanted.unwrap_or(CASES);
    let mut random = script_generator::Random::new(seed.unwrap_or(0x5eed));
    let mut tally = Tally::default();
    let mut done = 0;
    while done < cases {
        let scripts: Vec<String> =
            (0..BATCH.min(cases - done)).map(|_| script_generator::script(&mut random)).collect();
        done += scripts.len();
        let observed = bash_runner::run(&scripts);
        for (script, seen) in scripts.iter().zip(&observed) {
            judge(script, seen, &mut tally);
        }
        if tally.violations.len() > 20 {
            break;
        }
    }
    let violations = std::mem::take(&mut tally.violations);
    println!("{tally:?}, {} violations", violations.len());
    assert!(violations.is_empty(), "{}", violations.join("\n\n"));
    // Calling everything opaque must not make the test pass.
    assert!(tally.opaque * 3 < tally.scripts * 2, "too few scripts without opaque parts: {tally:?}");
}

fn judge(text: &str, seen: &bash_runner::BashRun, tally: &mut Tally) {
    let script = analyse(text);
    tally.scripts += 1;
    tally.opaque += usize::from(!script.opaque.is_empty());
    tally.markers += seen.calls.len();
    if !script.opaque.is_empty() {
        tally.opaque_markers += seen.calls.len();
        let names: HashMap<_, _> =
            script.commands.iter().filter_map(|c| Some((c.words[0].literal()?, ()))).collect();
        tally.opaque_unseen += seen.calls.iter().filter(|call| !names.contains_key(call[0].as_str())).count();
        return;
    }
    for call in &seen.calls {
        tally.proven += 1;
        let mut exact = false;
        let found = script.commands.iter().any(|command| {
            let literal = command.words.iter().all(|word| word.literal().is_some());
            let fits = fits(&command.words, call);
            exact |= literal && fits;
            fits && command.words[0].literal().is_some()
        });
        tally.exact += usize::from(exact);
        if !found {
            tally.violations.push(format!("bash ran {call:?}\nin {text:?}\nfound {}", render(&script)));
            return;
        }
    }
    for file in &seen.files {
        tally.files += 1;
        if !writes(&script, file) {
            tally.violations.push(format!("bash created {file:?}\nin {text:?}\nfound {}", render(&script)));
        }
    }
}

fn writes(script: &Script, file: &str) -> bool {
    script.redirects.iter().any(|redirect| {
        matches!(redirect.kind, RedirectKind::Write | RedirectKind::Other)
            && redirect.target.literal().is_none_or(|target| target == file)
    })
}

/// Whether the words can expand to `call`.
fn fits(words: &[Word], call: &[String]) -> bool {
    let Some((word, rest)) = words.split_first() else { return call.is_empty() };
    if word.may_split() {
        return (0..=call.len()).any(|taken| fits(rest, &call[taken..]));
    }
    call.split_first().is_some_and(|(argument, call)| fits_one(&word.pieces, argument) && fits(rest, call))
}

fn fits_one(pieces: &[Piece], argument: &str) -> bool {
    match pieces.split_first() {
        None => argument.is_empty(),
        Some((Piece::Literal(text), rest)) => {
            argument.strip_prefix(text.as_str()).is_some_and(|after| fits_one(rest, after))
        }
        Some((_, rest)) => argument
            .char_indices()
            .map(|(at, _)| at)
            .chain([argument.len()])
            .any(|at| fits_one(rest, &argument[at..])),
    }
}
