//! What happens at the gate, for everyone who listens: over a WebSocket, where they may also answer, or as server-sent
//! events.
//!
//! Every listener has its own place in the gate's one stream and goes at its own pace. A change is written as text once
//! for all of them ([`Frames`]), and so is how things stand. No listener has a queue: one that takes nothing is given up,
//! one that falls behind is told anew how things stand.

mod client_messages;
mod frame;
mod frame_cache;
mod message_budget;
pub(crate) mod server_sent_events;
mod snapshot;
mod stream_end;
mod subscriber;
pub(crate) mod websocket;
mod websocket_upgrade;
mod websocket_writer;

pub(crate) use frame_cache::FrameCache;
pub(crate) use websocket_upgrade::WebSocketUpgrade;

/// How much is written at once: what a listener that is slow to read costs, however much there is to tell.
const PIECE: usize = 64 << 10;
