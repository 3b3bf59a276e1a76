//! The events.

/// Counts, appends and tells the other processes. The counter stays locked until the commit, so this comes last.
pub(crate) const ANNOUNCE: &str = "WITH counter AS (\
        UPDATE meta SET value = value + $1 WHERE name = 'events' RETURNING value\
    ), appended AS (\
        INSERT INTO events (seq, at, body) \
        SELECT counter.value - $1 + line.place, line.at, line.body \
        FROM counter, UNNEST($2::bigint[], $3::text[]) WITH ORDINALITY AS line (at, body, place)\
    ) SELECT value, pg_notify('sekisho', value::text) FROM counter";

pub(crate) const HEAD: &str = "SELECT value FROM meta WHERE name = 'events'";

pub(crate) const HEADS: &str = "SELECT (SELECT value FROM meta WHERE name = 'events'), \
    (SELECT value FROM meta WHERE name = 'rules_revision')";

pub(crate) const AFTER: &str = "SELECT seq, at, body FROM events WHERE seq > $1 ORDER BY seq LIMIT $2";
