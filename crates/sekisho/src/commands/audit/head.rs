use std::io::Write;

use jiff::Timestamp;
use sekisho_gate::audit::ChainHead;
use serde::{Deserialize, Serialize};

use super::blocking_store::BlockingStore;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal;

/// Print the heads of the audit log (the last record of each chain), to store somewhere else
///
/// A chain is the records of one process. Someone with the database and the key could rewrite the whole audit
/// log. A copy of the heads kept somewhere else, such as in a repository, an email or on paper, reveals it:
/// `sekisho audit verify --head FILE`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {}

const EXAMPLES: &str = "\
Examples:
  sekisho audit head > heads-$(date +%F).json
  sekisho audit verify --head heads-2026-11-03.json";

/// The exported heads.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Heads {
    pub(super) at: Timestamp,
    pub(super) heads: Vec<ChainHead>,
}

pub(crate) fn run(_: &Args) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let store = BlockingStore::open_for_reading(&settings)?;
    let mut heads = store.block_on_ledger(store.audit().heads())?;
    heads.sort_by_key(|head| head.writer);
    let mut out = terminal::stdout();
    serde_json::to_writer_pretty(&mut out, &Heads { at: Timestamp::now(), heads })?;
    writeln!(out)?;
    Ok(Exit::Ok)
}
