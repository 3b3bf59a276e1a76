//! Commands that run in a container: `docker run alpine env` prints the environment of the container, not that of sekisho.

use sekisho_shell::word::Word;

/// Programs that run a command in a container, and their subcommands that do.
const RUNNERS: [&str; 5] = ["docker", "docker-compose", "kubectl", "nerdctl", "podman"];
const SUBCOMMANDS: [&str; 2] = ["exec", "run"];

/// Whether a command runs in the container that another command names.
pub(super) fn is_inside(command: &[Word], outer: &[Word]) -> bool {
    let (Some(command), Some(outer)) = (literals(command), literals(outer)) else { return false };
    let (Some(program), Some(before)) = (outer.first(), outer.strip_suffix(command.as_slice())) else {
        return false;
    };
    // Behind the subcommand stands the name of a container or of an image.
    let subcommand = before.iter().position(|word| SUBCOMMANDS.contains(&word.as_str()));
    let is_named = subcommand.is_some_and(|at| before.len() > at + 1);
    !command.is_empty() && RUNNERS.contains(&program.as_str()) && is_named
}

/// Whether a command is given to a program that runs it in a container.
pub(super) fn is_container(words: &[Word]) -> bool {
    words.first().and_then(Word::literal).is_some_and(|name| RUNNERS.contains(&name.as_ref()))
}

fn literals(words: &[Word]) -> Option<Vec<String>> {
    words.iter().map(|word| word.literal().map(|text| text.into_owned())).collect()
}
