//! Everything that a shell text would run, for checks other than rules.

use sekisho_shell::Budget;
use sekisho_shell::programs::CommandProfile;
use sekisho_shell::word::Word;

use super::execution_plan::ExecutionPlan;

/// Everything that a shell text would run, as far as it can be known.
#[derive(Clone, Debug)]
pub struct PlannedCommands {
    /// Every simple command at any depth. The inner command of a wrapper follows it. Text that does not parse
    /// contributes every command that it may contain.
    pub commands: Vec<PlannedCommand>,
    /// The targets of all redirects.
    pub redirect_targets: Vec<Word>,
    /// Every assignment: the variable and the value.
    pub assignments: Vec<(String, Word)>,
    /// Some command is run but not listed: it is computed, or read from elsewhere.
    pub has_unknown: bool,
    /// The text was too large; commands are missing.
    pub is_cut: bool,
}

/// One simple command.
#[derive(Clone, Debug)]
pub struct PlannedCommand {
    /// The program and its arguments.
    pub words: Vec<Word>,
    /// What is known about it.
    pub profile: CommandProfile,
}

/// Lists everything that a shell text would run.
pub fn planned_commands(text: &str) -> PlannedCommands {
    let plan = ExecutionPlan::within(Budget::default(), text, None, None);
    let (has_unknown, is_cut) = (!plan.is_complete(), plan.budget.is_spent());
    let steps = plan.steps.into_iter();
    let commands = steps.map(|step| PlannedCommand { words: step.words, profile: step.profile }).collect();
    let (mut redirect_targets, mut assignments) = (Vec::new(), Vec::new());
    for text in plan.texts {
        redirect_targets.extend(text.script.redirects.into_iter().map(|redirect| redirect.target));
        assignments.extend(text.script.assignments.into_iter().map(|one| (one.name, one.value)));
    }
    PlannedCommands { commands, redirect_targets, assignments, has_unknown, is_cut }
}
