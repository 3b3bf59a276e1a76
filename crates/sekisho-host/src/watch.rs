//! Noticing that a file changed.
//!
//! Directories are watched, not files: editors and sekisho itself replace files by renaming, and a file that is not there
//! yet has nothing to watch. What the kernel does not tell of (network file systems, the target of a link, too many
//! watches) is found by looking at the files' stamps now and then.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use crate::live::{Live, Reloader};
use crate::locations::{Locations, Workspace};

/// Changes come in bursts; this long a silence ends one.
const QUIET: Duration = Duration::from_millis(30);
/// A burst that does not end is acted on all the same.
const PATIENCE: Duration = Duration::from_millis(300);
/// How often stamps are looked at when nothing is heard.
const LOOK: Duration = Duration::from_secs(1);

/// Watches the files of all layers and keeps a [`Live`] policy up to date. Dropping it ends the watching.
pub struct Watch {
    live: Arc<Live>,
    sender: Sender<Message>,
    thread: Option<JoinHandle<()>>,
}

enum Message {
    Changed,
    Stop,
}

impl Watch {
    /// Loads the policy and begins to watch. `after_swap` is called on the watching thread with each new policy's
    /// generation.
    pub fn start(
        locations: Locations,
        workspace: Workspace,
        after_swap: impl Fn(u64) + Send + 'static,
    ) -> std::io::Result<Watch> {
        let files = files(&locations, &workspace);
        let (sender, receiver) = channel();
        let mut ears = Ears::new(files, sender.clone());
        // Listening begins before reading, so that nothing falls between the two.
        ears.listen();
        let stamps = ears.stamps();
        let (mut reloader, live) = Reloader::start(locations, workspace);
        let live = Arc::new(live);
        let shared = Arc::clone(&live);
        let thread = std::thread::Builder::new().name("sekisho-watch".into()).spawn(move || {
            follow(&receiver, &mut ears, stamps, || {
                let before = shared.current().generation;
                reloader.reload(&shared);
                let now = shared.current().generation;
                if now != before {
                    after_swap(now);
                }
            });
        })?;
        Ok(Watch { live, sender, thread: Some(thread) })
    }

    /// The policy in force, kept up to date.
    pub fn live(&self) -> &Arc<Live> {
        &self.live
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

/// Everything a policy depends on.
fn files(locations: &Locations, workspace: &Workspace) -> Vec<PathBuf> {
    let own = [locations.managed.clone(), locations.global.clone(), locations.state.join("trust.json")];
    own.into_iter().chain(workspace.configs()).collect()
}

/// Waits for changes and reloads, until told to stop.
fn follow(receiver: &Receiver<Message>, ears: &mut Ears, mut stamps: Vec<Stamp>, mut reload: impl FnMut()) {
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
        reload();
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

/// What tells one state of a file from another without reading it.
type Stamp = Option<(SystemTime, u64, u64)>;

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

fn stamp(file: &Path) -> Stamp {
    use std::os::unix::fs::MetadataExt;
    let metadata = file.metadata().ok()?;
    Some((metadata.modified().ok()?, metadata.len(), metadata.ino()))
}
