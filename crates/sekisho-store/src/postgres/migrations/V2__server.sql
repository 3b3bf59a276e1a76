-- Who may come in, and as what. `hash` is the SHA-256 of a secret that is kept nowhere; `roots` and `notifications` are
-- JSON. `seq` is the order of making. A token that was revoked stays.
CREATE TABLE tokens (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id UUID NOT NULL UNIQUE,
    name TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('agent', 'viewer', 'approver', 'admin')),
    kind TEXT NOT NULL CHECK (kind IN ('api', 'device')),
    hash BYTEA NOT NULL CHECK (length(hash) = 32),
    agent TEXT,
    vouches BOOLEAN NOT NULL,
    roots TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    created_by TEXT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    last_used_at BIGINT,
    notifications TEXT
);

-- Ways in that were not used yet. Following one removes it.
CREATE TABLE links (
    hash BYTEA PRIMARY KEY CHECK (length(hash) = 32),
    name TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('agent', 'viewer', 'approver', 'admin')),
    created_at BIGINT NOT NULL,
    created_by TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);

-- Which key of the log has which number: a code of fixed words under it. The keys themselves are not in here.
CREATE TABLE key_prints (
    key INTEGER PRIMARY KEY,
    print BYTEA NOT NULL CHECK (length(print) = 32)
);

-- Questions are listed newest first; each list goes along one of these.
CREATE INDEX approvals_by_time ON approvals (asked_at, seq);
CREATE INDEX approvals_by_state ON approvals (state, asked_at, seq);
CREATE INDEX approvals_by_credential ON approvals (left(credential, 200), asked_at, seq);
CREATE INDEX approvals_by_credential_and_state ON approvals (left(credential, 200), state, asked_at, seq);
