//! Waits for a run and collects its output.

use sekisho_agent::service::WaitUntil;
use serde_json::Value;
use uuid::Uuid;

use super::error::MastraError;
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::wire::mastra::encoder::Encoder;
use crate::wire::mastra::output::Output;
use crate::wire::mastra::position::Position;

/// How many stored chunks are read at a time.
const PAGE: usize = 64;

/// The output of a run, once it has ended or only waits for approvals.
pub(super) async fn output(app: &App, who: &Identity, run: Uuid, agent: &str) -> Result<Value, MastraError> {
    let service = app.agents();
    tokio::select! {
        waited = service.wait(run, WaitUntil::Settled) => drop(waited?),
        () = app.shutdown_started() => {
            return Err(ApiError::unavailable("the server stops; the run goes on when it is back").into());
        }
    }
    // It may have taken long, and the token may have been revoked meanwhile.
    app.ensure_token_valid(who).await?;
    let (mut encoder, mut output) = (Encoder::new(run, agent), Output::new(run));
    let nothing = Position::default();
    let mut after = 0;
    loop {
        let chunks = service.runs().chunks(run, after, PAGE).await?;
        let Some(last) = chunks.last() else { break };
        after = last.seq;
        for chunk in chunks {
            encoder.take(chunk, nothing).into_iter().for_each(|(_, chunk)| output.take(chunk));
        }
    }
    encoder.flush(nothing).into_iter().for_each(|(_, chunk)| output.take(chunk));
    Ok(output.finish())
}
