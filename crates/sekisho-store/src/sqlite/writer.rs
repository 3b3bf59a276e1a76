//! The one writer: a thread that commits all waiting requests together.
//!
//! A request is a closure and a channel for its answer. The thread takes all waiting requests, runs each in a
//! savepoint of its own inside one transaction, commits, and only then answers. A closure that fails undoes
//! only itself. A commit that fails is an error for every request in it, and nothing in it was permitted.
//! There is no delay to collect requests: while one batch is being committed, the next collects by itself.
//!
//! The thread writes entries that were masked before. A closure that needs another entry is undone like a
//! failing one, and is retried when that entry is masked.

use std::cell::RefCell;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rusqlite::Connection;
use sekisho_gate::audit::{MaskedEntries, MaskedEntry};
use sekisho_gate::ledger::LedgerError;
use sekisho_gate::mask::Masks;
use sekisho_gate::record::AuditEntry;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::commit_counters::{CommitCounters, CounterValues};
use super::database_file::DatabaseFile;
use super::open_transaction::{ChainState, OpenTransaction};
use super::readers::Readers;
use crate::entry_masking::{MaskedLines, run_off_thread};
use crate::transaction_error::{TransactionError, TransactionResult};

/// A handle to the writer thread.
pub(super) struct Writer {
    place: Arc<DatabaseFile>,
    inbox: Option<Sender<Message>>,
    thread: Option<JoinHandle<()>>,
}

enum Message {
    /// A request to write.
    Work(Box<dyn QueuedOperation>),
    /// A listener has started.
    Look,
    /// The log should be written back and emptied. Answered when that was tried.
    EmptyLog(oneshot::Sender<()>),
}

/// How long emptying the log waits for readers and other processes.
const EMPTYING: Duration = Duration::from_secs(1);

impl Writer {
    /// Starts the thread with its first connection.
    pub(super) fn start(
        place: &Arc<DatabaseFile>,
        db: Connection,
        heads: &Arc<CommitCounters>,
        chain_state: ChainState,
    ) -> std::io::Result<Writer> {
        let (inbox, messages) = channel();
        let mut worker = WriterThread {
            place: Arc::clone(place),
            heads: Arc::clone(heads),
            db: Some(db),
            log: None,
            version: None,
            chain_state,
            unsure: None,
        };
        let thread =
            thread::Builder::new().name("ledger-writer".into()).spawn(move || worker.serve(&messages))?;
        Ok(Writer { place: Arc::clone(place), inbox: Some(inbox), thread: Some(thread) })
    }

    pub(super) fn place(&self) -> &DatabaseFile {
        &self.place
    }

    /// Runs a closure in the next transaction after its entries are masked. This starts when the future is
    /// first polled, and continues if the future is dropped.
    pub(super) fn write<T, F>(
        &self,
        lines: Vec<AuditEntry>,
        script: F,
    ) -> impl Future<Output = Result<T, LedgerError>> + Send + use<T, F>
    where
        T: Send + 'static,
        F: Fn(&OpenTransaction<'_>) -> TransactionResult<T> + Send + 'static,
    {
        self.request(script, move |request| request.send_masked(lines))
    }

    /// Like [`Writer::write`], for entries that depend on stored data: the readers predict them first.
    pub(super) fn write_predicted<T, F, A>(
        &self,
        readers: &Readers,
        ahead: A,
        script: F,
    ) -> impl Future<Output = Result<T, LedgerError>> + Send + use<T, F, A>
    where
        T: Send + 'static,
        F: Fn(&OpenTransaction<'_>) -> TransactionResult<T> + Send + 'static,
        A: FnOnce(&Connection) -> TransactionResult<Vec<AuditEntry>> + Send + 'static,
    {
        let jobs = readers.jobs();
        self.request(script, move |request| {
            jobs.send(ahead, move |lines| {
                // Entries that could not be predicted are found when the closure runs.
                request.send_masked(lines.unwrap_or_default());
            });
        })
    }

    fn request<T, F, S>(
        &self,
        script: F,
        send: S,
    ) -> impl Future<Output = Result<T, LedgerError>> + Send + use<T, F, S>
    where
        S: FnOnce(WriteRequest<T, F>) + Send,
        T: Send,
        F: Send,
    {
        let (inbox, place) = (self.inbox.clone(), Arc::clone(&self.place));
        async move {
            let gone = || {
                LedgerError::transient(format!(
                    "the writer of database `{}` did not answer: try again",
                    place.shown
                ))
            };
            let (answer, answered) = oneshot::channel();
            let way = RequestRoute {
                inbox: inbox.ok_or_else(gone)?,
                masks: Arc::clone(&place.options.audit.masks),
                runtime: Handle::try_current().ok(),
            };
            send(WriteRequest { script, masked: MaskedEntries::default(), result: None, answer, way });
            answered.await.unwrap_or_else(|_| Err(gone()))
        }
    }

    /// Writes the `-wal` file back and empties it, so that it keeps nothing that was purged. If somebody reads an earlier
    /// state all the while, it stays until SQLite overwrites it.
    pub(super) async fn empty_log(&self) {
        let (answer, answered) = oneshot::channel();
        let sent = self.inbox.as_ref().map(|inbox| inbox.send(Message::EmptyLog(answer)));
        if matches!(sent, Some(Ok(()))) {
            // If the thread is gone, the file is closed, and its log with it.
            let _gone = answered.await;
        }
    }

    /// Starts checking for other processes' commits.
    pub(super) fn poll_other_commits(&self) {
        if let Some(inbox) = &self.inbox {
            // If the thread is gone there is nothing to check, and writers get an error.
            let _gone = inbox.send(Message::Look);
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.inbox = None;
        if let Some(thread) =
            self.thread.take().filter(|thread| thread.thread().id() != thread::current().id())
        {
            // The thread catches its own panics. If one escapes there is nothing left to answer.
            let _panicked = thread.join();
        }
    }
}

/// What the thread sees of a request.
trait QueuedOperation: Send {
    /// Runs the closure in a savepoint. An error returned here fails the whole transaction; the closure's own
    /// error is stored for its answer.
    fn run(&mut self, tx: &OpenTransaction<'_>) -> TransactionResult<()>;

    /// Sends the result, or the error if the whole transaction failed.
    fn answer(self: Box<Self>, lost: Option<&LedgerError>, place: &str);
}

struct WriteRequest<T, F> {
    script: F,
    masked: MaskedEntries,
    result: Option<TransactionResult<T>>,
    answer: oneshot::Sender<Result<T, LedgerError>>,
    way: RequestRoute,
}

/// How a request reaches the writer.
struct RequestRoute {
    inbox: Sender<Message>,
    masks: Arc<Masks>,
    runtime: Option<Handle>,
}

impl<T, F> WriteRequest<T, F>
where
    T: Send + 'static,
    F: Fn(&OpenTransaction<'_>) -> TransactionResult<T> + Send + 'static,
{
    /// Masks entries and sends the request. Slow masking runs on another thread.
    fn send_masked(self, lines: Vec<AuditEntry>) {
        if MaskedEntry::is_quick(&lines) { self.mask_and_send(lines) } else { self.send_later(lines) }
    }

    fn send_later(self, lines: Vec<AuditEntry>) {
        let runtime = self.way.runtime.clone();
        run_off_thread(runtime.as_ref(), move || self.mask_and_send(lines));
    }

    fn mask_and_send(mut self, lines: Vec<AuditEntry>) {
        self.masked.add(lines, &self.way.masks);
        let inbox = self.way.inbox.clone();
        // If the writer is gone the request is dropped, and its caller gets an error.
        drop(inbox.send(Message::Work(Box::new(self))));
    }
}

impl<T, F> QueuedOperation for WriteRequest<T, F>
where
    T: Send + 'static,
    F: Fn(&OpenTransaction<'_>) -> TransactionResult<T> + Send + 'static,
{
    fn run(&mut self, tx: &OpenTransaction<'_>) -> TransactionResult<()> {
        say(tx, "SAVEPOINT request")?;
        let before = tx.chain_state();
        tx.take_lines(MaskedLines::new(std::mem::take(&mut self.masked)));
        let result = (self.script)(tx);
        let (masked, unmasked) = tx.take_lines(MaskedLines::default()).into_parts();
        self.masked = masked;
        let result =
            if unmasked.is_empty() { result } else { result.and(Err(TransactionError::Unmasked(unmasked))) };
        // Some errors roll back the whole transaction. Every further statement would then commit by itself.
        if tx.is_autocommit() {
            let what = match result {
                Err(TransactionError::Database { what, .. } | TransactionError::Inconsistent(what)) => what,
                Ok(_) | Err(TransactionError::Unmasked(_)) => {
                    "the transaction was rolled back by an earlier error".into()
                }
            };
            return Err(TransactionError::Database { what, passing: true });
        }
        if result.is_err() {
            say(tx, "ROLLBACK TO request")?;
            // An undone write leaves no gap in the chain.
            tx.restore_chain(before);
        }
        self.result = Some(result);
        say(tx, "RELEASE request")
    }

    fn answer(mut self: Box<Self>, lost: Option<&LedgerError>, place: &str) {
        let answer = match (lost, self.result.take()) {
            (Some(error), _) => Err(error.clone()),
            (None, Some(Err(TransactionError::Unmasked(lines)))) => return self.send_later(lines),
            (None, Some(result)) => result.map_err(|fault| fault.to_ledger_error(place)),
            (None, None) => return,
        };
        // If the caller no longer waits, only the answer is lost.
        let _nobody = self.answer.send(answer);
    }
}

fn say(db: &Connection, sql: &str) -> TransactionResult<()> {
    db.prepare_cached(sql)?.execute([])?;
    Ok(())
}

/// The state of the writer thread.
struct WriterThread {
    place: Arc<DatabaseFile>,
    heads: Arc<CommitCounters>,
    /// `None` after a failure: it is opened again for the next batch.
    db: Option<Connection>,
    /// The `-wal` file the connection has written to, if any.
    log: Option<(u64, u64)>,
    /// The file's version when last checked.
    version: Option<i64>,
    /// The state of this writer's chain as last committed.
    chain_state: ChainState,
    /// The state of the chain if a failed commit succeeded after all.
    unsure: Option<ChainState>,
}

impl WriterThread {
    fn serve(&mut self, messages: &Receiver<Message>) {
        while let Some(first) = self.next(messages) {
            let mut look = false;
            let mut batch = Vec::new();
            let mut emptying = Vec::new();
            let waiting = messages.try_iter().take(self.place.options.largest_batch.saturating_sub(1));
            for message in first.into_iter().chain(waiting) {
                match message {
                    Message::Work(work) => batch.push(work),
                    Message::Look => look = true,
                    Message::EmptyLog(answer) => emptying.push(answer),
                }
            }
            look |= batch.is_empty() && emptying.is_empty();
            // If a closure panics its batch is lost: the connection is dropped before anything is committed,
            // and the callers' channels close.
            let went = catch_unwind(AssertUnwindSafe(|| {
                if !batch.is_empty() {
                    self.commit_together(batch);
                }
                if !emptying.is_empty() && self.empty_log().is_err() {
                    self.db = None;
                }
                if look {
                    self.look();
                }
            }));
            if went.is_err() {
                self.db = None;
            }
            drop(emptying);
        }
    }

    /// Writes the log back and empties it, if nobody uses it meanwhile.
    fn empty_log(&mut self) -> TransactionResult<()> {
        let patience = self.place.options.busy_timeout;
        let db = self.connection()?;
        db.busy_timeout(patience.min(EMPTYING))?;
        let emptied = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        db.busy_timeout(patience)?;
        Ok(emptied?)
    }

    /// The next message; `Some(None)` when it is time to check for other processes' commits, `None` when all
    /// senders are gone.
    fn next(&self, messages: &Receiver<Message>) -> Option<Option<Message>> {
        if !self.heads.are_watched() {
            return messages.recv().ok().map(Some);
        }
        match messages.recv_timeout(self.place.options.poll_interval) {
            Ok(message) => Some(Some(message)),
            Err(RecvTimeoutError::Timeout) => Some(None),
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    fn commit_together(&mut self, mut batch: Vec<Box<dyn QueuedOperation>>) {
        let place = Arc::clone(&self.place);
        match self.transaction(&mut batch) {
            Ok(reading) => {
                self.heads.publish(reading);
                batch.into_iter().for_each(|work| work.answer(None, &place.shown));
            }
            Err(fault) => {
                // The state of the connection is unknown, so it is opened again.
                self.db = None;
                let error = LedgerError { transient: true, ..fault.to_ledger_error(&place.shown) };
                batch.into_iter().for_each(|work| work.answer(Some(&error), &place.shown));
            }
        }
    }

    fn transaction(&mut self, batch: &mut [Box<dyn QueuedOperation>]) -> TransactionResult<CounterValues> {
        let chain_state = RefCell::new(self.current_chain_state()?);
        let db = self.connection()?;
        say(db, "BEGIN IMMEDIATE")?;
        let tx = OpenTransaction::new(db, &chain_state);
        for work in batch {
            work.run(&tx)?;
        }
        let reading = CounterValues::take(db)?;
        self.log = self.place.log(self.log);
        self.place.check_same_file()?;
        let db = self.connection()?;
        let committed = say(db, "COMMIT");
        match committed {
            Ok(()) => self.chain_state = chain_state.into_inner(),
            // It may have reached the disk all the same.
            Err(_) => self.unsure = Some(chain_state.into_inner()),
        }
        committed.map(|()| reading)
    }

    /// The state of the chain. After a failed commit, reads the file to find out whether it succeeded.
    fn current_chain_state(&mut self) -> TransactionResult<ChainState> {
        if let Some(unsure) = &self.unsure {
            let unsure = unsure.clone();
            if unsure.is_current_in(self.connection()?)? {
                self.chain_state = unsure;
            }
            self.unsure = None;
        }
        Ok(self.chain_state.clone())
    }

    fn connection(&mut self) -> TransactionResult<&Connection> {
        if self.db.is_none() {
            self.place.check_same_file()?;
            (self.version, self.log) = (None, None);
        }
        Ok(match self.db.take() {
            Some(db) => self.db.insert(db),
            None => self.db.insert(self.place.connect()?),
        })
    }

    /// Checks for other processes' commits.
    fn look(&mut self) {
        if self.changed_elsewhere().is_err() {
            // Writers get an error; listeners are notified once it works again.
            self.db = None;
        }
    }

    fn changed_elsewhere(&mut self) -> TransactionResult<()> {
        self.place.check_same_file()?;
        let known = self.version;
        let db = self.connection()?;
        let version: i64 = db.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
        if known == Some(version) {
            return Ok(());
        }
        let reading = CounterValues::take(db)?;
        self.version = Some(version);
        self.heads.publish(reading);
        Ok(())
    }
}

#[cfg(test)]
mod batching_tests;
