//! Writes to a WebSocket in pieces.

use std::time::Duration;

use bytes::Bytes;
use futures_util::SinkExt;
use futures_util::stream::SplitSink;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::frame::{CloseFrame, Frame};

use super::PIECE;
use super::frame as event_frame;
use super::stream_end::StreamEnd;
use super::websocket_upgrade::WebSocket;

/// The writing half of a WebSocket.
pub(super) struct WebSocketWriter {
    sink: SplitSink<WebSocket, Message>,
    /// How long sending one piece may take.
    send_timeout: Duration,
    /// Whether a message was begun and not finished.
    mid_message: bool,
}

impl WebSocketWriter {
    pub(super) fn new(sink: SplitSink<WebSocket, Message>, send_timeout: Duration) -> WebSocketWriter {
        WebSocketWriter { sink, send_timeout, mid_message: false }
    }

    /// Writes a message. A large one is sent in pieces, so that only one piece is held for a slow reader, and
    /// a reader that is slow but steady is not disconnected.
    pub(super) async fn write(&mut self, text: &Bytes) -> Result<(), StreamEnd> {
        self.write_while(text, || true).await
    }

    /// Writes a frame that may be cancelled before its end.
    pub(super) async fn write_frame(&mut self, frame: &event_frame::Frame) -> Result<(), StreamEnd> {
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

    /// Pings the client.
    pub(super) async fn ping(&mut self) -> Result<(), StreamEnd> {
        self.send(Message::Ping(Bytes::new())).await
    }

    /// Sends the close frame, after a last message if no other message is unfinished.
    pub(super) async fn close(
        &mut self,
        last_message: Option<&Bytes>,
        frame: CloseFrame,
    ) -> Result<(), StreamEnd> {
        if let Some(last_message) = last_message.filter(|_| !self.mid_message) {
            self.write(last_message).await?;
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

/// The largest length up to `most` that does not split a character.
fn char_boundary_before(text: &[u8], most: usize) -> usize {
    let inside = |index: usize| text.get(index).is_some_and(|byte| byte & 0xC0 == 0x80);
    let mut index = most.min(text.len());
    while index > 0 && inside(index) {
        index -= 1;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::char_boundary_before;

    #[test]
    fn characters_are_not_split() {
        let text = "a関所".as_bytes();
        let cuts: Vec<usize> = (1..=8).map(|most| char_boundary_before(text, most)).collect();
        assert_eq!(cuts, [1, 1, 1, 4, 4, 4, 7, 7]);
        assert_eq!(char_boundary_before(b"", 8), 0);
    }
}
