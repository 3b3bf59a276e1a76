//! Assembles and runs the server: store, rules, gate, HTTP app and background jobs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use sekisho::host_ports::HostFiles;
use sekisho::rule_publisher::RulePublisher;
use sekisho_gate::answer::Role;
use sekisho_gate::audit::{AuditConfig, KeyRing, run_checkpoint_loop};
use sekisho_gate::clock::SystemClock;
use sekisho_gate::ledger::LedgerError;
use sekisho_gate::mask::Masks;
use sekisho_gate::rulebook::Rulebook;
use sekisho_gate::token_store::{self, SignInLink};
use sekisho_gate::{Gate, Ports};
use sekisho_host::{
    LastGoodDenies, LoadedLayers, Locations, ProjectFiles, PublishedRulesFile, ReloadingLayers, Spools,
    Workspace, load_layers,
};
use sekisho_server::auth::LinkSecret;
use sekisho_server::serve::{Listener, serve};
use sekisho_server::{App, AppParts, Limits, Warning};
use sekisho_store::Store;
use sekisho_tools::Sandbox;
use tokio::sync::watch;

use super::agent_runs::{self, AgentParts};
use super::background_jobs;
use super::demo_task::{self, DemoParts};
use super::logging::ConsoleFormat;
use super::memory_trim;
use super::safety_warnings::{SafetyInputs, safety_warnings};
use super::startup_message::{StartupMessage, policy_files, print_sign_in_link};
use crate::built_in_tools;
use crate::commands::audit::blocking_store;
use crate::commands::sandbox;
use crate::demo::DemoDirectory;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::secret_masks::masks;
use crate::settings::{Database, ServerConfig, Settings};
use crate::terminal::shorten_path;

/// How long the first sign-in link works.
const FIRST_LINK: SignedDuration = SignedDuration::from_hours(1);

/// What is prepared before the audit log is opened.
pub(super) struct Prerequisites {
    host_files: Arc<HostFiles>,
    projects: Vec<String>,
    masks: Masks,
    sandbox: Arc<Sandbox>,
}

impl Prerequisites {
    pub(super) fn new(settings: &Settings, serving: &ServerConfig) -> Result<Prerequisites, Failure> {
        let host_files = Arc::new(HostFiles::new(settings.locations.clone())?);
        let projects = serving.projects.iter().map(|root| host_files.register(root));
        let projects = projects.collect::<Result<Vec<_>, _>>()?;
        let (masks, sandbox) = (masks(&serving.secrets)?, Arc::new(sandbox::detect_with(settings)?));
        Ok(Prerequisites { host_files, projects, masks, sandbox })
    }
}

/// How a server prints, and when it stops.
pub(super) struct ServerControl {
    /// None for a server inside another command: it prints nothing, and runs no demo.
    pub(super) voice: Option<ConsoleFormat>,
    /// Counts the requests to stop: at the first it stops, at the second at once.
    pub(super) stop: watch::Receiver<u8>,
}

/// The background jobs of the HTTP server.
fn spawn_app_jobs(app: &App) {
    let following = app.clone();
    tokio::spawn(async move { following.run_background().await });
    tokio::spawn(memory_trim::trim_loop(app.clone()));
}

/// The gate, with its background task started.
fn start_gate(ports: Ports, serving: &ServerConfig, machine: Option<String>) -> Gate {
    let settings =
        sekisho_gate::Settings { confirmations: serving.asks, timeout_s: serving.timeout_s, machine };
    let (gate, background_task) = Gate::new(ports, settings);
    tokio::spawn(background_task.run());
    gate
}

/// The background jobs of the audit log.
fn spawn_audit_jobs(store: &Arc<dyn Store>, settings: &Settings, serving: &ServerConfig) {
    let (audit, head) = (Arc::clone(store), store.head());
    tokio::spawn(async move { run_checkpoint_loop(&*audit, &SystemClock, head).await });
    let spools = Spools::at(&settings.locations.state);
    tokio::spawn(background_jobs::import_spools_loop(spools, Arc::clone(store)));
    tokio::spawn(background_jobs::purge_inputs_loop(serving.purge_after, Arc::clone(store)));
}

/// Assembles the server, accepts connections, and returns when it is told to stop.
#[expect(
    clippy::too_many_lines,
    reason = "each part is made once and handed on; the order is what matters here"
)]
pub(super) async fn run(
    settings: Settings,
    serving: ServerConfig,
    ready: Prerequisites,
    keys: KeyRing,
    listeners: Vec<Listener>,
    control: ServerControl,
) -> Result<Exit, Failure> {
    let ServerControl { voice, stop } = control;
    let keys = Arc::new(keys);
    let Prerequisites { host_files, projects, masks, sandbox } = ready;

    // The store with the audit log.
    let seal = AuditConfig { keys: Arc::clone(&keys), masks: Arc::new(masks) };
    let store = blocking_store::open(&settings, seal).await?;

    // The rules: those in files, and stored rules, which hooks read in published form.
    let published = PublishedRulesFile::at(&settings.locations.state);
    let _serving = published.lock_as_server()?;
    let shared = is_shared(&settings);
    let publisher = Arc::new(RulePublisher::new(Arc::clone(&store) as _, published, shared));
    let rulebook = Arc::new(Rulebook::new(Arc::clone(&host_files) as _, Arc::clone(&publisher) as _));
    rulebook.refresh(Timestamp::now()).await?;
    tokio::spawn(async move { publisher.follow().await });

    // The gate and its background task.
    let machine = matches!(settings.database, Database::Postgres(_)).then(machine_name);
    let ports = Ports {
        ledger: Arc::clone(&store) as _,
        rulebook: Arc::clone(&rulebook),
        lookup: Arc::clone(&host_files) as _,
        clock: Arc::new(SystemClock),
    };
    let gate = start_gate(ports, &serving, machine.clone());
    spawn_audit_jobs(&store, &settings, &serving);

    // The first sign-in link and the safety warnings. A server inside another command has nobody to give a link to.
    let link = match voice {
        Some(_) => first_link(&*store, &settings.user, &serving).await?,
        None => None,
    };
    let loaded = load_all_layers(&settings.locations, &projects);
    let seen = SafetyInputs::look(&settings, &serving, &loaded);
    let warnings = safety_warnings(&serving, &seen, link.is_some() || has_approver(&*store).await?);
    if let Some(voice) = voice {
        startup_message(&settings, &serving, &loaded, &projects, &rulebook, &warnings).emit(voice);
    }

    // The agents, and the runs that an earlier process left.
    let demo_directory = voice.and_then(|voice| demo_task::open_directory(&serving, voice));
    let agents = agent_runs::service(AgentParts {
        settings: &settings,
        serving: &serving,
        projects: &projects,
        demo: demo_directory.as_ref().map(DemoDirectory::path),
        machine: machine.clone(),
        sandbox,
        gate: gate.clone(),
        store: Arc::clone(&store),
    })?;
    let pipelines = agent_runs::pipelines(&agents, &gate, &store)?;
    let drivers = (agents.driver().clone(), pipelines.driver().clone());
    tokio::spawn(agent_runs::take_up_loop(drivers.0, drivers.1, gate.clone(), shared));

    // The HTTP server.
    let behaviour = server_settings(&settings, &serving, projects, machine, warnings);
    let parts = AppParts {
        gate,
        audit: Arc::clone(&store) as _,
        tokens: Arc::clone(&store) as _,
        files: host_files,
        keys,
        tools: built_in_tools::listed(agents.host().registry()),
        agents: agents.clone(),
        pipelines,
        settings: behaviour,
    };
    let app = App::new(parts);
    spawn_app_jobs(&app);
    let stop = match voice {
        Some(voice) => {
            let print_link = move || print_sign_in_link(voice, link.as_deref());
            let demo = DemoParts {
                settings: &settings,
                serving: &serving,
                store: &store,
                agents,
                is_shared: shared,
                voice,
            };
            demo_task::spawn_demo(demo, demo_directory, stop, print_link)
        }
        None => stop,
    };
    let ended = serve_listeners(&app, listeners, stop).await?;
    if ended == Exit::Ok {
        // A final checkpoint covers the last records.
        drop(store.checkpoint(Timestamp::now()).await);
        tracing::info!("stopped; open questions stay open for the next start");
    }
    Ok(ended)
}

/// Whether others can write to the database without this machine's state: a database server, or a file
/// outside our state directory.
fn is_shared(settings: &Settings) -> bool {
    match &settings.database {
        Database::Postgres(_) => true,
        Database::Sqlite(file) => !file.starts_with(&settings.locations.state),
    }
}

/// Serves on every listener until the first signal; the second stops it at once.
async fn serve_listeners(
    app: &App,
    listeners: Vec<Listener>,
    mut stop: watch::Receiver<u8>,
) -> Result<Exit, Failure> {
    let mut serving = tokio::task::JoinSet::new();
    for listener in listeners {
        let (app, mut stop) = (app.clone(), stop.clone());
        serving.spawn(async move {
            serve(app, listener, async move { drop(stop.wait_for(|signals| *signals > 0).await) }).await
        });
    }
    let all = async {
        while let Some(ended) = serving.join_next().await {
            ended.map_err(|error| Failure::new(format!("the server stopped: {error}")))??;
        }
        Ok(Exit::Ok)
    };
    tokio::select! {
        ended = all => ended,
        _ = stop.wait_for(|signals| *signals > 1) => Ok(Exit::Failure),
    }
}

/// A sign-in link for the first start; `None` if there is already an admin or a link.
async fn first_link(
    store: &dyn Store,
    user: &str,
    serving: &ServerConfig,
) -> Result<Option<String>, Failure> {
    let now = Timestamp::now();
    let known = store.tokens().await?.iter().any(|token| token.role == Role::Admin && token.is_valid_at(now));
    if known || store.open_links(now).await? > 0 {
        return Ok(None);
    }
    let secret = LinkSecret::make().map_err(Failure::new)?;
    let link = SignInLink {
        hash: secret.hash(),
        name: user.to_owned(),
        role: Role::Admin,
        created_at: now,
        created_by: "the first start".into(),
        expires_at: now.saturating_add(FIRST_LINK).unwrap_or(Timestamp::MAX),
    };
    token_store::add_link(store, link, None).await?;
    Ok(Some(secret.url(&serving.public_address())))
}

async fn has_approver(store: &dyn Store) -> Result<bool, LedgerError> {
    let now = Timestamp::now();
    let tokens = store.tokens().await?;
    Ok(tokens.iter().any(|token| token.is_valid_at(now) && token.role >= Role::Approver)
        || store.open_links(now).await? > 0)
}

/// The file layers, for every project and for calls outside any project.
fn load_all_layers(locations: &Locations, projects: &[String]) -> Vec<LoadedLayers> {
    let workspaces = projects.iter().map(PathBuf::from).map(|root| Workspace { cwd: root.clone(), root });
    let loaded: Vec<LoadedLayers> = workspaces.map(|workspace| load_layers(locations, &workspace)).collect();
    if loaded.is_empty() {
        let live =
            ReloadingLayers::read(locations.clone(), ProjectFiles::default(), LastGoodDenies::default());
        return vec![live.loaded().clone()];
    }
    loaded
}

fn startup_message(
    settings: &Settings,
    serving: &ServerConfig,
    loaded: &[LoadedLayers],
    projects: &[String],
    rulebook: &Rulebook,
    hazards: &[Warning],
) -> StartupMessage {
    let home = settings.locations.home.as_deref();
    let expected: Vec<PathBuf> =
        projects.iter().map(|root| Path::new(root).join(sekisho_host::PROJECT_CONFIG)).collect();
    let mut places = vec![format!("{}://{}", serving.scheme(), serving.listen)];
    places.extend(serving.public_url.iter().map(|url| url.origin.clone()));
    places.extend(serving.socket.iter().map(|socket| shorten_path(&socket.to_string_lossy(), home)));
    StartupMessage {
        addresses: places,
        database: blocking_store::database_location(settings),
        policy: policy_files(loaded, &expected, home),
        stored_rules: rulebook.stored().len(),
        hazards: hazards.iter().map(Warning::sentence).collect(),
    }
}

fn server_settings(
    settings: &Settings,
    serving: &ServerConfig,
    projects: Vec<String>,
    machine: Option<String>,
    warnings: Vec<Warning>,
) -> sekisho_server::Settings {
    let limits = Limits {
        open_approvals: serving.max_pending as usize,
        requests: (serving.max_rate, serving.max_rate.saturating_mul(2)),
        connections: serving.max_connections.max(1) as usize,
        shutdown_grace: Duration::from_secs(5),
        ..Limits::default()
    };
    sekisho_server::Settings {
        hosts: serving.hosts(),
        origins: serving.origins(),
        address: serving.public_address(),
        public: serving.public_url.is_some(),
        secure: serving.is_https(),
        no_approvers: serving.no_approvers,
        projects,
        locations: settings.locations.clone(),
        machine,
        warnings,
        limits,
    }
}

/// This machine's name among the servers that share a database. The machine id is private, so a hash of it is
/// used.
fn machine_name() -> String {
    let id = std::fs::read_to_string("/etc/machine-id").unwrap_or_default();
    match id.trim() {
        "" => rustix::system::uname().nodename().to_string_lossy().into_owned(),
        id => {
            let hash = sekisho_gate::token_store::SecretHash::of(format!("sekisho machine {id}").as_bytes());
            hash.0.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
        }
    }
}
