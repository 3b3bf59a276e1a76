use std::io::Write;
use std::time::Duration;

use jiff::Timestamp;
use sekisho_gate::audit::{AuditQuery, ChainRow, START_CURSOR};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::blocking_store::{BlockingStore, PAGE};
use super::filter::FilterArgs;
use super::row_json;
use super::row_table::RowTable;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal::{self, StyledStdout};

/// Show the newest records of the audit log, and follow it
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// How many records to start with
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    lines: u16,
    /// Keep printing new records until Ctrl-C
    #[arg(short, long)]
    follow: bool,
    #[command(flatten)]
    filter: FilterArgs,
    /// Print each record as one line of JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho audit tail
  sekisho audit tail -f --decision deny
  sekisho audit tail -n 0 -f --json | my-collector";

/// How often to check for new records.
const LOOK_EVERY: Duration = Duration::from_millis(250);

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let query = args.filter.query(None, Timestamp::now())?;
    let store = BlockingStore::open_for_reading(&settings)?;
    // Registered before anything is printed: the user may press Ctrl-C after the first line.
    let interrupt =
        args.follow.then(|| store.block_on(async { signal(SignalKind::interrupt()) })).transpose()?;
    let mut printer = Printer { out: terminal::stdout(), columns: RowTable::of_stdout(), json: args.json };
    // Even if none is to be shown, the newest record is where following begins.
    let limit = usize::from(args.lines);
    let newest = AuditQuery { limit: limit.max(1), max_bytes: None, ..query.clone() };
    let mut rows = store.block_on_ledger(store.audit().search(newest))?;
    rows.reverse();
    let place = rows.last().map_or(START_CURSOR, |row| (row.at(), row.writer, row.seq));
    printer.print(if limit > 0 { &rows } else { &[] })?;
    if let Some(interrupt) = interrupt {
        let query = AuditQuery { after: Some(place), limit: PAGE, ..query };
        store.block_on(follow(&store, query, &mut printer, interrupt))?;
    }
    Ok(Exit::Ok)
}

async fn follow(
    store: &BlockingStore,
    mut query: AuditQuery,
    printer: &mut Printer,
    mut interrupt: Signal,
) -> Result<(), Failure> {
    loop {
        let rows = store.audit().search(query.clone()).await?;
        printer.print(&rows)?;
        let is_end = query.is_end(&rows);
        if let Some(last) = rows.last() {
            query.after = Some((last.at(), last.writer, last.seq));
        }
        let pause = if is_end { LOOK_EVERY } else { Duration::ZERO };
        if tokio::time::timeout(pause, interrupt.recv()).await.is_ok() {
            return Ok(());
        }
    }
}

struct Printer {
    out: StyledStdout,
    columns: RowTable,
    json: bool,
}

impl Printer {
    fn print(&mut self, rows: &[ChainRow]) -> Result<(), Failure> {
        self.columns.fit(rows);
        for row in rows {
            if self.json {
                row_json::write_json_line(&mut self.out, &row_json::row_json(row))?;
            } else {
                self.columns.line(&mut self.out, row)?;
            }
        }
        Ok(self.out.flush()?)
    }
}
