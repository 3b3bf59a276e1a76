//! Why a stream ends.

use std::time::Duration;

use crate::app::App;
use crate::auth::Identity;

/// How long after a failure it is asked again whether a token counts. Meanwhile there is no ledger to tell news of.
const AGAIN: Duration = Duration::from_millis(500);

/// Why a stream ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StreamEnd {
    /// The listener left.
    Disconnected,
    /// Nothing was heard of it for too long.
    PingTimeout,
    /// It took nothing for too long.
    SendTimeout,
    /// It sent more than is taken; the rest cannot be skipped.
    TooLarge,
    /// There is no room for what it sends.
    OverCapacity,
    /// It sent one thing after the other that nobody can make sense of.
    TooManyMalformed,
    /// Its token counts no more.
    TokenInvalid,
    /// The server stops.
    ServerStopping,
    /// The ledger holds something that cannot be told.
    LedgerDamaged,
}

/// Ends when a listener may not stay any longer.
pub(crate) async fn wait_for_end(app: &App, who: &Identity) -> StreamEnd {
    tokio::select! {
        () = app.shutdown_started() => StreamEnd::ServerStopping,
        () = wait_until_token_invalid(app, who) => StreamEnd::TokenInvalid,
    }
}

/// Ends when the token counts no more. A peer of the Unix socket has none that could be revoked.
async fn wait_until_token_invalid(app: &App, who: &Identity) {
    let Some(token) = &who.token else { return std::future::pending().await };
    let doorkeeper = &app.inner.authenticator;
    // Listening begins before looking, so a change in between is not missed.
    let mut changed = doorkeeper.changed();
    loop {
        let wait = match doorkeeper.is_still_valid(token.id, app.now()).await {
            Ok(false) => return,
            // Looked at now and then though nobody says that it changed.
            Ok(true) => app.settings().limits.stream_timing.ping_interval,
            Err(_) => AGAIN,
        };
        let expiry = async {
            match token.expires_at {
                Some(end) => app.gate().clock().sleep_until(end).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            told = changed.changed() => if told.is_err() { return },
            () = tokio::time::sleep(wait) => {}
            () = expiry => return,
        }
    }
}
