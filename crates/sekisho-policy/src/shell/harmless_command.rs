//! Whether the program table knows a command to be harmless.

use sekisho_shell::programs::{CommandProfile, ObstacleCode};

/// Whether the table finds nothing harmful in the command itself. The commands that it runs, and the
/// directories that it works in, are judged separately.
pub(super) fn is_harmless(profile: &CommandProfile) -> bool {
    match &profile.harmless {
        Ok(()) => true,
        Err(obstacle) => matches!(obstacle.code, ObstacleCode::Executes | ObstacleCode::Directory),
    }
}
