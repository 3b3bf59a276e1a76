//! The parent's end of the helper's control socket.

use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdStream;

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use tokio::io::Interest;
use tokio::net::UnixStream;

use crate::tool_result::ProcessEnd;

/// The longest line of the helper.
const MAX_LINE: usize = 8 << 10;

#[cfg(target_os = "linux")]
const CLOSED_ON_EXEC: RecvFlags = RecvFlags::CMSG_CLOEXEC;
/// The helper runs on Linux only, so nothing is received elsewhere.
#[cfg(not(target_os = "linux"))]
const CLOSED_ON_EXEC: RecvFlags = RecvFlags::empty();

/// What the helper says.
#[derive(Debug)]
pub(super) enum Message {
    /// The program ended.
    Ended(ProcessEnd),
    /// The program was not started. Why, in one line.
    Failed(String),
    /// The program had started, and ended with the sandbox. Why, in one line.
    Killed(String),
    /// The port of the proxy inside the program's network namespace.
    Proxy(OwnedFd),
    /// The helper has closed the socket.
    Closed,
}

/// The parent's end. Dropping it makes the helper kill the program.
pub(super) struct ControlSocket {
    stream: UnixStream,
    line: Vec<u8>,
    received: Option<OwnedFd>,
}

impl ControlSocket {
    pub(super) fn new(stream: StdStream) -> io::Result<ControlSocket> {
        stream.set_nonblocking(true)?;
        Ok(ControlSocket { stream: UnixStream::from_std(stream)?, line: Vec::new(), received: None })
    }

    /// The next message. Safe to cancel: what was read stays here.
    pub(super) async fn next(&mut self) -> Message {
        loop {
            if let Some(end) = self.line.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.line.drain(..=end).collect();
                if let Some(message) = self.read(&String::from_utf8_lossy(&line)) {
                    return message;
                }
                continue;
            }
            if self.line.len() > MAX_LINE || self.stream.readable().await.is_err() {
                return Message::Closed;
            }
            let received = self.stream.try_io(Interest::READABLE, || receive(&self.stream));
            match received {
                Ok((bytes, descriptor)) => {
                    if bytes.is_empty() {
                        return Message::Closed;
                    }
                    self.line.extend(bytes);
                    self.received = descriptor.or(self.received.take());
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return Message::Closed,
            }
        }
    }

    fn read(&mut self, line: &str) -> Option<Message> {
        let line = line.trim_end_matches('\n');
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "exited" => rest.parse().ok().map(|code| Message::Ended(ProcessEnd::Exited(code))),
            "signalled" => rest.parse().ok().map(|signal| Message::Ended(ProcessEnd::Signalled(signal))),
            "killed" => Some(Message::Killed(rest.to_owned())),
            "failed" => Some(Message::Failed(rest.to_owned())),
            "proxy" => self.received.take().map(Message::Proxy),
            _ => None,
        }
    }
}

fn receive(stream: &UnixStream) -> io::Result<(Vec<u8>, Option<OwnedFd>)> {
    let mut bytes = vec![0; 1024];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let message = {
        let mut parts = [IoSliceMut::new(&mut bytes)];
        recvmsg(stream, &mut parts, &mut ancillary, CLOSED_ON_EXEC)?
    };
    let mut descriptor = None;
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(received) = message {
            descriptor = received.into_iter().next();
        }
    }
    bytes.truncate(message.bytes);
    Ok((bytes, descriptor))
}
