//! Runs many scripts in one bash and reports what they did.
//!
//! Nothing that a script names can run: the search path is empty, no script contains a slash, and the
//! programs are shell functions. Each script has its own empty directory, some levels below a temporary one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What bash did with one script.
#[derive(Default, Clone)]
pub(crate) struct BashRun {
    /// Markers that ran, with their arguments.
    pub(crate) calls: Vec<Vec<String>>,
    /// Files that were created.
    pub(crate) files: Vec<String>,
}

const DRIVER: &str = r#"
PATH=/nonexistent
exec 19>>"$LOG"
x=a y='b c' e= FUNCNEST=5 __calls=0
for __n in 0 1 2 3 4 5 6 7 8 9; do
  # One write a record: a newline would make bash write in two, and pipelines write at the same time.
  eval "m$__n() { local IFS=\$'\\037'; local __a=\"\$__id\$IFS\$#\${IFS}m$__n\$IFS\$*\"; \
    builtin printf '%s\\036' \"\${__a//\$'\\n'/\$'\\035'}\" >&19; \
    ((++__calls > 20)) && exit; return $((__n % 2)); }"
done
while IFS= read -r -d '' __id && IFS= read -r -d '' __script; do
  ( builtin cd "$ROOT/$__id"; ulimit -t 1 -f 65536; eval "$__script"; wait ) </dev/null >/dev/null 2>&1
done
"#;

static RUNS: AtomicUsize = AtomicUsize::new(0);

/// Runs every script once.
pub(crate) fn run(scripts: &[String]) -> Vec<BashRun> {
    let run = RUNS.fetch_add(1, Ordering::Relaxed);
    let base = std::env::temp_dir().join(format!("sekisho-differential-{}-{run}", std::process::id()));
    let root = base.join("a/b/c/d/e/f");
    let mut input = Vec::new();
    for (id, script) in scripts.iter().enumerate() {
        fs::create_dir_all(root.join(id.to_string())).unwrap();
        input.extend_from_slice(id.to_string().as_bytes());
        input.push(0);
        input.extend_from_slice(script.as_bytes());
        input.push(0);
    }
    let (log, feed) = (base.join("log"), base.join("feed"));
    fs::write(&feed, input).unwrap();
    fs::write(&log, "").unwrap();
    drive(&root, &log, &feed);
    let seen = collect(scripts.len(), &root, &log);
    fs::remove_dir_all(&base).unwrap();
    seen
}

fn drive(root: &Path, log: &Path, feed: &PathBuf) {
    let mut child = Command::new("bash")
        .args(["--norc", "--noprofile", "-c", DRIVER])
        .env_clear()
        .env("HOME", root)
        .env("ROOT", root)
        .env("LOG", log)
        .env("LC_ALL", "C.UTF-8")
        .current_dir(root)
        .stdin(fs::File::open(feed).unwrap())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("bash starts");
    wait(&mut child);
}

fn wait(child: &mut Child) {
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > Duration::from_secs(600) {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("bash did not finish a batch in time");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn collect(scripts: usize, root: &Path, log: &Path) -> Vec<BashRun> {
    let mut seen = vec![BashRun::default(); scripts];
    let log = fs::read(log).unwrap();
    for record in log.split(|byte| *byte == 0x1e).filter(|record| !record.is_empty()) {
        let mut fields = record.split(|byte| *byte == 0x1f).map(text);
        // A script may have redirected its output here: lines that are not records are ignored.
        let id = fields.next().and_then(|id| id.parse::<usize>().ok());
        let count = fields.next().and_then(|count| count.parse::<usize>().ok());
        let (Some(seen), Some(count)) = (id.and_then(|id| seen.get_mut(id)), count) else { continue };
        // No arguments and one empty argument look the same when joined; the count distinguishes them.
        seen.calls.push(fields.take(count + 1).collect());
    }
    for (id, seen) in seen.iter_mut().enumerate() {
        for entry in fs::read_dir(root.join(id.to_string())).unwrap() {
            seen.files.push(entry.unwrap().file_name().to_string_lossy().into_owned());
        }
    }
    seen
}

fn text(field: &[u8]) -> String {
    String::from_utf8_lossy(field).replace('\x1d', "\n")
}
