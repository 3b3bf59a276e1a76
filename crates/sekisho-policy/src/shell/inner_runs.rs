//! Which commands of a plan are run by which.

use super::execution_plan::ExecutionPlan;
use crate::command_explanation::Detail;

/// The commands that one command runs.
#[derive(Clone, Default)]
pub(super) struct InnerRuns {
    pub(super) steps: Vec<usize>,
    pub(super) texts: Vec<usize>,
    pub(super) unknown: Vec<Detail>,
}

/// The commands that each command runs, by its position.
pub(super) fn runs(plan: &ExecutionPlan) -> Vec<InnerRuns> {
    let mut runs = vec![InnerRuns::default(); plan.steps.len()];
    let mut add = |parent: Option<usize>, note: &dyn Fn(&mut InnerRuns)| {
        if let Some(run) = parent.and_then(|parent| runs.get_mut(parent)) {
            note(run);
        }
    };
    for (at, step) in plan.steps.iter().enumerate() {
        add(step.parent.filter(|parent| *parent != at), &|run| run.steps.push(at));
    }
    for (at, text) in plan.texts.iter().enumerate() {
        add(text.parent, &|run| run.texts.push(at));
    }
    for unknown in &plan.unknown {
        add(Some(unknown.parent), &|run| run.unknown.push(unknown.why));
    }
    runs
}
