//! What the routes work with.

use std::sync::Arc;
use std::time::Duration;

use sekisho_gate::Gate;
use sekisho_gate::audit::{Audit, Keys};
use sekisho_gate::premises::Files;
use sekisho_gate::tokens::Tokens;
use tokio::sync::watch;

use crate::at_once::AtOnce;
use crate::auth::{Doorkeeper, Identity};
use crate::edge::{Rates, Room};
use crate::errands::Errands;
use crate::error::Fault;
use crate::live::Frames;
use crate::metrics::Metrics;
use crate::pending::Pending;
use crate::recording::Recording;
use crate::rule_hits::Hits;
use crate::settings::Settings;
use crate::turns::Turns;
use crate::workspace::Workspaces;

/// What a server is made of.
#[derive(Clone)]
pub struct Parts {
    /// The checkpoint. Its keeper runs beside it.
    pub gate: Gate,
    /// The record, to read.
    pub audit: Arc<dyn Audit>,
    /// The credentials.
    pub tokens: Arc<dyn Tokens>,
    /// The layers that are files, to show.
    pub files: Arc<dyn Files>,
    /// The keys of the record, to verify it.
    pub keys: Arc<Keys>,
    /// How to behave.
    pub settings: Settings,
}

/// A server, ready to let callers in. Cheap to clone; all clones are one.
#[derive(Clone)]
pub struct App {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) parts: Parts,
    pub(crate) doorkeeper: Doorkeeper,
    pub(crate) rates: Rates,
    pub(crate) room: Room,
    pub(crate) pending: Pending,
    pub(crate) frames: Frames,
    /// Streams that are open.
    pub(crate) streams: AtOnce,
    pub(crate) metrics: Metrics,
    pub(crate) workspaces: Workspaces,
    pub(crate) hits: Hits,
    /// Requests under way.
    pub(crate) requests: AtOnce,
    pub(crate) recording: Recording,
    closing: watch::Sender<bool>,
    pub(crate) errands: Errands,
    /// Reading questions, which may be large.
    pub(crate) reading: Arc<Turns>,
    /// Reading bodies that are large.
    pub(crate) parsing: Arc<Turns>,
    /// Looking through the record.
    pub(crate) searching: Arc<Turns>,
    /// Exports of the record that are under way.
    pub(crate) exports: AtOnce,
}

/// How often those who have been quiet are forgotten.
const TIDIED: Duration = Duration::from_secs(60);

/// How many read questions at a time.
const READERS: usize = 2;
/// How many large bodies are read at a time.
const PARSERS: usize = 1;
/// How many look through the record at a time: fewer than a store has readers, so that nobody else waits behind them.
const SEARCHES: usize = 1;
/// How many searches of a credential wait for their turn.
const SEARCHES_WAITING: usize = 32;

impl App {
    /// A server of these parts.
    pub fn new(parts: Parts) -> App {
        let inner = Inner {
            doorkeeper: Doorkeeper::new(Arc::clone(&parts.tokens)),
            rates: Rates::new(&parts.settings.limits),
            room: Room::new(parts.settings.limits.bodies),
            pending: Pending::default(),
            frames: Frames::default(),
            streams: AtOnce::default(),
            metrics: Metrics::default(),
            workspaces: Workspaces::new(&parts.settings.projects),
            hits: Hits::default(),
            requests: AtOnce::default(),
            recording: Recording::default(),
            closing: watch::Sender::new(false),
            errands: Errands::default(),
            reading: Turns::new(READERS, usize::MAX),
            parsing: Turns::new(PARSERS, usize::MAX),
            searching: Turns::new(SEARCHES, SEARCHES_WAITING),
            exports: AtOnce::default(),
            parts,
        };
        App { inner: Arc::new(inner) }
    }

    /// What runs beside the server: it keeps an eye on open questions and on tokens. Ends when the gate is gone.
    pub async fn follow(&self) {
        let inner = &self.inner;
        tokio::select! {
            () = inner.pending.follow(&inner.parts.gate, &inner.doorkeeper, &inner.room) => {}
            () = self.tidy() => {}
            () = self.tell_of_files() => {}
        }
    }

    /// How many bytes of bodies, messages and answers are being read, worked on or sent.
    pub fn in_flight(&self) -> usize {
        self.inner.room.taken()
    }

    /// Ends when much memory was freed since the last time it ended: large bodies and answers are done with.
    pub async fn much_freed(&self) {
        self.inner.room.much_freed().await;
    }

    /// Puts on the record that a policy file changed, which is also how those who listen hear of it. Who changed it nobody
    /// can say.
    async fn tell_of_files(&self) {
        let parts = &self.inner.parts;
        let mut files = parts.files.generation();
        while files.changed().await.is_ok() {
            let generation = *files.borrow_and_update();
            if let Err(error) = parts.gate.policy_files_changed(generation).await {
                tracing::warn!(%error, "that a policy file changed could not be recorded");
            }
        }
        std::future::pending().await
    }

    async fn tidy(&self) {
        loop {
            tokio::time::sleep(TIDIED).await;
            self.inner.rates.tidy();
        }
    }

    /// Lets nobody wait any more. Questions stay open for the next start.
    pub(crate) fn close(&self) {
        self.inner.parts.gate.close();
        self.inner.closing.send_replace(true);
    }

    /// Ends when the server stops. What has no end of its own, such as a WebSocket, ends then.
    pub(crate) async fn closing(&self) {
        // The sender lives as long as we do.
        let _ = self.inner.closing.subscribe().wait_for(|closing| *closing).await;
    }

    /// That somebody's token still counts, looked at again after something that took a while: a body, a human.
    pub(crate) async fn still_knows(&self, who: &Identity) -> Result<(), Fault> {
        match who.token_id() {
            Some(id) if !self.inner.doorkeeper.still_counts(id, self.now()).await? => {
                Err(Fault::unauthenticated("the token has expired or was revoked"))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.inner.parts.settings
    }

    pub(crate) fn gate(&self) -> &Gate {
        &self.inner.parts.gate
    }

    pub(crate) fn now(&self) -> jiff::Timestamp {
        self.inner.parts.gate.clock().now()
    }
}
