use std::io::Write;

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use sekisho_gate::audit::KeyRing;
use sekisho_store::postgres::copy::{CopyError, Progress, copy};

use crate::commands::audit::blocking_store;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::{Database, PostgresUrl, Settings};
use crate::terminal;

/// Copy the SQLite database into an empty PostgreSQL database
///
/// Copies everything in one transaction, then counts the rows and verifies the audit log with its key before
/// committing. If anything fails, the PostgreSQL database stays empty. The SQLite file is locked during the
/// copy; a server that uses it would deny every call, so stop the server first. The file is not changed. Set
/// `DATABASE_URL` to the new database afterwards, or later calls are recorded in the file.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The database URL, `postgres://user:password@host:5432/database`; `-` reads it from standard input, so
    /// that process lists do not show the password
    #[arg(long, value_name = "URL")]
    to: Target,
}

const EXAMPLES: &str = "\
Examples:
  sekisho db copy --to postgres://sekisho@localhost/sekisho
  sekisho db copy --to - < address.txt";

/// A database URL, or `-`. Never printed as given.
#[derive(Clone)]
struct Target(String);

impl std::str::FromStr for Target {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Target, Self::Err> {
        Ok(Target(text.to_owned()))
    }
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a database URL")
    }
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let Database::Sqlite(path) = &settings.database else {
        return Err(Failure::usage(
            "`DATABASE_URL` names a PostgreSQL database, and only a SQLite file can be copied; unset it, or set it to the file",
        ));
    };
    let url = match args.to.0.as_str() {
        "-" => std::io::read_to_string(std::io::stdin())?,
        url => url.to_owned(),
    };
    let address = PostgresUrl::parse(url.trim())?;
    let keys = blocking_store::load_keys(&settings)?.unwrap_or_else(KeyRing::none);
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
    let mut progress = |progress| show(&bar, progress);
    let copied = blocking_store::runtime()?.block_on(copy(path, &address.url, &keys, &mut progress));
    bar.finish_and_clear();
    let copied = copied.map_err(|error: CopyError| Failure::new(error.to_string()))?;
    writeln!(
        terminal::stdout(),
        "copied {} rows to {} and verified {} chains of the audit log; set `DATABASE_URL` to the new database",
        HumanCount(copied.rows()),
        address.shown,
        copied.chains
    )?;
    Ok(Exit::Ok)
}

/// Shown on a terminal only.
fn show(bar: &ProgressBar, progress: Progress) {
    let (what, rows, of) = match progress {
        Progress::Written { rows, of } => ("copying", rows, of),
        Progress::Verified { rows, of } => ("verifying", rows, of),
    };
    if bar.message() != what {
        bar.set_message(what);
        bar.reset();
        if let Ok(style) =
            ProgressStyle::with_template("{msg} {wide_bar:.green/dim} {human_pos} of {human_len} rows")
        {
            bar.set_style(style);
        }
    }
    bar.set_length(of);
    bar.set_position(rows);
}
