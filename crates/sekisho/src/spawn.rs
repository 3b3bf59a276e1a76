//! The one place that starts processes: the editor a person chose, and the hook.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::agents::HookOutput;
use crate::failure::Failure;

/// Opens a file in an editor and waits until it is closed. The editor is what `VISUAL` or `EDITOR` says: a program, and
/// perhaps arguments. No shell reads it.
#[expect(clippy::disallowed_methods, reason = "the one place that starts processes")]
pub(crate) fn open_editor(editor: Option<&str>, file: &Path) -> Result<(), Failure> {
    let named = editor.unwrap_or("vi");
    let mut words = named.split_whitespace();
    let program = words.next().unwrap_or("vi");
    let cannot = |why: String| {
        Failure::new(format!("the editor `{named}` {why}; set `VISUAL` or `EDITOR` to one that works"))
    };
    let status = Command::new(program).args(words).arg(file).status();
    let status: ExitStatus = status.map_err(|error| cannot(format!("could not be started: {error}")))?;
    match status.success() {
        true => Ok(()),
        false => Err(cannot(format!("gave up ({status})"))),
    }
}

/// Becomes the hook. It comes back only to say why it could not.
#[expect(clippy::disallowed_methods, reason = "the one place that starts processes")]
pub(crate) fn exec_hook(hook: &Path, arguments: &[OsString]) -> Failure {
    let error = Command::new(hook).args(arguments).exec();
    let error = error.to_string().to_lowercase();
    Failure::new(format!(
        "{}: the hook could not be started: {error}; install `sekisho-hook` there",
        hook.display()
    ))
}

/// The most that is read of what a hook says.
const LARGEST: u64 = 1 << 20;
/// Where programs are looked for that a hook may start.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Starts a hook as an agent would, tells it something, and waits for what it says; not longer than `patience`. It gets
/// nothing of our environment.
#[expect(clippy::disallowed_methods, reason = "the one place that starts processes")]
pub(crate) fn run_hook(
    words: &[String],
    told: &str,
    cwd: &Path,
    patience: Duration,
) -> Result<HookOutput, String> {
    let (program, arguments) = words.split_first().ok_or("there is nothing to start")?;
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(cwd)
        .env_clear()
        .env("PATH", PATH)
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("it could not be started: {}", error.to_string().to_lowercase()))?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let told = told.to_owned();
    // One that does not listen has closed its end; that is no fault of ours.
    let telling = std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(told.as_bytes())));
    let out = std::thread::spawn(move || stdout.map(read));
    let err = std::thread::spawn(move || stderr.map(read));
    let ended = wait(&mut child, patience);
    // Whatever it started and left behind holds the pipes open.
    if let Some(group) = Pid::from_raw(i32::try_from(child.id()).unwrap_or_default()) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = (child.wait(), telling.join());
    let text = |read: std::thread::Result<Option<String>>| read.ok().flatten().unwrap_or_default();
    let (stdout, stderr) = (text(out.join()), text(err.join()));
    let status = ended.ok_or_else(|| format!("it did not answer within {patience:?}"))?;
    Ok(HookOutput { stdout, stderr, code: status.code() })
}

fn read(pipe: impl Read) -> String {
    let mut bytes = Vec::new();
    // Whatever came is what there is to judge.
    let _ = pipe.take(LARGEST).read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

fn wait(child: &mut Child, patience: Duration) -> Option<ExitStatus> {
    let start = Instant::now();
    while start.elapsed() < patience {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    None
}
