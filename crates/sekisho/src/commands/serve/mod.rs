//! `sekisho serve`: runs the server.

mod agent_runs;
mod background_jobs;
mod demo_task;
mod embedded_server;
mod listeners;
mod logging;
mod memory_trim;
mod safety_warnings;
mod server_assembly;
mod startup_message;
mod stop_signals;

use std::io::IsTerminal;
use std::time::Duration;

use crate::commands::audit::blocking_store;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::{ServerConfig, ServerOptions, Settings};
use server_assembly::ServerControl;

pub(crate) use embedded_server::EmbeddedServer;
pub(crate) use logging::ConsoleFormat;
pub(crate) use safety_warnings::{FileOwnership, is_writable_by_others};

/// Run the server: agents ask it, and people answer in the browser, the terminal or on a phone
///
/// Listens on 127.0.0.1:8787 and on a Unix socket in the state directory. The first start prints a link that
/// signs in one browser as admin; `sekisho token link` creates more links. Settings that are not given as
/// flags come from the environment (`SEKISHO_LISTEN` and so on), then from `server.json` beside the config.
/// SIGTERM stops the server; open questions stay open for the next start.
#[derive(Debug, Default, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    wishes: ServerOptions,
}

const EXAMPLES: &str = "\
Examples:
  sekisho serve
  sekisho serve --project ~/work/shop --project ~/work/site
  sekisho serve --listen 0.0.0.0:8787 --allow-remote --tls-cert cert.pem --tls-key key.pem
  sekisho serve --public-url https://sekisho.example.com     behind a TLS proxy
  sekisho serve --demo                                       with a few questions to try it on
  DATABASE_URL=postgres://sekisho@db/sekisho sekisho serve   several servers, one inbox";

/// How long background tasks may take to end.
const FAREWELL: Duration = Duration::from_secs(5);

pub(crate) fn run(args: Args) -> Result<Exit, Failure> {
    let mut settings = Settings::load()?;
    let serving = settings.resolve_server_config(args.wishes)?;
    run_server(settings, serving)
}

/// Runs a server with these settings until it stops.
pub(crate) fn run_server(mut settings: Settings, mut serving: ServerConfig) -> Result<Exit, Failure> {
    memory_trim::tune_allocator();
    let terminal = std::io::stderr().is_terminal();
    let voice = logging::init_logging(serving.log_format, serving.log, terminal);
    listeners::raise_file_limit();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    // Bind first: an address in use is reported before anything is written.
    let listeners = {
        let _within = runtime.enter();
        listeners::bind_listeners(&mut serving)?
    };
    settings.locations.doors = serving.server_addresses();
    // Invalid settings are also reported before anything is written.
    let ready = {
        let _within = runtime.enter();
        server_assembly::Prerequisites::new(&settings, &serving)?
    };
    let keys = blocking_store::load_or_create_keys(&settings)?;
    let stop = {
        let _within = runtime.enter();
        stop_signals::count_signals()?
    };
    let control = ServerControl { voice: Some(voice), stop };
    let ended = runtime.block_on(server_assembly::run(settings, serving, ready, keys, listeners, control));
    match ended {
        // The last task drops the store, which closes the database.
        Ok(Exit::Ok) => runtime.shutdown_timeout(FAREWELL),
        _ => runtime.shutdown_background(),
    }
    ended
}
