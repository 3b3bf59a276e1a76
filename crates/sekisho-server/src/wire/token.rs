//! Credentials on the wire, without their secrets.

use jiff::Timestamp;
use schemars::JsonSchema;
use sekisho_gate::TokenId;
use sekisho_gate::answer::Role;
use sekisho_gate::token_store::{Token, TokenKind};
use serde::{Deserialize, Serialize};

use crate::auth::browser_in_name;
use crate::config_warning::Warning;

/// A credential. Nothing of its secret is included.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenBody {
    /// Its id; not secret.
    pub id: TokenId,
    /// Its name, for people.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// What it is for.
    pub kind: TokenKind,
    /// The browser that followed the link: `Chrome on Linux`. For display only, never trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Whether it is valid now.
    pub counts: bool,
    /// The only agent that may ask with it; the agent's name is then proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Whether it belongs to a host application that may state which MCP server a call uses.
    pub vouches: bool,
    /// The workspace roots its calls may belong to; empty means any registered root.
    pub roots: Vec<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// Who created it.
    pub created_by: String,
    /// When it expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Timestamp>,
    /// When it was last used, to within a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<Timestamp>,
}

impl TokenBody {
    /// A token as it is at a given time.
    pub fn of(token: &Token, at: Timestamp) -> TokenBody {
        let device = browser_in_name(&token.name).filter(|_| token.kind == TokenKind::Device);
        TokenBody {
            id: token.id,
            name: token.name.clone(),
            role: token.role,
            kind: token.kind,
            device: device.map(str::to_owned),
            counts: token.is_valid_at(at),
            agent: token.agent.clone(),
            vouches: token.vouches_for_server,
            roots: token.roots.clone(),
            created_at: token.created_at,
            created_by: token.created_by.clone(),
            expires_at: token.expires_at,
            revoked_at: token.revoked_at,
            last_used_at: token.last_used_at,
        }
    }
}

/// All credentials.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokensBody {
    /// The tokens, oldest first, including expired and revoked ones.
    pub tokens: Vec<TokenBody>,
}

/// A token to create.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewTokenBody {
    /// Its name, for people; visible characters only.
    #[schemars(length(min = 1, max = 128))]
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// The only agent that may ask with it; the agent's name is then proven.
    #[serde(default)]
    #[schemars(length(min = 1, max = 128))]
    pub agent: Option<String>,
    /// Whether it belongs to a host application that may state which MCP server a call uses.
    #[serde(default)]
    pub vouches: bool,
    /// The registered workspace roots its calls may belong to; empty means any.
    #[serde(default)]
    #[schemars(length(max = 64))]
    pub roots: Vec<String>,
    /// How many days it is valid; without it, until it is revoked.
    #[serde(default)]
    #[schemars(range(min = 1, max = 3650))]
    pub expires_in_days: Option<u32>,
}

/// A token that was created.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MadeToken {
    /// The token.
    pub token: TokenBody,
    /// The secret. It is shown only this once.
    pub secret: String,
}

/// A link to create.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewLinkBody {
    /// The name of the device; visible characters only.
    #[schemars(length(min = 1, max = 128))]
    pub name: String,
    /// What the device may do: any role except agent.
    pub role: Role,
}

/// A link that signs in one device, once.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MadeLink {
    /// The address the device opens.
    pub url: String,
    /// The address as a QR code, in SVG.
    pub qr_svg: String,
    /// When the link expires.
    pub expires_at: Timestamp,
}

/// A sign-in request.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SignIn {
    /// The text after `#link=` in a link: `skl_…`.
    pub link: String,
}

/// A device that signed in.
#[derive(Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignedIn {
    /// The name of the device.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// The page's half of the browser's credential: 32 hexadecimal digits for `X-Sekisho-Page`. It is shown
    /// only this once.
    pub page_key: String,
}

/// The caller, and facts about this server.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionBody {
    /// The id of its token, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<TokenId>,
    /// Its name, for people.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// How it authenticated.
    pub kind: SessionKind,
    /// When its credential expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// The server's version.
    pub version: String,
    /// Whether people are asked at all.
    pub asks: bool,
    /// The address people open, which links start with; not for agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// What is unsafe about this configuration; not for agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
    /// The same as codes, one for each sentence; not for agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning_codes: Option<Vec<Warning>>,
    /// The registered projects; not for agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub projects: Option<Vec<String>>,
}

/// How a caller authenticated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionKind {
    /// By a token in each request.
    Api,
    /// By a browser's cookie and its page's key.
    Device,
    /// By a connection to the Unix socket.
    Socket,
}
