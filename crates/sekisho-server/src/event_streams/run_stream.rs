//! Sends what happens in a run: what is stored, and the pieces of a reply while it arrives.

use bytes::Bytes;
use sekisho_agent::driver::{LivePiece, Watcher};
use sekisho_agent::model::ReplyPiece;
use sekisho_agent::runs::StoredChunk;
use sekisho_agent::service::WaitUntil;
use sekisho_gate::ledger::LedgerError;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::server_sent_events::{COMMENT, send};
use super::stream_end::StreamEnd;
use crate::app::App;
use crate::wire::run_event::DONE;

/// How many stored events are read at a time.
const PAGE: usize = 64;
/// How often a run is read that another process may drive.
const POLL: std::time::Duration = std::time::Duration::from_millis(500);

/// How what happens in a run is written.
pub(crate) trait RunEncoding: Send {
    /// The text for the next stored chunk.
    fn stored(&mut self, chunk: StoredChunk) -> String;

    /// All chunks that are stored so far were taken.
    fn all_stored(&mut self) -> String {
        String::new()
    }

    /// The model is asked: pieces of its reply follow, all of them until [`RunEncoding::lose_pieces`].
    fn asked(&mut self) {}

    /// The text for a piece of a reply that is not stored yet.
    fn piece(&mut self, piece: ReplyPiece) -> String;

    /// Pieces were missed, or those of the reply so far do not count.
    fn lose_pieces(&mut self);
}

/// A run to send, from a stored chunk on.
pub(crate) struct RunSource {
    /// The run.
    pub(crate) run: Uuid,
    /// The number of the last stored chunk that is not needed.
    pub(crate) after: u64,
    /// When the stream ends.
    pub(crate) until: WaitUntil,
    /// What happens in the run. It was made before anything was read.
    pub(crate) watcher: Watcher,
}

/// Sends a run, until it has ended or waits.
pub(crate) async fn send_run(
    app: &App,
    pieces: &mpsc::Sender<Bytes>,
    source: RunSource,
    encoding: impl RunEncoding,
) -> StreamEnd {
    let mut stream = RunStream { app, pieces, source, encoding };
    match stream.send_all().await {
        Ok(()) => StreamEnd::Finished,
        Err(Stop::End(end)) => end,
        Err(Stop::Ledger(error)) => {
            tracing::warn!(%error, "cannot send the events of a run any more");
            StreamEnd::LedgerDamaged
        }
    }
}

enum Stop {
    End(StreamEnd),
    Ledger(LedgerError),
}

impl From<LedgerError> for Stop {
    fn from(error: LedgerError) -> Stop {
        Stop::Ledger(error)
    }
}

struct RunStream<'a, E> {
    app: &'a App,
    pieces: &'a mpsc::Sender<Bytes>,
    source: RunSource,
    encoding: E,
}

impl<E: RunEncoding> RunStream<'_, E> {
    async fn send_all(&mut self) -> Result<(), Stop> {
        let service = self.app.agents();
        loop {
            // The state is read first: what was stored with it is then among the chunks.
            let Some(run) = service.runs().run(self.source.run).await? else { return Ok(()) };
            let is_over = service.has_reached(&run, self.source.until).await?;
            while self.send_stored().await? == PAGE {}
            let rest = self.encoding.all_stored();
            self.send(rest).await?;
            if is_over {
                return self.send(DONE.to_owned()).await;
            }
            self.wait_for_step().await?;
        }
    }

    /// Sends the next stored events. Returns how many there were.
    async fn send_stored(&mut self) -> Result<usize, Stop> {
        let chunks = self.app.agents().runs().chunks(self.source.run, self.source.after, PAGE).await?;
        let count = chunks.len();
        for chunk in chunks {
            let seq = chunk.seq;
            let text = self.encoding.stored(chunk);
            self.send(text).await?;
            self.source.after = seq;
        }
        Ok(count)
    }

    /// Sends the pieces of a reply while they arrive, until a step is stored.
    async fn wait_for_step(&mut self) -> Result<(), Stop> {
        let poll = Instant::now() + POLL;
        let comment = self.app.settings().limits.stream_timing.comment_interval;
        loop {
            let piece = tokio::select! {
                piece = self.source.watcher.recv() => piece,
                () = tokio::time::sleep_until(poll) => return Ok(()),
                () = sleep(comment) => return self.send(COMMENT.to_owned()).await,
            };
            match piece {
                Ok(LivePiece::Stored) => return Ok(()),
                Ok(LivePiece::Asked) => self.encoding.asked(),
                Ok(LivePiece::Piece(piece)) => {
                    let text = self.encoding.piece(piece);
                    self.send(text).await?;
                }
                Ok(LivePiece::Restarted) | Err(RecvError::Lagged(_)) => self.encoding.lose_pieces(),
                Err(RecvError::Closed) => return Ok(()),
            }
        }
    }

    async fn send(&self, text: String) -> Result<(), Stop> {
        let timeout = self.app.settings().limits.stream_timing.send_timeout;
        send(self.pieces, text.into(), timeout, || true).await.map_err(Stop::End)
    }
}
