//! Sends what happens in a run: what is stored, and the pieces of a reply while it arrives.

use std::time::Duration;

use bytes::Bytes;
use sekisho_agent::driver::{LivePiece, Progress, Watcher};
use sekisho_agent::model::ReplyPiece;
use sekisho_agent::runs::StoredChunk;
use sekisho_agent::service::WaitUntil;
use sekisho_gate::ledger::LedgerError;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::read_ahead::{RETRY_DELAY, ReadAhead};
use super::server_sent_events::{COMMENT, send};
use super::stream_end::StreamEnd;
use crate::app::App;
use crate::wire::run_event::DONE;

/// How many stored chunks are read at a time. The store reads fewer if they are large.
const PAGE: u64 = 64;
/// How often a run is read that another process may drive.
const POLL: Duration = Duration::from_millis(500);

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
    /// What happens in the run.
    pub(crate) watcher: Watcher,
    /// How far the run was after it began to be watched.
    pub(crate) known: Progress,
    /// The credential that reads the stream, for its part of the memory.
    pub(crate) credential: String,
}

/// Sends a run, until it has ended or waits.
///
/// What is told is sent in its order, so what a client reads does not depend on how fast it is sent: the pieces of a
/// reply come before its stored chunks, however long these have been stored.
pub(crate) async fn send_run(
    app: &App,
    pieces: &mpsc::Sender<Bytes>,
    source: RunSource,
    encoding: impl RunEncoding,
) -> StreamEnd {
    let read_ahead = ReadAhead::new(app.inner.memory_budget.reservation_for(&source.credential));
    let sent_at = Instant::now();
    let mut stream = RunStream { app, pieces, source, encoding, is_live: false, read_ahead, sent_at };
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
    /// Whether the pieces that are told belong to a reply that is not stored.
    is_live: bool,
    /// The memory of the chunks that are being sent.
    read_ahead: ReadAhead,
    sent_at: Instant,
}

impl<E: RunEncoding> RunStream<'_, E> {
    async fn send_all(&mut self) -> Result<(), Stop> {
        loop {
            self.send_stored().await?;
            if self.is_over().await? {
                return self.send(DONE.to_owned()).await;
            }
            self.wait_for_step().await?;
        }
    }

    /// Sends the chunks that are stored as far as is known.
    async fn send_stored(&mut self) -> Result<(), Stop> {
        while self.source.after < self.source.known.chunk_count {
            let chunks = self.next_chunks().await?;
            if chunks.is_empty() {
                break;
            }
            for chunk in chunks {
                let seq = chunk.seq;
                let text = self.encoding.stored(chunk);
                self.send(text).await?;
                self.source.after = seq;
            }
            self.read_ahead.release();
        }
        let rest = self.encoding.all_stored();
        self.send(rest).await
    }

    /// Reads the next stored chunks. They are charged until they are sent; if there is no memory for them, this waits
    /// until other streams of the credential were read.
    async fn next_chunks(&mut self) -> Result<Vec<StoredChunk>, Stop> {
        let missing = self.source.known.chunk_count.saturating_sub(self.source.after).min(PAGE);
        let limit = usize::try_from(missing).unwrap_or(usize::MAX);
        loop {
            if self.read_ahead.may_read() {
                let slot = self.app.inner.stream_reads.acquire_uncapped(&self.source.credential).await;
                let _slot = slot.map_err(|_| Stop::End(StreamEnd::OverCapacity))?;
                let chunks =
                    self.app.agents().runs().chunks(self.source.run, self.source.after, limit).await?;
                if self.read_ahead.keeps(chunks.iter().map(|stored| &stored.chunk)) {
                    return Ok(chunks);
                }
            }
            sleep(RETRY_DELAY).await;
            self.comment_if_quiet().await?;
        }
    }

    /// Sends a comment if nothing was sent for long.
    async fn comment_if_quiet(&mut self) -> Result<(), Stop> {
        let is_quiet = self.sent_at.elapsed() >= self.app.settings().limits.stream_timing.comment_interval;
        if is_quiet { self.send(COMMENT.to_owned()).await } else { Ok(()) }
    }

    /// Whether everything was sent, and nothing follows.
    async fn is_over(&self) -> Result<bool, Stop> {
        let service = self.app.agents();
        let Some(run) = service.runs().run(self.source.run).await? else { return Ok(true) };
        // If it is further than what was told, the rest is told soon.
        Ok(run.version == self.source.known.version && service.has_reached(&run, self.source.until).await?)
    }

    /// Sends the pieces of a reply while they arrive, until a step is stored.
    async fn wait_for_step(&mut self) -> Result<(), Stop> {
        let comment = self.app.settings().limits.stream_timing.comment_interval;
        loop {
            let told = tokio::select! {
                biased;
                told = self.source.watcher.recv() => told,
                () = sleep(POLL.min(comment)) => {
                    self.catch_up().await?;
                    return self.comment_if_quiet().await;
                }
            };
            match told {
                Ok(LivePiece::Stored(progress)) if progress.version > self.source.known.version => {
                    self.source.known = progress;
                    return Ok(());
                }
                Ok(LivePiece::Stored(_)) => {}
                Ok(LivePiece::Asked { reply }) => {
                    self.is_live = reply > self.source.known.replies;
                    if self.is_live {
                        self.encoding.asked();
                    }
                }
                Ok(LivePiece::Piece(piece)) if self.is_live => {
                    let text = self.encoding.piece(piece);
                    self.send(text).await?;
                }
                Ok(LivePiece::Piece(_)) => {}
                Ok(LivePiece::Restarted) => self.encoding.lose_pieces(),
                Err(RecvError::Lagged(_)) => return self.catch_up().await,
                Err(RecvError::Closed) => {
                    sleep(POLL).await;
                    return self.catch_up().await;
                }
            }
        }
    }

    /// Nothing was told for a while, or something was missed: what is stored counts.
    async fn catch_up(&mut self) -> Result<(), Stop> {
        let Some(run) = self.app.agents().runs().run(self.source.run).await? else { return Ok(()) };
        let progress = Progress::of(&run);
        if progress.version > self.source.known.version {
            self.source.known = progress;
            self.is_live = false;
            self.encoding.lose_pieces();
        }
        Ok(())
    }

    async fn send(&mut self, text: String) -> Result<(), Stop> {
        if text.is_empty() {
            return Ok(());
        }
        self.sent_at = Instant::now();
        let timeout = self.app.settings().limits.stream_timing.send_timeout;
        send(self.pieces, text.into(), timeout, || true).await.map_err(Stop::End)
    }
}
