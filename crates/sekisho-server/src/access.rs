//! Which roles may use a route.

use sekisho_gate::answer::Role;

/// Which roles may use a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anyone. An open route reveals nothing about calls, rules or approvals.
    Open,
    /// Only these roles.
    Roles(&'static [Role]),
}

impl Access {
    /// Agents, which ask. Admins may do anything.
    pub const ASK: Access = Access::Roles(&[Role::Agent, Role::Admin]);
    /// Every role. Agents see only what is theirs.
    pub const ANY_ROLE: Access = Access::Roles(&[Role::Agent, Role::Viewer, Role::Approver, Role::Admin]);
    /// Everyone who may read: viewers, approvers and admins.
    pub const READ: Access = Access::Roles(&[Role::Viewer, Role::Approver, Role::Admin]);
    /// Everyone who may answer.
    pub const ANSWER: Access = Access::Roles(&[Role::Approver, Role::Admin]);
    /// Everyone who may answer, and agents for their own approvals.
    pub const ANSWER_OR_OWN: Access = Access::Roles(&[Role::Agent, Role::Approver, Role::Admin]);
    /// Everyone who may start runs. Agents follow only their own.
    pub const START: Access = Access::Roles(&[Role::Agent, Role::Approver, Role::Admin]);
    /// Admins only.
    pub const ADMIN: Access = Access::Roles(&[Role::Admin]);

    /// Whether a role may use the route.
    pub fn admits(self, role: Role) -> bool {
        match self {
            Access::Open => true,
            Access::Roles(roles) => roles.contains(&role),
        }
    }
}
