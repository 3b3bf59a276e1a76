//! What the sandbox adds to the start of a program: `bash -c :`, plain and under `sekisho-sandbox`, in turns.
//!
//! The first argument is the path of the helper (`../target/release/sekisho-sandbox`), the second the number of
//! rounds (300). The helper gets what `shell_exec` gives it: a writable directory, a temporary one, and
//! the state directory to hide.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use sekisho_bench::percentiles::Percentiles;

/// The most that the sandbox may add without bubblewrap, at p10.
const TARGET: Duration = Duration::from_millis(1);

fn main() {
    let mut arguments = std::env::args().skip(1);
    let helper = arguments.next().unwrap_or_else(|| "../target/release/sekisho-sandbox".into());
    let rounds: usize = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(300);
    let mut kinds: Vec<(&str, Option<&[&str]>)> = vec![
        ("plain", None),
        ("landlock+seccomp", Some(&[])),
        ("landlock+seccomp+namespaces", Some(&["--namespaces"])),
    ];
    if Path::new("/usr/bin/bwrap").exists() {
        kinds.push(("landlock+seccomp+bubblewrap", Some(&["--bubblewrap", "/usr/bin/bwrap"])));
    }
    let dirs = tempfile::tempdir().expect("a directory");
    std::fs::create_dir(dirs.path().join("writable")).expect("a directory");
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); kinds.len()];
    for _ in 0..rounds {
        for ((_, isolation), times) in kinds.iter().zip(&mut times) {
            let words = command(&helper, *isolation, dirs.path());
            let mut command = Command::new(&words[0]);
            command.args(&words[1..]).env_clear().env("PATH", "/usr/bin:/bin").stdin(Stdio::null());
            let start = Instant::now();
            let status = command.status();
            times.push(start.elapsed());
            assert!(status.is_ok_and(|status| status.success()), "{words:?} failed");
        }
    }
    print(&kinds.iter().map(|(name, _)| *name).collect::<Vec<_>>(), times, rounds);
}

/// The words of `bash -c :`, or of the helper with them.
fn command(helper: &str, isolation: Option<&[&str]>, dirs: &Path) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    if let Some(isolation) = isolation {
        let (writable, temporary) = (dirs.join("writable"), dirs.join("temporary"));
        let state = std::env::home_dir().unwrap_or_default().join(".local/state/sekisho");
        std::fs::create_dir_all(&temporary).expect("a directory");
        words.extend([helper.into(), "--write".into(), writable.into()]);
        words.extend(["--write".into(), temporary.clone().into(), "--temporary".into(), temporary.into()]);
        words.extend(["--hide".into(), state.into(), "--processes".into(), "4096".into()]);
        words.extend(isolation.iter().map(OsString::from));
        words.push("--".into());
    }
    words.extend(["bash", "-c", ":"].map(OsString::from));
    words
}

fn print(names: &[&str], times: Vec<Vec<Duration>>, rounds: usize) {
    let plain = Percentiles::of(times[0].clone());
    println!("{rounds} rounds of `bash -c :`, µs");
    println!("{:<32} {:>8} {:>8} {:>10} {:>10}", "", "p10", "p50", "p10 added", "p50 added");
    for (name, times) in names.iter().zip(times) {
        let times = Percentiles::of(times);
        let at = |of: &Percentiles<Duration>, share| of.at(share).as_micros() as i64;
        let added = |share| at(&times, share) - at(&plain, share);
        let met = match *name {
            "landlock+seccomp" if added(0.1) > TARGET.as_micros() as i64 => "  MISSED",
            "landlock+seccomp" => "  met",
            _ => "",
        };
        let values = (at(&times, 0.1), at(&times, 0.5), added(0.1), added(0.5));
        println!("{name:<32} {:>8} {:>8} {:>10} {:>10}{met}", values.0, values.1, values.2, values.3);
    }
}
