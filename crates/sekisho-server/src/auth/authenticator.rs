//! Checks tokens against the store. Tokens are cached for a moment, and the cache is cleared when any token
//! changes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::TokenId;
use sekisho_gate::answer::{Actor, Role};
use sekisho_gate::ledger::LedgerError;
use sekisho_gate::token_store::{Token, TokenStore};
use tokio::sync::watch;

use super::issuance::{RevokeOutcome, revoke};
use super::secret::TokenSecret;

/// How long a token is cached. It is short because another process may revoke a token without notifying this
/// one.
pub const TOKEN_CACHE_TTL: SignedDuration = SignedDuration::from_secs(1);
/// How many tokens are cached.
const MAX_CACHED_TOKENS: usize = 4096;
/// How often the last use of a token is recorded.
const USE_RECORD_INTERVAL: SignedDuration = SignedDuration::from_secs(60);

/// Checks tokens, with a cache.
pub struct Authenticator {
    tokens: Arc<dyn TokenStore>,
    known: Mutex<HashMap<TokenId, CachedToken>>,
    /// When an approver was last found to exist.
    answers: Mutex<Option<Timestamp>>,
    /// The latest time at which a token was checked.
    latest: Mutex<Timestamp>,
    changed: watch::Sender<u64>,
    /// Held while a token is revoked, so that two admins who revoke each other at once do not both succeed.
    revoking: tokio::sync::Mutex<()>,
}

#[derive(Clone)]
struct CachedToken {
    token: Token,
    read: Timestamp,
}

impl Authenticator {
    /// An authenticator for a token store.
    pub fn new(tokens: Arc<dyn TokenStore>) -> Authenticator {
        Authenticator {
            tokens,
            known: Mutex::default(),
            answers: Mutex::default(),
            latest: Mutex::new(Timestamp::MIN),
            changed: watch::Sender::new(0),
            revoking: tokio::sync::Mutex::default(),
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<TokenId, CachedToken>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The token of a secret, if the secret matches and the token is valid now.
    pub async fn authenticate(
        &self,
        secret: &TokenSecret,
        now: Timestamp,
    ) -> Result<Option<Token>, LedgerError> {
        let token = self.find(secret.id, now).await?;
        let token = token.filter(|token| secret.matches(&token.hash) && self.is_valid(token, now));
        if let Some(token) = &token {
            self.record_use(token, now).await;
        }
        Ok(token)
    }

    /// Whether a token is still valid. For connections that stay open.
    pub async fn is_still_valid(&self, id: TokenId, now: Timestamp) -> Result<bool, LedgerError> {
        Ok(self.find(id, now).await?.is_some_and(|token| self.is_valid(&token, now)))
    }

    /// Whether a token is valid. Setting the clock back does not revive an expired token: the latest time
    /// seen counts.
    fn is_valid(&self, token: &Token, now: Timestamp) -> bool {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        *latest = now.max(*latest);
        token.is_valid_at(latest.max(token.last_used_at.unwrap_or(now)))
    }

    async fn find(&self, id: TokenId, now: Timestamp) -> Result<Option<Token>, LedgerError> {
        let fresh = |known: &&CachedToken| now.duration_since(known.read).abs() < TOKEN_CACHE_TTL;
        if let Some(known) = self.known().get(&id).filter(fresh) {
            return Ok(Some(known.token.clone()));
        }
        let generation = *self.changed.borrow();
        let found = self.tokens.token(id).await?;
        let mut known = self.known();
        match &found {
            // A token that changed while it was read is not cached.
            Some(token) if *self.changed.borrow() == generation => {
                if known.len() >= MAX_CACHED_TOKENS {
                    known.clear();
                }
                known.insert(id, CachedToken { token: token.clone(), read: now });
            }
            _ => drop(known.remove(&id)),
        }
        Ok(found)
    }

    /// Records the use of a token now and then. A failure to record it does not reject the caller.
    async fn record_use(&self, token: &Token, now: Timestamp) {
        if token.last_used_at.is_none_or(|used| now.duration_since(used) >= USE_RECORD_INTERVAL) {
            if let Some(known) = self.known().get_mut(&token.id) {
                known.token.last_used_at = Some(now);
            }
            if let Err(error) = self.tokens.token_used(token.id, now).await {
                tracing::debug!(%error, "could not record the use of a token");
            }
        }
    }

    /// Whether anyone could answer: a token of an approver or admin, or a link that would create one.
    ///
    /// Only a positive result is cached: an approver who signs in right after a negative one counts at once.
    pub async fn has_approver(&self, now: Timestamp) -> Result<bool, LedgerError> {
        let known = *self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_some_and(|read| now.duration_since(read).abs() < TOKEN_CACHE_TTL) {
            return Ok(true);
        }
        // Links first: a link that is followed between the two reads is a token by the second.
        let counts = |token: &Token| self.is_valid(token, now) && token.role >= Role::Approver;
        let answers =
            self.tokens.open_links(now).await? > 0 || self.tokens.tokens().await?.iter().any(counts);
        *self.answers.lock().unwrap_or_else(PoisonError::into_inner) = answers.then_some(now);
        Ok(answers)
    }

    /// Revokes a token, unless it is the last admin token.
    pub async fn revoke(&self, id: TokenId, by: Actor, at: Timestamp) -> Result<RevokeOutcome, LedgerError> {
        let revoking = self.revoking.lock().await;
        let revoked = revoke(&*self.tokens, id, Some(by), at).await;
        drop(revoking);
        self.invalidate();
        revoked
    }

    /// Clears the cache because some token changed.
    pub fn invalidate(&self) {
        self.known().clear();
        *self.answers.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.changed.send_modify(|times| *times += 1);
    }

    /// Changes when tokens change. Connections that stay open then check their token again.
    pub fn changed(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use sekisho_gate::WriteAccess;
    use sekisho_gate::ledger::LedgerFuture;
    use sekisho_gate::record::Record;
    use sekisho_gate::token_store::{NewDevice, SecretHash, SignInLink};
    use sekisho_testkit::{MemoryLedger, block_on};
    use serde_json::Value;

    use super::*;

    const HASH: SecretHash = SecretHash([7; 32]);

    const AT: Timestamp = Timestamp::UNIX_EPOCH;

    fn add_link(tokens: &dyn TokenStore) {
        let link = SignInLink {
            hash: HASH,
            name: "mai".into(),
            role: Role::Approver,
            created_at: AT,
            created_by: "a test".into(),
            expires_at: AT + SignedDuration::from_hours(1),
        };
        block_on(sekisho_gate::token_store::add_link(tokens, link, None)).unwrap();
    }

    /// Follows the only link right after the first read of anything.
    struct FollowedBetween {
        memory_ledger: MemoryLedger,
        followed: AtomicBool,
    }

    impl FollowedBetween {
        fn after<'a, T: Send + 'a>(&'a self, look: LedgerFuture<'a, T>) -> LedgerFuture<'a, T> {
            Box::pin(async move {
                let seen = look.await;
                if !self.followed.swap(true, Ordering::SeqCst) {
                    let device =
                        NewDevice { id: TokenId::new(AT), hash: HASH, user_agent: None, expires_at: None };
                    self.memory_ledger.follow_link(HASH, device, AT).await?;
                }
                seen
            })
        }
    }

    impl TokenStore for FollowedBetween {
        fn token(&self, id: TokenId) -> LedgerFuture<'_, Option<Token>> {
            self.memory_ledger.token(id)
        }
        fn tokens(&self) -> LedgerFuture<'_, Vec<Token>> {
            self.after(self.memory_ledger.tokens())
        }
        fn add_token(&self, access: &WriteAccess, token: Token, record: Record) -> LedgerFuture<'_, ()> {
            self.memory_ledger.add_token(access, token, record)
        }
        fn revoke_token(
            &self,
            access: &WriteAccess,
            id: TokenId,
            at: Timestamp,
            record: Record,
        ) -> LedgerFuture<'_, bool> {
            self.memory_ledger.revoke_token(access, id, at, record)
        }
        fn token_used(&self, id: TokenId, at: Timestamp) -> LedgerFuture<'_, ()> {
            self.memory_ledger.token_used(id, at)
        }
        fn add_link(&self, access: &WriteAccess, link: SignInLink, record: Record) -> LedgerFuture<'_, ()> {
            self.memory_ledger.add_link(access, link, record)
        }
        fn open_links(&self, at: Timestamp) -> LedgerFuture<'_, u64> {
            self.after(self.memory_ledger.open_links(at))
        }
        fn follow_link(
            &self,
            hash: SecretHash,
            device: NewDevice,
            at: Timestamp,
        ) -> LedgerFuture<'_, Option<Token>> {
            self.memory_ledger.follow_link(hash, device, at)
        }
        fn notifications(&self, id: TokenId) -> LedgerFuture<'_, Option<Value>> {
            self.memory_ledger.notifications(id)
        }
        fn set_notifications(&self, id: TokenId, settings: Value) -> LedgerFuture<'_, bool> {
            self.memory_ledger.set_notifications(id, settings)
        }
    }

    #[test]
    fn approver_exists_while_a_link_is_being_followed() {
        let tokens = FollowedBetween { memory_ledger: MemoryLedger::new(), followed: AtomicBool::new(false) };
        add_link(&tokens);
        let authenticator = Authenticator::new(Arc::new(tokens));
        assert!(block_on(authenticator.has_approver(AT)).unwrap());
        assert!(block_on(authenticator.has_approver(AT + TOKEN_CACHE_TTL)).unwrap());
    }

    #[test]
    fn setting_the_clock_back_revives_no_token() {
        let memory_ledger = MemoryLedger::new();
        add_link(&memory_ledger);
        let expires = AT + SignedDuration::from_hours(2);
        let device =
            NewDevice { id: TokenId::new(AT), hash: HASH, user_agent: None, expires_at: Some(expires) };
        let token = block_on(memory_ledger.follow_link(HASH, device, AT)).unwrap().unwrap();
        let authenticator = Authenticator::new(Arc::new(memory_ledger.clone()));
        let counts = |at| block_on(authenticator.is_still_valid(token.id, at)).unwrap();
        assert!(counts(AT));
        assert!(!counts(expires));
        assert!(!counts(AT));
        // Another server knows when the token was last used.
        let authenticator = Authenticator::new(Arc::new(memory_ledger.clone()));
        block_on(memory_ledger.token_used(token.id, expires)).unwrap();
        assert!(!block_on(authenticator.is_still_valid(token.id, AT)).unwrap());
    }

    #[test]
    fn absence_of_approvers_is_not_cached() {
        let memory_ledger = MemoryLedger::new();
        let authenticator = Authenticator::new(Arc::new(memory_ledger.clone()));
        assert!(!block_on(authenticator.has_approver(AT)).unwrap());
        add_link(&memory_ledger);
        assert!(block_on(authenticator.has_approver(AT)).unwrap());
    }
}
