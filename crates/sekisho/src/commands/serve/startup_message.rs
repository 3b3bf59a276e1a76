//! The startup message: addresses, policy files and warnings.

use std::io::Write;
use std::path::Path;

use sekisho_host::{LayerFileState, LoadedLayers};
use sekisho_policy::LayerKind;

use super::logging::ConsoleFormat;
use crate::terminal::{shorten_path, style, visible, wrap_after_label};

pub(super) struct StartupMessage {
    pub(super) addresses: Vec<String>,
    pub(super) database: String,
    pub(super) policy: Vec<PolicyFile>,
    /// Number of rules in the database.
    pub(super) stored_rules: usize,
    pub(super) hazards: Vec<String>,
}

/// A file that can hold rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PolicyFile {
    layer: &'static str,
    path: String,
    rules: usize,
    /// Empty if all its rules apply.
    note: &'static str,
}

/// The files of these layers, each once, with what was found there. A directory without a file is left out,
/// unless a file is expected there.
pub(super) fn policy_files(
    loaded: &[LoadedLayers],
    expected: &[std::path::PathBuf],
    home: Option<&Path>,
) -> Vec<PolicyFile> {
    let mut files: Vec<PolicyFile> = Vec::new();
    for loaded in loaded {
        for source in &loaded.sources {
            let expected = source.kind != LayerKind::Project || expected.contains(&source.path);
            if source.state == LayerFileState::Absent && !expected {
                continue;
            }
            let name = source.path.to_string_lossy();
            let layers = loaded.layers.loaded.iter();
            let rules = layers
                .filter(|layer| layer.kind == source.kind && *layer.name == *name)
                .map(|layer| layer.rules.len())
                .sum();
            let note = match source.state {
                LayerFileState::Absent => "no file",
                LayerFileState::Active => "",
                LayerFileState::NotTrusted => {
                    "not trusted: its allow rules do not apply; run `sekisho trust`"
                }
                LayerFileState::OnlyTightens => "not at a registered root: its allow rules do not apply",
                LayerFileState::Broken(_) => "does not load",
            };
            let file = PolicyFile { layer: source.kind.name(), path: shorten_path(&name, home), rules, note };
            if !files.iter().any(|known| known.path == file.path) {
                files.push(file);
            }
        }
    }
    files
}

impl StartupMessage {
    /// Writes the message to standard error.
    pub(super) fn emit(&self, voice: ConsoleFormat) {
        match voice {
            // An unreadable message is no reason to stop the server.
            ConsoleFormat::Text => drop(self.write(&mut anstream::stderr().lock())),
            ConsoleFormat::Json => self.log(),
        }
    }

    fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        let (strong, faint, red) = (style::STRONG, style::FAINT, style::DENY);
        writeln!(out, "{strong}sekisho{strong:#} {}", env!("CARGO_PKG_VERSION"))?;
        for (number, place) in self.addresses.iter().enumerate() {
            let label = if number == 0 { "listens" } else { "" };
            writeln!(out, "{faint}{label:<9}{faint:#} {}", visible(place))?;
        }
        writeln!(out, "{faint}{:<9}{faint:#} {}", "database", visible(&self.database))?;
        for (number, file) in self.policy.iter().enumerate() {
            let label = if number == 0 { "policy" } else { "" };
            let note = if file.note.is_empty() { String::new() } else { format!(" ({})", file.note) };
            let count =
                if file.note == "no file" { String::new() } else { format!(", {}", rules(file.rules)) };
            writeln!(
                out,
                "{faint}{label:<9}{faint:#} {:<9} {}{count}{faint}{note}{faint:#}",
                file.layer,
                visible(&file.path)
            )?;
        }
        writeln!(out, "{:<9} {:<9} {}", "", "database", rules(self.stored_rules))?;
        for hazard in &self.hazards {
            let hazard = wrap_after_label(&visible(hazard), 10);
            writeln!(out, "{red}unsafe{red:#}    {red}{hazard}{red:#}")?;
        }
        out.flush()
    }

    fn log(&self) {
        for place in &self.addresses {
            tracing::info!(place, "listens");
        }
        tracing::info!(place = self.database, "database");
        for file in &self.policy {
            tracing::info!(
                layer = file.layer,
                file = file.path,
                rules = file.rules,
                note = file.note,
                "policy file"
            );
        }
        tracing::info!(rules = self.stored_rules, "stored rules");
        for hazard in &self.hazards {
            tracing::warn!(hazard, "unsafe");
        }
    }
}

fn rules(count: usize) -> String {
    if count == 1 { "1 rule".into() } else { format!("{count} rules") }
}

/// Prints the sign-in link, or how to create one. The link goes to standard output, alone on its line: it is
/// for the person who started the server, not for a log.
pub(super) fn print_sign_in_link(voice: ConsoleFormat, link: Option<&str>) {
    let how = "sekisho token link --role admin --name browser";
    match (voice, link) {
        (ConsoleFormat::Text, Some(_)) => {
            let _ = writeln!(
                anstream::stderr(),
                "Open this link within an hour to sign in as admin; it works once:"
            );
        }
        (ConsoleFormat::Text, None) => {
            let faint = style::FAINT;
            let _ = writeln!(
                anstream::stderr(),
                "{faint}Sign in another browser or a phone with `{how}`.{faint:#}"
            );
        }
        (ConsoleFormat::Json, Some(_)) => {
            tracing::info!("a link to sign in as admin is on standard output; it works once, within an hour")
        }
        (ConsoleFormat::Json, None) => tracing::info!(command = how, "this signs in another browser"),
    }
    if let Some(link) = link {
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "{link}").and_then(|()| out.flush());
    }
}
