//! Words by which the commands of clouds, containers and deployed services say that they remove something.
//!
//! These programs have thousands of subcommands, which are not in the table. What removes is called alike in all of them.

use super::command_profile::ProgramDanger;
use super::danger_code::DangerCode;
use super::shared_enums::ProgramDangerLevel;
use crate::word::Word;

/// Verbs. They may have an object: `delete-table`, `apps:destroy`.
const VERBS: &[&str] =
    &["del", "delete", "destroy", "drop", "prune", "purge", "remove", "rm", "terminate", "uninstall"];
/// Verbs that mean something else with an object (`reset-windows-password`).
const WHOLE_VERBS: &[&str] = &["erase", "flush", "rb", "reset", "rmi", "undefine", "wipe"];
/// Options that make a command remove what it does not name.
const OPTIONS: &[&str] = &["--delete", "--prune", "--purge"];
/// How many words after the program are looked at: later ones are names.
const LOOKED_AT: usize = 8;

/// The danger of a command that removes something, and the word that says so. `known` is the danger of the program.
pub(super) fn danger_of_removal(
    known: Option<&ProgramDanger>,
    words: &[Word],
) -> Option<(ProgramDanger, usize)> {
    let known = known.filter(|known| known.level == ProgramDangerLevel::Caution)?;
    let code = match known.code {
        DangerCode::ActsOnCloud | DangerCode::ActsOnDeployments => DangerCode::DeletesCloudResources,
        DangerCode::ActsOnCloudStorage => DangerCode::DeletesStoredData,
        DangerCode::ActsOnCluster | DangerCode::ChangesCluster => DangerCode::DeletesClusterResources,
        DangerCode::ActsOnImagesOrVolumes => DangerCode::RemovesImagesOrVolumes,
        DangerCode::ActsOnContainersOrMachines | DangerCode::RunsVirtualMachines => {
            DangerCode::RemovesContainersOrMachines
        }
        DangerCode::ActsOnGithub | DangerCode::ActsOnForge | DangerCode::CallsGithubApi => {
            DangerCode::DeletesOnForge
        }
        _ => return None,
    };
    let mut looked_at = words.iter().enumerate().skip(1).take(LOOKED_AT);
    let (word, _) = looked_at.find(|(_, word)| word.literal().is_some_and(|text| removes(&text)))?;
    Some((ProgramDanger { level: ProgramDangerLevel::Danger, code }, word))
}

fn removes(word: &str) -> bool {
    if word.starts_with('-') {
        return OPTIONS.contains(&word);
    }
    let word = word.to_lowercase();
    let verb = word.rsplit(':').next().unwrap_or_default();
    WHOLE_VERBS.contains(&verb) || VERBS.contains(&verb.split('-').next().unwrap_or_default())
}
