//! A blocking HTTP client: one connection for each request.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use crate::Failure;

/// A server's address and a token for it.
#[derive(Clone)]
pub(crate) struct Caller {
    pub(crate) address: String,
    pub(crate) token: String,
}

impl Caller {
    /// Sends a request that must succeed.
    pub(crate) fn send(&self, method: &str, path: &str, body: &Value) -> Result<Value, Failure> {
        let mut stream = TcpStream::connect(&self.address)?;
        let body = body.to_string();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            self.token,
            body.len()
        )?;
        let mut text = String::new();
        stream.read_to_string(&mut text)?;
        let (head, body) = text.split_once("\r\n\r\n").ok_or("an incomplete response")?;
        match head.split(' ').nth(1).is_some_and(|status| status.starts_with('2')) {
            true => Ok(serde_json::from_str(body)?),
            false => Err(format!("{method} {path}: {text}").into()),
        }
    }
}
