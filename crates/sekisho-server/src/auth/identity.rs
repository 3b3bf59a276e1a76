//! Who sent a request.

use std::net::SocketAddr;

use sekisho_gate::TokenId;
use sekisho_gate::answer::{Actor, Approver, Role};
use sekisho_gate::approval::Approval;
use sekisho_gate::caller::Caller;
use sekisho_gate::token_store::{Token, TokenKind};
use sekisho_policy::IdClaim;

use crate::error::ApiError;

/// The other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// A TCP peer.
    Tcp(SocketAddr),
    /// A peer on the Unix socket, with its user id.
    Unix(u32),
}

impl Peer {
    /// Whether it runs on this machine.
    pub fn is_local(self) -> bool {
        match self {
            Peer::Tcp(address) => address.ip().to_canonical().is_loopback(),
            Peer::Unix(_) => true,
        }
    }
}

/// An authenticated caller.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The credential it asks and answers with.
    pub credential: String,
    /// Its token, if it presented one.
    pub token: Option<Token>,
    /// Its name, for people.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// The channel it used: `web`, `terminal`, `api`, `socket`.
    pub channel: &'static str,
    /// The other end of its connection.
    pub peer: Peer,
    /// Whether a proxy forwarded the request.
    pub forwarded: bool,
}

impl Identity {
    /// The holder of a token.
    pub fn of_token(token: Token, channel: &'static str, peer: Peer) -> Identity {
        Identity {
            credential: token.credential(),
            name: token.name.clone(),
            role: token.role,
            channel,
            peer,
            forwarded: false,
            token: Some(token),
        }
    }

    /// A peer on the Unix socket without a credential: an agent.
    pub fn of_peer(uid: u32) -> Identity {
        Identity {
            credential: format!("socket:{uid}"),
            token: None,
            name: format!("user {uid} on the socket"),
            role: Role::Agent,
            channel: "socket",
            peer: Peer::Unix(uid),
            forwarded: false,
        }
    }

    /// Whether its calls run on this machine, so that this machine's files apply to them. If the server has a
    /// public name, TCP callers may be anywhere, unless their token is bound to roots of this machine.
    pub fn runs_on_this_machine(&self, public: bool) -> bool {
        let bound = !self.roots().is_empty();
        match self.peer {
            Peer::Unix(_) => true,
            Peer::Tcp(_) => self.peer.is_local() && (bound || !public && !self.forwarded),
        }
    }

    /// The id of its token, if it presented one.
    pub fn token_id(&self) -> Option<TokenId> {
        self.token.as_ref().map(|token| token.id)
    }

    /// The caller as an approver.
    pub fn approver(&self) -> Approver {
        let device = self.token.as_ref().filter(|token| token.kind == TokenKind::Device);
        Approver {
            credential: self.credential.clone(),
            name: self.name.clone(),
            role: self.role,
            device: device.map(|token| token.id.to_string()),
            how: self.channel.into(),
        }
    }

    /// The caller as an actor, for the audit log.
    pub fn actor(&self) -> Actor {
        Actor::Person(self.approver())
    }

    /// The caller as the gate knows it.
    pub fn asker(&self) -> Caller {
        Caller::remote(self.credential.clone()).with_name(self.name.clone())
    }

    /// Whether the approval was asked for with this credential.
    pub fn owns(&self, approval: &Approval) -> bool {
        approval.asked.asker.credential == self.credential
    }

    /// Whether it may see an approval: agents see only their own.
    pub fn may_see(&self, approval: &Approval) -> bool {
        self.role > Role::Agent || self.owns(approval)
    }

    /// Whether it may see the approvals of a credential without naming their ids. All peers of one user share
    /// the socket, so an agent there must name the approval; only the caller that asked was given the id.
    pub fn may_hear_of(&self, credential: &str) -> bool {
        self.role > Role::Agent || (self.token.is_some() && self.credential == credential)
    }

    /// The agent id: proven if the token is bound to it, otherwise only claimed. A bound token cannot claim
    /// another id to avoid a deny rule.
    pub fn agent(&self, claimed: Option<String>) -> Result<Option<IdClaim>, ApiError> {
        let bound = self.token.as_ref().and_then(|token| token.agent.clone());
        match (bound, claimed) {
            (Some(bound), Some(claimed)) if bound != claimed => {
                let message =
                    format!("`agentId` is `{claimed}`, but the token `{}` belongs to `{bound}`", self.name);
                Err(ApiError::forbidden(message).with_hint("leave `agentId` out"))
            }
            (Some(bound), _) => Ok(Some(IdClaim::proven(bound))),
            (None, claimed) => Ok(claimed.map(IdClaim::claimed)),
        }
    }

    /// The MCP server id: proven if the token belongs to a host application that vouches for it.
    pub fn mcp_server(&self, claimed: Option<String>) -> Option<IdClaim> {
        let vouches = self.token.as_ref().is_some_and(|token| token.vouches_for_server);
        claimed.map(|id| IdClaim { id, proven: vouches })
    }

    /// The roots it is bound to; empty means any.
    pub fn roots(&self) -> &[String] {
        self.token.as_ref().map_or(&[], |token| &token.roots)
    }
}
