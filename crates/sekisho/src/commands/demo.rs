//! `sekisho demo`: the make-believe agent once more.

use std::path::PathBuf;
use std::sync::Arc;

use sekisho_gate::audit::Seal;
use sekisho_gate::mask::Masks;
use sekisho_host::Spools;
use tokio::signal::unix::{SignalKind, signal};

use super::audit::ledger;
use super::audit::upkeep;
use super::doctor::knock;
use super::serve::{self, Voice};
use crate::client::Address;
use crate::demo::{self, Ended, Stage};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::{Settings, Wishes};

/// See how it works: a make-believe agent asks four things, and the terminal shows what each answer does
///
/// None of them is really run. It asks at the server that runs here, if nobody but the demo ever asked there; otherwise at
/// a server of its own, with a link to open, of which nothing is left at the end. Ctrl-C ends it and withdraws what is open.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Ask at a server of its own in any case
    #[arg(long)]
    scratch: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho demo               answer in the browser, or with `sekisho approvals watch`
  sekisho demo --scratch     beside everything else, and nothing is left of it
  sekisho serve --demo       the same with a new server, while nobody else has asked";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let settings = Settings::gather()?;
    let why = match args.scratch {
        true => "as it was told".to_owned(),
        false => match socket(&settings)? {
            None => "no server runs here".to_owned(),
            Some(socket) => match at(&settings, socket)? {
                Ok(exit) => return Ok(exit),
                Err(why) => why,
            },
        },
    };
    alone(&settings, &why)
}

/// The socket of a server that runs here.
fn socket(settings: &Settings) -> Result<Option<PathBuf>, Failure> {
    let serving = settings.clone().serving(Wishes::default())?;
    Ok(serving.socket.filter(|socket| matches!(knock::over_socket(socket), knock::Answer::Ours(_))))
}

/// Asks at the server that runs here; or why not there.
fn at(settings: &Settings, socket: PathBuf) -> Result<Result<Exit, String>, Failure> {
    let keys = Arc::new(ledger::made_keys(settings)?);
    let runtime = ledger::runtime()?;
    let played = runtime.block_on(async {
        let seal = Seal { keys, masks: Arc::new(Masks::new([])) };
        let stage = Stage {
            store: ledger::open(settings, seal).await?,
            spools: Spools::at(&settings.locations.state),
            door: Address::Unix(socket),
            by: Some(upkeep::by(settings)),
            voice: Voice::Text,
            scratch: false,
        };
        if let Err(why) = demo::may_ask(&*stage.store, &stage.spools).await.map_err(Failure::new)? {
            return Ok::<_, Failure>(Err(why.to_owned()));
        }
        let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        let stop = async {
            tokio::select! {
                _ = term.recv() => {}
                _ = int.recv() => {}
            }
        };
        Ok(Ok(demo::play(&stage, None, stop).await))
    })?;
    Ok(played.map(|ended| if ended == Ended::Broke { Exit::Failure } else { Exit::Ok }))
}

/// Asks at a server of its own, and takes everything away afterwards.
fn alone(settings: &Settings, why: &str) -> Result<Exit, Failure> {
    let directory = tempfile::Builder::new().prefix("sekisho-demo-server-").tempdir()?;
    let place = directory.path().canonicalize()?;
    demo::tell_of_scratch(Voice::Text, why, &place);
    let (settings, serving) = settings.scratch(&place)?;
    let ended = serve::keep(settings, serving);
    // By now nothing is open there any more.
    directory.close()?;
    ended
}
