//! The parts of a shell text. Words are kept as they are written; they are expanded when they are reached.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Steps that follow each other.
pub(super) type List = Vec<Step>;

/// A text that was read.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) steps: List,
    /// Something in it is nested too deep, and was left out.
    pub(super) is_cut: bool,
}

/// One pipeline.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) link: Link,
    pub(super) is_negated: bool,
    pub(super) stages: Vec<Stage>,
    /// How often it was followed although it is not reached, and with other values.
    pub(super) followed: Times,
    pub(super) varied: Times,
}

impl From<Stage> for Step {
    fn from(stage: Stage) -> Step {
        Step::new(Link::Always, false, vec![stage])
    }
}

impl Step {
    pub(super) fn new(link: Link, is_negated: bool, stages: Vec<Stage>) -> Step {
        Step { link, is_negated, stages, followed: Times::default(), varied: Times::default() }
    }

    /// A step of one command.
    pub(super) fn of(command: Command) -> Step {
        Stage { command, redirects: Vec::new() }.into()
    }
}

/// What joins a step to the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    Always,
    And,
    Or,
}

/// A command with its redirects.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) command: Command,
    pub(super) redirects: Vec<Redirect>,
}

#[derive(Debug)]
pub(super) enum Command {
    Simple {
        assignments: Vec<String>,
        words: Vec<String>,
    },
    Group(List),
    Subshell(List),
    /// `list &`
    Background(List),
    Coprocess {
        name: String,
        body: Rc<Stage>,
    },
    /// Conditions with their branches; the last branch has no condition.
    If(Vec<(List, List)>, List),
    While {
        condition: List,
        is_until: bool,
        body: List,
    },
    For {
        name: String,
        /// The positional parameters if absent.
        words: Option<Vec<String>>,
        body: List,
    },
    /// `for ((start; condition; step))`
    CountedFor {
        header: [String; 3],
        body: List,
    },
    Case {
        subject: String,
        branches: Vec<CaseBranch>,
    },
    Function {
        name: String,
        body: Rc<Stage>,
    },
    /// `((…))`
    Arithmetic(String),
    /// `[[ … ]]`
    Condition(String),
}

/// A branch of `case`.
#[derive(Debug)]
pub(super) struct CaseBranch {
    pub(super) patterns: Vec<String>,
    pub(super) body: List,
    pub(super) end: BranchEnd,
}

/// What follows a branch of `case`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BranchEnd {
    /// `;;`
    Leave,
    /// `;&` goes on with the next branch.
    Enter,
    /// `;;&` goes on with the next pattern.
    Compare,
}

#[derive(Debug)]
pub(super) struct Redirect {
    pub(super) descriptor: Option<u32>,
    /// `{name}<file`: the variable that gets the number.
    pub(super) variable: Option<String>,
    pub(super) operator: &'static str,
    pub(super) target: String,
    /// The lines of a here-document.
    pub(super) document: Rc<RefCell<String>>,
}

impl Redirect {
    /// `2>&1`
    pub(super) fn errors() -> Redirect {
        Redirect {
            descriptor: Some(2),
            variable: None,
            operator: ">&",
            target: "1".to_owned(),
            document: Rc::default(),
        }
    }
}

/// A number of times that is not exceeded.
#[derive(Debug, Default)]
pub(super) struct Times(Cell<u8>);

impl Times {
    /// Counts one more. False if there were as many.
    pub(super) fn count(&self, most: u8) -> bool {
        let is_less = self.0.get() < most;
        self.0.set(self.0.get() + u8::from(is_less));
        is_less
    }
}
