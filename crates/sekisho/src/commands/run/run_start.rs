//! Starts a run, or finds the one to continue, in the server that it lives in.

use std::path::{Path, PathBuf};

use sekisho_agent::conversation::Provider;
use sekisho_server::wire::agent::{AgentList, AgentView};
use sekisho_server::wire::run::{ExecuteBody, ExecutionView, MessageBody, RunView};
use serde::Deserialize;
use uuid::Uuid;

use super::default_agent::{LocalStore, WantedAgent};
use super::model_choice::{self, Configured};
use super::run_args::Args;
use super::run_header::header;
use super::run_server::RunServer;
use crate::client::ClientError;
use crate::commands::audit::blocking_store::record_exists;
use crate::commands::runs::RunsClient;
use crate::commands::server_connection::ServerConnection;
use crate::failure::Failure;
use crate::settings::{self, SEARCH_KEY, Settings};
use crate::terminal::{shorten_path, style, visible};

/// A run to follow, and the server it is in.
pub(super) struct Started {
    pub(super) connection: ServerConnection,
    /// None if the server is not of this machine.
    pub(super) server: Option<RunServer>,
    pub(super) run: Uuid,
    /// Lines to print first.
    pub(super) header: Vec<String>,
    /// The run was started with the message of the command line.
    pub(super) is_new: bool,
}

/// Starts a run, or sends a message to the one that is continued.
pub(super) fn start(args: Args, message: Option<String>) -> Result<Started, Failure> {
    match args.server.names_server() {
        true => start_elsewhere(args, message),
        false => start_here(args, message),
    }
}

/// On a server that the user names.
fn start_elsewhere(args: Args, message: Option<String>) -> Result<Started, Failure> {
    if args.resume.is_none() && args.agent.is_none() {
        return Err(Failure::usage(
            "the default agent exists only on this machine; for another server, name one of its agents with `--agent`",
        ));
    }
    if args.cwd.is_some() {
        return Err(Failure::usage(
            "`--cwd` is for this machine; an agent of another server has its own workspace",
        ));
    }
    let runs = RunsClient::open(args.server.clone())?;
    let found = args.resume.as_deref().map(|id| runs.find(id)).transpose()?;
    let connection = runs.server;
    let (run, header, is_new) = match found.map(|run| run.id) {
        Some(run) => {
            let header = connection.block_on(resume(&connection, run, message))?;
            (run, header, false)
        }
        None => {
            let agent =
                connection.block_on(named_agent(&connection, args.agent.as_deref().unwrap_or_default()))?;
            let (run, header) = connection.block_on(execute(&connection, &agent, args.tools, message))?;
            (run, header, true)
        }
    };
    Ok(Started { connection, server: None, run, header, is_new })
}

/// On this machine.
fn start_here(args: Args, message: Option<String>) -> Result<Started, Failure> {
    let settings = Settings::load()?;
    if let Some(id) = &args.resume {
        let (run, root) = LocalStore::open(&settings)?.find_run(id)?;
        let server = RunServer::open(&settings, root)?;
        let connection = ServerConnection::open_at(settings, server.address.clone(), args.server)?;
        let header = connection.block_on(resume(&connection, run, message))?;
        return Ok(Started { connection, server: Some(server), run, header, is_new: false });
    }
    let root = project(&settings, args.cwd.as_deref())?;
    let configured = Configured::load()?;
    let provider = args.provider.map(Provider::from);
    let choose = |known, needs_key| {
        model_choice::choose(provider, args.model.as_deref(), configured, known, needs_key)
    };
    // Report a missing key before anything is written or started.
    if args.agent.is_none() && !record_exists(&settings)? {
        choose(None, true)?;
    }
    let store = LocalStore::open(&settings)?;
    let known = store.known_model()?;
    if args.agent.is_none() {
        choose(known.clone(), false)?;
    }
    let server = RunServer::open(&settings, Some(root.clone()))?;
    let connection =
        ServerConnection::open_at(settings.clone(), server.address.clone(), args.server.clone())?;
    let (run, header) = match &args.agent {
        Some(name) => connection.block_on(async {
            let agent = named_agent(&connection, name).await?;
            execute(&connection, &agent, args.tools, message).await
        })?,
        None => {
            let model = choose(known, server.is_embedded())?;
            let workspace = connection.block_on(registered(&connection, &root))?;
            let wanted = WantedAgent { model, workspace, max_iterations: args.max_iterations };
            let lock = store.lock()?;
            let agent = store.agent(wanted, &lock)?;
            connection.block_on(async {
                let mut agent: AgentView = connection.client.get(&format!("/api/agents/{agent}")).await?;
                if server.is_embedded() && settings::secret_variable(SEARCH_KEY).is_none() {
                    agent.tools.retain(|tool| tool.tool_name != "web_search");
                }
                let tools = match args.tools.is_empty() {
                    true => enabled(&agent),
                    false => args.tools,
                };
                execute(&connection, &agent, tools, message).await
            })?
        }
    };
    Ok(Started { connection, server: Some(server), run, header, is_new: true })
}

/// The root of the project of a directory.
fn project(settings: &Settings, cwd: Option<&Path>) -> Result<PathBuf, Failure> {
    let cwd = cwd.map(|cwd| {
        cwd.canonicalize().map_err(|error| {
            Failure::usage(format!("`--cwd {}`: {}", cwd.display(), error.to_string().to_lowercase()))
        })
    });
    Ok(settings.workspace(cwd.transpose()?.as_deref())?.root)
}

/// What a server says about its projects.
#[derive(Deserialize)]
struct KnownProjects {
    #[serde(default)]
    projects: Option<Vec<String>>,
}

/// The name under which the server knows a project.
async fn registered(connection: &ServerConnection, root: &Path) -> Result<String, Failure> {
    let session: KnownProjects = connection.client.get("/api/session").await?;
    let known = session.projects.unwrap_or_default();
    known.into_iter().find(|project| Path::new(project) == root).ok_or_else(|| {
        let place = shorten_path(&root.to_string_lossy(), connection.settings.locations.home.as_deref());
        Failure::new(format!(
            "the server that is running does not know the project {place}; start it with `--project {place}`, or stop it: without a server, `sekisho run` starts its own"
        ))
    })
}

async fn named_agent(connection: &ServerConnection, name: &str) -> Result<AgentView, Failure> {
    let mut list: AgentList = connection.client.get("/api/agents").await?;
    let is_named = |agent: &AgentView| agent.settings.name == name || agent.id.to_string() == name;
    let found = list.agents.iter().position(is_named).map(|at| list.agents.swap_remove(at));
    found.ok_or_else(|| {
        Failure::new(format!("no agent `{}`; `sekisho agents list` lists all agents", visible(name)))
    })
}

fn enabled(agent: &AgentView) -> Vec<String> {
    agent.tools.iter().filter(|tool| tool.is_enabled).map(|tool| tool.tool_name.clone()).collect()
}

/// Starts a run with these tools, or with all that the agent has.
async fn execute(
    connection: &ServerConnection,
    agent: &AgentView,
    tools: Vec<String>,
    message: Option<String>,
) -> Result<(Uuid, Vec<String>), Failure> {
    let body = ExecuteBody {
        agent_id: agent.id,
        input: message.unwrap_or_default(),
        enabled_tools: Some(tools.clone()).filter(|tools| !tools.is_empty()),
        tool_config: None,
    };
    let started: Result<ExecutionView, ClientError> =
        connection.client.post("/api/execute-with-tools?wait=false", &body).await;
    let run = started.map_err(start_failed)?.id;
    let tools = if tools.is_empty() { enabled(agent) } else { tools };
    Ok((run, header(connection, run, &tools).await?))
}

/// The keys of models are those of the server.
fn start_failed(error: ClientError) -> Failure {
    let is_key = matches!(&error, ClientError::Refused { error, .. } if error.code == "ToolExecutionFailed");
    match is_key {
        true => Failure::new(format!(
            "{error}\nkeys and scripts come from the environment of the server that is running; start it with them, or stop it: without a server, `sekisho run` starts its own"
        )),
        false => error.into(),
    }
}

/// Sends a further message to a run, if there is one. Returns the first lines.
async fn resume(
    connection: &ServerConnection,
    run: Uuid,
    message: Option<String>,
) -> Result<Vec<String>, Failure> {
    let queued = match message {
        Some(text) => {
            let path = format!("/api/runs/{run}/messages?wait=false");
            let view: RunView = connection.client.post(&path, &MessageBody { text }).await?;
            view.queued_messages > 0
        }
        None => false,
    };
    let mut lines = header(connection, run, &[]).await?;
    if queued {
        let faint = style::FAINT;
        lines.push(format!("{faint}the run is busy: your message is queued{faint:#}"));
    }
    Ok(lines)
}
