//! A blocking HTTP client: one connection, one request.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};

use serde_json::Value;

use crate::caller_client::LONG;

/// A server's address and a token for it.
#[derive(Clone)]
pub(crate) struct Endpoint {
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
}

impl Endpoint {
    /// Sends one request. After an error its outcome is unknown.
    pub(crate) fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> io::Result<(u16, Value)> {
        let mut stream = self.send(method, path, body)?;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes)?;
        read(&bytes)
    }

    /// Sends a request and returns the stream of the response.
    pub(crate) fn send(&self, method: &str, path: &str, body: Option<&Value>) -> io::Result<TcpStream> {
        let mut stream = TcpStream::connect_timeout(&self.address, LONG)?;
        stream.set_read_timeout(Some(LONG))?;
        let body = body.map(Value::to_string).unwrap_or_default();
        let kind = if body.is_empty() { "" } else { "Content-Type: application/json\r\n" };
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n{kind}Content-Length: {}\r\n\r\n{body}",
            self.address,
            self.token,
            body.len(),
        )?;
        Ok(stream)
    }
}

fn read(bytes: &[u8]) -> io::Result<(u16, Value)> {
    let broken = || io::Error::new(io::ErrorKind::UnexpectedEof, "the response is incomplete");
    let text = std::str::from_utf8(bytes).map_err(|_| broken())?;
    let (head, body) = text.split_once("\r\n\r\n").ok_or_else(broken)?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(broken)?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    if length.is_some_and(|length| body.len() < length) {
        return Err(broken());
    }
    Ok((status, serde_json::from_str(body).unwrap_or(Value::Null)))
}
