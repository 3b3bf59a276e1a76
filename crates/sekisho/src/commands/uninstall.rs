use std::io::Write;
use std::path::Path;

use jiff::Timestamp;
use sekisho_adapters::Agent;
use sekisho_host::{Foreign, Installation, diff};

use crate::agents::{Entry, Fault};
use crate::commands::install::site::{Site, Which};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal::{self, short, style};

/// Take the hook out of an agent's settings
///
/// Exactly our own entries go; whatever else stands there stays as it is. The change is shown first.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// claude-code, codex, gemini-cli or opencode
    agent: Agent,
    #[command(flatten)]
    which: Which,
    /// Do not ask; for scripts
    #[arg(long)]
    yes: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho uninstall claude-code
  sekisho uninstall claude-code --project --yes";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let settings = Settings::gather()?;
    let site = Site::find(&settings, args.agent, &args.which)?;
    let home = settings.locations.home.as_deref();
    let at = short(&site.file.path().to_string_lossy(), home);
    let mut out = terminal::stdout();
    let installed = Installation::read(&site.installation).ok();
    let entry = installed.as_ref().map_or_else(
        || Entry {
            hook: Default::default(),
            installation: site.installation.clone(),
            limit_s: 0,
            settings: site.file.path().into(),
        },
        |installed| Entry::of(installed, &site.installation),
    );
    let before = site.file.text().unwrap_or_default();
    let left = left(&site, before, &entry).map_err(|fault| fault.failure(site.file.path()))?;
    if let Some(left) = &left {
        let strong = style::STRONG;
        writeln!(out, "{strong}{at}{strong:#}\n")?;
        terminal::diff(&mut out, &diff(before, left.as_deref().unwrap_or_default()))?;
        writeln!(out)?;
        if !args.yes && !terminal::ask(&mut out, "Write it?", "look at the change, then give `--yes`")? {
            writeln!(out, "nothing was changed")?;
            return Ok(Exit::Failure);
        }
        let kept = site.file.replace(left.as_deref(), &site.copies, Timestamp::now())?;
        if left.is_none() {
            remove_if_empty(site.file.path());
        }
        if let Some(kept) = kept {
            writeln!(out, "the settings as they were: {}", short(&kept.to_string_lossy(), home))?;
        }
    }
    // Only now: while the settings call the hook, it has to find what it was told.
    if let Some((plugin, _)) = site.plugin(&entry) {
        site.installations.remove(&plugin)?;
    }
    let had = site.installations.remove(&site.installation)?;
    match left.is_some() || had {
        true => {
            writeln!(out, "{} no longer asks sekisho by {at}, from its next start on", site.agent.title())?
        }
        false => writeln!(out, "{} was not installed in {at}; nothing was changed", site.agent)?,
    }
    Ok(Exit::Ok)
}

/// Removes the directory of a settings file that was ours alone, unless something else is in it: the agent may not even be
/// there.
fn remove_if_empty(settings: &Path) {
    if let Some(directory) = settings.parent() {
        // One that holds something is not removed, and stays as it is.
        let _ = std::fs::remove_dir(directory);
    }
}

/// What is left without us: `None` if we are not in it, `Some(None)` if the file was ours alone.
fn left(site: &Site, before: &str, entry: &Entry) -> Result<Option<Option<String>>, Fault> {
    let without = site.wiring.remove(before, entry)?;
    if without == before {
        return Ok(None);
    }
    // Where a copy from before would leave the same if we were put in and taken out again, nobody else has changed
    // anything, and the copy is what the file was to the last byte.
    let kept =
        site.copies.all().into_iter().filter_map(|path| Foreign::read(&path).ok()?.text().map(str::to_owned));
    let is_free =
        |text: &String| site.wiring.wired(text, &entry.installation).is_ok_and(|wired| wired.is_empty());
    let untouched: Vec<String> = kept.filter(is_free).collect();
    let was_there = !untouched.is_empty();
    let leaves_the_same = |text: &String| {
        let there_and_back = site.wiring.add(text, entry).and_then(|with| site.wiring.remove(&with, entry));
        there_and_back.is_ok_and(|left| left == without)
    };
    // The newest first: an older one may be of another time.
    if let Some(same) = untouched.into_iter().rev().find(leaves_the_same) {
        return Ok(Some(Some(same)));
    }
    let nothing = matches!(without.trim(), "" | "{}");
    Ok(Some(if nothing && !was_there { None } else { Some(without) }))
}
