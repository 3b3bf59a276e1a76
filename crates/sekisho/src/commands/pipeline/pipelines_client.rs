//! Fetches pipelines and their runs from a running server.

use std::path::Path;

use sekisho_server::wire::pipeline::{PipelineList, PipelineRunList, PipelineRunView, PipelineView};
use serde_json::Value;
use uuid::Uuid;

use crate::client::ClientError;
use crate::commands::server_connection::{ServerArgs, ServerConnection, names_id, short_id};
use crate::failure::Failure;
use crate::terminal::visible;

/// Runs per request, and how many are searched for the end of an id.
const PAGE: usize = 200;
const SEARCHED: usize = 2000;

pub(super) struct PipelinesClient {
    pub(super) server: ServerConnection,
}

impl PipelinesClient {
    pub(super) fn open(server: ServerArgs) -> Result<PipelinesClient, Failure> {
        Ok(PipelinesClient { server: ServerConnection::open(server)? })
    }

    pub(super) fn all(&self) -> Result<Vec<PipelineView>, Failure> {
        let list: PipelineList = self.server.block_on(self.server.client.get("/api/pipelines"))?;
        Ok(list.pipelines)
    }

    /// The pipeline with this name, id, or end of an id.
    pub(super) fn find(&self, meant: &str) -> Result<PipelineView, Failure> {
        let all = self.all()?;
        let by_name = all.iter().position(|pipeline| pipeline.definition.name == meant);
        let mut found: Vec<PipelineView> = match by_name {
            Some(at) => all.into_iter().skip(at).take(1).collect(),
            None => all.into_iter().filter(|pipeline| names_id(meant, pipeline.id)).collect(),
        };
        let shown = visible(meant);
        match (found.pop(), found.is_empty()) {
            (Some(pipeline), true) => Ok(pipeline),
            (Some(_), false) => {
                Err(Failure::new(format!("`{shown}` matches several pipelines; give more of the id")))
            }
            (None, _) => Err(Failure::new(format!(
                "no pipeline `{shown}`; `sekisho pipeline list` lists all pipelines, and a file is named with its path, such as `./{shown}`"
            ))),
        }
    }

    /// The newest runs, newest first.
    pub(super) fn runs(&self, only_active: bool, most: usize) -> Result<Vec<PipelineRunView>, Failure> {
        let (mut found, mut before) = (Vec::new(), String::new());
        loop {
            let active = if only_active { "&active=true" } else { "" };
            let limit = PAGE.min(most.saturating_sub(found.len())).max(1);
            let path = format!("/api/pipeline-runs?limit={limit}{active}{before}");
            let page: PipelineRunList = self.server.block_on(self.server.client.get(&path))?;
            found.extend(page.runs);
            match page.next {
                Some(next) if found.len() < most => before = format!("&before={next}"),
                _ => return Ok(found),
            }
        }
    }

    /// The run with this id, or end of an id.
    pub(super) fn find_run(&self, meant: &str) -> Result<PipelineRunView, Failure> {
        if let Ok(id) = meant.parse::<Uuid>() {
            return self.run(id);
        }
        let mut found = self.runs(false, SEARCHED)?;
        found.retain(|run| names_id(meant, run.id));
        let shown = visible(meant);
        match found.as_slice() {
            [run] => self.run(run.id),
            [] => Err(Failure::new(format!(
                "no id of a pipeline run ends with `{shown}`; `sekisho pipeline runs --all` lists all runs"
            ))),
            _ => Err(Failure::new(format!("`{shown}` matches several pipeline runs; give more of the id"))),
        }
    }

    pub(super) fn run(&self, id: Uuid) -> Result<PipelineRunView, Failure> {
        Ok(self.server.block_on(self.server.client.get(&format!("/api/pipeline-runs/{id}")))?)
    }
}

/// The JSON of a file. The server checks its fields.
pub(super) fn read_definition(path: &Path) -> Result<Value, Failure> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::new(format!("cannot read `{shown}`: {error}")))?;
    serde_json::from_str(&text)
        .map_err(|error| Failure::new(format!("`{shown}` is not a pipeline in JSON: {error}")))
}

/// Only admins store pipelines, and the token of the terminal is an approver's.
pub(super) fn change_failed(error: ClientError) -> Failure {
    let is_role = matches!(&error, ClientError::Refused { status: 403, error } if error.code == "Forbidden");
    match is_role {
        true => Failure::new(format!(
            "{error}; only admins store pipelines: set `SEKISHO_TOKEN` to a token that `sekisho token create --role admin` creates"
        )),
        false => error.into(),
    }
}

/// How a pipeline is named in messages.
pub(super) fn title(pipeline: &PipelineView) -> String {
    format!("`{}` ({})", visible(&pipeline.definition.name), short_id(pipeline.id))
}

/// How a run is named in messages.
pub(super) fn run_title(run: &PipelineRunView) -> String {
    format!("{} of `{}`", short_id(run.id), visible(&run.name))
}
