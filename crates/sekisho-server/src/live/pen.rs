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
use super::leaving::End;
use super::upgrade::Socket;

/// The writing half of a WebSocket.
pub(super) struct Pen {
    sink: SplitSink<Socket, Message>,
    /// How long a piece may take.
    patience: Duration,
    /// A message was begun and not ended.
    amid: bool,
}

impl Pen {
    pub(super) fn new(sink: SplitSink<Socket, Message>, patience: Duration) -> Pen {
        Pen { sink, patience, amid: false }
    }

    /// Writes a message. A large one goes in pieces, so that no more than one of them is ever held for a slow reader, and
    /// one who reads slowly but steadily is not given up.
    pub(super) async fn write(&mut self, text: &Bytes) -> Result<(), End> {
        self.write_while(text, || true).await
    }

    /// The same of something that may have to be given up before its end.
    pub(super) async fn tell(&mut self, frame: &told::Frame) -> Result<(), End> {
        self.write_while(frame.text(), || frame.goes_on()).await
    }

    async fn write_while(&mut self, text: &Bytes, goes_on: impl Fn() -> bool) -> Result<(), End> {
        let mut rest = text.clone();
        let mut kind = Data::Text;
        self.amid = true;
        loop {
            let piece = rest.split_to(whole(&rest, PIECE));
            let last = rest.is_empty();
            self.send(Message::Frame(Frame::message(piece, OpCode::Data(kind), last))).await?;
            if last {
                self.amid = false;
                return Ok(());
            }
            if !goes_on() {
                return Err(End::Slow);
            }
            kind = Data::Continue;
        }
    }

    /// Asks whether the other end is there.
    pub(super) async fn ping(&mut self) -> Result<(), End> {
        self.send(Message::Ping(Bytes::new())).await
    }

    /// Says why it ends, with last words where they can still be said.
    pub(super) async fn close(&mut self, words: Option<&Bytes>, frame: CloseFrame) -> Result<(), End> {
        if let Some(words) = words.filter(|_| !self.amid) {
            self.write(words).await?;
        }
        self.send(Message::Close(Some(frame))).await
    }

    async fn send(&mut self, message: Message) -> Result<(), End> {
        match tokio::time::timeout(self.patience, self.sink.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(End::Left),
            Err(_) => Err(End::Slow),
        }
    }
}

/// How much of a text to take: at most so many bytes, and no character in two.
fn whole(text: &[u8], most: usize) -> usize {
    let inside = |place: usize| text.get(place).is_some_and(|byte| byte & 0xC0 == 0x80);
    let mut place = most.min(text.len());
    while place > 0 && inside(place) {
        place -= 1;
    }
    place
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn no_character_is_cut_in_two() {
        let text = "a関所".as_bytes();
        let cuts: Vec<usize> = (1..=8).map(|most| whole(text, most)).collect();
        assert_eq!(cuts, [1, 1, 1, 4, 4, 4, 7, 7]);
        assert_eq!(whole(b"", 8), 0);
    }
}
