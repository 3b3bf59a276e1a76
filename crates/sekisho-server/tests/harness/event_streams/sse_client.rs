//! A client of server-sent events.

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{TestCredential, PATIENCE, TestServer};

#[derive(Debug, PartialEq)]
pub(crate) struct Event {
    pub(crate) id: u64,
    pub(crate) kind: String,
    pub(crate) data: Value,
}

/// An event stream.
pub(crate) struct SseClient {
    reader: BufReader<TcpStream>,
    text: String,
}

impl TestServer {
    /// Follows the events, after the last one that was received.
    pub(crate) async fn follow(&self, who: &TestCredential, from: Option<u64>) -> SseClient {
        let last = from.map(|from| format!("Last-Event-ID: {from}\r\n")).unwrap_or_default();
        self.follow_at(who, "/api/events", &last).await
    }

    pub(crate) async fn follow_at(&self, who: &TestCredential, path: &str, headers: &str) -> SseClient {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let head = self.head(who, "GET", path);
        stream.write_all(format!("{head}{headers}\r\n").as_bytes()).await.unwrap();
        let mut stream = SseClient { reader: BufReader::new(stream), text: String::new() };
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(stream.reader.read_line(&mut head).await.unwrap(), 0, "{head}");
        }
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        assert!(head.to_ascii_lowercase().contains("content-type: text/event-stream"), "{head}");
        assert_eq!(stream.block().await.as_deref(), Some("retry: 2000"));
        stream
    }
}

impl SseClient {
    /// The next event; comments are skipped.
    pub(crate) async fn next(&mut self) -> Event {
        loop {
            let block = self.block().await.expect("the stream goes on");
            if !block.starts_with(':') {
                return event(&block);
            }
        }
    }

    /// The next event of a type.
    pub(crate) async fn until(&mut self, kind: &str) -> Event {
        loop {
            let event = self.next().await;
            if event.kind == kind {
                return event;
            }
        }
    }

    /// The text between two empty lines; `None` at the end of the stream, normal or not.
    pub(crate) async fn block(&mut self) -> Option<String> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.text = rest;
                return Some(block);
            }
            timeout(PATIENCE, self.chunk()).await.expect("an event")?;
        }
    }

    async fn chunk(&mut self) -> Option<()> {
        let mut size = String::new();
        self.reader.read_line(&mut size).await.ok()?;
        let size = usize::from_str_radix(size.trim(), 16).ok().filter(|size| *size > 0)?;
        let mut chunk = vec![0; size + 2];
        self.reader.read_exact(&mut chunk).await.ok()?;
        chunk.truncate(size);
        self.text.push_str(std::str::from_utf8(&chunk).ok()?);
        Some(())
    }
}

fn event(block: &str) -> Event {
    let lines: Vec<&str> = block.lines().collect();
    let [id, kind, data] = lines[..] else { panic!("three lines: {block}") };
    Event {
        id: id.strip_prefix("id: ").unwrap().parse().unwrap(),
        kind: kind.strip_prefix("event: ").unwrap().to_owned(),
        data: serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap(),
    }
}
