//! Moves whole lines between files and channels, each file on a thread of its own.
//!
//! A line is passed on with its line end, exactly as it was read. The channels hold few lines, and long lines share a
//! bounded memory, so a reader is never far ahead of its writer.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

/// Maximum bytes of a line. What is longer cannot be checked, so the proxy ends instead of passing it on.
pub(super) const LARGEST: usize = 64 << 20;

/// Lines that wait between a reader and a writer.
const WAITING: usize = 4;
/// Lines that were read and not written yet have as many bytes together as the longest line, in units of this.
const UNIT: usize = 1024;
const UNITS: usize = LARGEST / UNIT + 1;

/// A line with its line end. It takes its part of the memory for lines until it is dropped.
pub(super) struct Line {
    pub(super) bytes: Vec<u8>,
    _memory: Option<OwnedSemaphorePermit>,
}

impl From<Vec<u8>> for Line {
    /// A line of our own: the caller bounds how many there are.
    fn from(bytes: Vec<u8>) -> Line {
        Line { bytes, _memory: None }
    }
}

/// Why no line could be read.
#[derive(Debug)]
pub(super) enum LineError {
    /// It is longer than [`LARGEST`].
    TooLong,
    Failed(io::Error),
}

/// Reads a line with its line end. The last line may have none. `None` at the end.
fn read_line(reader: &mut impl BufRead, largest: usize) -> Result<Option<Vec<u8>>, LineError> {
    let mut line = Vec::new();
    loop {
        let piece = match reader.fill_buf() {
            Ok(piece) => piece,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(LineError::Failed(error)),
        };
        if piece.is_empty() {
            return Ok(Some(line).filter(|line| !line.is_empty()));
        }
        let end = piece.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
        let taken = end.unwrap_or(piece.len());
        if line.len() + taken > largest {
            return Err(LineError::TooLong);
        }
        line.extend_from_slice(piece.get(..taken).unwrap_or_default());
        reader.consume(taken);
        if end.is_some() {
            return Ok(Some(line));
        }
    }
}

/// The lines of a file. The channel closes at its end. To be called in a runtime.
pub(super) fn read_lines(file: impl Read + Send + 'static) -> mpsc::Receiver<Result<Line, LineError>> {
    let (sender, receiver) = mpsc::channel(WAITING);
    let (memory, runtime) = (Arc::new(Semaphore::new(UNITS)), Handle::current());
    std::thread::spawn(move || {
        let mut reader = BufReader::with_capacity(64 << 10, file);
        loop {
            let Some(line) = read_line(&mut reader, LARGEST).transpose() else { return };
            let failed = line.is_err();
            let line = line.map(|mut bytes| {
                bytes.shrink_to_fit();
                let units = u32::try_from(bytes.len() / UNIT + 1).unwrap_or(u32::MAX);
                let memory = runtime.block_on(memory.clone().acquire_many_owned(units));
                Line { bytes, _memory: memory.ok() }
            });
            if sender.blocking_send(line).is_err() || failed {
                return;
            }
        }
    });
    receiver
}

/// A socket whose other side sends nothing more, though it may still receive.
#[cfg(target_os = "linux")]
const HALF_CLOSED: PollFlags = PollFlags::RDHUP;
#[cfg(not(target_os = "linux"))]
const HALF_CLOSED: PollFlags = PollFlags::empty();

/// Waits until nobody can write to a pipe or socket any more. What was written may not be read yet. A file or a terminal
/// is never closed in this way.
pub(super) fn until_closed(file: impl AsFd + Send + 'static) -> oneshot::Receiver<()> {
    until(file, PollFlags::HUP | HALF_CLOSED)
}

/// Waits until nobody can read what is written to a pipe or socket.
pub(super) fn until_unread(file: impl AsFd + Send + 'static) -> oneshot::Receiver<()> {
    until(file, PollFlags::HUP | PollFlags::ERR)
}

fn until(file: impl AsFd + Send + 'static, flags: PollFlags) -> oneshot::Receiver<()> {
    let (closed, closing) = oneshot::channel();
    std::thread::spawn(move || {
        loop {
            let mut polled = [PollFd::new(&file, flags & HALF_CLOSED)];
            match poll(&mut polled, None) {
                Err(Errno::INTR) => {}
                Ok(_) if polled.iter().any(|polled| polled.revents().intersects(flags)) => break,
                // Nothing that could be waited for.
                Ok(_) | Err(_) => return std::mem::forget(closed),
            }
        }
        // Nobody may wait for it.
        let _ = closed.send(());
    });
    closing
}

/// Writes lines to a file until all senders are gone, then closes it. The second channel tells how it ended.
pub(super) fn write_lines(
    mut file: impl Write + Send + 'static,
) -> (mpsc::Sender<Line>, oneshot::Receiver<io::Result<()>>) {
    let (sender, mut lines) = mpsc::channel::<Line>(WAITING);
    let (ended, ending) = oneshot::channel();
    std::thread::spawn(move || {
        let mut outcome = Ok(());
        while let Some(line) = lines.blocking_recv() {
            outcome = file.write_all(&line.bytes).and_then(|()| file.flush());
            if outcome.is_err() {
                break;
            }
        }
        drop((file, lines));
        // Nobody may wait for it.
        let _ = ended.send(outcome);
    });
    (sender, ending)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::{LineError, read_line, until_closed, until_unread};

    #[test]
    fn lines_keep_their_bytes() {
        let mut text: &[u8] = b"one\r\n\n\xff two\nlast";
        let mut lines = Vec::new();
        while let Some(line) = read_line(&mut text, 100).unwrap() {
            lines.push(line);
        }
        assert_eq!(lines, [&b"one\r\n"[..], b"\n", b"\xff two\n", b"last"]);
    }

    #[test]
    fn long_line_is_an_error() {
        let mut text = std::io::BufReader::with_capacity(3, &b"12345\n123456\n"[..]);
        assert_eq!(read_line(&mut text, 6).unwrap().unwrap(), b"12345\n");
        assert!(matches!(read_line(&mut text, 6), Err(LineError::TooLong)));
    }

    /// Lines may wait for an agent that reads nothing: the end of the input must be noticed before they are read.
    #[tokio::test]
    async fn closed_pipe_is_noticed_before_it_is_read() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(b"unread").unwrap();
        let mut closed = until_closed(reader);
        assert!(closed.try_recv().is_err());
        drop(writer);
        closed.await.unwrap();
    }

    /// Editors may use sockets, and close one direction only.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn half_closed_socket_is_noticed_before_it_is_read() {
        let (ours, mut theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        theirs.write_all(b"unread").unwrap();
        let mut closed = until_closed(ours);
        assert!(closed.try_recv().is_err());
        theirs.shutdown(std::net::Shutdown::Write).unwrap();
        closed.await.unwrap();
    }

    #[tokio::test]
    async fn closed_reader_is_noticed_before_anything_is_written() {
        let (reader, writer) = std::io::pipe().unwrap();
        let mut unread = until_unread(writer);
        assert!(unread.try_recv().is_err());
        drop(reader);
        unread.await.unwrap();
    }
}
