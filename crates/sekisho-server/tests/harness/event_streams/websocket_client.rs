//! A client on a WebSocket.

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::Response;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use super::{TestCredential, PATIENCE, TestServer};

/// A connected client.
pub(crate) struct WebSocketClient {
    pub(crate) socket: WebSocketStream<TcpStream>,
}

impl TestServer {
    /// A client that has received the snapshot.
    pub(crate) async fn device(&self, who: &TestCredential) -> WebSocketClient {
        let mut device = self.deaf_device(who).await;
        assert_eq!(device.next().await["type"], "snapshot");
        device
    }

    /// A client that reads nothing yet, with small buffers.
    pub(crate) async fn deaf_device(&self, who: &TestCredential) -> WebSocketClient {
        let header = ("authorization", format!("Bearer {}", who.secret));
        self.connect(header).await.unwrap().0
    }

    /// Opens a WebSocket with an additional header.
    pub(crate) async fn connect(
        &self,
        (name, value): (&'static str, String),
    ) -> Result<(WebSocketClient, Response<Option<Vec<u8>>>), Error> {
        let mut request = format!("ws://{}/api/ws", self.address).into_client_request().unwrap();
        request.headers_mut().insert("origin", format!("http://{}", self.address).parse().unwrap());
        request.headers_mut().insert(name, value.parse().unwrap());
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(16 << 10).unwrap();
        let stream = socket.connect(self.address).await.unwrap();
        let (socket, response) = client_async(request, stream).await?;
        Ok((WebSocketClient { socket }, response))
    }
}

impl WebSocketClient {
    /// The next message of any type.
    pub(crate) async fn next(&mut self) -> Value {
        match self.heard().await {
            Some(Ok(Message::Text(text))) => serde_json::from_str(text.as_str()).unwrap(),
            other => panic!("no message: {other:?}"),
        }
    }

    /// The next message of a type; others are skipped.
    pub(crate) async fn until(&mut self, kind: &str) -> Value {
        loop {
            let message = self.next().await;
            if message["type"] == kind {
                return message["data"].clone();
            }
        }
    }

    pub(crate) async fn say(&mut self, message: &Value) {
        self.say_text(&message.to_string()).await;
    }

    pub(crate) async fn say_text(&mut self, text: &str) {
        self.socket.send(Message::text(text)).await.unwrap();
    }

    /// Answers an approval and returns the reply.
    pub(crate) async fn answer(&mut self, data: Value) -> Value {
        self.say(&json!({ "type": "tool_approval_response", "data": data })).await;
        loop {
            let message = self.next().await;
            if ["tool_approval_accepted", "error"].contains(&message["type"].as_str().unwrap()) {
                return message;
            }
        }
    }

    /// Checks that nothing was sent: everything sent before a ping arrives before its pong.
    pub(crate) async fn quiet(&mut self) {
        self.say(&json!({ "type": "ping" })).await;
        assert_eq!(self.next().await["type"], "pong");
    }

    /// How the server closed the connection; messages before that are skipped.
    pub(crate) async fn closed(&mut self) -> CloseFrame {
        loop {
            match self.heard().await {
                Some(Ok(Message::Close(frame))) => return frame.expect("a reason"),
                Some(Ok(_)) => {}
                other => panic!("it was not closed: {other:?}"),
            }
        }
    }

    /// The next message other than a ping.
    pub(crate) async fn heard(&mut self) -> Option<Result<Message, Error>> {
        loop {
            match timeout(PATIENCE, self.socket.next()).await.expect("a message") {
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                other => return other,
            }
        }
    }
}
