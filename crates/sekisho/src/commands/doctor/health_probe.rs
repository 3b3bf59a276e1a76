//! Asking at a door whether it is ours.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// Who answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ProbeResult {
    /// A sekisho, and how it is: `ok`, or what is wrong.
    Sekisho(String),
    /// Somebody else, or one who speaks TLS and was not asked.
    Other,
    /// Nobody.
    NoAnswer,
}

/// How long to wait for an answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// What health says when it is not `ok`.
const ILL: &str = "the ledger cannot be read";

/// Asks at a port. One that speaks TLS is not asked: that somebody is there has to do.
pub(crate) fn probe_tcp(address: SocketAddr, tls: bool) -> ProbeResult {
    let Ok(stream) = TcpStream::connect_timeout(&address, PATIENCE) else { return ProbeResult::NoAnswer };
    if tls {
        return ProbeResult::Other;
    }
    let set = stream.set_read_timeout(Some(PATIENCE)).and_then(|()| stream.set_write_timeout(Some(PATIENCE)));
    ask(stream, &address.to_string()).filter(|_| set.is_ok()).map_or(ProbeResult::Other, read)
}

/// Asks at a socket.
pub(crate) fn probe_socket(path: &Path) -> ProbeResult {
    let Ok(stream) = UnixStream::connect(path) else { return ProbeResult::NoAnswer };
    let set = stream.set_read_timeout(Some(PATIENCE)).and_then(|()| stream.set_write_timeout(Some(PATIENCE)));
    ask(stream, "localhost").filter(|_| set.is_ok()).map_or(ProbeResult::Other, read)
}

fn ask(mut stream: impl Read + Write, host: &str) -> Option<String> {
    write!(stream, "GET /healthz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").ok()?;
    let mut answer = Vec::new();
    // Whatever came before the time was up may be enough.
    let _ = stream.take(8192).read_to_end(&mut answer);
    Some(String::from_utf8_lossy(&answer).into_owned())
}

fn read(answer: String) -> ProbeResult {
    let body = answer.split_once("\r\n\r\n").map(|(_, body)| body.trim());
    match body {
        Some("ok") if answer.starts_with("HTTP/1.1 200") => ProbeResult::Sekisho("ok".into()),
        Some(ILL) => ProbeResult::Sekisho(ILL.into()),
        _ => ProbeResult::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_answer_is_ours() {
        let answer =
            |status: &str, body: &str| read(format!("HTTP/1.1 {status}\r\ncontent-length: 2\r\n\r\n{body}"));
        assert_eq!(answer("200 OK", "ok"), ProbeResult::Sekisho("ok".into()));
        assert_eq!(answer("503 Service Unavailable", ILL), ProbeResult::Sekisho(ILL.into()));
        for (status, body) in [("404 Not Found", "ok"), ("200 OK", "<html>"), ("200 OK", "")] {
            assert_eq!(answer(status, body), ProbeResult::Other);
        }
        assert_eq!(read("SSH-2.0-OpenSSH".into()), ProbeResult::Other);
    }
}
