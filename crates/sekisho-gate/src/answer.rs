//! What a human says to a question, and who they are.

use std::fmt;

use schemars::JsonSchema;
use sekisho_policy::{Effect, Rule};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use sekisho_policy::Digest;

/// An answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// Yes or no.
    pub behavior: Behavior,
    /// Why; told to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Another input to run instead: a full replacement, not a merge.
    #[serde(default, rename = "updatedInput", skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<Value>,
    /// Stop the run as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupt: bool,
    /// Rules to keep, so that the same is not asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remember: Option<RememberChoice>,
    /// The digest of what was shown. An answer to something else is not taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
}

impl Answer {
    /// Yes, once.
    pub fn approve() -> Answer {
        Answer::plain(Behavior::Allow)
    }

    /// No.
    pub fn deny() -> Answer {
        Answer::plain(Behavior::Deny)
    }

    fn plain(behavior: Behavior) -> Answer {
        Answer { behavior, reason: None, updated_input: None, interrupt: false, remember: None, digest: None }
    }

    /// The same answer with a reason.
    #[must_use]
    pub fn with_reason(mut self, reason: impl Into<String>) -> Answer {
        self.reason = Some(reason.into());
        self
    }

    /// The same answer with another input.
    #[must_use]
    pub fn with_input(mut self, input: Value) -> Answer {
        self.updated_input = Some(input);
        self
    }

    /// The same answer, with rules to keep.
    #[must_use]
    pub fn with_rules(mut self, scope: RuleScope, rules: Vec<Rule>) -> Answer {
        self.remember = Some(RememberChoice { scope, rules });
        self
    }
}

/// Yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Behavior {
    /// The call may run.
    Allow,
    /// It may not.
    Deny,
}

impl Behavior {
    /// The effect of rules that remember this answer.
    pub fn effect(self) -> Effect {
        match self {
            Behavior::Allow => Effect::Allow,
            Behavior::Deny => Effect::Deny,
        }
    }

    /// `approved` or `denied`.
    pub fn past_tense(self) -> &'static str {
        match self {
            Behavior::Allow => "approved",
            Behavior::Deny => "denied",
        }
    }
}

/// Rules to keep with an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RememberChoice {
    /// Where they apply.
    pub scope: RuleScope,
    /// The rules, as proposed or as edited. None: the narrowest that were proposed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<Rule>,
}

/// Where a remembered rule applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleScope {
    /// In this session.
    Session,
    /// In this project: its `.sekisho/config.json`.
    Project,
    /// Everywhere: the user's own config.
    Global,
}

impl fmt::Display for RuleScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RuleScope::Session => "session",
            RuleScope::Project => "project",
            RuleScope::Global => "global",
        })
    }
}

/// What a credential may do, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Ask, and see its own questions.
    Agent,
    /// Read.
    Viewer,
    /// Besides: answer.
    Approver,
    /// Everything.
    Admin,
}

impl Role {
    /// Its name in the store and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Role::Agent => "agent",
            Role::Viewer => "viewer",
            Role::Approver => "approver",
            Role::Admin => "admin",
        }
    }

    /// The role of a name.
    pub fn from_name(name: &str) -> Option<Role> {
        [Role::Agent, Role::Viewer, Role::Approver, Role::Admin].into_iter().find(|role| role.name() == name)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Who answered, from where and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Approver {
    /// The token that answered.
    pub credential: String,
    /// What people call it.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// The device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// The way the answer came: `web`, `terminal`, `api`, `slack`, …
    pub how: String,
}

/// Who or what settled a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// A human.
    Person(Approver),
    /// A rule, as people read it.
    Rule(String),
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Actor::Person(person) => match &person.device {
                Some(device) => write!(f, "{} ({device})", person.name),
                None => f.write_str(&person.name),
            },
            Actor::Rule(rule) => f.write_str(rule),
        }
    }
}

impl Answer {
    /// Whether another answer says the very same; which digest it was bound to does not matter.
    pub fn same_decision(&self, other: &Answer) -> bool {
        let bare = |answer: &Answer| Answer { digest: None, ..answer.clone() };
        bare(self) == bare(other)
    }
}
