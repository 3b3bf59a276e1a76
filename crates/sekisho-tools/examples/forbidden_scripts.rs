//! Shows which shell scripts below some directories `forbidden_command` refuses, and how long each search took.
//!
//! `cargo run --release --example forbidden_scripts -- /usr/bin /etc/init.d`

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs};

use sekisho_tools::forbidden::forbidden_command;

/// Searches that take longer are shown.
const SLOW: Duration = Duration::from_millis(100);

fn main() {
    let (mut count, mut refused, mut slowest) = (0, 0, Duration::ZERO);
    for path in env::args_os().skip(1).flat_map(|path| files(Path::new(&path))) {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        if !is_script(&path, &text) {
            continue;
        }
        let start = Instant::now();
        let code = forbidden_command(&text);
        let taken = start.elapsed();
        count += 1;
        slowest = slowest.max(taken);
        if let Some(code) = code {
            refused += 1;
            println!("{code:?} {} ms {}", taken.as_millis(), path.display());
        } else if taken > SLOW {
            println!("slow {} ms {}", taken.as_millis(), path.display());
        }
    }
    println!("{count} scripts, {refused} refused, slowest {} ms", slowest.as_millis());
}

/// A file, or the files in a directory.
fn files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let mut found: Vec<PathBuf> = fs::read_dir(path)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.path().is_file())
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

/// A file that names a shell in its first line, or has an ending that only shell scripts have.
fn is_script(path: &Path, text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    let names_shell = first.starts_with("#!") && first.split(['/', ' ']).any(|word| word.ends_with("sh"));
    names_shell || path.extension().is_some_and(|ending| ending == "sh" || ending == "bash")
}
