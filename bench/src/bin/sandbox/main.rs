//! What the sandbox adds to the start of a program: `bash -c :`, plain and under `sekisho-sandbox`, in turns.
//!
//! The first argument is the path of the helper (`../target/release/sekisho-sandbox`), the second the number of
//! rounds (300).

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use sekisho_bench::percentiles::Percentiles;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let helper = arguments.next().unwrap_or_else(|| "../target/release/sekisho-sandbox".into());
    let rounds: usize = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(300);
    let mut kinds: Vec<(&str, Vec<&str>)> = vec![
        ("plain", vec![]),
        ("landlock+seccomp", vec![&helper, "--"]),
        ("landlock+seccomp+namespaces", vec![&helper, "--namespaces", "--"]),
    ];
    if Path::new("/usr/bin/bwrap").exists() {
        kinds.push(("landlock+seccomp+bubblewrap", vec![&helper, "--bubblewrap", "/usr/bin/bwrap", "--"]));
    }
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); kinds.len()];
    for _ in 0..rounds {
        for ((_, prefix), times) in kinds.iter().zip(&mut times) {
            let words: Vec<&str> = prefix.iter().copied().chain(["bash", "-c", ":"]).collect();
            let start = Instant::now();
            let status = Command::new(words[0]).args(&words[1..]).env_clear().env("PATH", "/usr/bin:/bin").stdin(Stdio::null()).status();
            assert!(status.is_ok_and(|status| status.success()), "{words:?} failed");
            times.push(start.elapsed());
        }
    }
    let plain = Percentiles::of(times[0].clone());
    println!("{rounds} rounds of `bash -c :`, µs");
    println!("{:<32} {:>8} {:>8} {:>10} {:>10}", "", "p10", "p50", "p10 added", "p50 added");
    for ((name, _), times) in kinds.iter().zip(times) {
        let times = Percentiles::of(times);
        let at = |of: &Percentiles<Duration>, share| of.at(share).as_micros() as i64;
        let added = |share| at(&times, share) - at(&plain, share);
        println!("{name:<32} {:>8} {:>8} {:>10} {:>10}", at(&times, 0.1), at(&times, 0.5), added(0.1), added(0.5));
    }
}
