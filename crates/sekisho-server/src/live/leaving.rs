//! Why a stream ends.

use std::time::Duration;

use crate::app::App;
use crate::auth::Identity;

/// How long after a failure it is asked again whether a token counts. Meanwhile there is no ledger to tell news of.
const AGAIN: Duration = Duration::from_millis(500);

/// Why a stream ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The listener left.
    Left,
    /// Nothing was heard of it for too long.
    Silent,
    /// It took nothing for too long.
    Slow,
    /// It sent more than is taken; the rest cannot be skipped.
    TooLarge,
    /// There is no room for what it sends.
    NoRoom,
    /// It sent one thing after the other that nobody can make sense of.
    Senseless,
    /// Its token counts no more.
    NotKnown,
    /// The server stops.
    Closing,
    /// The ledger holds something that cannot be told.
    Damaged,
}

/// Ends when a listener may not stay any longer.
pub(crate) async fn over(app: &App, who: &Identity) -> End {
    tokio::select! {
        () = app.closing() => End::Closing,
        () = known_no_more(app, who) => End::NotKnown,
    }
}

/// Ends when the token counts no more. A peer of the Unix socket has none that could be revoked.
async fn known_no_more(app: &App, who: &Identity) {
    let Some(token) = &who.token else { return std::future::pending().await };
    let doorkeeper = &app.inner.doorkeeper;
    // Listening begins before looking, so a change in between is not missed.
    let mut changed = doorkeeper.changed();
    loop {
        let wait = match doorkeeper.still_counts(token.id, app.now()).await {
            Ok(false) => return,
            // Looked at now and then though nobody says that it changed.
            Ok(true) => app.settings().limits.pace.ping,
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
