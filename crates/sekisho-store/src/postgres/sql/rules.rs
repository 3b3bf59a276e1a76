//! Kept rules, and the counters they go by.

pub(crate) const REVISION: &str = "SELECT value FROM meta WHERE name = 'rules_revision'";

pub(crate) const BUMP_REVISION: &str =
    "UPDATE meta SET value = value + 1 WHERE name = 'rules_revision' RETURNING value";

pub(crate) const NEXT_MADE: &str =
    "UPDATE meta SET value = value + 1 WHERE name = 'rules_made' RETURNING value";

/// Which a rule was in the order of making, in whichever table it stands.
pub(crate) const MADE: &str = "SELECT made FROM tool_permission_rules WHERE id = $1 \
    UNION ALL SELECT made FROM session_rules WHERE id = $1";

pub(crate) const INSERT_PERMISSION: &str = "INSERT INTO tool_permission_rules (id, made, effect, server_id, tool_name, \
    tool_pattern, priority, agent, command, command_glob, skill_name, path, host, timeout_s, on_timeout, expires_at, \
    note, examples, unrestricted, created_at, updated_at, created_by) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)";

pub(crate) const ALL_PERMISSIONS: &str = "SELECT id, made, effect, server_id, tool_name, tool_pattern, priority, agent, \
    command, command_glob, skill_name, path, host, timeout_s, on_timeout, expires_at, note, examples, unrestricted, \
    created_at, updated_at, created_by FROM tool_permission_rules";

pub(crate) const INSERT_SESSION: &str = "INSERT INTO session_rules \
    (id, made, effect, credential, agent, scope, rule, expires_at, created_at, updated_at, created_by) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

pub(crate) const ALL_SESSIONS: &str = "SELECT id, made, effect, credential, agent, scope, rule, expires_at, created_at, \
    updated_at, created_by FROM session_rules WHERE expires_at IS NULL OR expires_at > $1";

pub(crate) const DELETE_PERMISSION: &str = "DELETE FROM tool_permission_rules WHERE id = $1";

pub(crate) const DELETE_SESSION: &str = "DELETE FROM session_rules WHERE id = $1";

pub(crate) const DELETE_ENDED: &str =
    "DELETE FROM session_rules WHERE expires_at IS NOT NULL AND expires_at <= $1";
