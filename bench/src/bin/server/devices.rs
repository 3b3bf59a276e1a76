//! Devices that listen on a WebSocket; one of them answers.

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::Failure;
use crate::bench_server::BenchServer;

/// Connected devices. Dropping them closes their connections.
pub(crate) struct Devices {
    _quit: Vec<mpsc::Sender<()>>,
}

impl Devices {
    /// Connects one device that approves every approval whose `toolUseId` begins with `timed`, and others
    /// that only listen.
    pub(crate) async fn connect(server: &BenchServer, count: usize) -> Result<Devices, Failure> {
        let mut quit = Vec::new();
        for index in 0..count {
            let socket = open(server).await?;
            let (sender, receiver) = mpsc::channel(1);
            quit.push(sender);
            tokio::spawn(async move { drop(listen(socket, index == 0, receiver).await) });
        }
        Ok(Devices { _quit: quit })
    }
}

async fn open(server: &BenchServer) -> Result<WebSocketStream<MaybeTlsStream<TcpStream>>, Failure> {
    let mut request = format!("ws://{}/api/ws", server.address).into_client_request()?;
    let headers = request.headers_mut();
    headers.insert("authorization", format!("Bearer {}", server.approver).parse()?);
    headers.insert("origin", format!("http://{}", server.address).parse()?);
    Ok(connect_async(request).await?.0)
}

async fn listen(
    mut socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    answers: bool,
    mut quit: mpsc::Receiver<()>,
) -> Result<(), Failure> {
    loop {
        let message = tokio::select! {
            _ = quit.recv() => return Ok(()),
            message = socket.next() => message.ok_or("closed")??,
        };
        let Message::Text(text) = message else { continue };
        if !answers || !text.contains("tool_approval_request") || !text.contains("\"timed") {
            continue;
        }
        let frame: Value = serde_json::from_str(&text)?;
        let data = json!({ "id": frame["data"]["id"], "behavior": "allow" });
        let answer = json!({ "type": "tool_approval_response", "data": data });
        socket.send(Message::Text(answer.to_string().into())).await?;
    }
}
