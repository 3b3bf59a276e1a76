//! The one writer: a thread that commits together whatever is waiting.
//!
//! A request is a script and somebody who waits for its answer. The thread takes all that wait, runs each in a savepoint of
//! its own inside one transaction, commits, and only then answers. A script that fails undoes itself and nobody else; a
//! commit that fails is everybody's failure, and nothing of it was permitted. There is no delay to gather company: while
//! one batch is on its way to the disk the next one gathers by itself.
//!
//! The thread writes lines that were masked before. A script that needs another line undoes itself like one that fails,
//! and comes back when that line is masked.

use std::cell::RefCell;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};

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

/// The way to the thread.
pub(super) struct Writer {
    place: Arc<DatabaseFile>,
    inbox: Option<Sender<Message>>,
    thread: Option<JoinHandle<()>>,
}

enum Message {
    /// Something to write.
    Work(Box<dyn QueuedOperation>),
    /// Somebody has begun to listen.
    Look,
}

impl Writer {
    /// Starts the thread with its first connection.
    pub(super) fn start(
        place: &Arc<DatabaseFile>,
        db: Connection,
        heads: &Arc<CommitCounters>,
        ink: ChainState,
    ) -> std::io::Result<Writer> {
        let (inbox, messages) = channel();
        let mut desk = WriterThread {
            place: Arc::clone(place),
            heads: Arc::clone(heads),
            db: Some(db),
            log: None,
            version: None,
            ink,
            unsure: None,
        };
        let thread =
            thread::Builder::new().name("ledger-writer".into()).spawn(move || desk.serve(&messages))?;
        Ok(Writer { place: Arc::clone(place), inbox: Some(inbox), thread: Some(thread) })
    }

    pub(super) fn place(&self) -> &DatabaseFile {
        &self.place
    }

    /// Runs a script in the next transaction after its lines are masked. That begins when the future is first polled, and
    /// goes on if the future is dropped.
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

    /// The same for a script whose lines depend on what is kept: they are read ahead by the readers.
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
                // What could not be read ahead is found out by the script.
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
                    "the writer of database `{}` gave no answer: try again",
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

    /// Has other processes' commits looked for from now on.
    pub(super) fn poll_other_commits(&self) {
        if let Some(inbox) = &self.inbox {
            // A thread that is gone has nothing to look at; writers are told so.
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
            // It catches its own panics; one that escapes has nothing left to answer.
            let _panicked = thread.join();
        }
    }
}

/// What the thread sees of a request.
trait QueuedOperation: Send {
    /// Runs the script in a savepoint. An error is the whole transaction's; the script's own is kept for the answer.
    fn run(&mut self, pen: &OpenTransaction<'_>) -> TransactionResult<()>;

    /// Answers: with what the script gave, unless the transaction came to nothing.
    fn answer(self: Box<Self>, lost: Option<&LedgerError>, place: &str);
}

struct WriteRequest<T, F> {
    script: F,
    masked: MaskedEntries,
    result: Option<TransactionResult<T>>,
    answer: oneshot::Sender<Result<T, LedgerError>>,
    way: RequestRoute,
}

/// How a request gets to the writer.
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
    /// Masks lines and sends it. What takes long is done on another thread.
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
        // Where nobody is left to read it the request is dropped, and whoever waits is told so.
        drop(inbox.send(Message::Work(Box::new(self))));
    }
}

impl<T, F> QueuedOperation for WriteRequest<T, F>
where
    T: Send + 'static,
    F: Fn(&OpenTransaction<'_>) -> TransactionResult<T> + Send + 'static,
{
    fn run(&mut self, pen: &OpenTransaction<'_>) -> TransactionResult<()> {
        say(pen, "SAVEPOINT request")?;
        let before = pen.chain_state();
        pen.take_lines(MaskedLines::new(std::mem::take(&mut self.masked)));
        let result = (self.script)(pen);
        let (masked, unmasked) = pen.take_lines(MaskedLines::default()).into_parts();
        self.masked = masked;
        let result =
            if unmasked.is_empty() { result } else { result.and(Err(TransactionError::Unmasked(unmasked))) };
        // Some errors roll everything back; after that every statement would be a transaction of its own.
        if pen.is_autocommit() {
            let what = match result {
                Err(TransactionError::Database { what, .. } | TransactionError::Inconsistent(what)) => what,
                Ok(_) | Err(TransactionError::Unmasked(_)) => {
                    "the transaction was ended by somebody else".into()
                }
            };
            return Err(TransactionError::Database { what, passing: true });
        }
        if result.is_err() {
            say(pen, "ROLLBACK TO request")?;
            // What was not kept leaves no gap in the chain.
            pen.restore_chain(before);
        }
        self.result = Some(result);
        say(pen, "RELEASE request")
    }

    fn answer(mut self: Box<Self>, lost: Option<&LedgerError>, place: &str) {
        let answer = match (lost, self.result.take()) {
            (Some(error), _) => Err(error.clone()),
            (None, Some(Err(TransactionError::Unmasked(lines)))) => return self.send_later(lines),
            (None, Some(result)) => result.map_err(|fault| fault.to_ledger_error(place)),
            (None, None) => return,
        };
        // Whoever no longer waits has lost only the answer.
        let _nobody = self.answer.send(answer);
    }
}

fn say(db: &Connection, sql: &str) -> TransactionResult<()> {
    db.prepare_cached(sql)?.execute([])?;
    Ok(())
}

/// The thread's own things.
struct WriterThread {
    place: Arc<DatabaseFile>,
    heads: Arc<CommitCounters>,
    /// None after a failure: it is opened again for the next batch.
    db: Option<Connection>,
    /// The log that the connection writes to, once it has.
    log: Option<(u64, u64)>,
    /// The file's version when it was last looked at.
    version: Option<i64>,
    /// Where this writer's chain ends, as far as it was committed.
    ink: ChainState,
    /// Where it ends if a commit that failed was one after all.
    unsure: Option<ChainState>,
}

impl WriterThread {
    fn serve(&mut self, messages: &Receiver<Message>) {
        while let Some(first) = self.next(messages) {
            let mut look = false;
            let mut batch = Vec::new();
            let waiting = messages.try_iter().take(self.place.options.largest_batch.saturating_sub(1));
            for message in first.into_iter().chain(waiting) {
                match message {
                    Message::Work(work) => batch.push(work),
                    Message::Look => look = true,
                }
            }
            look |= batch.is_empty();
            // A script that panics takes its batch with it: the connection is dropped before anything is committed,
            // and those who wait find nobody at the other end.
            let went = catch_unwind(AssertUnwindSafe(|| {
                if !batch.is_empty() {
                    self.commit_together(batch);
                }
                if look {
                    self.look();
                }
            }));
            if went.is_err() {
                self.db = None;
            }
        }
    }

    /// The next message; `Some(None)` when it is time to look around, `None` when there will be no more.
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
                // What state the connection is in is not worth knowing.
                self.db = None;
                let error = LedgerError { transient: true, ..fault.to_ledger_error(&place.shown) };
                batch.into_iter().for_each(|work| work.answer(Some(&error), &place.shown));
            }
        }
    }

    fn transaction(&mut self, batch: &mut [Box<dyn QueuedOperation>]) -> TransactionResult<CounterValues> {
        let ink = RefCell::new(self.current_ink()?);
        let db = self.connection()?;
        say(db, "BEGIN IMMEDIATE")?;
        let pen = OpenTransaction::new(db, &ink);
        for work in batch {
            work.run(&pen)?;
        }
        let reading = CounterValues::take(db)?;
        self.log = self.place.log(self.log);
        self.place.check_same_file()?;
        let db = self.connection()?;
        let committed = say(db, "COMMIT");
        match committed {
            Ok(()) => self.ink = ink.into_inner(),
            // It may have reached the disk all the same.
            Err(_) => self.unsure = Some(ink.into_inner()),
        }
        committed.map(|()| reading)
    }

    /// Where the chain ends. After a commit that failed the file is asked whether it was one.
    fn current_ink(&mut self) -> TransactionResult<ChainState> {
        if let Some(unsure) = &self.unsure {
            let unsure = unsure.clone();
            if unsure.is_kept_by(self.connection()?)? {
                self.ink = unsure;
            }
            self.unsure = None;
        }
        Ok(self.ink.clone())
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

    /// Notices what other processes have committed.
    fn look(&mut self) {
        if self.changed_elsewhere().is_err() {
            // Writers will be told; listeners hear of it when it is over.
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
mod tests;
