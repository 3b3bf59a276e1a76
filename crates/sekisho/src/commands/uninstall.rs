use std::io::Write;
use std::path::Path;

use jiff::Timestamp;
use sekisho_adapters::Agent;
use sekisho_host::{AgentSettingsFile, Installation, diff};

use crate::agents::{AgentSettingsError, HookEntry};
use crate::commands::install::install_target::{InstallScopeArgs, InstallTarget};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal::{self, shorten_path, style};

/// Remove the hook from an agent's settings
///
/// Removes exactly the entries that sekisho added; the rest of the settings stays as it is. The change is
/// shown first.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// claude-code, codex, gemini-cli or opencode
    agent: Agent,
    #[command(flatten)]
    which: InstallScopeArgs,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho uninstall claude-code
  sekisho uninstall claude-code --project --yes";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let site = InstallTarget::find(&settings, args.agent, &args.which)?;
    let home = settings.locations.home.as_deref();
    let at = shorten_path(&site.file.path().to_string_lossy(), home);
    let mut out = terminal::stdout();
    let installed = Installation::read(&site.installation).ok();
    let entry = installed.as_ref().map_or_else(
        || HookEntry {
            hook: Default::default(),
            installation: site.installation.clone(),
            limit_s: 0,
            settings: site.file.path().into(),
        },
        |installed| HookEntry::of(installed, &site.installation),
    );
    let before = site.file.text().unwrap_or_default();
    let left = left(&site, before, &entry).map_err(|fault| fault.to_failure(site.file.path()))?;
    if let Some(left) = &left {
        let strong = style::STRONG;
        writeln!(out, "{strong}{at}{strong:#}\n")?;
        terminal::diff(&mut out, &diff(before, left.as_deref().unwrap_or_default()))?;
        writeln!(out)?;
        if !args.yes
            && !terminal::prompt_yes_no(&mut out, "Write it?", "check the change, then pass `--yes`")?
        {
            writeln!(out, "nothing was changed")?;
            return Ok(Exit::Failure);
        }
        let kept = site.file.replace(left.as_deref(), &site.copies, Timestamp::now())?;
        if left.is_none() {
            remove_if_empty(site.file.path());
        }
        if let Some(kept) = kept {
            writeln!(out, "backup of the old settings: {}", shorten_path(&kept.to_string_lossy(), home))?;
        }
    }
    // Last, because the hook needs its installation file as long as the settings call it.
    if let Some((plugin, _)) = site.plugin(&entry) {
        site.installations.remove(&plugin)?;
    }
    let had = site.installations.remove(&site.installation)?;
    match left.is_some() || had {
        true => writeln!(
            out,
            "removed from {at}: {} no longer asks sekisho after its next start",
            site.agent.title()
        )?,
        false => writeln!(out, "{} was not installed in {at}; nothing was changed", site.agent)?,
    }
    Ok(Exit::Ok)
}

/// Removes the directory of a settings file that only sekisho wrote, unless the directory contains something
/// else. The agent may not be installed at all.
fn remove_if_empty(settings: &Path) {
    if let Some(directory) = settings.parent() {
        // Fails if the directory is not empty, and it stays.
        let _ = std::fs::remove_dir(directory);
    }
}

/// The settings without the hook: `None` if they do not call it, `Some(None)` if the file held nothing else.
fn left(
    site: &InstallTarget,
    before: &str,
    entry: &HookEntry,
) -> Result<Option<Option<String>>, AgentSettingsError> {
    let without = site.wiring.remove(before, entry)?;
    if without == before {
        return Ok(None);
    }
    // If adding the hook to a backup and removing it again gives the same text, nobody else has changed the
    // settings since that backup. Then the backup is the original, byte for byte.
    let kept = site
        .copies
        .all()
        .into_iter()
        .filter_map(|path| AgentSettingsFile::read(&path).ok()?.text().map(str::to_owned));
    let is_free = |text: &String| {
        site.wiring.installed_hooks(text, &entry.installation).is_ok_and(|wired| wired.is_empty())
    };
    let untouched: Vec<String> = kept.filter(is_free).collect();
    let was_there = !untouched.is_empty();
    let leaves_the_same = |text: &String| {
        let there_and_back = site.wiring.add(text, entry).and_then(|with| site.wiring.remove(&with, entry));
        there_and_back.is_ok_and(|left| left == without)
    };
    // Newest first: older backups may be outdated.
    if let Some(same) = untouched.into_iter().rev().find(leaves_the_same) {
        return Ok(Some(Some(same)));
    }
    let nothing = matches!(without.trim(), "" | "{}");
    Ok(Some(if nothing && !was_there { None } else { Some(without) }))
}
