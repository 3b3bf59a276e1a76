//! What is written to a WebSocket, piece by piece.

use std::time::Duration;

use bytes::Bytes;
use futures_util::SinkExt;
use futures_util::stream::SplitSink;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::frame::{CloseFrame, Frame};

use super::PIECE;
use super::frame as told;
use super::stream_end::StreamEnd;
use super::websocket_upgrade::WebSocket;

/// The writing half of a WebSocket.
pub(super) struct WebSocketWriter {
    sink: SplitSink<WebSocket, Message>,
    /// How long a piece may take.
    send_timeout: Duration,
    /// A message was begun and not ended.
    mid_message: bool,
}

impl WebSocketWriter {
    pub(super) fn new(sink: SplitSink<WebSocket, Message>, patience: Duration) -> WebSocketWriter {
        WebSocketWriter { sink, send_timeout: patience, mid_message: false }
    }

    /// Writes a message. A large one goes in pieces, so that no more than one of them is ever held for a slow reader, and
    /// one who reads slowly but steadily is not given up.
    pub(super) async fn write(&mut self, text: &Bytes) -> Result<(), StreamEnd> {
        self.write_while(text, || true).await
    }

    /// The same of something that may have to be given up before its end.
    pub(super) async fn write_frame(&mut self, frame: &told::Frame) -> Result<(), StreamEnd> {
        self.write_while(frame.text(), || frame.is_active()).await
    }

    async fn write_while(&mut self, text: &Bytes, goes_on: impl Fn() -> bool) -> Result<(), StreamEnd> {
        let mut rest = text.clone();
        let mut kind = Data::Text;
        self.mid_message = true;
        loop {
            let piece = rest.split_to(char_boundary_before(&rest, PIECE));
            let last = rest.is_empty();
            self.send(Message::Frame(Frame::message(piece, OpCode::Data(kind), last))).await?;
            if last {
                self.mid_message = false;
                return Ok(());
            }
            if !goes_on() {
                return Err(StreamEnd::SendTimeout);
            }
            kind = Data::Continue;
        }
    }

    /// Asks whether the other end is there.
    pub(super) async fn ping(&mut self) -> Result<(), StreamEnd> {
        self.send(Message::Ping(Bytes::new())).await
    }

    /// Says why it ends, with last words where they can still be said.
    pub(super) async fn close(&mut self, words: Option<&Bytes>, frame: CloseFrame) -> Result<(), StreamEnd> {
        if let Some(words) = words.filter(|_| !self.mid_message) {
            self.write(words).await?;
        }
        self.send(Message::Close(Some(frame))).await
    }

    async fn send(&mut self, message: Message) -> Result<(), StreamEnd> {
        match tokio::time::timeout(self.send_timeout, self.sink.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(StreamEnd::Disconnected),
            Err(_) => Err(StreamEnd::SendTimeout),
        }
    }
}

/// How much of a text to take: at most so many bytes, and no character in two.
fn char_boundary_before(text: &[u8], most: usize) -> usize {
    let inside = |place: usize| text.get(place).is_some_and(|byte| byte & 0xC0 == 0x80);
    let mut place = most.min(text.len());
    while place > 0 && inside(place) {
        place -= 1;
    }
    place
}

#[cfg(test)]
mod tests {
    use super::char_boundary_before;

    #[test]
    fn no_character_is_cut_in_two() {
        let text = "a関所".as_bytes();
        let cuts: Vec<usize> = (1..=8).map(|most| char_boundary_before(text, most)).collect();
        assert_eq!(cuts, [1, 1, 1, 4, 4, 4, 7, 7]);
        assert_eq!(char_boundary_before(b"", 8), 0);
    }
}
