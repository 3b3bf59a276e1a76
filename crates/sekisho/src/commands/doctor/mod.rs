//! `sekisho doctor`: checks this installation.
//!
//! Each check is a function over plain values, so that tests can make each one fail. This file only collects
//! the values.

mod diagnostic;
mod file_checks;
pub(crate) mod health_probe;
#[cfg(test)]
mod hook_check_tests;
mod hook_checks;
mod record_checks;
mod server_checks;
mod system_checks;
#[cfg(test)]
mod tests;

use std::io::Write;
use std::path::Path;

use anstyle::Style;
use jiff::Timestamp;
use rustix::process::{Resource, getrlimit};
use sekisho_gate::audit::AuditQuery;
use sekisho_host::{LayerFileState, load_layers};
use sekisho_policy::LayerKind;
use sekisho_tools::SandboxLevel;

use crate::commands::audit::blocking_store::{self, BlockingStore};
use crate::commands::serve::FileOwnership;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::{Database, ServerConfig, ServerOptions, Settings};
use crate::terminal::{self, shorten_path, style, visible};

use diagnostic::{Diagnostic, Severity};

/// Check this installation: files, trust, permissions, audit log, server, hooks, machine
///
/// One line per check, with a fix where something is wrong. Changes nothing. Every installed hook is started
/// as its agent would start it, with a test call that is always denied; the audit log marks that call as a
/// test (`canary`). Exit code 1 if something does not work or is not safe.
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
    let (mut settings, fault) = Settings::load_lenient()?;
    let server_file =
        fault.as_ref().map_or(Ok(settings.server_config_path.exists()), |fault| Err(fault.message.as_str()));
    let home = settings.locations.home.clone();
    let mut found = vec![file_checks::server_file(
        &shorten_path(&settings.server_config_path.to_string_lossy(), home.as_deref()),
        server_file,
    )];
    let serving = settings.resolve_server_config(ServerOptions::default());
    if fault.is_none() {
        let told = serving.as_ref().map(|serving| serving.asks).map_err(|failure| failure.message.as_str());
        found.push(system_checks::check_server_settings(told));
    }
    policy(&settings, &mut found)?;
    permissions(&settings, serving.as_ref().ok(), &mut found);
    the_record(&settings, &mut found);
    if let Ok(serving) = &serving {
        doors(serving, home.as_deref(), &mut found);
    }
    hook_checks::check_hooks(&settings, &settings.workspace(None)?.root, &mut found);
    the_machine(&settings, &mut found);
    if args.json {
        let mut out = terminal::stdout();
        serde_json::to_writer_pretty(&mut out, &found)?;
        writeln!(out)?;
    } else {
        write(&found)?;
    }
    let ill = found.iter().any(|finding| finding.level == Severity::Problem);
    Ok(if ill { Exit::Failure } else { Exit::Ok })
}

fn write(found: &[Diagnostic]) -> Result<(), Failure> {
    let mut out = terminal::stdout();
    let faint = style::FAINT;
    for finding in found {
        let (style, mark) = match finding.level {
            Severity::Ok => (style::ALLOW, "✓"),
            Severity::Warning => (style::CONFIRM, "!"),
            Severity::Problem => (style::DENY, "✗"),
        };
        writeln!(
            out,
            "{style}{mark}{style:#} {faint}{:<14}{faint:#} {}",
            finding.check,
            terminal::wrap_on_stdout(&visible(&finding.found), 17)
        )?;
        if let Some(fix) = &finding.fix {
            writeln!(out, "  {:<14} {faint}→{faint:#} {}", "", terminal::wrap_on_stdout(&visible(fix), 19))?;
        }
    }
    let (style, verdict) = verdict(found);
    writeln!(out, "\n{style}{verdict}{style:#}")?;
    Ok(())
}

/// All of it in one sentence.
fn verdict(found: &[Diagnostic]) -> (Style, String) {
    let count = |level: Severity| found.iter().filter(|finding| finding.level == level).count();
    let several = |count: usize, noun: &str| match count {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    };
    let warnings = match count(Severity::Warning) {
        0 => String::new(),
        count => format!("; {} to look at, marked !", several(count, "thing")),
    };
    match count(Severity::Problem) {
        0 => (style::ALLOW, format!("Everything works{warnings}.")),
        problems => {
            let (does, is) = if problems == 1 { ("does", "is") } else { ("do", "are") };
            let things = several(problems, "thing");
            (style::DENY, format!("{things} {does} not work or {is} not safe, marked ✗{warnings}."))
        }
    }
}

fn policy(settings: &Settings, found: &mut Vec<Diagnostic>) -> Result<(), Failure> {
    let workspace = settings.workspace(None)?;
    let loaded = load_layers(&settings.locations, &workspace);
    let home = settings.locations.home.as_deref();
    for source in &loaded.sources {
        let at_root = source.path == workspace.config();
        if source.state == LayerFileState::Absent && source.kind == LayerKind::Project && !at_root {
            continue;
        }
        let name = source.path.to_string_lossy();
        let layers = loaded.layers.loaded.iter().filter(|layer| *layer.name == *name);
        let shown = shorten_path(&name, home);
        found.push(file_checks::config(
            source.kind,
            &shown,
            &source.state,
            layers.map(|layer| layer.rules.len()).sum(),
        ));
        if at_root {
            found.push(file_checks::trust(&shown, &source.state, &loaded.problems));
        }
    }
    Ok(())
}

fn permissions(settings: &Settings, serving: Option<&ServerConfig>, found: &mut Vec<Diagnostic>) {
    let me = rustix::process::geteuid().as_raw();
    let state = &settings.locations.state;
    let mut all = vec![
        ("state directory", state.clone(), true),
        ("audit key", state.join("audit.key"), true),
        ("trust file", state.join("trust.json"), false),
        ("config", settings.locations.global.clone(), false),
        (
            "server config",
            settings.server_config_path.clone(),
            matches!(settings.database, Database::Postgres(_)),
        ),
    ];
    if let Database::Sqlite(path) = &settings.database {
        all.push(("database", path.clone(), true));
    }
    if let Some(serving) = serving {
        all.extend(serving.socket.iter().map(|socket| ("socket", socket.clone(), true)));
        all.extend(serving.tls.iter().map(|tls| ("TLS key", tls.key.clone(), true)));
    }
    for (what, path, private) in all {
        let owned = FileOwnership::look(&path, settings.locations.home.as_deref());
        found.push(file_checks::permissions(what, owned.as_ref(), me, private));
    }
}

/// How many of the newest records are checked.
const NEWEST: usize = 200;

fn the_record(settings: &Settings, found: &mut Vec<Diagnostic>) {
    let now = Timestamp::now();
    let place = blocking_store::database_location(settings);
    let version = match &settings.database {
        Database::Sqlite(path) => sekisho_store::sqlite::version(path).map_err(|error| error.to_string()),
        Database::Postgres(address) => blocking_store::postgres_schema_version(address)
            .map(|version| Some(version).filter(|version| version.found > 0))
            .map_err(|failure| failure.message),
    };
    let keys = blocking_store::load_keys(settings).map_err(|failure| failure.message);
    let has_key = keys.as_ref().map(Option::is_some).map_err(String::as_str);
    found.push(record_checks::version(
        &place,
        version.as_ref().map(|version| *version).map_err(String::as_str),
    ));
    // Opening an older database would migrate it, and doctor changes nothing.
    let current = matches!(version, Ok(Some(version)) if version.found == version.known);
    if !current {
        let rows = (!matches!(version, Ok(None))).then_some(0);
        found.push(record_checks::key(rows, has_key));
        found.push(record_checks::clock(now, None));
        return;
    }
    if let Database::Sqlite(path) = &settings.database {
        let said = sekisho_store::sqlite::integrity_check(path).map_err(|error| error.to_string());
        found.push(record_checks::integrity_check(said.as_deref().map_err(String::as_str)));
    }
    let read = BlockingStore::open_for_reading(settings).and_then(|book| {
        let rows = book.block_on_ledger(book.audit().count())?;
        let newest = AuditQuery { checkpoints: true, limit: NEWEST, ..AuditQuery::default() };
        let newest = book.block_on_ledger(book.audit().search(newest))?;
        let tokens = book.block_on_ledger(book.tokens().tokens())?;
        Ok((rows, newest, tokens, book.block_on_ledger(book.tokens().open_links(now))?))
    });
    found.push(record_checks::opens(read.as_ref().map(|_| ()).map_err(|failure| failure.message.as_str())));
    let Ok((rows, newest, tokens, links)) = read else { return };
    found.push(record_checks::key(Some(rows), has_key));
    if let Ok(Some(keys)) = &keys {
        found.push(record_checks::rows(&newest, keys));
    }
    found.push(record_checks::clock(now, newest.iter().map(sekisho_gate::audit::ChainRow::at).max()));
    found.push(record_checks::approver(&tokens, links, now));
}

fn doors(serving: &ServerConfig, home: Option<&Path>, found: &mut Vec<Diagnostic>) {
    let shown = serving.socket.as_ref().map(|path| shorten_path(&path.to_string_lossy(), home));
    let answer =
        serving.socket.as_deref().map_or(health_probe::ProbeResult::NoAnswer, health_probe::probe_socket);
    let served = matches!(answer, health_probe::ProbeResult::Sekisho(_));
    found.push(server_checks::check_socket(shown.as_deref(), &answer));
    let tls = serving.tls.is_some();
    let at_port = health_probe::probe_tcp(serving.local_address(), tls);
    found.push(server_checks::check_port(&serving.local_address().to_string(), &at_port, served, tls));
}

fn the_machine(settings: &Settings, found: &mut Vec<Diagnostic>) {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let sandbox = crate::commands::sandbox::detect();
    found.push(match &sandbox {
        Ok(sandbox) => system_checks::sandbox(sandbox.level(), sandbox.why()),
        Err(failure) => system_checks::sandbox(SandboxLevel::None, Some(&failure.message)),
    });
    found.push(system_checks::seccomp(read("/proc/self/status").as_deref()));
    found.push(system_checks::namespaces(
        read("/proc/sys/user/max_user_namespaces").as_deref(),
        read("/proc/sys/kernel/unprivileged_userns_clone").as_deref(),
        read("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").as_deref(),
    ));
    let place = match &settings.database {
        Database::Sqlite(path) => path,
        // The server manages its own disk; hooks write to this one.
        Database::Postgres(_) => &settings.locations.state,
    };
    // If the directory does not exist yet, check its nearest existing parent.
    let there = place.ancestors().find(|path| path.exists());
    let free = there.and_then(|path| rustix::fs::statvfs(path).ok());
    found.push(system_checks::disk(free.map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize))));
    found.push(system_checks::open_files(getrlimit(Resource::Nofile).maximum));
    found.push(system_checks::check_user(rustix::process::geteuid().as_raw()));
}
