//! `sekisho demo`: runs the scripted demo agent.

use std::path::PathBuf;
use std::sync::Arc;

use sekisho_gate::audit::AuditConfig;
use sekisho_gate::mask::Masks;
use sekisho_host::Spools;
use tokio::signal::unix::{SignalKind, signal};

use super::audit::blocking_store;
use super::audit::local_operator;
use super::doctor::health_probe;
use super::serve::{self, ConsoleFormat};
use crate::client::ServerAddress;
use crate::demo::{self, DemoContext, DemoOutcome};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::{ServerOptions, Settings};

/// Try sekisho: a demo agent makes four calls, and the terminal shows what each answer does
///
/// No call is really run. If only the demo has ever used the server on this machine, the demo asks there.
/// Otherwise it starts a temporary server, prints a link to it, and removes it at the end. Ctrl-C ends the
/// demo and withdraws open questions.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Always use a temporary server
    #[arg(long)]
    scratch: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho demo               answer in the browser, or with `sekisho approvals watch`
  sekisho demo --scratch     on a temporary server that is removed at the end
  sekisho serve --demo       the same, on your own server, if no agent has used it yet";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let why = match args.scratch {
        true => "`--scratch` was given".to_owned(),
        false => match socket(&settings)? {
            None => "no server is running on this machine".to_owned(),
            Some(socket) => match at(&settings, socket)? {
                Ok(exit) => return Ok(exit),
                Err(why) => why,
            },
        },
    };
    alone(&settings, &why)
}

/// The socket of the server running on this machine, if any.
fn socket(settings: &Settings) -> Result<Option<PathBuf>, Failure> {
    let serving = settings.clone().resolve_server_config(ServerOptions::default())?;
    Ok(serving
        .socket
        .filter(|socket| matches!(health_probe::probe_socket(socket), health_probe::ProbeResult::Sekisho(_))))
}

/// Runs the demo on the server of this machine; the inner error says why it cannot.
fn at(settings: &Settings, socket: PathBuf) -> Result<Result<Exit, String>, Failure> {
    let keys = Arc::new(blocking_store::load_or_create_keys(settings)?);
    let runtime = blocking_store::runtime()?;
    let played = runtime.block_on(async {
        let seal = AuditConfig { keys, masks: Arc::new(Masks::new([])) };
        let stage = DemoContext {
            store: blocking_store::open(settings, seal).await?,
            spools: Spools::at(&settings.locations.state),
            server: ServerAddress::Unix(socket),
            by: Some(local_operator::local_operator(settings)),
            format: ConsoleFormat::Text,
            scratch: false,
        };
        if let Err(why) = demo::check_can_run(&*stage.store, &stage.spools).await.map_err(Failure::new)? {
            return Ok::<_, Failure>(Err(why.to_owned()));
        }
        let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        let stop = async {
            tokio::select! {
                _ = term.recv() => {}
                _ = int.recv() => {}
            }
        };
        Ok(Ok(demo::run_demo(&stage, None, stop).await))
    })?;
    Ok(played.map(|ended| if ended == DemoOutcome::Failed { Exit::Failure } else { Exit::Ok }))
}

/// Runs the demo on a temporary server and removes it afterwards.
fn alone(settings: &Settings, why: &str) -> Result<Exit, Failure> {
    let directory = tempfile::Builder::new().prefix("sekisho-demo-server-").tempdir()?;
    let place = directory.path().canonicalize()?;
    demo::print_scratch_server(ConsoleFormat::Text, why, &place);
    let (settings, serving) = settings.for_scratch_server(&place)?;
    let ended = serve::run_server(settings, serving);
    // The server has closed all its files by now.
    directory.close()?;
    ended
}
