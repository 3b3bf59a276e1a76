//! The standard streams that the program gets.
//!
//! An open file belongs to the mount through which it was opened. Through one from outside the namespaces, its mode,
//! times and extended attributes could be changed although everything is mounted read-only inside. So files that are
//! open only for reading are opened again inside. Files that are open for writing are handed over as they are: they
//! are the program's output.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use rustix::fs::{FileType, OFlags, SeekFrom, fcntl_getfl, fcntl_setfl, fstat, seek};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use crate::failure::Failure;
use crate::planned_dir::read_without_links;

/// A directory that is handed over belongs to the mounts outside, so its files could be changed in spite of the
/// namespaces.
pub(crate) fn refuse_directories() -> Result<(), Failure> {
    let (input, output, error) = (std::io::stdin(), std::io::stdout(), std::io::stderr());
    for (name, stream) in
        [("input", input.as_fd()), ("output", output.as_fd()), ("error output", error.as_fd())]
    {
        // One that is closed is nothing.
        let found = fstat(stream);
        if found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::Directory) {
            return Err(Failure::new(format!("standard {name} is a directory; redirect it from a file")));
        }
    }
    Ok(())
}

/// Opens files that can only be read again, through the mounts of this process.
pub(crate) fn reopen_files() -> Result<(), Failure> {
    if let Some(file) = reopened(std::io::stdin().as_fd(), 0)? {
        dup2_stdin(file).map_err(Failure::of("standard input"))?;
    }
    if let Some(file) = reopened(std::io::stdout().as_fd(), 1)? {
        dup2_stdout(file).map_err(Failure::of("standard output"))?;
    }
    if let Some(file) = reopened(std::io::stderr().as_fd(), 2)? {
        dup2_stderr(file).map_err(Failure::of("standard error output"))?;
    }
    Ok(())
}

/// The same file, opened again at the same position. None if it can stay as it is.
fn reopened(stream: BorrowedFd<'_>, number: i32) -> Result<Option<File>, Failure> {
    let Ok(found) = fstat(stream) else { return Ok(None) };
    let is_file = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
    let flags = fcntl_getfl(stream).map_err(Failure::of("standard streams"))?;
    // A file without a name, such as a here-document, has nothing left to protect.
    if !is_file || found.st_nlink == 0 || flags & OFlags::ACCMODE != OFlags::RDONLY {
        return Ok(None);
    }
    let refused = || {
        Failure::new(
            "a standard stream is a file that cannot be opened inside the sandbox; use a pipe: `cat FILE | …`",
        )
    };
    let path: PathBuf = std::fs::read_link(format!("/proc/self/fd/{number}")).map_err(|_| refused())?;
    let file = File::from(read_without_links(&path).map_err(|_| refused())?);
    let inside = file.metadata().map_err(|_| refused())?;
    if (inside.dev(), inside.ino()) != (found.st_dev, found.st_ino) {
        return Err(refused());
    }
    let position = seek(stream, SeekFrom::Current(0)).map_err(|_| refused())?;
    seek(&file, SeekFrom::Start(position)).map_err(|_| refused())?;
    fcntl_setfl(&file, flags & !OFlags::ACCMODE).map_err(|_| refused())?;
    Ok(Some(file))
}
