//! What an agent is told, in its own words.

use serde_json::Value;

use crate::agent::Agent;
use crate::asked::Asked;

/// What came of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// It may run.
    Allow {
        /// Why, for whoever reads the agent's log.
        reason: String,
        /// The input to run with, where a human changed it.
        input: Option<Value>,
    },
    /// It may not.
    Deny {
        /// Why, for the model.
        reason: String,
        /// The run is to stop as well.
        interrupt: bool,
    },
    /// The agent's own prompt decides. A block where the agent has none.
    Ask {
        /// What the prompt should show.
        reason: String,
    },
    /// Not now: the run ends here and can be taken up again. A block where the agent does not know that.
    Defer {
        /// Why.
        reason: String,
    },
    /// Nothing to say: an ending was noted, or the agent's own prompt is the right one.
    Nothing,
}

/// What the hook writes and how it ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// For standard output.
    pub stdout: String,
    /// For standard error.
    pub stderr: String,
    /// The exit code.
    pub exit: u8,
}

impl Asked {
    /// Says what came of the call in the agent's own words. What the agent cannot express becomes a block, never more.
    pub fn say(&self, reply: Reply) -> Said {
        let _ = reply;
        block(self.agent, "not spoken yet")
    }
}

/// Blocks whatever was asked, in a way every version of the agent understands: used when nothing else can be said.
pub fn block(agent: Agent, reason: &str) -> Said {
    let _ = agent;
    Said { stdout: String::new(), stderr: reason.to_owned(), exit: 2 }
}
