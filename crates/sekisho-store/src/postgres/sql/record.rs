//! The audit log and the events.

pub(crate) const LOG: &str = "INSERT INTO audit_log (writer, seq, key, at, kind, call, approval, execution, tool, \
    server, agent, credential, decision, approver, text, body, previous, code) \
    SELECT * FROM UNNEST($1::uuid[], $2::bigint[], $3::int[], $4::bigint[], $5::text[], $6::uuid[], $7::uuid[], \
    $8::uuid[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], \
    $16::text[], $17::bytea[], $18::bytea[])";

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

/// Where one chain ends.
pub(crate) const LAST_OF: &str =
    "SELECT seq, code FROM audit_log WHERE writer = $1 ORDER BY seq DESC LIMIT 1";
