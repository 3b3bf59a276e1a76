//! A shell text that was analysed for its facts, kept for its verdict.

use sekisho_shell::Budget;

use super::execution_plan::ExecutionPlan;

/// A text with its plan, which was made before the home directory was known.
pub(crate) struct AnalysedText {
    plan: ExecutionPlan,
    cwd: Option<String>,
    /// The budget for the text, and what the analysis left of it, in units.
    units: usize,
    left: usize,
}

impl AnalysedText {
    /// Keeps a plan. `left` is what its analysis left of `units`.
    pub(super) fn new(plan: ExecutionPlan, cwd: Option<String>, units: usize, left: usize) -> AnalysedText {
        AnalysedText { plan, cwd, units, left }
    }

    /// The plan that [`ExecutionPlan::within`] would make of a text. `None` if this one was made of another
    /// text, or depends on the home directory.
    pub(super) fn plan_of(
        self,
        (text, units): (&str, usize),
        cwd: Option<&str>,
        home: Option<&str>,
    ) -> Option<ExecutionPlan> {
        let same = self.units == units
            && self.cwd.as_deref() == cwd
            && self.plan.texts.first().is_some_and(|own| own.source == text);
        if same { self.plan.with_home(home, Budget::new(self.left)) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn analysed(text: &str) -> AnalysedText {
        let plan = ExecutionPlan::within(Budget::new(1 << 20), text, Some("/w"), Some("/~"));
        let left = plan.budget.left();
        AnalysedText::new(plan, Some("/w".into()), 1 << 20, left)
    }

    #[test]
    fn plan_that_does_not_depend_on_home_is_used_again() {
        let check = |text: &str, expected: bool| {
            let plan = analysed(text).plan_of((text, 1 << 20), Some("/w"), Some("/home/u"));
            assert_eq!(plan.is_some(), expected, "{text}");
            let fresh = ExecutionPlan::within(Budget::new(1 << 20), text, Some("/w"), Some("/home/u"));
            for (kept, fresh) in plan.iter().flat_map(|plan| &plan.steps).zip(&fresh.steps) {
                assert_eq!(kept.directories, fresh.directories, "{text}");
                assert_eq!(kept.shell_directories, fresh.shell_directories, "{text}");
            }
            assert!(plan.is_none_or(|plan| plan.budget.left() == fresh.budget.left()), "{text}");
        };
        check("cargo test --workspace 2>&1 | tail -20", true);
        check("cd sub && ls", true);
        check("cat x > ~/y", true);
        check("cat ~/x", false);
        check("cat \"$HOME/x\"", false);
        check("cd && ls", false);
        check("cd -- && ls", false);
        check("bash -c 'cd; ls'", false);
        check("git -C ~/x status", false);
        check("cd ~ && ls", false);
    }

    #[test]
    fn another_text_directory_or_budget_is_analysed_again() {
        let check = |text: &str, units: usize, cwd: Option<&str>, expected: bool| {
            let plan = analysed("ls x").plan_of((text, units), cwd, None);
            assert_eq!(plan.is_some(), expected, "{text} {units} {cwd:?}");
        };
        check("ls x", 1 << 20, Some("/w"), true);
        check("ls y", 1 << 20, Some("/w"), false);
        check("ls x", 1 << 19, Some("/w"), false);
        check("ls x", 1 << 20, Some("/v"), false);
        check("ls x", 1 << 20, None, false);
    }
}
