//! Asks an address whether a sekisho server answers there.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ProbeResult {
    /// A sekisho server, with its health: `ok`, or what is wrong.
    Sekisho(String),
    /// Another program, or a TLS port, which is not asked.
    Other,
    NoAnswer,
}

/// Timeout of a probe.
const PATIENCE: Duration = Duration::from_secs(2);
/// What `/healthz` answers if the server is not `ok`.
const ILL: &str = "the ledger cannot be read";

/// Probes a port. A TLS port is only connected to, not asked.
pub(crate) fn probe_tcp(address: SocketAddr, tls: bool) -> ProbeResult {
    let Ok(stream) = TcpStream::connect_timeout(&address, PATIENCE) else { return ProbeResult::NoAnswer };
    if tls {
        return ProbeResult::Other;
    }
    let set = stream.set_read_timeout(Some(PATIENCE)).and_then(|()| stream.set_write_timeout(Some(PATIENCE)));
    ask(stream, &address.to_string()).filter(|_| set.is_ok()).map_or(ProbeResult::Other, read)
}

/// Probes a Unix socket.
pub(crate) fn probe_socket(path: &Path) -> ProbeResult {
    let Ok(stream) = UnixStream::connect(path) else { return ProbeResult::NoAnswer };
    let set = stream.set_read_timeout(Some(PATIENCE)).and_then(|()| stream.set_write_timeout(Some(PATIENCE)));
    ask(stream, "localhost").filter(|_| set.is_ok()).map_or(ProbeResult::Other, read)
}

fn ask(mut stream: impl Read + Write, host: &str) -> Option<String> {
    write!(stream, "GET /healthz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").ok()?;
    let mut answer = Vec::new();
    // On a timeout, what was read so far may be enough.
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
    fn only_a_sekisho_answer_counts() {
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
