//! Lines for people, on standard error.
//!
//! Nobody may read standard error, and an agent may fill it: a thread of its own writes the lines, and lines for which
//! there is no room are counted and left out.

use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use rustix::fs::fstat;
use tokio::sync::oneshot;
use tokio::time::sleep;

use crate::terminal::visible;

/// How many lines may wait.
const WAITING: usize = 256;
/// How long to wait for room.
const PAUSE: Duration = Duration::from_millis(10);
/// The longest line, in characters.
const LONGEST: usize = 2000;

enum Note {
    Line(String),
    /// Asks to be told once everything before it is written.
    Flush(oneshot::Sender<()>),
}

static NOTES: OnceLock<SyncSender<Note>> = OnceLock::new();
static LEFT_OUT: AtomicU64 = AtomicU64::new(0);

/// Whether standard error can be told from standard output. If both are one file, the editor would read as messages what
/// is written to standard error.
pub(super) fn has_own_stderr() -> bool {
    match (fstat(std::io::stdout()), fstat(std::io::stderr())) {
        (Ok(out), Ok(err)) => (out.st_dev, out.st_ino) != (err.st_dev, err.st_ino),
        _ => true,
    }
}

/// Prints a line for people, soon. Editors keep what their agents print on standard error.
pub(super) fn print_note(text: &str) {
    let text: String = visible(text).chars().take(LONGEST).collect();
    let line = Note::Line(format!("sekisho: {text}\n"));
    if NOTES.get_or_init(start_writer).try_send(line).is_err() {
        LEFT_OUT.fetch_add(1, Ordering::Relaxed);
    }
}

/// Waits until all lines are written. Nobody may read them: wait only for some time.
pub(super) async fn flush_notes() {
    let Some(notes) = NOTES.get() else { return };
    let (written, writing) = oneshot::channel();
    let mut flush = Note::Flush(written);
    while let Err(TrySendError::Full(back)) = notes.try_send(flush) {
        flush = back;
        sleep(PAUSE).await;
    }
    let _ = writing.await;
}

fn start_writer() -> SyncSender<Note> {
    let (sender, notes) = sync_channel(WAITING);
    let is_own = has_own_stderr();
    std::thread::spawn(move || write_notes(&notes, is_own));
    sender
}

fn write_notes(notes: &Receiver<Note>, is_own: bool) {
    while let Ok(note) = notes.recv() {
        let line = match note {
            Note::Line(line) => line,
            Note::Flush(written) => {
                print_left_out(is_own);
                let _ = written.send(());
                continue;
            }
        };
        print_left_out(is_own);
        if is_own {
            // Without standard error there is nobody to tell.
            let _ = anstream::stderr().write_all(line.as_bytes());
        }
    }
}

fn print_left_out(is_own: bool) {
    let left_out = LEFT_OUT.swap(0, Ordering::Relaxed);
    if left_out > 0 && is_own {
        let _ =
            writeln!(anstream::stderr(), "sekisho: {left_out} lines were left out, because nobody read them");
    }
}
