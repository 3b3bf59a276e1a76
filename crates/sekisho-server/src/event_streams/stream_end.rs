//! Why a stream ends, and waiting for that.

use std::time::Duration;

use crate::app::App;
use crate::auth::Identity;

/// How long to wait before checking a token again after a failure. Without the ledger there are no events to
/// miss.
const RETRY_DELAY: Duration = Duration::from_millis(500);

/// Why a stream ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StreamEnd {
    /// Everything was sent.
    Finished,
    /// The client disconnected.
    Disconnected,
    /// The client sent nothing for too long.
    PingTimeout,
    /// The client read nothing for too long.
    SendTimeout,
    /// The client sent a message that is too large; the rest cannot be skipped.
    TooLarge,
    /// There is no memory for what the client sends.
    OverCapacity,
    /// The client sent too many malformed messages in a row.
    TooManyMalformed,
    /// Its token is no longer valid.
    TokenInvalid,
    /// The server stops.
    ServerStopping,
    /// The ledger holds something that cannot be read.
    LedgerDamaged,
}

/// Resolves when a subscriber must be disconnected.
pub(crate) async fn wait_for_end(app: &App, who: &Identity) -> StreamEnd {
    tokio::select! {
        () = app.shutdown_started() => StreamEnd::ServerStopping,
        () = wait_until_token_invalid(app, who) => StreamEnd::TokenInvalid,
    }
}

/// Resolves when the token is no longer valid. A peer on the Unix socket has no token to revoke.
async fn wait_until_token_invalid(app: &App, who: &Identity) {
    let Some(token) = &who.token else { return std::future::pending().await };
    let authenticator = &app.inner.authenticator;
    // Subscribe before checking, so that a change in between is not missed.
    let mut changed = authenticator.changed();
    loop {
        let wait = match authenticator.is_still_valid(token.id, app.now()).await {
            Ok(false) => return,
            // Checked now and then, even if no change was announced.
            Ok(true) => app.settings().limits.stream_timing.ping_interval,
            Err(_) => RETRY_DELAY,
        };
        let expiry = async {
            match token.expires_at {
                Some(end) => app.gate().clock().sleep_until(end).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            change = changed.changed() => if change.is_err() { return },
            () = tokio::time::sleep(wait) => {}
            () = expiry => return,
        }
    }
}
