//! What is counted, for Prometheus.

use std::sync::atomic::{AtomicU64, Ordering};

/// A number that only grows.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A number that grows and shrinks, held by whoever makes it grow.
#[derive(Debug, Default)]
pub(crate) struct Gauge(AtomicU64);

/// One of what a gauge counts. Dropping it is the end of it.
pub(crate) struct Held<'a>(&'a Gauge);

impl Gauge {
    pub(crate) fn hold(&self) -> Held<'_> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Held(self)
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Everything that is counted.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// Advisory verdicts: allow, confirm, deny.
    pub(crate) advised: [Counter; 3],
    /// What callers of can-use-tool were told: allow, deny.
    pub(crate) told: [Counter; 2],
    /// Answers that were taken.
    pub(crate) answers: Counter,
    /// Requests that were turned away at the edge: unknown caller, role, host, origin, rate.
    pub(crate) turned_away: Counter,
    /// Callers that wait for a human.
    pub(crate) callers: Gauge,
    /// Devices that listen.
    pub(crate) listeners: Gauge,
    /// Open connections.
    pub(crate) connections: Gauge,
}
