//! Who may use a route.

use sekisho_gate::answer::Role;

/// Who may use a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anyone. Such a route tells nothing about what is guarded here.
    Open,
    /// These roles.
    Roles(&'static [Role]),
}

impl Access {
    /// Those who ask: agents. An admin may do anything.
    pub const ASK: Access = Access::Roles(&[Role::Agent, Role::Admin]);
    /// Everyone who is known; an agent sees its own only.
    pub const KNOWN: Access = Access::Roles(&[Role::Agent, Role::Viewer, Role::Approver, Role::Admin]);
    /// Those who read.
    pub const READ: Access = Access::Roles(&[Role::Viewer, Role::Approver, Role::Admin]);
    /// Those who answer.
    pub const ANSWER: Access = Access::Roles(&[Role::Approver, Role::Admin]);
    /// Those who answer, and an agent about its own.
    pub const ANSWER_OR_OWN: Access = Access::Roles(&[Role::Agent, Role::Approver, Role::Admin]);
    /// Those who may do anything.
    pub const ADMIN: Access = Access::Roles(&[Role::Admin]);

    /// Whether a role may.
    pub fn admits(self, role: Role) -> bool {
        match self {
            Access::Open => true,
            Access::Roles(roles) => roles.contains(&role),
        }
    }
}
