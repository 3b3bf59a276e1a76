//! The house as a whole: what a running server is made of, from the cellar to the door.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use sekisho::premises::Premises;
use sekisho::publishing::Publishing;
use sekisho_gate::answer::Role;
use sekisho_gate::audit::{Keys, Seal, keep_checkpoints};
use sekisho_gate::clock::SystemClock;
use sekisho_gate::ledger::LedgerError;
use sekisho_gate::mask::Masks;
use sekisho_gate::rulebook::Rulebook;
use sekisho_gate::tokens::{self, Link};
use sekisho_gate::{Gate, Ports};
use sekisho_host::{LastGood, Live, Loaded, Locations, Projects, Published, Spools, Workspace, load};
use sekisho_server::auth::LinkSecret;
use sekisho_server::serve::{Listener, serve};
use sekisho_server::{App, Limits, Parts, Warning};
use sekisho_store::Store;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use super::beside;
use super::greeting::{Greeting, policy_files, tell_link};
use super::hazards::{Seen, hazards};
use super::logs::Voice;
use super::memory;
use super::upkeep;
use crate::commands::audit::ledger;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::{self, Database, Serving, Settings};
use crate::terminal::short;

/// How long the first link can be followed.
const FIRST_LINK: SignedDuration = SignedDuration::from_hours(1);

/// What is there before the record is opened.
pub(super) struct Ready {
    /// The files of this machine.
    premises: Arc<Premises>,
    projects: Vec<String>,
    masks: Masks,
}

impl Ready {
    pub(super) fn new(settings: &Settings, serving: &Serving) -> Result<Ready, Failure> {
        let premises = Arc::new(Premises::new(settings.locations.clone())?);
        let projects = serving.projects.iter().map(|root| premises.register(root));
        let projects = projects.collect::<Result<Vec<_>, _>>()?;
        Ok(Ready { premises, projects, masks: masks(serving)? })
    }
}

/// Builds the house, lets callers in, and ends when it is told to.
pub(super) async fn keep(
    settings: Settings,
    serving: Serving,
    ready: Ready,
    keys: Keys,
    doors: Vec<Listener>,
    voice: Voice,
) -> Result<Exit, Failure> {
    let stop = listen_for_signals()?;
    let keys = Arc::new(keys);
    let clock = Arc::new(SystemClock);
    let Ready { premises, projects, masks } = ready;

    // The record and everything beside it.
    let seal = Seal { keys: Arc::clone(&keys), masks: Arc::new(masks) };
    let store = ledger::open(&settings, seal).await?;

    // The rules: those in files, and those that are kept, which hooks read as they are published.
    let published = Published::at(&settings.locations.state);
    let _serving = published.hold()?;
    let shared = is_shared(&settings);
    let publishing = Arc::new(Publishing::new(Arc::clone(&store) as _, published, shared));
    let rulebook = Arc::new(Rulebook::new(Arc::clone(&premises) as _, Arc::clone(&publishing) as _));
    rulebook.refresh(Timestamp::now()).await?;
    tokio::spawn(async move { publishing.follow().await });

    // The gate, and its keeper beside it.
    let machine = matches!(settings.database, Database::Postgres(_)).then(machine_name);
    let ports = Ports {
        ledger: Arc::clone(&store) as _,
        rulebook: Arc::clone(&rulebook),
        preview: Arc::clone(&premises) as _,
        clock: Arc::clone(&clock) as _,
    };
    let asking =
        sekisho_gate::Settings { asks: serving.asks, timeout_s: serving.timeout_s, machine: machine.clone() };
    let (gate, keeper) = Gate::new(ports, asking);
    tokio::spawn(keeper.run());

    // What looks after the record.
    let (audit, time, head) = (Arc::clone(&store), Arc::clone(&clock), store.head());
    tokio::spawn(async move { keep_checkpoints(&*audit, &*time, head).await });
    tokio::spawn(upkeep::take_in_spools(Spools::at(&settings.locations.state), Arc::clone(&store)));
    tokio::spawn(upkeep::forget_inputs(serving.purge_after, Arc::clone(&store)));

    // Who may come in, and what everybody should know.
    let link = first_link(&*store, &settings.user, &serving).await?;
    let loaded = look_around(&settings.locations, &projects);
    let seen = Seen::look(&settings, &serving, &loaded);
    let warnings = hazards(&serving, &seen, link.is_some() || somebody_answers(&*store).await?);
    greet(&settings, &serving, &loaded, &projects, &rulebook, &warnings).say(voice);

    // The door.
    let behaviour = behaviour(&settings, &serving, projects, machine, warnings);
    let parts = Parts {
        gate,
        audit: Arc::clone(&store) as _,
        tokens: Arc::clone(&store) as _,
        files: premises,
        keys,
        settings: behaviour,
    };
    let app = App::new(parts);
    let following = app.clone();
    tokio::spawn(async move { following.follow().await });
    tokio::spawn(memory::give_back(app.clone()));
    let tell_link = move || tell_link(voice, link.as_deref());
    let stop = beside::begin(&settings, &serving, &store, voice, stop, tell_link);
    let ended = let_in(&app, doors, stop).await?;
    if ended == Exit::Ok {
        // What was written last is vouched for as well.
        drop(store.checkpoint(Timestamp::now()).await);
        tracing::info!("stopped; questions that are open wait for the next start");
    }
    Ok(ended)
}

/// Whether others can write to the database without this machine's state knowing: one on a server, or a file that is not
/// ours alone.
fn is_shared(settings: &Settings) -> bool {
    match &settings.database {
        Database::Postgres(_) => true,
        Database::Sqlite(file) => !file.starts_with(&settings.locations.state),
    }
}

/// Serves at every door until the first signal; the second ends it at once.
async fn let_in(app: &App, doors: Vec<Listener>, mut stop: watch::Receiver<u8>) -> Result<Exit, Failure> {
    let mut serving = tokio::task::JoinSet::new();
    for door in doors {
        let (app, mut stop) = (app.clone(), stop.clone());
        serving.spawn(async move {
            serve(app, door, async move { drop(stop.wait_for(|signals| *signals > 0).await) }).await
        });
    }
    let all = async {
        while let Some(ended) = serving.join_next().await {
            ended.map_err(|error| Failure::new(format!("serving ended: {error}")))??;
        }
        Ok(Exit::Ok)
    };
    tokio::select! {
        ended = all => ended,
        _ = stop.wait_for(|signals| *signals > 1) => Ok(Exit::Failure),
    }
}

/// Counts SIGTERM and SIGINT.
fn listen_for_signals() -> Result<watch::Receiver<u8>, Failure> {
    let (count, counted) = watch::channel(0);
    let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = term.recv() => {}
                _ = int.recv() => {}
            }
            if *count.borrow() == 0 {
                tracing::info!("told to stop; once more stops at once");
            }
            count.send_modify(|count: &mut u8| *count = count.saturating_add(1));
        }
    });
    Ok(counted)
}

/// What must never be on the record: the values of the variables and files that were named.
fn masks(serving: &Serving) -> Result<Masks, Failure> {
    let mut values = Vec::new();
    for secret in &serving.secrets {
        let value = if secret.contains('/') {
            std::fs::read_to_string(secret).map_err(|error| error.to_string().to_lowercase())
        } else {
            settings::secret_in(secret).ok_or_else(|| "there is no such variable".to_owned())
        };
        let way_out = "it is named under `secrets`, so that it is never on the record; put it right, or take it off the list";
        let value = value.map_err(|error| Failure::new(format!("secret `{secret}`: {error}: {way_out}")))?;
        values.push(value.trim_end_matches(['\r', '\n']).to_owned());
    }
    Ok(Masks::new(values))
}

/// A link for whoever starts the first server; `None` where there is an admin, or a link, already.
async fn first_link(store: &dyn Store, user: &str, serving: &Serving) -> Result<Option<String>, Failure> {
    let now = Timestamp::now();
    let known = store.tokens().await?.iter().any(|token| token.role == Role::Admin && token.counts(now));
    if known || store.open_links(now).await? > 0 {
        return Ok(None);
    }
    let secret = LinkSecret::make().map_err(Failure::new)?;
    let link = Link {
        hash: secret.hash(),
        name: user.to_owned(),
        role: Role::Admin,
        created_at: now,
        created_by: "the first start".into(),
        expires_at: now.saturating_add(FIRST_LINK).unwrap_or(Timestamp::MAX),
    };
    tokens::add_link(store, link, None).await?;
    Ok(Some(secret.below(&serving.address())))
}

async fn somebody_answers(store: &dyn Store) -> Result<bool, LedgerError> {
    let now = Timestamp::now();
    let tokens = store.tokens().await?;
    Ok(tokens.iter().any(|token| token.counts(now) && token.role >= Role::Approver)
        || store.open_links(now).await? > 0)
}

/// What the files say, for every project and where there is none.
fn look_around(locations: &Locations, projects: &[String]) -> Vec<Loaded> {
    let workspaces = projects.iter().map(PathBuf::from).map(|root| Workspace { cwd: root.clone(), root });
    let loaded: Vec<Loaded> = workspaces.map(|workspace| load(locations, &workspace)).collect();
    if loaded.is_empty() {
        let live = Live::read(locations.clone(), Projects::default(), LastGood::default());
        return vec![live.loaded().clone()];
    }
    loaded
}

fn greet(
    settings: &Settings,
    serving: &Serving,
    loaded: &[Loaded],
    projects: &[String],
    rulebook: &Rulebook,
    hazards: &[Warning],
) -> Greeting {
    let home = settings.locations.home.as_deref();
    let expected: Vec<PathBuf> =
        projects.iter().map(|root| Path::new(root).join(sekisho_host::CONFIG_IN_PROJECT)).collect();
    let mut places = vec![format!("{}://{}", serving.scheme(), serving.listen)];
    places.extend(serving.public_url.iter().map(|url| url.origin.clone()));
    places.extend(serving.socket.iter().map(|socket| short(&socket.to_string_lossy(), home)));
    Greeting {
        places,
        database: ledger::place(settings),
        policy: policy_files(loaded, &expected, home),
        kept: rulebook.stored().len(),
        hazards: hazards.iter().map(Warning::sentence).collect(),
    }
}

fn behaviour(
    settings: &Settings,
    serving: &Serving,
    projects: Vec<String>,
    machine: Option<String>,
    warnings: Vec<Warning>,
) -> sekisho_server::Settings {
    let limits = Limits {
        pending: serving.max_pending as usize,
        requests: (serving.max_rate, serving.max_rate.saturating_mul(2)),
        connections: serving.max_connections.max(1) as usize,
        farewell: Duration::from_secs(5),
        ..Limits::default()
    };
    sekisho_server::Settings {
        hosts: serving.hosts(),
        origins: serving.origins(),
        address: serving.address(),
        public: serving.public_url.is_some(),
        secure: serving.secure(),
        no_approvers: serving.no_approvers,
        projects,
        locations: settings.locations.clone(),
        machine,
        warnings,
        limits,
    }
}

/// What this machine is called among those that share a database. The id of a machine is nobody else's business, so a
/// hash of it stands for it.
fn machine_name() -> String {
    let id = std::fs::read_to_string("/etc/machine-id").unwrap_or_default();
    match id.trim() {
        "" => rustix::system::uname().nodename().to_string_lossy().into_owned(),
        id => {
            let hash = sekisho_gate::tokens::SecretHash::of(format!("sekisho machine {id}").as_bytes());
            hash.0.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
        }
    }
}
