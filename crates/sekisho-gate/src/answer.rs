//! A human's answer to an approval, and who gave it.

use std::fmt;

use schemars::JsonSchema;
use sekisho_policy::{Effect, Rule};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use sekisho_policy::Digest;

/// A human's answer to an approval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// Allow or deny.
    pub behavior: Behavior,
    /// The reason given; the model reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// An input to run instead: it replaces the whole input and is not merged.
    #[serde(default, rename = "updatedInput", skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<Value>,
    /// Whether to stop the run as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupt: bool,
    /// Rules to store so that equal calls need no further answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remember: Option<RememberChoice>,
    /// The digest of the call that was displayed. If it is not the digest of this call, the answer is
    /// rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
}

impl Answer {
    /// An answer that allows the call once.
    pub fn approve() -> Answer {
        Answer::plain(Behavior::Allow)
    }

    /// An answer that denies the call.
    pub fn deny() -> Answer {
        Answer::plain(Behavior::Deny)
    }

    fn plain(behavior: Behavior) -> Answer {
        Answer { behavior, reason: None, updated_input: None, interrupt: false, remember: None, digest: None }
    }

    /// Adds a reason.
    #[must_use]
    pub fn with_reason(mut self, reason: impl Into<String>) -> Answer {
        self.reason = Some(reason.into());
        self
    }

    /// Replaces the input.
    #[must_use]
    pub fn with_input(mut self, input: Value) -> Answer {
        self.updated_input = Some(input);
        self
    }

    /// Adds rules to store.
    #[must_use]
    pub fn with_rules(mut self, scope: RuleScope, rules: Vec<Rule>) -> Answer {
        self.remember = Some(RememberChoice { scope, rules });
        self
    }
}

/// Whether the call may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Behavior {
    /// The call may run.
    Allow,
    /// The call may not run.
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

    /// The past tense: `approved` or `denied`.
    pub fn past_tense(self) -> &'static str {
        match self {
            Behavior::Allow => "approved",
            Behavior::Deny => "denied",
        }
    }
}

/// Rules to store with an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RememberChoice {
    /// Where the rules apply.
    pub scope: RuleScope,
    /// The rules, as proposed or as edited. If empty, the narrowest proposal is stored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<Rule>,
}

/// Where a remembered rule applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Scope")]
pub enum RuleScope {
    /// In this session only.
    Session,
    /// In this project, through its `.sekisho/config.json`.
    Project,
    /// Everywhere, through the user's own config.
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
    /// May submit calls and read its own approvals.
    Agent,
    /// May read.
    Viewer,
    /// May read and answer.
    Approver,
    /// May do anything.
    Admin,
}

impl Role {
    /// The name in the store and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Role::Agent => "agent",
            Role::Viewer => "viewer",
            Role::Approver => "approver",
            Role::Admin => "admin",
        }
    }

    /// The role with this name.
    pub fn from_name(name: &str) -> Option<Role> {
        [Role::Agent, Role::Viewer, Role::Approver, Role::Admin].into_iter().find(|role| role.name() == name)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The person who answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Approver {
    /// The id of the token that answered.
    pub credential: String,
    /// The display name.
    pub name: String,
    /// The role of the token.
    pub role: Role,
    /// The device, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// The channel of the answer: `web`, `terminal`, `api`, `slack`, …
    pub how: String,
}

/// The person or rule that decided an approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// A person.
    Person(Approver),
    /// A rule, as displayed to people.
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
    /// Whether another answer decides the same. The digest it is bound to does not matter.
    pub fn same_decision(&self, other: &Answer) -> bool {
        let bare = |answer: &Answer| Answer { digest: None, ..answer.clone() };
        bare(self) == bare(other)
    }
}
