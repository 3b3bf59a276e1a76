use std::io::{BufWriter, Write};

use clap::ValueEnum;
use jiff::Timestamp;
use sekisho_gate::audit::{ExportedRow, START_CURSOR, csv};

use super::blocking_store::{BlockingStore, PAGE};
use super::filter::FilterArgs;
use super::row_json;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;

/// Export the audit log for other programs, oldest record first
///
/// JSON lines contain every record in full, with its signature. In CSV, a cell that a spreadsheet would read
/// as a formula gets a leading apostrophe. Memory use does not grow with the number of records.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Jsonl)]
    format: Format,
    /// Only records that contain this text, ignoring case
    #[arg(long)]
    text: Option<String>,
    #[command(flatten)]
    filter: FilterArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// One JSON object per line
    Jsonl,
    /// Comma-separated values with a header line
    Csv,
}

const EXAMPLES: &str = "\
Examples:
  sekisho audit export > record.jsonl
  sekisho audit export --format csv --from 2026-11-01 --to 2026-12-01 > november.csv
  sekisho audit export --kind outcome | jq -r '.approver' | sort | uniq -c";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let mut query = args.filter.query(args.text.as_deref(), Timestamp::now())?;
    let store = BlockingStore::open_for_reading(&settings)?;
    // A complete export includes the checkpoints.
    query.checkpoints = true;
    query.after = Some(START_CURSOR);
    query.limit = PAGE;
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    if matches!(args.format, Format::Csv) {
        csv::header(&mut out)?;
    }
    loop {
        let rows = store.block_on_ledger(store.audit().search(query.clone()))?;
        for row in &rows {
            match args.format {
                Format::Jsonl => row_json::write_json_line(&mut out, &ExportedRow::of(row))?,
                Format::Csv => csv::row(&mut out, row)?,
            }
        }
        let Some(last) = rows.last().filter(|_| !query.is_end(&rows)) else { break };
        query.after = Some((last.at(), last.writer, last.seq));
    }
    out.flush()?;
    Ok(Exit::Ok)
}
