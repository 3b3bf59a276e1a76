//! The hooks of agents: is each there, is it called, and is it in the path of a call.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use sekisho_adapters::Agent;
use sekisho_host::{Foreign, Installation, Installations, Reach, Resolver, load};
use sekisho_policy::{Call, Decision, Named, Policy, Surroundings, judge, needs};
use serde_json::json;

use super::finding::Finding;
use crate::agents::{Answered, Entry, Hazard, Look, Wiring, wiring};
use crate::commands::install::binary;
use crate::commands::install::site::Standing;
use crate::settings::{Homes, Settings};
use crate::spawn;
use crate::terminal::short;

/// How long a hook may take for what needs nobody's answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// What stands in the reason of the rule that the canary meets.
const REASON: &str = "its own checkpoint";

/// Looks at every installation, and at agents that have none.
pub(super) fn look(settings: &Settings, project: &Path, found: &mut Vec<Finding>) {
    let homes = match Homes::gather(settings.locations.home.as_deref()) {
        Ok(homes) => homes,
        Err(failure) => return found.push(Finding::warning("hook", failure.message, "set `HOME`")),
    };
    let all = match Installations::at(&settings.locations.state).all() {
        Ok(all) => all,
        Err(error) => {
            return found.push(Finding::problem(
                "hook",
                error.to_string(),
                "see that the directory can be read",
            ));
        }
    };
    let mut held = Vec::new();
    for (path, read) in &all {
        match read.as_ref().map(|installation| (installation, installation.agent.parse::<Agent>())) {
            Ok((installation, Ok(agent))) => {
                held.push((agent, installation));
                let entry = Entry::of(installation, path);
                one(agent, &Look { homes: &homes, project, entry: &entry }, found);
            }
            Ok((_, Err(error))) => found.push(unreadable(path, &error)),
            Err(error) => found.push(unreadable(path, &error.to_string())),
        }
    }
    for agent in Agent::ALL {
        let own: Vec<&Installation> =
            held.iter().filter(|(held, _)| *held == agent).map(|(_, installation)| *installation).collect();
        found.extend(twice(agent, &own, project));
        if agent == Agent::Codex && !own.is_empty() {
            found.extend(unseen(&interactive(settings)));
        }
        let there = wiring(agent).home(&homes);
        if own.is_empty()
            && let Some(lost) = lost(agent, &homes, &settings.locations.state, project)
        {
            found.push(lost);
        } else if own.is_empty() && there.is_dir() {
            found.push(free(agent, &short(&there.to_string_lossy(), settings.locations.home.as_deref())));
        }
    }
}

/// One installation.
fn one(agent: Agent, look: &Look<'_>, found: &mut Vec<Finding>) {
    let (wiring, entry) = (wiring(agent), look.entry);
    let fit = binary::fit(&entry.hook, rustix::process::geteuid().as_raw());
    found.push(program(agent, &entry.hook, &fit));
    let standing = Standing::of(wiring, entry);
    found.push(called(agent, &entry.settings, &standing));
    found.extend(wiring.hazards(look).into_iter().map(|hazard| hazardous(agent, hazard)));
    if matches!(standing, Standing::InPlace | Standing::Changed(_)) {
        found.extend(try_it(agent, wiring, entry, PATIENCE));
    }
}

/// Whether the program is there and nobody else's.
pub(super) fn program(agent: Agent, hook: &Path, fit: &Result<(), (String, String)>) -> Finding {
    match fit {
        Ok(()) => Finding::ok("hook", format!("{agent}: {} is there", hook.display())),
        Err((what, fix)) => Finding::problem("hook", format!("{agent}: {}: {what}", hook.display()), fix),
    }
}

/// Whether the agent's settings call it.
pub(super) fn called(agent: Agent, settings: &Path, standing: &Standing) -> Finding {
    let (at, again) = (settings.display(), format!("run `sekisho install {agent}`"));
    match standing {
        Standing::InPlace => Finding::ok("hook", format!("{agent}: {at} calls it, as it was installed")),
        Standing::Changed(diff) => {
            let lines: Vec<&str> =
                diff.lines().filter(|line| line.starts_with(['+', '-'])).map(str::trim).collect();
            let first = lines.first().copied().unwrap_or_default();
            Finding::problem(
                "hook",
                format!(
                    "{agent}: {at} calls it otherwise than it was installed: {} lines differ: {first}",
                    lines.len()
                ),
                again,
            )
        }
        Standing::Missing => {
            Finding::problem("hook", format!("{agent}: {at} does not call it: nothing is asked"), again)
        }
        Standing::Unreadable(why) => {
            Finding::problem("hook", format!("{agent}: {why}"), format!("put the file right; then {again}"))
        }
    }
}

/// Something that keeps the agent from asking, or that should be looked at.
pub(super) fn hazardous(agent: Agent, hazard: Hazard) -> Finding {
    let found = format!("{agent}: {}", hazard.found);
    match hazard.is_open {
        true => Finding::problem("hook", found, hazard.fix),
        false => Finding::warning("hook", found, hazard.fix),
    }
}

/// Starts the hook as the agent's own settings say, and tells it of a call that is always refused.
pub(super) fn try_it(agent: Agent, wiring: &dyn Wiring, entry: &Entry, patience: Duration) -> Vec<Finding> {
    let text = Foreign::read(&entry.settings);
    let text = text.ok().and_then(|file| file.text().map(str::to_owned)).unwrap_or_default();
    let wired = wiring.wired(&text, &entry.installation).unwrap_or_default();
    let mut found = Vec::new();
    for wired in wired.iter().filter(|wired| wired.event == wiring.deciding()) {
        let answered = wired.start.words().ok_or_else(|| "how it is started cannot be read".to_owned());
        let answered = answered.and_then(|words| {
            // Always the same place: a new one each time would leave a policy and a session behind for each.
            let cwd = entry.installation.with_file_name("canary");
            std::fs::create_dir_all(&cwd).map_err(|error| error.to_string())?;
            let cwd = cwd.canonicalize().map_err(|error| error.to_string())?;
            spawn::ask_hook(&words, &wiring.canary(&cwd).to_string(), &cwd, patience)
        });
        found.push(canary(agent, wiring, &answered));
    }
    if found.is_empty() {
        let what = format!("{agent}: no hook is asked at {}, where calls are decided", wiring.deciding());
        found.push(Finding::problem("canary", what, format!("run `sekisho install {agent}`")));
    }
    found
}

/// Whether the agent would have been stopped, and by the rule that stops it.
pub(super) fn canary(agent: Agent, wiring: &dyn Wiring, answered: &Result<Answered, String>) -> Finding {
    let fix = format!(
        "run it by hand (`sekisho status {agent} --json` says where it is), or `sekisho install {agent}`"
    );
    let answered = match answered {
        Ok(answered) => answered,
        Err(why) => {
            return Finding::problem("canary", format!("{agent}: the hook is not in the path: {why}"), fix);
        }
    };
    match wiring.blocked(answered) {
        Some(reason) if reason.contains(REASON) => Finding::ok(
            "canary",
            format!("{agent}: a call that is always refused was refused: the gate is in the path"),
        ),
        Some(reason) => Finding::problem(
            "canary",
            format!("{agent}: the hook blocks, but not by the rules: {}", on_one_line(&reason)),
            "do what it says: until then every call is blocked",
        ),
        None => {
            let code = answered.code.map_or("it was killed".to_owned(), |code| format!("exit code {code}"));
            let said = format!("{}{}", answered.stdout.trim(), answered.stderr.trim());
            let said: String = on_one_line(&said).chars().take(200).collect();
            Finding::problem(
                "canary",
                format!("{agent}: a call that is always refused would have run ({code}): {said}"),
                fix,
            )
        }
    }
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Programs that run whatever is typed into them later.
const INTERACTIVE: [&str; 6] = ["bash", "sh", "zsh", "python3", "node", "psql"];

/// Those of them that the rules in force here let an agent start without asking.
fn interactive(settings: &Settings) -> Vec<&'static str> {
    let Ok(workspace) = settings.workspace(None) else { return Vec::new() };
    let policy = Policy::compile(load(&settings.locations, &workspace).layers);
    let home = settings.locations.home.as_deref();
    let mut around = Surroundings::at(Timestamp::now());
    around.root = workspace.root.to_str().map(Into::into);
    around.home = home.and_then(Path::to_str).map(Into::into);
    let mut resolver = Resolver::new(home);
    let allowed = |program: &&str| {
        let call = Call {
            tool: "bash".into(),
            input: json!({ "command": program }),
            agent: Some(Named::proven(Agent::Codex.name())),
            cwd: workspace.cwd.to_str().map(Into::into),
            ..Call::default()
        };
        around.facts = resolver.look_up(&policy, &needs(&policy, &call), around.root.as_deref());
        judge(&policy, &call, &around).decision == Decision::Allow
    };
    INTERACTIVE.into_iter().filter(allowed).collect()
}

/// Codex asks no hook about what it types into a program that runs already.
pub(super) fn unseen(programs: &[&str]) -> Option<Finding> {
    let first = programs.first()?;
    Some(Finding::warning(
        "hook",
        format!(
            "codex: a rule allows `{first}` by itself, and Codex asks no hook about what it types into it then"
        ),
        format!("see `sekisho check bash {first}`, and make that rule narrower"),
    ))
}

/// The hook is asked twice about the same call.
pub(super) fn twice(agent: Agent, own: &[&Installation], project: &Path) -> Option<Finding> {
    let global = own.iter().any(|installation| installation.reach == Reach::Global);
    let here = own.iter().any(|installation| installation.reach == Reach::Project(project.into()));
    (global && here).then(|| {
        Finding::warning(
            "hook",
            format!(
                "{agent}: it is installed for every project and for this one: each call is asked about twice"
            ),
            format!("run `sekisho uninstall {agent} --project`"),
        )
    })
}

/// Settings that still call a hook which was never told how it is installed, or does not know it any more.
pub(super) fn lost(agent: Agent, homes: &Homes, state: &Path, project: &Path) -> Option<Finding> {
    let reaches = [Reach::Global, Reach::Project(project.into())];
    let places = reaches.iter().filter_map(|reach| wiring(agent).settings(homes, reach).ok());
    let calls = |settings: &PathBuf| {
        let file = Foreign::read(settings).ok();
        let text = file.as_ref().and_then(|file| file.text()).unwrap_or_default();
        let installation = Installations::at(state).path(agent.name(), settings);
        wiring(agent).wired(text, &installation).is_ok_and(|wired| !wired.is_empty())
    };
    let settings = places.into_iter().find(calls)?;
    let what = format!(
        "{agent}: {} calls a hook whose installation is gone: it blocks every call",
        settings.display()
    );
    Some(Finding::problem("hook", what, format!("run `sekisho install {agent}`")))
}

/// An agent that is used here and asks nobody.
pub(super) fn free(agent: Agent, home: &str) -> Finding {
    Finding::warning(
        "hook",
        format!("{agent}: {home} is there, and no hook is installed: what it does is not asked about"),
        format!("run `sekisho install {agent}`"),
    )
}

fn unreadable(path: &Path, why: &str) -> Finding {
    Finding::problem(
        "hook",
        format!("an installation cannot be read, so its hook blocks every call: {why}"),
        format!(
            "install the hook again with `sekisho install`; if that leaves it, remove {}",
            path.display()
        ),
    )
}
