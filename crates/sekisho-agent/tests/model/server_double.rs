//! A provider on loopback that sends exact bytes.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// How a provider answers one request.
#[derive(Clone)]
pub(crate) struct Answer {
    status: String,
    headers: String,
    body: Vec<u8>,
    delivery: Delivery,
}

/// How the body of an answer is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// At once, in one chunk.
    Whole,
    /// Each byte in a chunk and a write of its own.
    ByteByByte,
    /// Closes the connection instead of sending the last chunk.
    Cut,
    /// Sends no end, and waits until the client leaves.
    Hanging,
}

impl Answer {
    /// A stream of events.
    pub(crate) fn stream(body: impl Into<Vec<u8>>) -> Answer {
        Answer::new("200 OK", "content-type: text/event-stream\r\n", body)
    }

    pub(crate) fn new(status: &str, headers: &str, body: impl Into<Vec<u8>>) -> Answer {
        let (status, headers) = (status.to_owned(), headers.to_owned());
        Answer { status, headers, body: body.into(), delivery: Delivery::Whole }
    }

    pub(crate) fn delivered(self, delivery: Delivery) -> Answer {
        Answer { delivery, ..self }
    }

    /// Writes the answer. Errors mean that the client left.
    async fn send(&self, stream: &mut TcpStream) -> std::io::Result<()> {
        let head = format!("HTTP/1.1 {}\r\n{}transfer-encoding: chunked\r\n\r\n", self.status, self.headers);
        stream.write_all(head.as_bytes()).await?;
        let size = if self.delivery == Delivery::ByteByByte { 1 } else { self.body.len().max(1) };
        for piece in self.body.chunks(size) {
            let chunk = [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat();
            stream.write_all(&chunk).await?;
            stream.flush().await?;
        }
        match self.delivery {
            Delivery::Whole | Delivery::ByteByByte => stream.write_all(b"0\r\n\r\n").await,
            Delivery::Cut => Err(std::io::ErrorKind::ConnectionAborted.into()),
            Delivery::Hanging => loop {
                if stream.read(&mut [0; 64]).await? == 0 {
                    return Err(std::io::ErrorKind::ConnectionAborted.into());
                }
            },
        }
    }
}

/// A request that a provider received.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    /// The number of its connection, from 1.
    pub(crate) connection: usize,
    pub(crate) head: String,
    pub(crate) body: Value,
}

impl Received {
    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let fields = self.head.lines().filter_map(|line| line.split_once(": "));
        fields.filter(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }
}

/// A provider that gives its answers in order, and closes the connection when none is left.
pub(crate) struct ServerDouble {
    pub(crate) address: SocketAddr,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    answers: Mutex<VecDeque<Answer>>,
    received: Mutex<Vec<Received>>,
    closed: Notify,
}

impl ServerDouble {
    pub(crate) async fn start(answers: impl IntoIterator<Item = Answer>) -> ServerDouble {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let state =
            Arc::new(State { answers: Mutex::new(answers.into_iter().collect()), ..State::default() });
        let shared = Arc::clone(&state);
        tokio::spawn(async move {
            let mut connection = 0;
            while let Ok((stream, _)) = listener.accept().await {
                connection += 1;
                let shared = Arc::clone(&shared);
                tokio::spawn(async move {
                    serve(stream, connection, &shared).await;
                    shared.closed.notify_one();
                });
            }
        });
        ServerDouble { address, state }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.state.received.lock().unwrap().clone()
    }

    /// Waits until a connection has ended.
    pub(crate) async fn closed(&self) {
        self.state.closed.notified().await;
    }
}

async fn serve(mut stream: TcpStream, connection: usize, state: &State) {
    loop {
        let Ok(Some((head, body))) = receive(&mut stream).await else { return };
        state.received.lock().unwrap().push(Received { connection, head, body });
        let answer = state.answers.lock().unwrap().pop_front();
        let Some(answer) = answer else { return };
        if answer.send(&mut stream).await.is_err() {
            return;
        }
    }
}

/// Reads a request. `None` at the end of the connection.
async fn receive(stream: &mut TcpStream) -> std::io::Result<Option<(String, Value)>> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(place) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break place + 4;
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let length =
        head.to_lowercase().lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    let length: usize = length.expect("a request with a length");
    while bytes.len() < end + length {
        if stream.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    }
    Ok(Some((head, serde_json::from_slice(&bytes[end..]).unwrap())))
}
