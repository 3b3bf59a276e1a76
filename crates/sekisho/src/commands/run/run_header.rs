//! The first lines about a run.

use sekisho_server::wire::run::{RunList, RunView};
use uuid::Uuid;

use crate::commands::server_connection::{ServerConnection, short_id};
use crate::failure::Failure;
use crate::terminal::{self, shorten_path, style, visible, wrap};

/// The first lines: the run, its model and project, and its tools.
pub(super) async fn header(
    connection: &ServerConnection,
    run: Uuid,
    tools: &[String],
) -> Result<Vec<String>, Failure> {
    let view: RunView = connection.client.get(&format!("/api/runs/{run}")).await?;
    let (strong, faint) = (style::STRONG, style::FAINT);
    let home = connection.settings.locations.home.as_deref();
    let place = view.workspace.as_deref().map(|root| format!(" in {}", shorten_path(root, home)));
    let mut lines = vec![format!(
        "{strong}run {}{strong:#}  {}{}",
        short_id(run),
        visible(&view.model),
        place.unwrap_or_default()
    )];
    if !tools.is_empty() {
        let width = terminal::width().map_or(usize::MAX, |width| width.saturating_sub(8));
        let mut label = "tools  ";
        for line in wrap::wrap_words(&visible(&tools.join(", ")), width) {
            lines.push(format!("{faint}{label}{line}{faint:#}"));
            label = "       ";
        }
    }
    let others: RunList = connection.client.get("/api/runs?active=true").await?;
    let others: Vec<String> =
        others.runs.iter().filter(|other| other.id != run).map(|other| short_id(other.id)).collect();
    if let [first, more @ ..] = others.as_slice() {
        let others = match more.len() {
            0 => format!("run {first} is unfinished too"),
            more => format!("run {first} and {more} more are unfinished too"),
        };
        lines.push(format!("{faint}{others}; `sekisho run --resume {first}` continues it{faint:#}"));
    }
    Ok(lines)
}
