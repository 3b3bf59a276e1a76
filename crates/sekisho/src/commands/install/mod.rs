//! `sekisho install`: adds the hook to an agent's settings.

pub(crate) mod hook_binary;
pub(crate) mod install_target;

use std::io::Write;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use sekisho_adapters::Agent;
use sekisho_host::{InstallScope, Installation, RuleDatabase, UnattendedTimeout, diff, load_layers};
use sekisho_policy::{active_presets, preset_summaries};

use crate::agents::HookEntry;
use crate::commands::doctor::health_probe;
use crate::commands::rules::presets;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::{Database, ServerConfig, ServerOptions, Settings};
use crate::terminal::{self, StyledStdout, shorten_path, style};

use install_target::{InstallScopeArgs, InstallTarget};

/// Install the hook in an agent's settings, so that every tool call is decided by sekisho
///
/// Shows the change, and makes it after you confirm. A backup of the settings is kept in the state directory.
/// The rest of the settings stays as it is, including comments and order. The hook will always use the config
/// and state directories that apply now. It ignores variables in the agent's environment that could make it
/// allow more calls. Installing again updates what has changed.
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
    /// How many seconds the agent waits for an answer [default: as installed before, else 600]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(10..=86_400))]
    wait: Option<u32>,
    /// If nobody answers in time and nobody sits at the agent: `defer` the call, so that the run can be
    /// resumed later (Claude Code only), or `deny` it [default: as installed before, else defer]
    #[arg(long, value_name = "WHAT", value_parser = ["defer", "deny"])]
    headless: Option<String>,
    /// The hook program [default: sekisho-hook beside this program]
    #[arg(long, value_name = "PATH")]
    hook: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  sekisho install claude-code
  sekisho install codex --wait 3600         wait up to an hour for an answer
  sekisho install claude-code --project     only this project, in its personal settings
  sekisho install gemini-cli --yes --headless deny";

/// Default wait of an agent for its hook, in seconds.
const WAIT_S: u32 = 600;

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let mut settings = Settings::load()?;
    let serving = settings.resolve_server_config(ServerOptions::default())?;
    let site = InstallTarget::find(&settings, args.agent, &args.which)?;
    let installed = Installation::read(&site.installation).ok();
    let installation = wish(args, &settings, &serving, &site, installed.as_ref())?;
    let entry = HookEntry::of(&installation, &site.installation);
    let after = site.wiring.add(site.file.text().unwrap_or_default(), &entry);
    let after = after.map_err(|fault| fault.to_failure(site.file.path()))?;
    let mut out = terminal::stdout();
    let home = settings.locations.home.as_deref();
    let is_new = site.file.text() != Some(&after);
    let at = shorten_path(&site.file.path().to_string_lossy(), home);
    if is_new {
        show(&mut out, &site, &at, &after)?;
        if !args.yes
            && !terminal::prompt_yes_no(&mut out, "Write it?", "check the change, then pass `--yes`")?
        {
            writeln!(out, "not installed")?;
            return Ok(Exit::Failure);
        }
    }
    let renewed = record(&site, &installation, installed.as_ref(), &entry)?;
    if !is_new && !renewed {
        writeln!(out, "{} is already installed in {at}; nothing was changed", site.agent)?;
        return Ok(Exit::Ok);
    }
    if is_new {
        let kept = site.file.replace(Some(&after), &site.copies, Timestamp::now())?;
        if let Some(kept) = kept {
            writeln!(out, "backup of the old settings: {}", shorten_path(&kept.to_string_lossy(), home))?;
        }
    }
    greet(&mut out, &site, &at, serving.socket.as_deref())?;
    offer_presets(&mut out, &settings)?;
    Ok(Exit::Ok)
}

/// The installation to make.
fn wish(
    args: &Args,
    settings: &Settings,
    serving: &ServerConfig,
    site: &InstallTarget,
    installed: Option<&Installation>,
) -> Result<Installation, Failure> {
    let unattended = match args.headless.as_deref() {
        Some("deny") => UnattendedTimeout::Deny,
        Some(_) => UnattendedTimeout::Defer,
        None => installed.map_or(UnattendedTimeout::Defer, |installed| installed.unattended),
    };
    Ok(Installation {
        version: Installation::VERSION,
        agent: site.agent.name().to_owned(),
        reach: site.reach.clone(),
        settings: site.file.path().to_path_buf(),
        hook: hook_binary::find_hook_binary(args.hook.as_deref())?,
        locations: settings.locations.clone(),
        socket: serving.socket.clone(),
        database: match &settings.database {
            Database::Sqlite(path) => RuleDatabase::File(path.clone()),
            Database::Postgres(_) => RuleDatabase::Shared,
        },
        limit_s: args.wait.or(installed.map(|installed| installed.limit_s)).unwrap_or(WAIT_S),
        unattended,
        installed_at: Timestamp::now(),
    })
}

/// Writes the installation file, before anything calls the hook. Returns `false` if it is already up to date.
fn record(
    site: &InstallTarget,
    wish: &Installation,
    installed: Option<&Installation>,
    entry: &HookEntry,
) -> Result<bool, Failure> {
    let same = installed.is_some_and(|installed| {
        *installed == Installation { installed_at: installed.installed_at, ..wish.clone() }
    });
    let plugin_is_new = match site.plugin(entry) {
        None => false,
        Some((path, text)) => {
            let there = sekisho_host::AgentSettingsFile::read(&path)?;
            let is_new = there.text() != Some(&text);
            if is_new {
                site.installations.write_companion(&path, &text)?;
            }
            is_new
        }
    };
    if !same {
        site.installations.write(wish)?;
    }
    Ok(!same || plugin_is_new)
}

fn show(out: &mut StyledStdout, site: &InstallTarget, at: &str, after: &str) -> Result<(), Failure> {
    let (strong, faint) = (style::STRONG, style::FAINT);
    writeln!(out, "{strong}{at}{strong:#}")?;
    if site.is_shared() {
        writeln!(
            out,
            "{faint}others may share this file, and it will contain paths of this machine{faint:#}"
        )?;
    }
    writeln!(out)?;
    let diff = diff(site.file.text().unwrap_or_default(), after);
    terminal::diff(out, &diff)?;
    writeln!(out, "\n{strong}{}{strong:#}", change_summary(site, at, &diff))?;
    Ok(())
}

/// Summarises the change in one line.
fn change_summary(site: &InstallTarget, at: &str, diff: &str) -> String {
    let count = |sign: char, head: &str| {
        diff.lines().filter(|line| line.starts_with(sign) && !line.starts_with(head)).count()
    };
    let (written, changed) = (count('+', "+++"), count('-', "---"));
    let added = written.saturating_sub(changed);
    let lines = |count: usize| if count == 1 { "1 line".to_owned() } else { format!("{count} lines") };
    let what = match (site.file.text().is_some(), changed) {
        (false, _) => format!("creates {at} with {}", lines(added)),
        (true, 0) => format!("adds {} to {at}", lines(added)),
        (true, changed) => format!("adds {} to {at} and changes {changed}", lines(added)),
    };
    format!("This {what}: {} will ask sekisho before {}.", site.agent.title(), covered_calls(site))
}

/// The calls that the agent will ask about.
fn covered_calls(site: &InstallTarget) -> &'static str {
    match &site.reach {
        InstallScope::Global => "every tool call",
        InstallScope::Project(_) => "every tool call in this project",
    }
}

/// Offers the presets that no config of this directory switches on.
fn offer_presets(out: &mut StyledStdout, settings: &Settings) -> Result<(), Failure> {
    // The hook is installed already, whatever this directory is.
    let Ok(workspace) = settings.workspace(None) else { return Ok(()) };
    let loaded = load_layers(&settings.locations, &workspace);
    let active = active_presets(&loaded.layers.loaded);
    let off: Vec<_> =
        preset_summaries().into_iter().filter(|summary| !active.contains(&summary.preset)).collect();
    Ok(presets::offer(out, &off)?)
}

/// Prints what happens now, and what to do next.
fn greet(
    out: &mut StyledStdout,
    site: &InstallTarget,
    at: &str,
    socket: Option<&Path>,
) -> Result<(), Failure> {
    let strong = style::STRONG;
    let wide = covered_calls(site);
    let title = site.agent.title();
    writeln!(
        out,
        "{strong}installed{strong:#} in {at}: after its next start, {title} asks sekisho before {wide}"
    )?;
    writeln!(
        out,
        "a call that no rule decides becomes a question; answer with `sekisho approvals watch` or in the browser"
    )?;
    let served = socket.is_some_and(|socket| {
        matches!(health_probe::probe_socket(socket), health_probe::ProbeResult::Sekisho(_))
    });
    let serve =
        if served { "" } else { "`sekisho serve` (no server is running, so nobody can answer), then " };
    writeln!(out, "next: {serve}`sekisho doctor`, which tests that the hook blocks calls")?;
    writeln!(
        out,
        "rules you have in {title}: `sekisho rules import {} --dry-run` shows them as sekisho rules",
        site.agent
    )?;
    Ok(())
}
