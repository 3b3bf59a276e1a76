-- Who may come in, and as what. `hash` is the SHA-256 of a secret that is kept nowhere; `roots` and `notifications` are
-- JSON. `seq` is the order of making. A token that was revoked stays.
CREATE TABLE tokens (
    seq INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    name TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('agent', 'viewer', 'approver', 'admin')),
    kind TEXT NOT NULL CHECK (kind IN ('api', 'device')),
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    agent TEXT,
    vouches INTEGER NOT NULL CHECK (vouches IN (0, 1)),
    roots TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    last_used_at INTEGER,
    notifications TEXT
) STRICT;

-- Ways in that were not used yet. Following one removes it.
CREATE TABLE links (
    hash BLOB PRIMARY KEY NOT NULL CHECK (length(hash) = 32),
    name TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('agent', 'viewer', 'approver', 'admin')),
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Which key of the log has which number: a code of fixed words under it. The keys themselves are not in here.
CREATE TABLE key_prints (
    key INTEGER PRIMARY KEY NOT NULL,
    print BLOB NOT NULL CHECK (length(print) = 32)
) STRICT;

-- Questions are listed newest first; each list goes along one of these, which end with `seq`.
CREATE INDEX approvals_by_time ON approvals (asked_at);
CREATE INDEX approvals_by_state ON approvals (state, asked_at);
CREATE INDEX approvals_by_credential ON approvals (credential, asked_at);
CREATE INDEX approvals_by_credential_and_state ON approvals (credential, state, asked_at);
