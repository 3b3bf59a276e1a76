//! The only place of the binary that starts processes: the user's editor, the hook, the sandbox helper, and agents.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::agents::HookOutput;
use crate::failure::Failure;

/// Opens a file in an editor and waits until it is closed. `editor` is the value of `VISUAL` or `EDITOR`: a
/// program and optional arguments. It is not passed to a shell.
#[expect(clippy::disallowed_methods, reason = "the one place that starts processes")]
pub(crate) fn open_editor(editor: Option<&str>, file: &Path) -> Result<(), Failure> {
    let named = editor.unwrap_or("vi");
    let mut words = named.split_whitespace();
    let program = words.next().unwrap_or("vi");
    let cannot = |why: String| {
        Failure::new(format!("the editor `{named}` {why}; set `VISUAL` or `EDITOR` to another editor"))
    };
    let status = Command::new(program).args(words).arg(file).status();
    let status: ExitStatus = status.map_err(|error| cannot(format!("cannot be started: {error}")))?;
    match status.success() {
        true => Ok(()),
        false => Err(cannot(format!("failed ({status})"))),
    }
}

/// Replaces this process by the hook. Returns only if that fails.
#[expect(clippy::disallowed_methods, reason = "the one place that starts processes")]
pub(crate) fn exec_hook(hook: &Path, arguments: &[OsString]) -> Failure {
    let error = Command::new(hook).args(arguments).exec();
    let error = error.to_string().to_lowercase();
    Failure::new(format!("{}: cannot start the hook: {error}; install `sekisho-hook` there", hook.display()))
}

/// Starts the sandbox helper in the foreground. It gets this environment and our standard streams.
#[expect(clippy::disallowed_methods, reason = "the one place that starts processes")]
pub(crate) fn start_sandbox(
    helper: &Path,
    arguments: &[OsString],
    environment: &[(OsString, OsString)],
) -> std::io::Result<Child> {
    Command::new(helper).args(arguments).env_clear().envs(environment.iter().cloned()).spawn()
}

/// Starts an agent in a process group of its own, with pipes for its standard input and output. It gets our environment
/// without the variables in `removed`, and our standard error if `with_stderr`.
#[expect(clippy::disallowed_methods, reason = "the one place that starts processes")]
pub(crate) fn start_agent(
    program: &OsStr,
    arguments: &[OsString],
    removed: &[&str],
    with_stderr: bool,
) -> std::io::Result<Child> {
    let mut command = Command::new(program);
    command.args(arguments).process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped());
    command.stderr(if with_stderr { Stdio::inherit() } else { Stdio::null() });
    for name in removed {
        command.env_remove(name);
    }
    command.spawn()
}

/// Maximum bytes read from each output stream of a hook.
const LARGEST: u64 = 1 << 20;
/// `PATH` of the hook's environment.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Starts a hook as an agent would, writes `input` to its stdin, and waits at most `patience` for it to end.
/// The hook gets none of our environment.
#[expect(clippy::disallowed_methods, reason = "the one place that starts processes")]
pub(crate) fn run_hook(
    words: &[String],
    input: &str,
    cwd: &Path,
    patience: Duration,
) -> Result<HookOutput, String> {
    let (program, arguments) = words.split_first().ok_or("the hook command is empty")?;
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
    let input = input.to_owned();
    // A hook that does not read its input has closed the pipe. That is not an error.
    let telling = std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(input.as_bytes())));
    let out = std::thread::spawn(move || stdout.map(read));
    let err = std::thread::spawn(move || stderr.map(read));
    let ended = wait(&mut child, patience);
    // Processes that the hook left behind hold the pipes open.
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
    // On an error, judge what was read so far.
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
