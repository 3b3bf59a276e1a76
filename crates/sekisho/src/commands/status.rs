use std::io::Write;

use sekisho_adapters::Agent;
use sekisho_host::{InstallScope, Installation, Installations};
use serde::Serialize;

use crate::agents::{HookEntry, hook_settings};
use crate::commands::doctor::health_probe;
use crate::commands::install::install_target::InstallStatus;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal::{self, shorten_path, style, visible};

/// Show which agents have the hook installed, and whether it is still in place
///
/// One line for each installation: in place, changed, missing or unreadable. `sekisho doctor` checks more and
/// runs the hook. Exit code 1 if any installation is not in place.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Only this agent: claude-code, codex, gemini-cli or opencode
    agent: Option<Agent>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho status
  sekisho status claude-code --json | jq '.[].state'";

#[derive(Debug, Serialize)]
struct Row {
    agent: String,
    reach: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    settings: String,
    hook: String,
    installation: String,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    /// Whether a server answers on the socket that the hook uses.
    server: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let mut rows = Vec::new();
    for (path, read) in Installations::at(&settings.locations.state).all()? {
        let row = match read {
            Ok(installation) => row(&installation, &path),
            Err(error) => unreadable(&path, &error.to_string()),
        };
        if args.agent.is_none_or(|agent| agent.name() == row.agent) {
            rows.push(row);
        }
    }
    let mut out = terminal::stdout();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &rows)?;
        writeln!(out)?;
    } else {
        write(&mut out, &rows, settings.locations.home.as_deref())?;
    }
    let sound = rows.iter().all(|row| row.state == InstallStatus::InPlace.name());
    Ok(if sound { Exit::Ok } else { Exit::Failure })
}

fn row(installation: &Installation, path: &std::path::Path) -> Row {
    let entry = HookEntry::of(installation, path);
    let status = match installation.agent.parse::<Agent>() {
        Ok(agent) => InstallStatus::of(hook_settings(agent), &entry),
        Err(error) => InstallStatus::Unreadable(error),
    };
    let (reach, project) = match &installation.reach {
        InstallScope::Global => ("global", None),
        InstallScope::Project(root) => ("project", Some(root.display().to_string())),
    };
    let answer = installation.socket.as_deref().map(health_probe::probe_socket);
    Row {
        agent: installation.agent.clone(),
        reach,
        project,
        settings: installation.settings.display().to_string(),
        hook: installation.hook.display().to_string(),
        installation: path.display().to_string(),
        state: status.name(),
        why: match status {
            InstallStatus::Unreadable(why) => Some(why),
            _ => None,
        },
        server: matches!(answer, Some(health_probe::ProbeResult::Sekisho(_))),
    }
}

fn unreadable(path: &std::path::Path, why: &str) -> Row {
    // The file name starts with the agent's name.
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let agent = Agent::ALL.into_iter().find(|agent| name.starts_with(&format!("{agent}-")));
    Row {
        agent: agent.map_or("?", Agent::name).to_owned(),
        reach: "global",
        project: None,
        settings: String::new(),
        hook: String::new(),
        installation: path.display().to_string(),
        state: InstallStatus::Unreadable(String::new()).name(),
        why: Some(why.to_owned()),
        server: false,
    }
}

fn write(
    out: &mut terminal::StyledStdout,
    rows: &[Row],
    home: Option<&std::path::Path>,
) -> Result<(), Failure> {
    if rows.is_empty() {
        writeln!(out, "no hook is installed; run `sekisho install AGENT`")?;
        return Ok(());
    }
    let faint = style::FAINT;
    for row in rows {
        let style = match row.state {
            "in place" => style::ALLOW,
            "changed" => style::CONFIRM,
            _ => style::DENY,
        };
        let at = row.project.as_ref().map_or_else(|| row.reach.to_owned(), |root| shorten_path(root, home));
        let server = if row.server { "" } else { ", no server answers" };
        writeln!(
            out,
            "{:<12} {style}{:<10}{style:#} {}{faint} {at}{server}{faint:#}",
            row.agent,
            row.state,
            shorten_path(if row.settings.is_empty() { &row.installation } else { &row.settings }, home)
        )?;
        if let Some(why) = &row.why {
            writeln!(out, "{:<12} {}", "", visible(why))?;
        }
    }
    Ok(())
}
