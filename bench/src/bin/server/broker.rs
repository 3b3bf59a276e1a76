//! The peer: requests over HTTP, events over a WebSocket, everything in memory and nothing recorded.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::sync::{broadcast, oneshot};

use crate::Failure;

#[derive(Clone)]
struct Broker {
    waiting: Arc<Mutex<HashMap<u64, oneshot::Sender<Value>>>>,
    events: broadcast::Sender<Arc<str>>,
    next: Arc<AtomicU64>,
}

/// Runs until it is killed; prints its address.
pub(crate) fn run() -> Result<(), Failure> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(async {
        let broker =
            Broker { waiting: Arc::default(), events: broadcast::channel(16_384).0, next: Arc::default() };
        let router = Router::new()
            .route("/api/can-use-tool", post(submit))
            .route("/api/ws", get(listen))
            .with_state(broker);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        println!("{}", listener.local_addr()?);
        Ok(axum::serve(listener, router).await?)
    })
}

async fn submit(State(broker): State<Broker>, Json(mut call): Json<Value>) -> Json<Value> {
    let id = broker.next.fetch_add(1, Ordering::Relaxed);
    let (sender, answer) = oneshot::channel();
    broker.waiting.lock().unwrap().insert(id, sender);
    call["id"] = id.into();
    let frame = json!({ "type": "tool_approval_request", "data": call }).to_string();
    let _ = broker.events.send(frame.into());
    Json(answer.await.unwrap_or_default())
}

async fn listen(State(broker): State<Broker>, upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(|socket| async move {
        drop(run_socket(broker, socket).await);
    })
}

async fn run_socket(broker: Broker, mut socket: WebSocket) -> Result<(), Failure> {
    let mut events = broker.events.subscribe();
    loop {
        tokio::select! {
            frame = events.recv() => socket.send(Message::Text(frame?.as_ref().into())).await?,
            message = socket.recv() => {
                let Some(message) = message else { return Ok(()) };
                let Message::Text(text) = message? else { continue };
                let answer: Value = serde_json::from_str(&text)?;
                let id = answer["data"]["id"].as_u64().ok_or("no id")?;
                let waiting = broker.waiting.lock().unwrap().remove(&id);
                if let Some(waiting) = waiting {
                    let _ = waiting.send(json!({ "behavior": answer["data"]["behavior"] }));
                }
            }
        }
    }
}
