//! Streams of gate events to subscribers: over a WebSocket, which also accepts answers, or as server-sent
//! events.
//!
//! Every subscriber has its own position in the gate's event feed and reads at its own pace. An event is
//! written as text once for all of them ([`FrameCache`]), and so is a snapshot. No subscriber has a queue:
//! one that reads nothing is disconnected, and one that falls behind gets a new snapshot.

mod client_messages;
mod frame;
mod frame_cache;
pub(crate) mod mastra_events;
pub(crate) mod pipeline_stream;
mod read_ahead;
mod received_bytes_budget;
pub(crate) mod run_events;
pub(crate) mod run_stream;
pub(crate) mod server_sent_events;
mod snapshot;
mod stream_end;
mod subscriber;
pub(crate) mod websocket;
mod websocket_upgrade;
mod websocket_writer;

pub(crate) use frame_cache::FrameCache;
pub(crate) use websocket_upgrade::WebSocketUpgrade;

/// How much is written at once: the memory that a slow subscriber costs, however much there is to send.
const PIECE: usize = 64 << 10;
