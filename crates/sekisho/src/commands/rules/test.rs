use std::io::{self, Write};
use std::path::{Path, PathBuf};

use sekisho_policy::{Layer, Rule};

use super::rule_target::LoadedConfig;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::{self, StyledStdout, shorten_path, style, visible};

/// Check the examples in your rules, or run test files that list calls and their expected verdicts
///
/// The `examples` of a rule say which calls it must and must not match. They are also checked whenever a file
/// is loaded; this command shows how many there are. A FILE is Markdown with rules, calls and the expected
/// verdicts; it is judged by the rules in that file alone, and your own config is not used.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Markdown files to run [default: the examples of the config files]
    files: Vec<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  sekisho rules add allow --tool bash --command 'cargo test' --match 'cargo test -p x' --not-match 'cargo run'
  sekisho rules test
  sekisho rules test our-rules.md";

/// The result of one set of tests.
struct Report {
    name: String,
    /// Summary.
    tried: String,
    /// Failures, one line each.
    failed: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let reports = if args.files.is_empty() {
        examples(&LoadedConfig::read()?)
    } else {
        args.files.iter().map(|file| corpus(file)).collect::<Result<_, _>>()?
    };
    let mut out = terminal::stdout();
    for report in &reports {
        write(&mut out, report)?;
    }
    if reports.is_empty() {
        writeln!(out, "nothing to test: there is no config file")?;
    }
    let failed = reports.iter().any(|report| !report.failed.is_empty());
    Ok(if failed { Exit::Failure } else { Exit::Ok })
}

/// Runs a file of calls and their verdicts.
fn corpus(file: &Path) -> Result<Report, Failure> {
    let name = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|error| Failure::usage(format!("`{name}`: {error}")))?;
    let report = sekisho_policy::corpus::run(&name, &text);
    let failed: Vec<String> = report.failures.iter().map(ToString::to_string).collect();
    let tried = match failed.len() {
        0 => format!("all {} calls get the expected verdict", report.calls),
        wrong => format!("{wrong} of {} calls do not get the expected verdict", report.calls),
    };
    Ok(Report { name, tried, failed })
}

/// Checks the examples of every config file. A file that does not load fails as a whole.
fn examples(config: &LoadedConfig) -> Vec<Report> {
    let layers = &config.loaded.layers;
    let files = config.loaded.sources.iter().filter_map(|source| {
        let path = source.path.to_string_lossy();
        let name = shorten_path(&path, config.home());
        let broken = layers.broken.iter().find(|broken| broken.name == path);
        let layer = layers.loaded.iter().find(|layer| *layer.name == *path);
        match (broken, layer) {
            (Some(broken), _) => {
                Some(Report { name, tried: "does not load".into(), failed: vec![broken.error.clone()] })
            }
            (None, Some(layer)) => Some(Report { name, tried: count(layer), failed: Vec::new() }),
            (None, None) => None,
        }
    });
    files.collect()
}

fn count(layer: &Layer) -> String {
    let of = |rule: &Rule| {
        rule.examples.as_ref().map_or(0, |examples| examples.matching.len() + examples.not_match.len())
    };
    let examples: usize = layer.rules.iter().map(|layer_rule| of(&layer_rule.rule)).sum();
    let rules = layer.rules.iter().filter(|layer_rule| of(&layer_rule.rule) > 0).count();
    match examples {
        0 => format!("none of the {} rules has examples", layer.rules.len()),
        _ => format!("{examples} examples pass; {rules} of the {} rules have examples", layer.rules.len()),
    }
}

fn write(out: &mut StyledStdout, report: &Report) -> io::Result<()> {
    let (style, word) = if report.failed.is_empty() { (style::ALLOW, "ok") } else { (style::DENY, "failed") };
    writeln!(out, "{style}{word:<8}{style:#} {}: {}", report.name, report.tried)?;
    for failed in &report.failed {
        writeln!(out, "{:<8} {}", "", visible(failed))?;
    }
    Ok(())
}
