//! The events.

pub(crate) const ANNOUNCE: &str =
    "INSERT INTO events (seq, at, body) SELECT coalesce(max(seq), 0) + 1, ?1, ?2 FROM events";

pub(crate) const HEAD: &str = "SELECT coalesce(max(seq), 0) FROM events";

pub(crate) const AFTER: &str = "SELECT seq, at, body FROM events WHERE seq > ?1 ORDER BY seq LIMIT ?2";
