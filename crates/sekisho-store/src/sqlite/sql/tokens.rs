//! Credentials, and the links that make them.

pub(crate) const INSERT: &str = "INSERT INTO tokens (id, name, role, kind, hash, agent, vouches, roots, created_at, \
    created_by, expires_at, revoked_at, last_used_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";

pub(crate) const BY_ID: &str = "SELECT id, name, role, kind, hash, agent, vouches, roots, created_at, created_by, \
    expires_at, revoked_at, last_used_at FROM tokens WHERE id = ?1";

pub(crate) const ALL: &str = "SELECT id, name, role, kind, hash, agent, vouches, roots, created_at, created_by, \
    expires_at, revoked_at, last_used_at FROM tokens ORDER BY seq";

pub(crate) const REVOKE: &str = "UPDATE tokens SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL";

pub(crate) const USE: &str = "UPDATE tokens SET last_used_at = ?2 \
    WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at < ?3)";

pub(crate) const NOTIFICATIONS: &str = "SELECT notifications FROM tokens WHERE id = ?1";

pub(crate) const SET_NOTIFICATIONS: &str = "UPDATE tokens SET notifications = ?2 WHERE id = ?1";

pub(crate) const FORGET_LINKS: &str = "DELETE FROM links WHERE expires_at <= ?1";

pub(crate) const LINK_EXISTS: &str = "SELECT EXISTS (SELECT 1 FROM links WHERE hash = ?1)";

pub(crate) const INSERT_LINK: &str = "INSERT INTO links (hash, name, role, created_at, created_by, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

pub(crate) const OPEN_LINKS: &str = "SELECT count(*) FROM links WHERE expires_at > ?1";

/// Whoever removes it has followed it.
pub(crate) const TAKE_LINK: &str = "DELETE FROM links WHERE hash = ?1 AND expires_at > ?2 \
    RETURNING hash, name, role, created_at, created_by, expires_at";
