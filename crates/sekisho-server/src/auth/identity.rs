//! Who somebody is.

use std::net::SocketAddr;

use sekisho_gate::TokenId;
use sekisho_gate::answer::{Approver, By, Role};
use sekisho_gate::approval::Approval;
use sekisho_gate::asker::Asker;
use sekisho_gate::tokens::{Token, TokenKind};
use sekisho_policy::Named;

use crate::error::Fault;

/// The other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// Over TCP.
    Tcp(SocketAddr),
    /// On the Unix socket, with the user it runs as.
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

/// Somebody who is known.
#[derive(Clone, Debug)]
pub struct Identity {
    /// What it is called as an asking or answering credential.
    pub credential: String,
    /// The token that was brought.
    pub token: Option<Token>,
    /// What people call it.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// The way it came: `web`, `terminal`, `api`, `socket`.
    pub how: &'static str,
    /// The other end.
    pub peer: Peer,
    /// A proxy stands between.
    pub forwarded: bool,
}

impl Identity {
    /// The holder of a token.
    pub fn of_token(token: Token, how: &'static str, peer: Peer) -> Identity {
        Identity {
            credential: token.credential(),
            name: token.name.clone(),
            role: token.role,
            how,
            peer,
            forwarded: false,
            token: Some(token),
        }
    }

    /// A peer on the Unix socket that brings nothing: an agent.
    pub fn of_peer(uid: u32) -> Identity {
        Identity {
            credential: format!("socket:{uid}"),
            token: None,
            name: format!("user {uid} on the socket"),
            role: Role::Agent,
            how: "socket",
            peer: Peer::Unix(uid),
            forwarded: false,
        }
    }

    /// Whether the calls it asks about run on this machine, so that this machine's files say something about them. Where the
    /// server is known under a public name, those who come over TCP may be anywhere, unless their token is bound to roots
    /// of this machine.
    pub fn is_here(&self, public: bool) -> bool {
        let bound = !self.roots().is_empty();
        match self.peer {
            Peer::Unix(_) => true,
            Peer::Tcp(_) => self.peer.is_local() && (bound || !public && !self.forwarded),
        }
    }

    /// The token's id, where one was brought.
    pub fn token_id(&self) -> Option<TokenId> {
        self.token.as_ref().map(|token| token.id)
    }

    /// Who answers.
    pub fn approver(&self) -> Approver {
        let device = self.token.as_ref().filter(|token| token.kind == TokenKind::Device);
        Approver {
            credential: self.credential.clone(),
            name: self.name.clone(),
            role: self.role,
            device: device.map(|token| token.id.to_string()),
            how: self.how.into(),
        }
    }

    /// The same for the record.
    pub fn by(&self) -> By {
        By::Person(self.approver())
    }

    /// Who asks.
    pub fn asker(&self) -> Asker {
        Asker::remote(self.credential.clone()).called(self.name.clone())
    }

    /// Whether a question was asked with this credential.
    pub fn owns(&self, approval: &Approval) -> bool {
        approval.asked.asker.credential == self.credential
    }

    /// Whether it may see a question: everyone but an agent all of them, an agent its own.
    pub fn sees(&self, approval: &Approval) -> bool {
        self.role > Role::Agent || self.owns(approval)
    }

    /// Whether it may be told of a credential's questions without naming them. All peers of one user share the socket, so
    /// there an agent has to name the question it means, whose id nobody else was told.
    pub fn hears_of(&self, credential: &str) -> bool {
        self.role > Role::Agent || (self.token.is_some() && self.credential == credential)
    }

    /// An agent's name: proven where the token is bound to it, otherwise only claimed. One that is bound cannot claim to be
    /// another, and so get around what is denied to it.
    pub fn agent(&self, claimed: Option<String>) -> Result<Option<Named>, Fault> {
        let bound = self.token.as_ref().and_then(|token| token.agent.clone());
        match (bound, claimed) {
            (Some(bound), Some(claimed)) if bound != claimed => {
                let message =
                    format!("`agentId` is `{claimed}`, but `{}` is the token of `{bound}`", self.name);
                Err(Fault::forbidden(message).hint("leave `agentId` out"))
            }
            (Some(bound), _) => Ok(Some(Named::proven(bound))),
            (None, claimed) => Ok(claimed.map(Named::claimed)),
        }
    }

    /// An MCP server's name: proven where the token belongs to a host application that vouches for it.
    pub fn server(&self, claimed: Option<String>) -> Option<Named> {
        let vouches = self.token.as_ref().is_some_and(|token| token.vouches);
        claimed.map(|id| Named { id, proven: vouches })
    }

    /// The roots it is bound to; none: any.
    pub fn roots(&self) -> &[String] {
        self.token.as_ref().map_or(&[], |token| &token.roots)
    }
}
