//! `grep` and `glob_search` beside ripgrep, on the same files, in turns.
//!
//! The first argument is a directory to search, or `-` for a generated tree (the default); the second the number of
//! rounds (20). Ripgrep is a process and sekisho's tools are calls of a library, so the start of a process (`rg
//! --version`) is printed too; it is part of ripgrep's times.

mod generated_tree;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use sekisho_bench::percentiles::Percentiles;
use sekisho_bench::table::{Table, format_duration};
use sekisho_policy::Facts;
use sekisho_tools::file_access::ReadGuard;
use sekisho_tools::sandbox::{Isolation, Sandbox};
use sekisho_tools::{ToolContext, ToolResult, glob_search, grep};
use serde_json::{Value, json};

/// The most that a search may take, compared with ripgrep.
const TARGET: f64 = 1.2;

/// One comparison: a name, our call, and ripgrep's arguments.
struct Comparison {
    name: &'static str,
    tool: fn(&Value, &ToolContext, ReadGuard<'_>) -> ToolResult,
    input: Value,
    ripgrep: &'static [&'static str],
}

fn comparisons() -> Vec<Comparison> {
    let content = |name, pattern: &str, ripgrep| Comparison {
        name,
        tool: grep::run,
        input: json!({ "pattern": pattern, "max_results": 1000 }),
        ripgrep,
    };
    let glob = |name, pattern: &str, ripgrep| Comparison {
        name,
        tool: glob_search::run,
        input: json!({ "pattern": pattern, "max_results": 1000 }),
        ripgrep,
    };
    vec![
        content("grep: a word that is rare", "needle_in_a_haystack", &["-n", "needle_in_a_haystack"]),
        content("grep: a word that is common", "return", &["-n", "return"]),
        content("grep: an expression", r"\bfn\s+\w+_\d+\(", &["-n", r"\bfn\s+\w+_\d+\("]),
        Comparison {
            name: "grep: ignoring case, names of files",
            tool: grep::run,
            input: json!({ "pattern": "HAYSTACK", "ignore_case": true, "output_mode": "files" }),
            ripgrep: &["-l", "-i", "HAYSTACK"],
        },
        glob("glob_search: all files", "**/*", &["--files"]),
        glob("glob_search: by ending", "**/*.rs", &["--files", "-g", "**/*.rs"]),
    ]
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().filter(|argument| argument != "-").map(PathBuf::from);
    let rounds: usize = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(20);
    let generated = tempfile::tempdir().expect("a directory");
    let directory = directory.unwrap_or_else(|| {
        generated_tree::write(generated.path());
        generated.path().to_owned()
    });
    let directory = directory.canonicalize().expect("a directory");
    let has_ripgrep = time_of_ripgrep(&directory, &["--version"]).is_some();
    if !has_ripgrep {
        println!("`rg` is missing (package ripgrep): only sekisho's times are shown");
    }
    let mut table = Table::new(
        format!("{} by {rounds} rounds, the fastest and the median", directory.display()),
        ["", "sekisho", "ripgrep", "ratio", "sekisho p50", "ripgrep p50", "ratio p50"].map(String::from),
    );
    let mut missed = 0;
    for comparison in comparisons() {
        missed += usize::from(!compare(&comparison, &directory, rounds, has_ripgrep, &mut table));
    }
    if has_ripgrep {
        let starts = (0..rounds).filter_map(|_| time_of_ripgrep(&directory, &["--version"]));
        let start = Percentiles::of(starts).at(0.5);
        table.row(["start of a process".into(), "".into(), format_duration(start)]);
    }
    table.print();
    println!("\ntarget {TARGET} × ripgrep, fastest times: {}", if missed == 0 { "met" } else { "MISSED" });
}

/// Measures one comparison. Returns whether the target is met.
fn compare(
    comparison: &Comparison,
    directory: &Path,
    rounds: usize,
    has_ripgrep: bool,
    table: &mut Table,
) -> bool {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        ours.push(time_of_tool(comparison, directory));
        theirs.extend(time_of_ripgrep(directory, comparison.ripgrep).filter(|_| has_ripgrep));
    }
    let ours = Percentiles::of(ours);
    let mut row = vec![comparison.name.to_owned(), format_duration(ours.at(0.0))];
    let mut is_met = true;
    if has_ripgrep {
        let theirs = Percentiles::of(theirs);
        let ratio = |share: f64| ours.at(share).as_secs_f64() / theirs.at(share).as_secs_f64();
        is_met = ratio(0.0) <= TARGET;
        row.extend([
            format_duration(theirs.at(0.0)),
            format!("{:.2}{}", ratio(0.0), if is_met { "" } else { " MISSED" }),
            format_duration(ours.at(0.5)),
            format_duration(theirs.at(0.5)),
            format!("{:.2}", ratio(0.5)),
        ]);
    }
    table.row(row);
    is_met
}

fn time_of_tool(comparison: &Comparison, directory: &Path) -> Duration {
    let sandbox = Sandbox::at_level(Path::new("/nonexistent"), Isolation::None);
    let context = ToolContext::new(directory, Arc::new(sandbox));
    let judged = Facts::default();
    let guard = ReadGuard { policy: &context.policy, home: None, approved_by_human: false, judged: &judged };
    let start = Instant::now();
    let result = (comparison.tool)(&comparison.input, &context, guard);
    let time = start.elapsed();
    assert!(!result.is_error, "{}", result.content);
    time
}

/// `None` if there is no ripgrep.
fn time_of_ripgrep(directory: &Path, arguments: &[&str]) -> Option<Duration> {
    let mut command = Command::new("rg");
    command.args(["--no-config", "--no-messages"]).args(arguments).current_dir(directory);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    command.status().ok()?;
    Some(start.elapsed())
}
