//! The watched files, and the kernel's events about their directories.

use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::stamp::{Stamp, stamp};

/// The result of a wait.
pub(super) enum WatchEvent {
    /// One of the files may have changed.
    Change,
    /// Nothing happened in time.
    TimedOut,
    /// The watch was stopped.
    Stop,
}

pub(super) struct FileEvents {
    files: Vec<PathBuf>,
    stamps: Vec<Stamp>,
    /// `None` if the kernel reports nothing: changes are then found by stamps, only later.
    kernel: Option<kernel::Watches>,
    stopped: UnixStream,
}

impl FileEvents {
    /// Events of some files. Closing the other end of `stopped` ends the wait.
    pub(super) fn new(files: Vec<PathBuf>, stopped: UnixStream) -> FileEvents {
        FileEvents { files, stamps: Vec::new(), kernel: None, stopped }
    }

    /// Watches the directories of all files again: a replaced directory has lost its watch. Stamps are taken
    /// after that, so that nothing in between is missed.
    pub(super) fn rearm(&mut self) {
        self.kernel = kernel::Watches::new(&self.files);
        self.stamps = self.current_stamps();
    }

    /// Whether a file has changed since [`rearm`](Self::rearm).
    pub(super) fn has_changed(&self) -> bool {
        self.current_stamps() != self.stamps
    }

    fn current_stamps(&self) -> Vec<Stamp> {
        self.files.iter().map(|file| stamp(file)).collect()
    }

    /// Waits for an event, at most `longest`.
    pub(super) fn wait(&self, longest: Duration) -> WatchEvent {
        let started = Instant::now();
        loop {
            let left = longest.saturating_sub(started.elapsed());
            let mut waiting = vec![PollFd::new(&self.stopped, PollFlags::IN)];
            waiting.extend(
                self.kernel.as_ref().map(|kernel| PollFd::from_borrowed_fd(kernel.as_fd(), PollFlags::IN)),
            );
            let left = Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
            match poll(&mut waiting, Some(&left)) {
                Ok(0) => return WatchEvent::TimedOut,
                Ok(_) if waiting.first().is_some_and(|stopped| !stopped.revents().is_empty()) => {
                    return WatchEvent::Stop;
                }
                Ok(_) if self.kernel.as_ref().is_some_and(|kernel| kernel.concerns(&self.files)) => {
                    return WatchEvent::Change;
                }
                Ok(_) | Err(Errno::INTR) => {}
                // Nothing can be received any more.
                Err(_) => return WatchEvent::Stop,
            }
        }
    }
}

#[cfg(target_os = "linux")]
mod kernel {
    use std::collections::HashMap;
    use std::ffi::OsStr;
    use std::mem::MaybeUninit;
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
    use std::os::unix::ffi::OsStrExt;
    use std::path::PathBuf;

    use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};
    use rustix::io::Errno;

    /// What counts as a change. Writing does not, only closing after a write: a database in the same
    /// directory is written to all the time.
    const CHANGES: WatchFlags = WatchFlags::ATTRIB
        .union(WatchFlags::CREATE)
        .union(WatchFlags::CLOSE_WRITE)
        .union(WatchFlags::DELETE)
        .union(WatchFlags::DELETE_SELF)
        .union(WatchFlags::MOVE)
        .union(WatchFlags::MOVE_SELF);

    /// The kernel's watches on directories.
    pub(super) struct Watches {
        events: OwnedFd,
        directories: HashMap<i32, PathBuf>,
    }

    impl Watches {
        /// Watches the directory of each file, or the nearest existing one above it, and its parent: either
        /// may be replaced.
        pub(super) fn new(files: &[PathBuf]) -> Option<Watches> {
            let events = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
            let mut directories = HashMap::new();
            for file in files {
                for directory in file.ancestors().skip(1).filter(|directory| directory.is_dir()).take(2) {
                    if let Ok(watch) = inotify::add_watch(&events, directory, CHANGES) {
                        directories.insert(watch, directory.to_owned());
                    }
                }
            }
            Some(Watches { events, directories })
        }

        pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
            self.events.as_fd()
        }

        /// Whether the pending events may be about one of the files.
        pub(super) fn concerns(&self, files: &[PathBuf]) -> bool {
            let mut buffer = [MaybeUninit::uninit(); 4096];
            let mut reader = Reader::new(&self.events, &mut buffer);
            let mut concerns = false;
            loop {
                match reader.next() {
                    Ok(event) => {
                        let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()));
                        // If an event was lost, it may have been about one of them.
                        concerns |= self.directories.get(&event.wd()).is_none_or(|directory| {
                            let path = name.map_or_else(|| directory.clone(), |name| directory.join(name));
                            files.iter().any(|file| file.starts_with(&path))
                        });
                    }
                    Err(Errno::INTR) => {}
                    Err(_) => return concerns,
                }
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod kernel {
    use std::os::fd::BorrowedFd;
    use std::path::PathBuf;

    /// The kernel's watches on directories: not supported on this system.
    pub(super) enum Watches {}

    impl Watches {
        pub(super) fn new(_: &[PathBuf]) -> Option<Watches> {
            None
        }

        pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
            match *self {}
        }

        pub(super) fn concerns(&self, _: &[PathBuf]) -> bool {
            match *self {}
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    #[test]
    fn writing_to_another_file_is_not_reported() {
        let directory = tempfile::tempdir().unwrap();
        let inside = directory.path().join("a/b");
        fs::create_dir_all(&inside).unwrap();
        let file = inside.join("config.json");
        let mut other = fs::File::create(inside.join("ledger.db-wal")).unwrap();
        let watches = kernel::Watches::new(std::slice::from_ref(&file)).unwrap();
        let is_ready = |within: Timespec| {
            let mut waiting = [PollFd::from_borrowed_fd(watches.as_fd(), PollFlags::IN)];
            poll(&mut waiting, Some(&within)).unwrap() > 0
        };
        let (now, in_time) = (Timespec::default(), Timespec { tv_sec: 60, tv_nsec: 0 });
        other.write_all(b"a row").unwrap();
        other.sync_all().unwrap();
        assert!(!is_ready(now));
        // A child process of another test may hold the file open for a moment; the event comes when that
        // ends.
        drop(other);
        assert!(is_ready(in_time) && !watches.concerns(std::slice::from_ref(&file)));
        fs::write(&file, "{}").unwrap();
        assert!(is_ready(in_time) && watches.concerns(&[file]));
    }
}
