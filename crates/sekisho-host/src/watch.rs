//! Notices when files change.
//!
//! Directories are watched, not files: editors and sekisho itself replace files by renaming, and a file that
//! does not exist yet cannot be watched. Changes the kernel does not report (network file systems, the target
//! of a link, too many watches) are found by comparing stamps now and then.

mod file_events;

use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use file_events::{FileEvents, WatchEvent};

/// Changes come in bursts; a silence this long ends one.
const QUIET: Duration = Duration::from_millis(30);
/// A burst that does not end is reported after this time.
const MAX_BURST: Duration = Duration::from_millis(300);
/// How often stamps are compared when the kernel reports nothing.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Watches files and reports when one of them may have changed. Dropping it stops the watch.
pub struct Watch {
    /// Closed to stop the thread.
    stop: Option<UnixStream>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Starts watching. `on_change` is called on the watching thread after each change; a caller that reads
    /// the files after this returns misses no change.
    pub fn start(files: Vec<PathBuf>, on_change: impl FnMut() + Send + 'static) -> std::io::Result<Watch> {
        let (stop, stopped) = UnixStream::pair()?;
        let mut events = FileEvents::new(files, stopped);
        events.rearm();
        let thread = std::thread::Builder::new()
            .name("sekisho-watch".into())
            .spawn(move || follow(&mut events, on_change))?;
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

/// Waits for changes and reports them, until stopped.
fn follow(events: &mut FileEvents, mut on_change: impl FnMut()) {
    loop {
        match events.wait(POLL_INTERVAL) {
            WatchEvent::Change if !settle(events) => return,
            WatchEvent::Change => {}
            WatchEvent::TimedOut if events.has_changed() => {}
            WatchEvent::TimedOut => continue,
            WatchEvent::Stop => return,
        }
        events.rearm();
        on_change();
    }
}

/// Waits until a burst of changes is over. Returns `false` when stopped.
fn settle(events: &FileEvents) -> bool {
    let start = Instant::now();
    while start.elapsed() < MAX_BURST {
        match events.wait(QUIET) {
            WatchEvent::Change => {}
            WatchEvent::TimedOut => return true,
            WatchEvent::Stop => return false,
        }
    }
    true
}
