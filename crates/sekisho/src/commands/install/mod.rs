//! `sekisho install`: puts the hook into an agent's settings.

pub(crate) mod binary;
pub(crate) mod site;

use std::io::Write;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use sekisho_adapters::Agent;
use sekisho_host::{Installation, Kept, Reach, Unattended, diff};

use crate::agents::Entry;
use crate::commands::doctor::knock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::{Database, Serving, Settings, Wishes};
use crate::terminal::{self, Out, short, style};

use site::{Site, Which};

/// Put the hook into an agent's settings, so that every call of a tool is decided here
///
/// The change is shown, and made when you say yes; a copy of the settings is kept in the state directory. Everything else in them stays
/// as it is, comments and order included. Where config and state lie is pinned now: the hook takes nothing that loosens from
/// the environment an agent gives it. Installing again renews what has changed.
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
    /// How long the agent waits for an answer [default: as it was installed, else 600]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(10..=86_400))]
    wait: Option<u32>,
    /// What happens when nobody has answered in time and nobody sits in front of the agent: the call is put off so that the
    /// run can be resumed, where the agent knows that, or it is denied [default: as it was installed, else defer]
    #[arg(long, value_name = "WHAT", value_parser = ["defer", "deny"])]
    headless: Option<String>,
    /// The hook [default: sekisho-hook beside this program]
    #[arg(long, value_name = "PATH")]
    hook: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  sekisho install claude-code
  sekisho install codex --wait 3600         an answer may take an hour
  sekisho install claude-code --project     this project only, in its personal settings
  sekisho install gemini-cli --yes --headless deny";

/// How long an agent waits for its hook where nobody says otherwise.
const WAIT_S: u32 = 600;

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let mut settings = Settings::gather()?;
    let serving = settings.serving(Wishes::default())?;
    let site = Site::find(&settings, args.agent, &args.which)?;
    let installed = Installation::read(&site.installation).ok();
    let installation = wish(args, &settings, &serving, &site, installed.as_ref())?;
    let entry = Entry::of(&installation, &site.installation);
    let after = site.wiring.add(site.file.text().unwrap_or_default(), &entry);
    let after = after.map_err(|fault| fault.failure(site.file.path()))?;
    let mut out = terminal::stdout();
    let home = settings.locations.home.as_deref();
    let is_new = site.file.text() != Some(&after);
    let at = short(&site.file.path().to_string_lossy(), home);
    if is_new {
        show(&mut out, &site, &at, &after)?;
        if !args.yes && !terminal::ask(&mut out, "Write it?", "look at the change, then give `--yes`")? {
            writeln!(out, "not installed")?;
            return Ok(Exit::Failure);
        }
    }
    let renewed = record(&site, &installation, installed.as_ref(), &entry)?;
    if !is_new && !renewed {
        writeln!(out, "{} is installed already, in {at}; nothing was changed", site.agent)?;
        return Ok(Exit::Ok);
    }
    if is_new {
        let kept = site.file.replace(Some(&after), &site.copies, Timestamp::now())?;
        if let Some(kept) = kept {
            writeln!(out, "the settings as they were: {}", short(&kept.to_string_lossy(), home))?;
        }
    }
    greet(&mut out, &site, &at, serving.socket.as_deref())?;
    Ok(Exit::Ok)
}

/// How the hook is to be installed.
fn wish(
    args: &Args,
    settings: &Settings,
    serving: &Serving,
    site: &Site,
    installed: Option<&Installation>,
) -> Result<Installation, Failure> {
    let unattended = match args.headless.as_deref() {
        Some("deny") => Unattended::Deny,
        Some(_) => Unattended::Defer,
        None => installed.map_or(Unattended::Defer, |installed| installed.unattended),
    };
    Ok(Installation {
        version: Installation::VERSION,
        agent: site.agent.name().to_owned(),
        reach: site.reach.clone(),
        settings: site.file.path().to_path_buf(),
        hook: binary::find(args.hook.as_deref())?,
        locations: settings.locations.clone(),
        socket: serving.socket.clone(),
        database: match &settings.database {
            Database::Sqlite(path) => Kept::File(path.clone()),
            Database::Postgres(_) => Kept::Shared,
        },
        limit_s: args.wait.or(installed.map(|installed| installed.limit_s)).unwrap_or(WAIT_S),
        unattended,
        installed_at: Timestamp::now(),
    })
}

/// Writes down how the hook is installed, before anything calls it. `false`: that stands there already.
fn record(
    site: &Site,
    wish: &Installation,
    installed: Option<&Installation>,
    entry: &Entry,
) -> Result<bool, Failure> {
    let same = installed.is_some_and(|installed| {
        *installed == Installation { installed_at: installed.installed_at, ..wish.clone() }
    });
    let plugin_is_new = match site.plugin(entry) {
        None => false,
        Some((path, text)) => {
            let there = sekisho_host::Foreign::read(&path)?;
            let is_new = there.text() != Some(&text);
            if is_new {
                site.installations.write_beside(&path, &text)?;
            }
            is_new
        }
    };
    if !same {
        site.installations.write(wish)?;
    }
    Ok(!same || plugin_is_new)
}

fn show(out: &mut Out, site: &Site, at: &str, after: &str) -> Result<(), Failure> {
    let (strong, faint) = (style::STRONG, style::FAINT);
    writeln!(out, "{strong}{at}{strong:#}")?;
    if site.is_shared() {
        writeln!(out, "{faint}others may share this file, and it will name paths of this machine{faint:#}")?;
    }
    writeln!(out)?;
    let diff = diff(site.file.text().unwrap_or_default(), after);
    terminal::diff(out, &diff)?;
    writeln!(out, "\n{strong}{}{strong:#}", sum(site, at, &diff))?;
    Ok(())
}

/// What the change comes to, in one line.
fn sum(site: &Site, at: &str, diff: &str) -> String {
    let count = |sign: char, head: &str| {
        diff.lines().filter(|line| line.starts_with(sign) && !line.starts_with(head)).count()
    };
    let (written, changed) = (count('+', "+++"), count('-', "---"));
    let added = written.saturating_sub(changed);
    let lines = |count: usize| if count == 1 { "1 line".to_owned() } else { format!("{count} lines") };
    let what = match (site.file.text().is_some(), changed) {
        (false, _) => format!("makes {at}, with {}", lines(added)),
        (true, 0) => format!("adds {} to {at}", lines(added)),
        (true, changed) => format!("adds {} to {at} and changes {changed}", lines(added)),
    };
    format!("This {what}: {} will ask sekisho before {}.", site.agent.title(), wide(site))
}

/// Which calls are asked about.
fn wide(site: &Site) -> &'static str {
    match &site.reach {
        Reach::Global => "every call of a tool",
        Reach::Project(_) => "every call of a tool in this project",
    }
}

/// What happens now, and what to do next.
fn greet(out: &mut Out, site: &Site, at: &str, socket: Option<&Path>) -> Result<(), Failure> {
    let strong = style::STRONG;
    let wide = wide(site);
    let title = site.agent.title();
    writeln!(
        out,
        "{strong}installed{strong:#} in {at}: {title} asks sekisho before {wide}, from its next start on"
    )?;
    writeln!(
        out,
        "what no rule decides is a question; answer with `sekisho approvals watch` or in the browser"
    )?;
    let served = socket.is_some_and(|socket| matches!(knock::over_socket(socket), knock::Answer::Ours(_)));
    let serve = if served { "" } else { "`sekisho serve` (no server runs, so nobody can be asked), then " };
    writeln!(out, "next: {serve}`sekisho doctor`, which proves that the gate is in the path")?;
    writeln!(
        out,
        "rules you have in {title}: `sekisho rules import {} --dry-run` shows what they become here",
        site.agent
    )?;
    Ok(())
}
