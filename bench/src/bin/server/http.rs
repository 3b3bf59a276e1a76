//! The plainest HTTP client there is: one connection, one request at a time, bodies with a length.

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::Failure;
use crate::place::Server;

/// A connection that stays open.
pub struct Connection {
    stream: TcpStream,
    head: String,
    buffer: Vec<u8>,
}

impl Connection {
    /// To a server, with a token.
    pub async fn to(server: &Server, token: &str) -> Result<Connection, Failure> {
        Connection::open(&server.address, token).await
    }

    /// To an address, with a token.
    pub async fn open(address: &str, token: &str) -> Result<Connection, Failure> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let head = format!("Host: {address}\r\nAuthorization: Bearer {token}\r\n");
        Ok(Connection { stream, head, buffer: Vec::with_capacity(512) })
    }

    /// Sends a request without waiting for what comes of it.
    pub async fn send(&mut self, method: &str, path: &str, body: Option<&str>) -> Result<(), Failure> {
        let (kind, body) = match body {
            Some(body) => {
                (format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len()), body)
            }
            None => (String::new(), ""),
        };
        let request = format!("{method} {path} HTTP/1.1\r\n{}{kind}\r\n{body}", self.head);
        self.stream.write_all(request.as_bytes()).await?;
        Ok(())
    }

    /// What came of it: the status and the body.
    pub async fn receive(&mut self) -> Result<(u16, Vec<u8>), Failure> {
        self.buffer.clear();
        let mut chunk = [0u8; 16 << 10];
        loop {
            if let Some((status, start, length)) = head(&self.buffer)?
                && self.buffer.len() >= start + length
            {
                return Ok((status, self.buffer[start..start + length].to_vec()));
            }
            let read = self.stream.read(&mut chunk).await?;
            if read == 0 {
                return Err("the server closed the connection".into());
            }
            self.buffer.extend_from_slice(&chunk[..read]);
        }
    }

    /// One request, and the JSON that came of it.
    pub async fn json(&mut self, method: &str, path: &str, body: &Value) -> Result<Value, Failure> {
        self.send(method, path, Some(&body.to_string())).await?;
        let (status, body) = self.receive().await?;
        if status >= 300 {
            return Err(format!("{method} {path}: {status}: {}", String::from_utf8_lossy(&body)).into());
        }
        Ok(serde_json::from_slice(&body)?)
    }
}

/// The status, where the body begins and how long it is, once the head is there.
fn head(buffer: &[u8]) -> Result<Option<(u16, usize, usize)>, Failure> {
    let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") else { return Ok(None) };
    let text = std::str::from_utf8(&buffer[..end])?;
    let status = text.split(' ').nth(1).ok_or("no status")?.parse()?;
    let length = text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    Ok(Some((status, end + 4, length.unwrap_or(0))))
}
