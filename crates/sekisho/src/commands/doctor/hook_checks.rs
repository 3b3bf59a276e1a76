//! Checks the hooks of agents: whether each exists, is called, and blocks a call.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use sekisho_adapters::Agent;
use sekisho_host::{AgentSettingsFile, FactResolver, InstallScope, Installation, Installations, load_layers};
use sekisho_policy::{Call, Decision, IdClaim, JudgeContext, Policy, judge, required_facts};
use serde_json::json;

use super::diagnostic::Diagnostic;
use crate::agents::{HazardContext, HookEntry, HookHazard, HookOutput, HookSettings, hook_settings};
use crate::commands::install::hook_binary;
use crate::commands::install::install_target::InstallStatus;
use crate::settings::{AgentHomes, Settings};
use crate::spawn;
use crate::terminal::shorten_path;

/// Timeout of a hook call that needs no human answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Part of the reason with which the canary is denied.
const REASON: &str = "its own checkpoint";

/// Checks every installation, and agents that have none.
pub(super) fn check_hooks(settings: &Settings, project: &Path, found: &mut Vec<Diagnostic>) {
    let homes = match AgentHomes::load(settings.locations.home.as_deref()) {
        Ok(homes) => homes,
        Err(failure) => return found.push(Diagnostic::warning("hook", failure.message, "set `HOME`")),
    };
    let all = match Installations::at(&settings.locations.state).all() {
        Ok(all) => all,
        Err(error) => {
            return found.push(Diagnostic::problem("hook", error.to_string(), "make the directory readable"));
        }
    };
    let mut held = Vec::new();
    for (path, read) in &all {
        match read.as_ref().map(|installation| (installation, installation.agent.parse::<Agent>())) {
            Ok((installation, Ok(agent))) => {
                held.push((agent, installation));
                let entry = HookEntry::of(installation, path);
                one(agent, &HazardContext { homes: &homes, project, entry: &entry }, found);
            }
            Ok((_, Err(error))) => found.push(unreadable(path, &error)),
            Err(error) => found.push(unreadable(path, &error.to_string())),
        }
    }
    for agent in Agent::ALL {
        let own: Vec<&Installation> =
            held.iter().filter(|(held, _)| *held == agent).map(|(_, installation)| *installation).collect();
        found.extend(double_installation(agent, &own, project));
        if agent == Agent::Codex && !own.is_empty() {
            found.extend(interactive_programs(&interactive(settings)));
        }
        let there = hook_settings(agent).config_directory(&homes);
        if own.is_empty()
            && let Some(lost) = orphaned_settings(agent, &homes, &settings.locations.state, project)
        {
            found.push(lost);
        } else if own.is_empty() && there.is_dir() {
            found.push(unhooked_agent(
                agent,
                &shorten_path(&there.to_string_lossy(), settings.locations.home.as_deref()),
            ));
        }
    }
}

/// Checks one installation.
fn one(agent: Agent, look: &HazardContext<'_>, found: &mut Vec<Diagnostic>) {
    let (wiring, entry) = (hook_settings(agent), look.entry);
    let fit = hook_binary::check_hook_binary(&entry.hook, rustix::process::geteuid().as_raw());
    found.push(check_binary(agent, &entry.hook, &fit));
    let standing = InstallStatus::of(wiring, entry);
    found.push(check_settings(agent, &entry.settings, &standing));
    found.extend(wiring.hazards(look).into_iter().map(|hazard| hazard_diagnostic(agent, hazard)));
    if matches!(standing, InstallStatus::InPlace | InstallStatus::Changed(_)) {
        found.extend(run_canary(agent, wiring, entry, PATIENCE));
    }
}

/// Whether the hook program exists and cannot be replaced by others.
pub(super) fn check_binary(agent: Agent, hook: &Path, fit: &Result<(), (String, String)>) -> Diagnostic {
    match fit {
        Ok(()) => Diagnostic::ok("hook", format!("{agent}: {} exists", hook.display())),
        Err((what, fix)) => Diagnostic::problem("hook", format!("{agent}: {}: {what}", hook.display()), fix),
    }
}

/// Whether the agent's settings call the hook.
pub(super) fn check_settings(agent: Agent, settings: &Path, standing: &InstallStatus) -> Diagnostic {
    let (at, again) = (settings.display(), format!("run `sekisho install {agent}`"));
    match standing {
        InstallStatus::InPlace => {
            Diagnostic::ok("hook", format!("{agent}: {at} calls the hook as installed"))
        }
        InstallStatus::Changed(diff) => {
            let lines: Vec<&str> =
                diff.lines().filter(|line| line.starts_with(['+', '-'])).map(str::trim).collect();
            let first = lines.first().copied().unwrap_or_default();
            Diagnostic::problem(
                "hook",
                format!(
                    "{agent}: {at} no longer calls the hook as installed: {} lines differ: {first}",
                    lines.len()
                ),
                again,
            )
        }
        InstallStatus::Missing => Diagnostic::problem(
            "hook",
            format!("{agent}: {at} does not call the hook: no call is decided"),
            again,
        ),
        InstallStatus::Unreadable(why) => {
            Diagnostic::problem("hook", format!("{agent}: {why}"), format!("fix the file, then {again}"))
        }
    }
}

/// Something that bypasses the hook, or needs attention.
pub(super) fn hazard_diagnostic(agent: Agent, hazard: HookHazard) -> Diagnostic {
    let found = format!("{agent}: {}", hazard.found);
    match hazard.bypasses_hook {
        true => Diagnostic::problem("hook", found, hazard.fix),
        false => Diagnostic::warning("hook", found, hazard.fix),
    }
}

/// Starts the hook as the agent's settings say, with a call that is always denied.
pub(super) fn run_canary(
    agent: Agent,
    wiring: &dyn HookSettings,
    entry: &HookEntry,
    patience: Duration,
) -> Vec<Diagnostic> {
    let text = AgentSettingsFile::read(&entry.settings);
    let text = text.ok().and_then(|file| file.text().map(str::to_owned)).unwrap_or_default();
    let wired = wiring.installed_hooks(&text, &entry.installation).unwrap_or_default();
    let mut found = Vec::new();
    for wired in wired.iter().filter(|wired| wired.event == wiring.decision_event()) {
        let answered = wired.start.command_line().ok_or_else(|| "cannot read how it is started".to_owned());
        let answered = answered.and_then(|words| {
            // Always the same directory: a new one each time would leave a policy and a session behind.
            let cwd = entry.installation.with_file_name("canary");
            std::fs::create_dir_all(&cwd).map_err(|error| error.to_string())?;
            let cwd = cwd.canonicalize().map_err(|error| error.to_string())?;
            spawn::run_hook(&words, &wiring.canary_input(&cwd).to_string(), &cwd, patience)
        });
        found.push(check_canary(agent, wiring, &answered));
    }
    if found.is_empty() {
        let what =
            format!("{agent}: no hook is called at {}, where calls are decided", wiring.decision_event());
        found.push(Diagnostic::problem("canary", what, format!("run `sekisho install {agent}`")));
    }
    found
}

/// Whether the agent would have been stopped, and by the right rule.
pub(super) fn check_canary(
    agent: Agent,
    wiring: &dyn HookSettings,
    answered: &Result<HookOutput, String>,
) -> Diagnostic {
    let fix = format!(
        "run it by hand (`sekisho status {agent} --json` shows where it is), or run `sekisho install {agent}`"
    );
    let answered = match answered {
        Ok(answered) => answered,
        Err(why) => {
            return Diagnostic::problem("canary", format!("{agent}: the hook does not work: {why}"), fix);
        }
    };
    match wiring.block_reason(answered) {
        Some(reason) if reason.contains(REASON) => {
            Diagnostic::ok("canary", format!("{agent}: the hook denied a test call, so it decides calls"))
        }
        Some(reason) => Diagnostic::problem(
            "canary",
            format!("{agent}: the hook blocks, but not because of a rule: {}", on_one_line(&reason)),
            "fix that; until then every call is blocked",
        ),
        None => {
            let code = answered.code.map_or("it was killed".to_owned(), |code| format!("exit code {code}"));
            let said = format!("{}{}", answered.stdout.trim(), answered.stderr.trim());
            let said: String = on_one_line(&said).chars().take(200).collect();
            Diagnostic::problem(
                "canary",
                format!("{agent}: a test call that must be denied would have run ({code}): {said}"),
                fix,
            )
        }
    }
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Programs that run what is typed into them later.
const INTERACTIVE: [&str; 6] = ["bash", "sh", "zsh", "python3", "node", "psql"];

/// Those programs that the current rules let an agent start without a question.
fn interactive(settings: &Settings) -> Vec<&'static str> {
    let Ok(workspace) = settings.workspace(None) else { return Vec::new() };
    let policy = Policy::compile(load_layers(&settings.locations, &workspace).layers);
    let home = settings.locations.home.as_deref();
    let mut around = JudgeContext::at(Timestamp::now());
    around.root = workspace.root.to_str().map(Into::into);
    around.home = home.and_then(Path::to_str).map(Into::into);
    let mut resolver = FactResolver::new(home);
    let allowed = |program: &&str| {
        let call = Call {
            tool: "bash".into(),
            input: json!({ "command": program }),
            agent: Some(IdClaim::proven(Agent::Codex.name())),
            cwd: workspace.cwd.to_str().map(Into::into),
            ..Call::default()
        };
        around.facts = resolver.look_up(&policy, &required_facts(&policy, &call), around.root.as_deref());
        judge(&policy, &call, &around).decision == Decision::Allow
    };
    INTERACTIVE.into_iter().filter(allowed).collect()
}

/// Codex does not ask the hook about what it types into a running program.
pub(super) fn interactive_programs(programs: &[&str]) -> Option<Diagnostic> {
    let first = programs.first()?;
    Some(Diagnostic::warning(
        "hook",
        format!(
            "codex: a rule allows `{first}`, and Codex does not ask the hook about text it types into that program"
        ),
        format!("run `sekisho check bash {first}`, and narrow the rule that it shows"),
    ))
}

/// The hook is called twice for the same call.
pub(super) fn double_installation(agent: Agent, own: &[&Installation], project: &Path) -> Option<Diagnostic> {
    let global = own.iter().any(|installation| installation.reach == InstallScope::Global);
    let here = own.iter().any(|installation| installation.reach == InstallScope::Project(project.into()));
    (global && here).then(|| {
        Diagnostic::warning(
            "hook",
            format!(
                "{agent}: the hook is installed for every project and for this one, so it decides each call twice"
            ),
            format!("run `sekisho uninstall {agent} --project`"),
        )
    })
}

/// Settings that call a hook whose installation file is gone.
pub(super) fn orphaned_settings(
    agent: Agent,
    homes: &AgentHomes,
    state: &Path,
    project: &Path,
) -> Option<Diagnostic> {
    let reaches = [InstallScope::Global, InstallScope::Project(project.into())];
    let places = reaches.iter().filter_map(|reach| hook_settings(agent).settings_path(homes, reach).ok());
    let calls = |settings: &PathBuf| {
        let file = AgentSettingsFile::read(settings).ok();
        let text = file.as_ref().and_then(|file| file.text()).unwrap_or_default();
        let installation = Installations::at(state).path(agent.name(), settings);
        hook_settings(agent).installed_hooks(text, &installation).is_ok_and(|wired| !wired.is_empty())
    };
    let settings = places.into_iter().find(calls)?;
    let what = format!(
        "{agent}: {} calls a hook whose installation file is gone, so it blocks every call",
        settings.display()
    );
    Some(Diagnostic::problem("hook", what, format!("run `sekisho install {agent}`")))
}

/// An agent that is used here without a hook.
pub(super) fn unhooked_agent(agent: Agent, home: &str) -> Diagnostic {
    Diagnostic::warning(
        "hook",
        format!("{agent}: {home} exists, but no hook is installed, so its calls are not decided"),
        format!("run `sekisho install {agent}`"),
    )
}

fn unreadable(path: &Path, why: &str) -> Diagnostic {
    Diagnostic::problem(
        "hook",
        format!("cannot read an installation, so its hook blocks every call: {why}"),
        format!(
            "install the hook again with `sekisho install`; if that does not help, remove {}",
            path.display()
        ),
    )
}
