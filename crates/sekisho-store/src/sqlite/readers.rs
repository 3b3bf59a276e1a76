//! The threads that read, so that no future blocks on the disk or on the writer.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;
use sekisho_gate::ledger::LedgerError;
use tokio::sync::oneshot;

use super::database_file::DatabaseFile;
use crate::transaction_error::{TransactionError, TransactionResult};

type Job = Box<dyn FnOnce(&mut ReaderThread) + Send>;

/// A handle to the reader threads that can outlive a call to the store.
pub(super) struct ReaderQueue(Option<Sender<Job>>);

impl ReaderQueue {
    /// Runs a closure on one of the threads and passes its result to `then` there. If no thread is left,
    /// `then` is not called.
    pub(super) fn send<T: 'static>(
        self,
        script: impl FnOnce(&Connection) -> TransactionResult<T> + Send + 'static,
        then: impl FnOnce(TransactionResult<T>) + Send + 'static,
    ) {
        let job: Job = Box::new(move |worker| then(worker.at_one_moment(script)));
        drop(self.0.map(|inbox| inbox.send(job)));
    }
}

/// A handle to the reader threads.
pub(super) struct Readers {
    place: Arc<DatabaseFile>,
    inbox: Option<Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
}

impl Readers {
    pub(super) fn start(place: &Arc<DatabaseFile>) -> std::io::Result<Readers> {
        let (inbox, jobs) = channel::<Job>();
        let jobs = Arc::new(Mutex::new(jobs));
        let mut readers = Readers { place: Arc::clone(place), inbox: Some(inbox), threads: Vec::new() };
        for number in 0..place.options.readers.max(1) {
            let (jobs, mut worker) = (Arc::clone(&jobs), ReaderThread { place: Arc::clone(place), db: None });
            let thread = thread::Builder::new().name(format!("ledger-reader-{number}"));
            readers.threads.push(thread.spawn(move || worker.serve(&jobs))?);
        }
        Ok(readers)
    }

    /// A handle to the reader threads.
    pub(super) fn jobs(&self) -> ReaderQueue {
        ReaderQueue(self.inbox.clone())
    }

    /// Runs a closure against one snapshot of the file.
    pub(super) fn read<T, F>(
        &self,
        script: F,
    ) -> impl Future<Output = Result<T, LedgerError>> + Send + use<T, F>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> TransactionResult<T> + Send + 'static,
    {
        let (inbox, place) = (self.inbox.clone(), Arc::clone(&self.place));
        async move {
            let gone = || {
                LedgerError::transient(format!(
                    "the readers of database `{}` did not answer: try again",
                    place.shown
                ))
            };
            let (answer, answered) = oneshot::channel();
            let job: Job = Box::new(move |worker| {
                let result =
                    worker.at_one_moment(script).map_err(|fault| fault.to_ledger_error(&worker.place.shown));
                let _nobody = answer.send(result);
            });
            let inbox = inbox.ok_or_else(gone)?;
            inbox.send(job).map_err(|_| gone())?;
            drop(inbox);
            answered.await.unwrap_or_else(|_| Err(gone()))
        }
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.inbox = None;
        for thread in self.threads.drain(..).filter(|thread| thread.thread().id() != thread::current().id()) {
            let _panicked = thread.join();
        }
    }
}

/// The state of one reader thread.
struct ReaderThread {
    place: Arc<DatabaseFile>,
    /// `None` at first and after a failure.
    db: Option<Connection>,
}

impl ReaderThread {
    fn serve(&mut self, jobs: &Mutex<Receiver<Job>>) {
        loop {
            // The thread that waits for a job holds the lock, and releases it before it starts the job.
            let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(job) = next else { return };
            if catch_unwind(AssertUnwindSafe(|| job(self))).is_err() {
                self.db = None;
            }
        }
    }

    fn at_one_moment<T>(
        &mut self,
        script: impl FnOnce(&Connection) -> TransactionResult<T>,
    ) -> TransactionResult<T> {
        self.place.check_same_file()?;
        let db = match self.db.take() {
            Some(db) => db,
            None => self.place.connect_to_read()?,
        };
        db.prepare_cached("BEGIN")?.execute([])?;
        let result = script(&db);
        db.prepare_cached("ROLLBACK")?.execute([])?;
        if !matches!(result, Err(TransactionError::Database { .. })) {
            self.db = Some(db);
        }
        result
    }
}
