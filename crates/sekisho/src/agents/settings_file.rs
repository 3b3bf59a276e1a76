//! Reading the files of agents.

use std::path::Path;

/// The text of a settings file, where there is one that can be read.
pub(super) fn read_settings_text(path: &Path) -> Option<String> {
    sekisho_host::AgentSettingsFile::read(path).ok()?.text().map(str::to_owned)
}
