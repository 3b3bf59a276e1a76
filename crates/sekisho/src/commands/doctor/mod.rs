//! `sekisho doctor`: is this installation sound?
//!
//! Each check is a function over plain values, so that each can be shown to fail. Here is only what is looked at.

mod door;
mod files;
mod finding;
#[cfg(test)]
mod hook_tests;
mod hooks;
pub(crate) mod knock;
mod machine;
mod record;
#[cfg(test)]
mod tests;

use std::io::Write;
use std::path::Path;

use anstyle::Style;
use jiff::Timestamp;
use rustix::process::{Resource, getrlimit};
use sekisho_gate::audit::Query;
use sekisho_host::{State, load};
use sekisho_policy::LayerKind;

use crate::commands::audit::ledger::{self, Book};
use crate::commands::serve::Owned;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::{Database, Serving, Settings, Wishes};
use crate::terminal::{self, short, style, visible};

use finding::{Finding, Level};

/// Check this installation: files, trust, permissions, the record, the server, the hooks, the machine
///
/// One line each; where something is wrong, what to do about it. Nothing is changed. Every hook that is installed is tried with
/// a call that no rule allows, as its agent would start it; that is on the record, as a canary. Exit code 1 if something does
/// not work or is not safe.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho doctor
  sekisho doctor --json | jq '.[] | select(.level != \"ok\")'";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let (mut settings, fault) = Settings::look()?;
    let server_file =
        fault.as_ref().map_or(Ok(settings.server_config.exists()), |fault| Err(fault.message.as_str()));
    let home = settings.locations.home.clone();
    let mut found = vec![files::server_file(
        &short(&settings.server_config.to_string_lossy(), home.as_deref()),
        server_file,
    )];
    let serving = settings.serving(Wishes::default());
    if fault.is_none() {
        let told = serving.as_ref().map(|serving| serving.asks).map_err(|failure| failure.message.as_str());
        found.push(machine::told(told));
    }
    policy(&settings, &mut found)?;
    permissions(&settings, serving.as_ref().ok(), &mut found);
    the_record(&settings, &mut found);
    if let Ok(serving) = &serving {
        doors(serving, home.as_deref(), &mut found);
    }
    hooks::look(&settings, &settings.workspace(None)?.root, &mut found);
    the_machine(&settings, &mut found);
    if args.json {
        let mut out = terminal::stdout();
        serde_json::to_writer_pretty(&mut out, &found)?;
        writeln!(out)?;
    } else {
        write(&found)?;
    }
    let ill = found.iter().any(|finding| finding.level == Level::Problem);
    Ok(if ill { Exit::Failure } else { Exit::Ok })
}

fn write(found: &[Finding]) -> Result<(), Failure> {
    let mut out = terminal::stdout();
    let faint = style::FAINT;
    for finding in found {
        let (style, mark) = match finding.level {
            Level::Ok => (style::ALLOW, "✓"),
            Level::Warning => (style::CONFIRM, "!"),
            Level::Problem => (style::DENY, "✗"),
        };
        writeln!(
            out,
            "{style}{mark}{style:#} {faint}{:<14}{faint:#} {}",
            finding.check,
            visible(&finding.found)
        )?;
        if let Some(fix) = &finding.fix {
            writeln!(out, "  {:<14} {faint}→{faint:#} {}", "", visible(fix))?;
        }
    }
    let (style, verdict) = verdict(found);
    writeln!(out, "\n{style}{verdict}{style:#}")?;
    Ok(())
}

/// All of it in one sentence.
fn verdict(found: &[Finding]) -> (Style, String) {
    let count = |level: Level| found.iter().filter(|finding| finding.level == level).count();
    let several = |count: usize, noun: &str| match count {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    };
    let warnings = match count(Level::Warning) {
        0 => String::new(),
        count => format!("; {} to look at, marked !", several(count, "thing")),
    };
    match count(Level::Problem) {
        0 => (style::ALLOW, format!("Everything works{warnings}.")),
        problems => {
            let (does, is) = if problems == 1 { ("does", "is") } else { ("do", "are") };
            let things = several(problems, "thing");
            (style::DENY, format!("{things} {does} not work or {is} not safe, marked ✗{warnings}."))
        }
    }
}

fn policy(settings: &Settings, found: &mut Vec<Finding>) -> Result<(), Failure> {
    let workspace = settings.workspace(None)?;
    let loaded = load(&settings.locations, &workspace);
    let home = settings.locations.home.as_deref();
    for source in &loaded.sources {
        let at_root = source.path == workspace.config();
        if source.state == State::Absent && source.kind == LayerKind::Project && !at_root {
            continue;
        }
        let name = source.path.to_string_lossy();
        let layers = loaded.layers.loaded.iter().filter(|layer| *layer.name == *name);
        let shown = short(&name, home);
        found.push(files::config(
            source.kind,
            &shown,
            &source.state,
            layers.map(|layer| layer.rules.len()).sum(),
        ));
        if at_root {
            found.push(files::trust(&shown, &source.state, &loaded.problems));
        }
    }
    Ok(())
}

fn permissions(settings: &Settings, serving: Option<&Serving>, found: &mut Vec<Finding>) {
    let me = rustix::process::geteuid().as_raw();
    let state = &settings.locations.state;
    let mut all = vec![
        ("state directory", state.clone(), true),
        ("audit key", state.join("audit.key"), true),
        ("record of trust", state.join("trust.json"), false),
        ("config", settings.locations.global.clone(), false),
        ("server config", settings.server_config.clone(), matches!(settings.database, Database::Postgres(_))),
    ];
    if let Database::Sqlite(path) = &settings.database {
        all.push(("database", path.clone(), true));
    }
    if let Some(serving) = serving {
        all.extend(serving.socket.iter().map(|socket| ("socket", socket.clone(), true)));
        all.extend(serving.tls.iter().map(|tls| ("TLS key", tls.key.clone(), true)));
    }
    for (what, path, private) in all {
        let owned = Owned::look(&path, settings.locations.home.as_deref());
        found.push(files::permissions(what, owned.as_ref(), me, private));
    }
}

/// How many of the newest rows are looked at.
const NEWEST: usize = 200;

fn the_record(settings: &Settings, found: &mut Vec<Finding>) {
    let now = Timestamp::now();
    let place = ledger::place(settings);
    let version = match &settings.database {
        Database::Sqlite(path) => sekisho_store::sqlite::version(path).map_err(|error| error.to_string()),
        Database::Postgres(address) => ledger::version_at(address)
            .map(|version| Some(version).filter(|version| version.found > 0))
            .map_err(|failure| failure.message),
    };
    let keys = ledger::keys(settings).map_err(|failure| failure.message);
    let has_key = keys.as_ref().map(Option::is_some).map_err(String::as_str);
    found.push(record::version(&place, version.as_ref().map(|version| *version).map_err(String::as_str)));
    // An older database would be changed by opening it, and a doctor changes nothing.
    let current = matches!(version, Ok(Some(version)) if version.found == version.known);
    if !current {
        let rows = (!matches!(version, Ok(None))).then_some(0);
        found.push(record::key(rows, has_key));
        found.push(record::clock(now, None));
        return;
    }
    if let Database::Sqlite(path) = &settings.database {
        let said = sekisho_store::sqlite::soundness(path).map_err(|error| error.to_string());
        found.push(record::soundness(said.as_deref().map_err(String::as_str)));
    }
    let read = Book::read(settings).and_then(|book| {
        let rows = book.wait(book.audit().count())?;
        let newest = Query { checkpoints: true, limit: NEWEST, ..Query::default() };
        let newest = book.wait(book.audit().search(newest))?;
        let tokens = book.wait(book.tokens().tokens())?;
        Ok((rows, newest, tokens, book.wait(book.tokens().open_links(now))?))
    });
    found.push(record::opens(read.as_ref().map(|_| ()).map_err(|failure| failure.message.as_str())));
    let Ok((rows, newest, tokens, links)) = read else { return };
    found.push(record::key(Some(rows), has_key));
    if let Ok(Some(keys)) = &keys {
        found.push(record::rows(&newest, keys));
    }
    found.push(record::clock(now, newest.iter().map(sekisho_gate::audit::Row::at).max()));
    found.push(record::approver(&tokens, links, now));
}

fn doors(serving: &Serving, home: Option<&Path>, found: &mut Vec<Finding>) {
    let shown = serving.socket.as_ref().map(|path| short(&path.to_string_lossy(), home));
    let answer = serving.socket.as_deref().map_or(knock::Answer::Nobody, knock::over_socket);
    let served = matches!(answer, knock::Answer::Ours(_));
    found.push(door::socket(shown.as_deref(), &answer));
    let tls = serving.tls.is_some();
    let at_port = knock::over_tcp(serving.here(), tls);
    found.push(door::port(&serving.here().to_string(), &at_port, served, tls));
}

fn the_machine(settings: &Settings, found: &mut Vec<Finding>) {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let modules = read("/sys/kernel/security/lsm");
    found.push(machine::landlock(modules.as_deref()));
    found.push(machine::seccomp(read("/proc/self/status").as_deref()));
    found.push(machine::namespaces(
        read("/proc/sys/user/max_user_namespaces").as_deref(),
        read("/proc/sys/kernel/unprivileged_userns_clone").as_deref(),
        read("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").as_deref(),
    ));
    let place = match &settings.database {
        Database::Sqlite(path) => path,
        // Where it lies there is its own affair; hooks write here.
        Database::Postgres(_) => &settings.locations.state,
    };
    // Of a directory that is not there yet, the nearest one that is.
    let there = place.ancestors().find(|path| path.exists());
    let free = there.and_then(|path| rustix::fs::statvfs(path).ok());
    found.push(machine::disk(free.map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize))));
    found.push(machine::open_files(getrlimit(Resource::Nofile).maximum));
    found.push(machine::user(rustix::process::geteuid().as_raw()));
}
