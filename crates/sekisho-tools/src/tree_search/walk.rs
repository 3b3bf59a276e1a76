//! The walk: directories and files below a start, by several threads.

use std::ffi::{CStr, CString, OsStr};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{AtFlags, Dir, FileType, fstat, statat};

use super::ignore_rules::{IgnoreFileNames, IgnoreReader, IgnoreRules, Listing};
use super::task_queue::TaskQueue;
use crate::contained_write::open_directory_beneath;
use crate::file_access::{StopReason, StopSignal, is_on_kernel_file_system};

/// The most threads of one walk.
const MAX_THREADS: usize = 8;
/// So many files of one directory are one task.
const FILES_PER_TASK: usize = 64;
/// The most entries that are read of one directory.
const MAX_ENTRIES: usize = 1_000_000;
/// The length at which a path is too long for the kernel, in bytes.
const MAX_PATH: usize = 4096;

/// An entry that the walk has found.
pub(crate) struct FoundEntry<'a> {
    /// The directory that contains it.
    pub(crate) directory: BorrowedFd<'a>,
    pub(crate) name: &'a CStr,
    /// Relative to the start.
    pub(crate) path: &'a Path,
}

impl FoundEntry<'_> {
    pub(crate) fn os_name(&self) -> &OsStr {
        OsStr::from_bytes(self.name.to_bytes())
    }
}

/// Looks at what a walk finds. Each thread has its own.
pub(crate) trait FileVisitor: Send {
    /// Whether a directory is entered.
    fn enters(&mut self, directory: &FoundEntry<'_>) -> bool;
    /// Looks at a regular file. It may have been replaced by something else since.
    fn file(&mut self, file: &FoundEntry<'_>);
}

/// What a walk could not look at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WalkReport {
    /// Directories that could not be opened or read.
    pub(crate) unreadable: u64,
    /// Directories whose paths are too long.
    pub(crate) too_deep: u64,
    /// Directories with more entries than are read.
    pub(crate) too_large: u64,
    /// Directories of the kernel, such as `/proc`.
    pub(crate) of_kernel: u64,
    /// Ignore files that are links, pipes or too large.
    pub(crate) unused_ignore_files: u64,
    /// Why the walk stopped early.
    pub(crate) stopped: Option<StopReason>,
}

impl WalkReport {
    fn add(&mut self, other: WalkReport) {
        self.unreadable += other.unreadable;
        self.too_deep += other.too_deep;
        self.too_large += other.too_large;
        self.of_kernel += other.of_kernel;
        self.stopped = self.stopped.or(other.stopped);
    }
}

/// A walk below a directory.
pub(crate) struct Walk<'a> {
    pub(crate) start: BorrowedFd<'a>,
    /// The start without links, absolute.
    pub(crate) real: &'a Path,
    /// The workspace without links: ignore files above it count only inside a repository.
    pub(crate) workspace: &'a Path,
    /// The device of the start.
    pub(crate) device: rustix::fs::Dev,
    /// Whether hidden files are looked at.
    pub(crate) hidden: bool,
    pub(crate) stop: &'a StopSignal,
}

enum WalkTask {
    Directory { path: PathBuf, rules: Option<Arc<IgnoreRules>> },
    Files { directory: Arc<Dir>, path: Arc<PathBuf>, names: Vec<CString> },
}

impl Walk<'_> {
    /// Walks with one visitor for each thread, and returns them.
    pub(crate) fn run<V: FileVisitor>(&self, visitor: impl Fn() -> V) -> (Vec<V>, WalkReport) {
        let reader = IgnoreReader::new(self.stop);
        let rules = reader.above(self.real, self.workspace);
        let queue = TaskQueue::new(WalkTask::Directory { path: PathBuf::new(), rules });
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
        let mut workers: Vec<Worker<'_, V>> = Vec::new();
        workers.resize_with(threads, || Worker {
            walk: self,
            reader: &reader,
            queue: &queue,
            visitor: visitor(),
            report: WalkReport::default(),
        });
        std::thread::scope(|scope| {
            let mut workers = workers.iter_mut();
            let ours = workers.next();
            for worker in workers {
                scope.spawn(move || worker.run());
            }
            ours.into_iter().for_each(Worker::run);
        });
        let mut report = WalkReport { unused_ignore_files: reader.unused_files(), ..WalkReport::default() };
        workers.iter().for_each(|worker| report.add(worker.report));
        (workers.into_iter().map(|worker| worker.visitor).collect(), report)
    }
}

/// One thread of a walk.
struct Worker<'w, V> {
    walk: &'w Walk<'w>,
    reader: &'w IgnoreReader<'w>,
    queue: &'w TaskQueue<WalkTask>,
    visitor: V,
    report: WalkReport,
}

impl<V: FileVisitor> Worker<'_, V> {
    fn run(&mut self) {
        while let Some(mut task) = self.queue.next() {
            if let Some(reason) = self.walk.stop.reason() {
                self.report.stopped = Some(reason);
                self.queue.clear();
                continue;
            }
            match task.take() {
                Some(WalkTask::Directory { path, rules }) => self.directory(path, rules),
                Some(WalkTask::Files { directory, path, names }) => self.files(&directory, &path, &names),
                None => {}
            }
        }
    }

    fn directory(&mut self, path: PathBuf, rules: Option<Arc<IgnoreRules>>) {
        if path.as_os_str().len() >= MAX_PATH {
            self.report.too_deep += 1;
            return;
        }
        let opened = open_directory_beneath(self.walk.start, &path).ok().and_then(|handle| {
            let device = fstat(&handle).ok()?.st_dev;
            Some((handle, device))
        });
        let Some((handle, device)) = opened else {
            self.report.unreadable += 1;
            return;
        };
        if device != self.walk.device && is_on_kernel_file_system(handle.as_fd()) {
            self.report.of_kernel += 1;
            return;
        }
        let Ok(mut directory) = Dir::new(handle) else { return };
        let (entries, names) = self.entries(&mut directory);
        let Ok(handle) = directory.fd() else { return };
        let absolute = self.walk.real.join(&path);
        let rules = self.reader.below(rules, handle, &absolute, names);
        let mut found = Selection { path, absolute, rules, directories: Vec::new(), files: Vec::new() };
        for (name, kind) in entries {
            self.select(&mut found, handle, name, kind);
        }
        let Selection { path, rules, directories, mut files, .. } = found;
        let below = directories.into_iter().map(|path| WalkTask::Directory { path, rules: rules.clone() });
        self.queue.add(below);
        let directory = Arc::new(directory);
        let path = Arc::new(path);
        // The last added is done first, so few directories are open at a time.
        while files.len() > FILES_PER_TASK {
            let names = files.split_off(files.len() - FILES_PER_TASK);
            let (directory, path) = (Arc::clone(&directory), Arc::clone(&path));
            self.queue.add([WalkTask::Files { directory, path, names }]);
        }
        self.files(&directory, &path, &files);
    }

    /// The entries of a directory, and which of the names that matter it has.
    fn entries(&mut self, directory: &mut Dir) -> (Vec<(CString, FileType)>, IgnoreFileNames) {
        let (mut entries, mut names) = (Vec::new(), IgnoreFileNames::default());
        while let Some(entry) = directory.read() {
            let Ok(entry) = entry else {
                self.report.unreadable += 1;
                break;
            };
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            names.add(name, entry.file_type());
            if entries.len() == MAX_ENTRIES {
                self.report.too_large += 1;
                break;
            }
            entries.push((name.to_owned(), entry.file_type()));
        }
        (entries, names)
    }

    /// Decides about one entry.
    fn select(&mut self, found: &mut Selection, directory: BorrowedFd<'_>, name: CString, kind: FileType) {
        let kind = match kind {
            FileType::Unknown => statat(directory, &name, AtFlags::SYMLINK_NOFOLLOW)
                .map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode)),
            kind => kind,
        };
        let is_directory = kind == FileType::Directory;
        if !(is_directory || kind == FileType::RegularFile) || name.to_bytes() == b".git" {
            return;
        }
        let os_name = OsStr::from_bytes(name.to_bytes());
        let listing = match &found.rules {
            Some(rules) => {
                found.absolute.push(os_name);
                let listing = rules.listing(&found.absolute, is_directory);
                found.absolute.pop();
                listing
            }
            None => Listing::Unlisted,
        };
        let is_hidden = name.to_bytes().starts_with(b".") && !self.walk.hidden;
        if listing == Listing::Ignored || (listing == Listing::Unlisted && is_hidden) {
            return;
        }
        if !is_directory {
            found.files.push(name);
            return;
        }
        let path = found.path.join(os_name);
        if self.visitor.enters(&FoundEntry { directory, name: &name, path: &path }) {
            found.directories.push(path);
        }
    }

    fn files(&mut self, directory: &Dir, path: &Path, names: &[CString]) {
        let Ok(directory) = directory.fd() else { return };
        let mut path = path.to_owned();
        for name in names {
            path.push(OsStr::from_bytes(name.to_bytes()));
            self.visitor.file(&FoundEntry { directory, name, path: &path });
            path.pop();
        }
    }
}

/// What is taken of a directory.
struct Selection {
    /// The directory, relative to the start.
    path: PathBuf,
    absolute: PathBuf,
    rules: Option<Arc<IgnoreRules>>,
    directories: Vec<PathBuf>,
    files: Vec<CString>,
}
