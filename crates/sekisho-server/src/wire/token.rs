//! Credentials, without anything that opens a door.

use jiff::Timestamp;
use schemars::JsonSchema;
use sekisho_gate::TokenId;
use sekisho_gate::answer::Role;
use sekisho_gate::token_store::{Token, TokenKind};
use serde::{Deserialize, Serialize};

use crate::auth::browser_in_name;
use crate::warning::Warning;

/// A credential. What is kept of its secret is never told.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenBody {
    /// Its id; not secret.
    pub id: TokenId,
    /// What people call it.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// What it is for.
    pub kind: TokenKind,
    /// What the browser said it is when it followed its link: `Chrome on Linux`. Shown, never trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Whether it counts now.
    pub counts: bool,
    /// The one agent that asks with it: then its name is proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// It belongs to a host application whose word about the MCP server of a call is taken.
    pub vouches: bool,
    /// The workspace roots its calls may belong to; empty: any that is registered.
    pub roots: Vec<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// By whom.
    pub created_by: String,
    /// It counts until this moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// It has not counted since this moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Timestamp>,
    /// When it was last used, to within a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<Timestamp>,
}

impl TokenBody {
    /// A token as it is at a moment.
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
    /// In the order they were made, those that count no more included.
    pub tokens: Vec<TokenBody>,
}

/// A token to be made.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewTokenBody {
    /// What people will call it: characters that show themselves.
    #[schemars(length(min = 1, max = 128))]
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// The one agent that asks with it: then its name is proven.
    #[serde(default)]
    #[schemars(length(min = 1, max = 128))]
    pub agent: Option<String>,
    /// It belongs to a host application whose word about the MCP server of a call can be taken.
    #[serde(default)]
    pub vouches: bool,
    /// The workspace roots its calls may belong to, of those that are registered; empty: any.
    #[serde(default)]
    #[schemars(length(max = 64))]
    pub roots: Vec<String>,
    /// How many days it counts; without it, until it is revoked.
    #[serde(default)]
    #[schemars(range(min = 1, max = 3650))]
    pub expires_in_days: Option<u32>,
}

/// A token that was made.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MadeToken {
    /// The token.
    pub token: TokenBody,
    /// What opens the door. It is told this once.
    pub secret: String,
}

/// A link to be made.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewLinkBody {
    /// What the device will be called: characters that show themselves.
    #[schemars(length(min = 1, max = 128))]
    pub name: String,
    /// What it will be able to do: anything but ask.
    pub role: Role,
}

/// A link for one device, once.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MadeLink {
    /// What the device opens.
    pub url: String,
    /// The same as a picture that a phone can read, in SVG.
    pub qr_svg: String,
    /// It can be followed until this moment.
    pub expires_at: Timestamp,
}

/// A way in.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SignIn {
    /// What stands behind `#link=` in a link: `skl_…`.
    pub link: String,
}

/// Who signed in.
#[derive(Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignedIn {
    /// What the device is called.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// The page's half of what the browser is known by: 32 hexadecimal digits for `X-Sekisho-Page`. It is told this once.
    pub page_key: String,
}

/// Who somebody is, and what this server is like.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionBody {
    /// The id of its token, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<TokenId>,
    /// What people call it.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// How it is known.
    pub kind: SessionKind,
    /// It is known until this moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// The server's version.
    pub version: String,
    /// Whether people are asked at all.
    pub asks: bool,
    /// The address people open, which links begin with; not for agents.
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

/// How somebody is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionKind {
    /// By a token that comes with each request.
    Api,
    /// By a browser's cookie and its page's key.
    Device,
    /// By being on the Unix socket.
    Socket,
}
