//! The demo's token. Its id has a fixed end that no other token has. Agents do not choose the id of their
//! token, so questions of the demo can be told from those of an agent that only claims to be the demo.

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::TokenId;
use sekisho_gate::answer::{Actor, Role};
use sekisho_gate::caller::DEMO_MARK;
use sekisho_gate::token_store::{self, Token, TokenKind, TokenStore};
use sekisho_server::auth::TokenSecret;

use super::script::NAME;

/// Lifetime, in case nobody revokes it: a little longer than the last question.
const LASTS: SignedDuration = SignedDuration::from_hours(25);

pub(super) struct DemoToken {
    token: Token,
    /// The token text.
    pub(super) secret: String,
}

impl DemoToken {
    pub(super) async fn create(tokens: &dyn TokenStore, by: Option<Actor>) -> Result<DemoToken, String> {
        let now = Timestamp::now();
        let mut secret = TokenSecret::make(now)?;
        secret.id = marked(secret.id);
        let token = Token {
            id: secret.id,
            name: NAME.into(),
            role: Role::Agent,
            kind: TokenKind::Api,
            hash: secret.hash(),
            agent: Some(NAME.into()),
            vouches_for_server: true,
            roots: Vec::new(),
            created_at: now,
            created_by: "the demo".into(),
            expires_at: now.saturating_add(LASTS).ok(),
            revoked_at: None,
            last_used_at: None,
        };
        token_store::add(tokens, token.clone(), by).await.map_err(|error| error.message)?;
        Ok(DemoToken { token, secret: secret.reveal() })
    }

    /// The credential of its calls.
    pub(super) fn credential(&self) -> String {
        self.token.credential()
    }

    pub(super) async fn revoke(&self, tokens: &dyn TokenStore, by: Option<Actor>) -> Result<(), String> {
        let now = Timestamp::now();
        token_store::revoke(tokens, &self.token, by, now).await.map(drop).map_err(|error| error.message)
    }
}

fn marked(id: TokenId) -> TokenId {
    let mut bytes = *id.0.as_bytes();
    let end = bytes.len() - DEMO_MARK.len();
    for (byte, mark) in bytes.iter_mut().skip(end).zip(DEMO_MARK) {
        *byte = mark;
    }
    TokenId(uuid::Uuid::from_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use sekisho_gate::caller::is_demo;

    use super::*;

    #[test]
    fn demo_credential_is_recognised_by_its_end() {
        let now = Timestamp::now();
        assert!(is_demo(&format!("token:{}", marked(TokenId::new(now)))));
        assert_ne!(marked(TokenId::new(now)), marked(TokenId::new(now)));
        assert!(!is_demo(&format!("token:{}", TokenId::new(now))));
        for other in ["demo", "socket:1000", "socket:-000064656d6f", ""] {
            assert!(!is_demo(other), "{other}");
        }
    }
}
