//! Sends what happens in a run of a pipeline: what is stored, and what its stage waits for.

use std::time::Duration;

use bytes::Bytes;
use sekisho_agent::pipelines::driver::PipelineWatcher;
use sekisho_agent::pipelines::stored_runs::StoredPipelineChunk;
use sekisho_gate::ledger::LedgerError;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::read_ahead::{RETRY_DELAY, ReadAhead};
use super::server_sent_events::{COMMENT, send};
use super::stream_end::StreamEnd;
use crate::app::App;
use crate::wire::pipeline_event::{event_of, frame, pending_event};
use crate::wire::run::PendingCallView;
use crate::wire::run_event::DONE;

/// How many stored chunks are read at a time.
const PAGE: usize = 16;
/// How often a run is read: another process may drive it, and nobody tells about the questions of its stage.
const POLL: Duration = Duration::from_millis(300);

/// A run of a pipeline to send, from a stored chunk on.
pub(crate) struct PipelineSource {
    /// The run.
    pub(crate) run: Uuid,
    /// The number of the last stored chunk that is not needed.
    pub(crate) after: u64,
    /// What happens in the run.
    pub(crate) watcher: PipelineWatcher,
    /// The credential that reads the stream, for its part of the memory.
    pub(crate) credential: String,
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

/// Sends a run of a pipeline until it has ended.
pub(crate) async fn send_pipeline_run(
    app: &App,
    pieces: &mpsc::Sender<Bytes>,
    source: PipelineSource,
) -> StreamEnd {
    let read_ahead = ReadAhead::new(app.inner.memory_budget.reservation_for(&source.credential));
    let (pending, sent_at) = (Vec::new(), Instant::now());
    let mut stream = PipelineStream { app, pieces, source, pending, read_ahead, sent_at };
    match stream.send_all().await {
        Ok(()) => StreamEnd::Finished,
        Err(Stop::End(end)) => end,
        Err(Stop::Ledger(error)) => {
            tracing::warn!(%error, "cannot send the events of a pipeline run any more");
            StreamEnd::LedgerDamaged
        }
    }
}

struct PipelineStream<'a> {
    app: &'a App,
    pieces: &'a mpsc::Sender<Bytes>,
    source: PipelineSource,
    /// The questions that were sent last.
    pending: Vec<Uuid>,
    /// The memory of the chunks that are being sent.
    read_ahead: ReadAhead,
    sent_at: Instant,
}

impl PipelineStream<'_> {
    async fn send_all(&mut self) -> Result<(), Stop> {
        let comment = self.app.settings().limits.stream_timing.comment_interval;
        loop {
            let service = self.app.pipelines();
            // Read before the chunks: if it has ended, all its chunks are stored.
            let Some(run) = service.runs().pipeline_run(self.source.run).await? else {
                return self.send(DONE.to_owned()).await;
            };
            self.send_stored().await?;
            match run.state.current_run() {
                Some(stage_run) => self.send_pending(stage_run).await?,
                None => return self.send(DONE.to_owned()).await,
            }
            tokio::select! {
                // A slow watcher reads what is stored.
                _ = self.source.watcher.recv() => {}
                () = sleep(POLL.min(comment)) => {}
            }
            if self.sent_at.elapsed() >= comment {
                self.send(COMMENT.to_owned()).await?;
            }
        }
    }

    async fn send_stored(&mut self) -> Result<(), Stop> {
        loop {
            let chunks = self.next_chunks().await?;
            if chunks.is_empty() {
                return Ok(());
            }
            for stored in chunks {
                self.send(frame(self.source.run, Some(stored.seq), &event_of(&stored.chunk))).await?;
                self.source.after = stored.seq;
            }
            self.read_ahead.release();
        }
    }

    /// Reads the next stored chunks. They are charged until they are sent; if there is no memory for them, this waits
    /// until other streams of the credential were read.
    async fn next_chunks(&mut self) -> Result<Vec<StoredPipelineChunk>, Stop> {
        let (run, after) = (self.source.run, self.source.after);
        loop {
            if self.read_ahead.may_read() {
                let slot = self.app.inner.stream_reads.acquire_uncapped(&self.source.credential).await;
                let _slot = slot.map_err(|_| Stop::End(StreamEnd::OverCapacity))?;
                let chunks = self.app.pipelines().runs().pipeline_chunks(run, after, PAGE).await?;
                if self.read_ahead.keeps(chunks.iter().map(|stored| &stored.chunk)) {
                    return Ok(chunks);
                }
            }
            sleep(RETRY_DELAY).await;
        }
    }

    /// Sends what the stage waits for, if that changed.
    async fn send_pending(&mut self, stage_run: Uuid) -> Result<(), Stop> {
        let agents = self.app.agents();
        let pending = match agents.runs().run(stage_run).await? {
            Some(run) => agents.pending(&run).await?,
            None => Vec::new(),
        };
        let ids: Vec<Uuid> = pending.iter().map(|call| call.approval.0).collect();
        if ids == self.pending {
            return Ok(());
        }
        self.pending = ids;
        let calls: Vec<PendingCallView> = pending.into_iter().map(PendingCallView::from).collect();
        self.send(frame(self.source.run, None, &pending_event(stage_run, &calls))).await
    }

    async fn send(&mut self, text: String) -> Result<(), Stop> {
        self.sent_at = Instant::now();
        let timeout = self.app.settings().limits.stream_timing.send_timeout;
        send(self.pieces, text.into(), timeout, || true).await.map_err(Stop::End)
    }
}
