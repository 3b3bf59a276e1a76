//! Noticing that a file changed.
//!
//! Directories are watched, not files: editors and sekisho itself replace files by renaming, and a file that is not there
//! yet has nothing to watch. What the kernel does not tell of (network file systems, the target of a link, too many
//! watches) is found by looking at the files' stamps now and then.

mod file_events;

use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use file_events::{FileEvents, WatchEvent};

/// Changes come in bursts; this long a silence ends one.
const QUIET: Duration = Duration::from_millis(30);
/// A burst that does not end is acted on all the same.
const PATIENCE: Duration = Duration::from_millis(300);
/// How often stamps are looked at when nothing is heard.
const LOOK: Duration = Duration::from_secs(1);

/// Tells when one of some files may have changed. Dropping it ends the watching.
pub struct Watch {
    /// Closed to end it.
    stop: Option<UnixStream>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Begins to watch. `heard` is called on the watching thread after each change; whoever reads the files after this
    /// has returned misses none.
    pub fn start(files: Vec<PathBuf>, heard: impl FnMut() + Send + 'static) -> std::io::Result<Watch> {
        let (stop, stopped) = UnixStream::pair()?;
        let mut ears = FileEvents::new(files, stopped);
        ears.rearm();
        let thread = std::thread::Builder::new()
            .name("sekisho-watch".into())
            .spawn(move || follow(&mut ears, heard))?;
        Ok(Watch { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Waits for changes and tells of them, until told to stop.
fn follow(ears: &mut FileEvents, mut heard: impl FnMut()) {
    loop {
        match ears.wait(LOOK) {
            WatchEvent::Change if !settle(ears) => return,
            WatchEvent::Change => {}
            WatchEvent::TimedOut if ears.has_changed() => {}
            WatchEvent::TimedOut => continue,
            WatchEvent::Stop => return,
        }
        ears.rearm();
        heard();
    }
}

/// Waits until a burst of changes is over. `false` when told to stop.
fn settle(ears: &FileEvents) -> bool {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        match ears.wait(QUIET) {
            WatchEvent::Change => {}
            WatchEvent::TimedOut => return true,
            WatchEvent::Stop => return false,
        }
    }
    true
}
