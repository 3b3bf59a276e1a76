//! Finds runs for their routes.

use sekisho_agent::run_summary;
use sekisho_agent::runs::StoredRun;
use sekisho_gate::answer::Role;
use uuid::Uuid;

use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::wire::run::RunView;

/// A run that the caller may see. Others are reported as not found.
pub(in crate::routes) async fn find(app: &App, who: &Identity, id: &str) -> Result<StoredRun, ApiError> {
    let unknown = || ApiError::not_found(format!("there is no run `{id}`"));
    let parsed: Uuid = id.parse().map_err(|_| unknown())?;
    let run = app.agents().runs().run(parsed).await?;
    run.filter(|run| may_see(who, run)).ok_or_else(unknown)
}

/// Agents see the runs that they started.
fn may_see(who: &Identity, run: &StoredRun) -> bool {
    who.role > Role::Agent || run.settings.credential == who.credential
}

/// A run with its output, and what it started.
pub(super) async fn view(app: &App, run: &StoredRun) -> Result<RunView, ApiError> {
    let service = app.agents();
    let pending = service.pending(run).await?;
    let output = run_summary::output(service.runs(), run.id).await?;
    let tree = service.tree_below(run.clone()).await?;
    Ok(RunView::of(run, pending).with_output(output).with_tree(&tree))
}
