//! Which program a name means, and where it comes from.

use std::path::Path;

use super::command_profile::ProgramLocation;
use super::program_entry::ProgramEntry;
use crate::word::{Piece, Word};

/// Where a project's package managers put programs.
const PROJECT: [&str; 3] = ["node_modules/.bin", ".venv/bin", "venv/bin"];
/// Where projects keep programs of their own. Other directories may have one of these names.
const OWN: [&str; 4] = ["bin", "./bin", "vendor/bin", "./vendor/bin"];
/// Scripts that projects keep to start a build tool in the version that they name.
const WRAPPERS: [&str; 2] = ["gradlew", "mvnw"];
const SYSTEM: [&str; 6] = ["/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/usr/local/sbin"];

/// Looks up programs and subcommands.
pub(super) trait ProgramLookup {
    /// The program with this name.
    fn program(&self, name: &str) -> Option<&ProgramEntry>;
    /// The subcommand with this name.
    fn subcommand<'t>(&'t self, of: &'t ProgramEntry, name: &str) -> Option<&'t ProgramEntry>;
}

/// Where a program is, and its name without the directory.
pub(super) fn locate(path: &str) -> (ProgramLocation, &str) {
    match path.rsplit_once('/') {
        None => (ProgramLocation::Bare, path),
        Some((directory, name)) if SYSTEM.contains(&directory) => (ProgramLocation::SystemDirectory, name),
        Some((_, name)) if WRAPPERS.contains(&name) => (ProgramLocation::ProjectDirectory, name),
        Some((directory, name)) if OWN.contains(&directory) => (ProgramLocation::ProjectDirectory, name),
        Some((directory, name)) if PROJECT.iter().any(|known| Path::new(directory).ends_with(known)) => {
            (ProgramLocation::ProjectDirectory, name)
        }
        Some((_, name)) => (ProgramLocation::Elsewhere, name),
    }
}

/// The name at the end of a path whose beginning is computed.
pub(super) fn last_component(word: &Word) -> Option<String> {
    let Some(Piece::Literal(text)) = word.pieces.last() else { return None };
    let (_, name) = text.rsplit_once('/')?;
    (!name.is_empty()).then(|| name.to_owned())
}

/// `python3.12` is python and `mkfs.ext4` is mkfs, if the table allows it.
pub(super) fn versioned<'t>(programs: &'t dyn ProgramLookup, name: &str) -> Option<&'t ProgramEntry> {
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let stem = name.split('.').next().unwrap_or_default();
    [bare, stem].into_iter().filter_map(|name| programs.program(name)).find(|entry| entry.data.versioned)
}
