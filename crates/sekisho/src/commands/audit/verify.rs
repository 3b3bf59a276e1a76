use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use sekisho_gate::audit::{ChainHead, verify_log};

use super::blocking_store::{self, BlockingStore};
use super::head::Heads;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal::{self, style};

/// Verify that the audit log is complete and unchanged
///
/// Reads every record and recomputes its signature. Reports the first record that was changed, moved,
/// inserted or removed, and a chain that ends too early or is missing. Exit code 0: the audit log is intact;
/// 1: it is not.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Also check against an earlier output of `sekisho audit head`
    #[arg(long, value_name = "FILE")]
    head: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  sekisho audit verify
  sekisho audit verify --head heads-2026-11-03.json";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let exported = args.head.as_deref().map(exported).transpose()?.unwrap_or_default();
    let store = BlockingStore::open_for_reading(&settings)?;
    let keys = blocking_store::load_keys(&settings)?
        .ok_or_else(|| blocking_store::missing_key_failure(&settings))?;
    let began = Instant::now();
    let bar = progress(store.block_on_ledger(store.audit().count())?);
    let mut on_progress = |rows| bar.set_position(rows);
    let found = store.block_on(verify_log(store.audit(), &keys, &exported, &mut on_progress))?;
    bar.finish_and_clear();
    let report = found.map_err(|unsound| Failure::new(unsound.to_string()))?;
    let mut out = terminal::stdout();
    let (green, faint) = (style::ALLOW, style::FAINT);
    let seconds = began.elapsed().as_secs_f64();
    let pace = if seconds > 0.0 { report.rows as f64 / seconds } else { 0.0 };
    let rows = HumanCount(report.rows);
    if report.rows == 0 {
        let words = "the audit log is empty, and nothing in the database shows that it ever held more; only a head kept elsewhere could";
        writeln!(out, "{words} (`--head`)")?;
        return Ok(Exit::Ok);
    }
    write!(out, "{green}intact{green:#}: {rows} records in {} chains", report.heads.len())?;
    if !exported.is_empty() {
        let kept = (exported.len() as u64).saturating_sub(report.unchecked);
        write!(out, ", {kept} of {} heads from the file match", exported.len())?;
        if report.unchecked > 0 {
            write!(out, " and {} were pruned", report.unchecked)?;
        }
    }
    writeln!(out, "{faint} ({} records/s){faint:#}", HumanCount(pace as u64))?;
    Ok(Exit::Ok)
}

/// Reads an exported file of heads.
fn exported(path: &Path) -> Result<Vec<ChainHead>, Failure> {
    let failure = |failure: String| Failure::new(format!("{}: {failure}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| failure(error.to_string().to_lowercase()))?;
    let heads: Heads = serde_json::from_str(&text)
        .map_err(|error| failure(format!("not an output of `sekisho audit head`: {error}")))?;
    if heads.heads.is_empty() {
        return Err(failure("the file contains no heads to check against".into()));
    }
    Ok(heads.heads)
}

/// Shown on a terminal only.
fn progress(rows: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(rows), ProgressDrawTarget::stderr());
    let template =
        "verifying {wide_bar:.green/dim} {human_pos} of {human_len} records, {pace} records/s, {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.with_key("pace", |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            // A progress bar that cannot be drawn is not worth failing for.
            let _ = write!(out, "{}", HumanCount(state.per_sec() as u64));
        }));
    }
    bar
}
