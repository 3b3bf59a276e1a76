use jiff::Timestamp;

use super::blocking_store::{BlockingStore, PAGE};
use super::filter::FilterArgs;
use super::row_json;
use super::row_table::RowTable;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal;

/// Search the audit log, newest record first
///
/// A record must match all filters. Times are in your time zone on a terminal and in UTC elsewhere. Pass the
/// value in the second column to `sekisho audit show`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Words that the record contains, in any order, ignoring case
    text: Option<String>,
    #[command(flatten)]
    filter: FilterArgs,
    /// Maximum number of records
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    limit: u64,
    /// Print each record as one line of JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho audit search 'git push'
  sekisho audit search --decision deny --from 24h
  sekisho audit search --approver ada --kind outcome --limit 20
  sekisho audit search --tool bash --json | jq -r .text";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let mut query = args.filter.query(args.text.as_deref(), Timestamp::now())?;
    let store = BlockingStore::open_for_reading(&settings)?;
    let (mut out, mut columns) = (terminal::stdout(), RowTable::of_stdout());
    let mut left = usize::try_from(args.limit).unwrap_or(usize::MAX);
    while left > 0 {
        query.limit = left.min(PAGE);
        let rows = store.block_on_ledger(store.audit().search(query.clone()))?;
        columns.fit(&rows);
        for row in &rows {
            if args.json {
                row_json::write_json_line(&mut out, &row_json::row_json(row))?
            } else {
                columns.line(&mut out, row)?
            }
        }
        left -= rows.len().min(left);
        let Some(last) = rows.last().filter(|_| !query.is_end(&rows)) else { break };
        query.before = Some((last.at(), last.writer, last.seq));
    }
    Ok(Exit::Ok)
}
