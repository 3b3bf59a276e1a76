//! Reads agents' settings files.

use std::path::Path;

/// The text of a settings file; `None` if there is none or it cannot be read.
pub(super) fn read_settings_text(path: &Path) -> Option<String> {
    sekisho_host::AgentSettingsFile::read(path).ok()?.text().map(str::to_owned)
}
