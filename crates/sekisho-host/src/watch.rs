//! Noticing that a file changed.
//!
//! Directories are watched, not files: editors and sekisho itself replace files by renaming, and a file that is not there
//! yet has nothing to watch. What the kernel does not tell of (network file systems, the target of a link, too many
//! watches) is found by looking at the files' stamps now and then.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use crate::stamp::{Stamp, stamp};

/// Changes come in bursts; this long a silence ends one.
const QUIET: Duration = Duration::from_millis(30);
/// A burst that does not end is acted on all the same.
const PATIENCE: Duration = Duration::from_millis(300);
/// How often stamps are looked at when nothing is heard.
const LOOK: Duration = Duration::from_secs(1);

/// Tells when one of some files may have changed. Dropping it ends the watching.
pub struct Watch {
    sender: Sender<Message>,
    thread: Option<JoinHandle<()>>,
}

enum Message {
    Changed,
    Stop,
}

impl Watch {
    /// Begins to watch. `heard` is called on the watching thread after each change; whoever reads the files after this
    /// has returned misses none.
    pub fn start(files: Vec<PathBuf>, mut heard: impl FnMut() + Send + 'static) -> std::io::Result<Watch> {
        let (sender, receiver) = channel();
        let mut ears = Ears::new(files, sender.clone());
        ears.listen();
        let stamps = ears.stamps();
        let thread = std::thread::Builder::new()
            .name("sekisho-watch".into())
            .spawn(move || follow(&receiver, &mut ears, stamps, &mut heard))?;
        Ok(Watch { sender, thread: Some(thread) })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // If the thread is gone already there is nobody to tell.
        let _ = self.sender.send(Message::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Waits for changes and tells of them, until told to stop.
fn follow(receiver: &Receiver<Message>, ears: &mut Ears, mut stamps: Vec<Stamp>, heard: &mut impl FnMut()) {
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok(Message::Changed) => {
                if !settle(receiver) {
                    return;
                }
            }
            Err(RecvTimeoutError::Timeout) if ears.stamps() != stamps => {}
            Err(RecvTimeoutError::Timeout) => continue,
            Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return,
        }
        ears.listen();
        stamps = ears.stamps();
        heard();
    }
}

/// Waits until a burst of changes is over. `false` when told to stop.
fn settle(receiver: &Receiver<Message>) -> bool {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        match receiver.recv_timeout(QUIET) {
            Ok(Message::Changed) => {}
            Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return false,
            Err(RecvTimeoutError::Timeout) => return true,
        }
    }
    true
}

/// The files and the kernel's watches on their directories.
struct Ears {
    files: Vec<PathBuf>,
    watcher: Option<RecommendedWatcher>,
    watched: BTreeSet<PathBuf>,
}

impl Ears {
    fn new(files: Vec<PathBuf>, sender: Sender<Message>) -> Ears {
        let ours = files.clone();
        let heard = move |event: notify::Result<notify::Event>| {
            let concerns = event.map_or(true, |event| {
                // A lost event may have been ours. Reading a file is no change.
                !event.kind.is_access()
                    && (event.paths.is_empty()
                        || event.paths.iter().any(|path| ours.iter().any(|file| file.starts_with(path))))
            });
            if concerns {
                // Nobody listens any more: then nobody needs to be told.
                let _ = sender.send(Message::Changed);
            }
        };
        // Without a watcher the stamps still tell, only later.
        let watcher = RecommendedWatcher::new(heard, notify::Config::default()).ok();
        Ears { files, watcher, watched: BTreeSet::new() }
    }

    /// Puts a watch on the directories of all files, or on the nearest above that is there, and anew where one was: a
    /// directory that was replaced has lost its watch.
    fn listen(&mut self) {
        let Some(watcher) = &mut self.watcher else { return };
        for gone in std::mem::take(&mut self.watched) {
            // Fails where the directory is gone, and its watch with it.
            let _ = watcher.unwatch(&gone);
        }
        for file in &self.files {
            // The file's directory, and the one that holds it: either may be replaced.
            for directory in file.ancestors().skip(1).filter(|directory| directory.is_dir()).take(2) {
                if !self.watched.contains(directory)
                    && watcher.watch(directory, RecursiveMode::NonRecursive).is_ok()
                {
                    self.watched.insert(directory.to_path_buf());
                }
            }
        }
    }

    fn stamps(&self) -> Vec<Stamp> {
        self.files.iter().map(|file| stamp(file)).collect()
    }
}
