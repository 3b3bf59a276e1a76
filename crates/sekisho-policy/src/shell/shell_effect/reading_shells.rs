//! Shells that read the commands that come next: the texts that follow would run in them.

use sekisho_shell::script::{Redirect, RedirectKind, ScriptItem};
use sekisho_shell::word::{Piece, Word};

use super::super::execution_plan::{ExecutionPlan, Step};

/// How many programs that run one another are followed. A plan has fewer.
const MOST_PARENTS: usize = 256;
/// Shells, which read what follows if they are given nothing else.
const SHELLS: [&str; 7] = ["ash", "bash", "dash", "fish", "ksh", "sh", "zsh"];
/// Long options of shells that take the next word.
const VALUED: [&str; 4] = ["--init-file", "--rcfile", "-init-file", "-rcfile"];
/// Programs that run another one on another machine, in a container or in another terminal. The shell of `su` is found by
/// itself.
const ELSEWHERE: [&str; 22] = [
    "adb",
    "at",
    "autossh",
    "batch",
    "distrobox",
    "docker",
    "docker-compose",
    "k",
    "kubectl",
    "lxc",
    "mosh",
    "nerdctl",
    "oc",
    "podman",
    "podman-compose",
    "screen",
    "ssh",
    "su",
    "tmux",
    "toolbox",
    "vagrant",
    "xterm",
];

pub(super) fn is_shell(program: &str) -> bool {
    SHELLS.contains(&file_name(program))
}

fn file_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or_default()
}

/// Whether a command reads what follows: it runs beside the shell, with its input.
pub(super) fn reads_what_follows(plan: &ExecutionPlan, step: &Step) -> bool {
    let Some((name, arguments)) = step.words.split_first() else { return false };
    let Some(program) = name.literal() else { return false };
    reads_commands(plan, &program, arguments) && runs_beside(plan, step) && !has_own_input(plan, step)
}

/// Whether a program reads commands from its input: a shell without a script, or another user's shell.
fn reads_commands(plan: &ExecutionPlan, program: &str, arguments: &[Word]) -> bool {
    let known = || arguments.iter().filter_map(Word::literal);
    if known().any(|word| matches!(word.as_ref(), "--version" | "--help")) {
        return false;
    }
    let has_text = known().any(|word| {
        let is_group = word.starts_with('-') && !word.starts_with("--") && word.contains('c');
        word == "--command" || is_group && !matches!(word.as_ref(), "-norc" | "-rcfile")
    });
    match file_name(program) {
        "su" => !has_text,
        "newgrp" => true,
        "doas" | "sudo" => begins_a_shell(arguments),
        // A program of the project may have this name.
        "script" if matches!(program, "script" | "/usr/bin/script" | "/bin/script") => {
            let is_operand = |word: &&Word| !word.prefix().starts_with('-');
            !has_text && arguments.iter().filter(is_operand).count() < 2
        }
        _ if is_shell(program) => {
            !has_text && (known().any(|word| word == "-s") || !has_script(plan, arguments))
        }
        _ => false,
    }
}

/// Whether the options of `sudo` ask for a shell, and no command follows.
fn begins_a_shell(arguments: &[Word]) -> bool {
    const VALUED: &str = "CDRTUghprtu";
    let mut is_value = false;
    let mut asks = false;
    let has_command = arguments.iter().any(|word| {
        let text = word.literal().unwrap_or_default();
        if std::mem::take(&mut is_value) {
            return false;
        }
        let group = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        asks |= matches!(text.as_ref(), "--login" | "--shell")
            || group.is_some_and(|letters| letters.contains(['i', 's']));
        is_value = group.and_then(|letters| letters.chars().next_back()).is_some_and(|c| VALUED.contains(c))
            || matches!(text.as_ref(), "--user" | "--group" | "--host" | "--prompt" | "--chdir" | "--chroot");
        !text.starts_with('-') && !text.contains('=')
    });
    asks && !has_command
}

/// Whether a shell gets the name of a script.
fn has_script(plan: &ExecutionPlan, words: &[Word]) -> bool {
    let mut is_value = false;
    words.iter().any(|word| {
        let start = word.prefix();
        let is_option = start.starts_with(['-', '+']);
        let is_script = !is_value && !is_option && !may_be_nothing(plan, word);
        // `-eo pipefail`
        let is_group = is_option && !start.starts_with("--") && start.contains(['o', 'O']);
        is_value = is_group || VALUED.contains(&start);
        is_script
    })
}

/// Whether no argument may come of a word.
fn may_be_nothing(plan: &ExecutionPlan, word: &Word) -> bool {
    let is_nothing = |piece: &Piece| match piece {
        Piece::Variable { name, quoted } => !quoted && !plan.variables.contains(name),
        Piece::Substitution { quoted } | Piece::Unknown { quoted } => !quoted,
        Piece::Literal(_) | Piece::Glob(_) | Piece::Tilde(_) | Piece::Process => false,
    };
    !word.pieces.is_empty() && word.pieces.iter().all(is_nothing)
}

/// Whether a command runs beside the shell: not in a container, and not on another machine.
fn runs_beside(plan: &ExecutionPlan, step: &Step) -> bool {
    with_parents(plan, step).skip(1).all(|parent| {
        let name = parent.words.first().and_then(Word::literal);
        name.is_none_or(|name| !ELSEWHERE.contains(&file_name(&name)))
    })
}

/// Whether the input of a command, or of a program that runs it, is not that of the shell.
fn has_own_input(plan: &ExecutionPlan, step: &Step) -> bool {
    with_parents(plan, step).any(|step| step.command.is_some_and(|at| is_fed(plan, step.text, at)))
}

/// Whether a command of a text has a redirect of its input, or is behind a pipe.
fn is_fed(plan: &ExecutionPlan, text: usize, at: usize) -> bool {
    let Some(text) = plan.texts.get(text) else { return false };
    let redirects =
        text.script.commands.get(at).map(|command| command.redirects.as_slice()).unwrap_or_default();
    let items = text.script.items.iter();
    let before: Vec<&ScriptItem> =
        items.take_while(|item| !matches!(item, ScriptItem::Command(command) if *command == at)).collect();
    let joint = before.iter().rev().find_map(|item| match item {
        ScriptItem::Operator(operator) => Some(*operator),
        ScriptItem::Command(_) => Some(""),
        _ => None,
    });
    redirects.iter().filter_map(|at| text.script.redirects.get(*at)).any(feeds)
        || matches!(joint, Some("|" | "|&"))
}

/// Whether a redirect gives a command another input. A device may be that of the shell.
fn feeds(redirect: &Redirect) -> bool {
    let target = redirect.target.prefix();
    let is_device = target.starts_with("/proc/") || target.starts_with("/dev/") && target != "/dev/null";
    let is_input = match redirect.kind {
        RedirectKind::Read => !is_device,
        RedirectKind::HereDocument | RedirectKind::HereString => true,
        _ => false,
    };
    is_input && redirect.operator.trim_start_matches('0').starts_with('<')
}

/// A command, the one that runs it, and so on.
pub(super) fn with_parents<'p>(plan: &'p ExecutionPlan, step: &'p Step) -> impl Iterator<Item = &'p Step> {
    std::iter::successors(Some(step), move |step| plan.steps.get(step.parent?)).take(MOST_PARENTS)
}
