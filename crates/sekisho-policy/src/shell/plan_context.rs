//! `PlanContext`: what every check of a planned command has at hand.

use super::execution_plan::ExecutionPlan;
use crate::judge_context::JudgeContext;
use crate::policy::Policy;

/// Policy, judge context and execution plan together.
#[derive(Clone, Copy)]
pub(crate) struct PlanContext<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) context: &'a JudgeContext,
    pub(crate) plan: &'a ExecutionPlan,
}

/// The cost of comparing a path with wildcards or computed pieces with the list of protected paths.
pub(super) const COMPARE_COST: usize = 8192;
/// The cost of each further byte.
const COMPARED_BYTE: usize = 1024;

/// The cost of comparing a text with wildcards with the list of protected paths.
pub(super) fn compare_cost(text: &str) -> usize {
    COMPARE_COST + text.len() * COMPARED_BYTE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_have_a_cost() {
        assert_eq!(compare_cost("ab"), COMPARE_COST + 2 * COMPARED_BYTE);
    }
}
