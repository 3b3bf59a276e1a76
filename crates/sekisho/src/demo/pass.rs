//! The demo's credential. Its id ends like no other's, so that everyone can tell its questions from those of an agent that
//! only says it is the demo: an agent does not choose the id of its token.

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::TokenId;
use sekisho_gate::answer::{By, Role};
use sekisho_gate::asker::DEMO_MARK;
use sekisho_gate::tokens::{self, Token, TokenKind, Tokens};
use sekisho_server::auth::TokenSecret;

use super::script::NAME;

/// It ends by itself should nobody take it back: a little after the last question does.
const LASTS: SignedDuration = SignedDuration::from_hours(25);

/// A credential of the demo.
pub(super) struct Pass {
    token: Token,
    /// What is brought.
    pub(super) secret: String,
}

impl Pass {
    /// Makes one.
    pub(super) async fn make(tokens: &dyn Tokens, by: Option<By>) -> Result<Pass, String> {
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
            vouches: true,
            roots: Vec::new(),
            created_at: now,
            created_by: "the demo".into(),
            expires_at: now.saturating_add(LASTS).ok(),
            revoked_at: None,
            last_used_at: None,
        };
        tokens::add(tokens, token.clone(), by).await.map_err(|error| error.message)?;
        Ok(Pass { token, secret: secret.reveal() })
    }

    /// Takes it out of use.
    pub(super) async fn give_back(&self, tokens: &dyn Tokens, by: Option<By>) -> Result<(), String> {
        let now = Timestamp::now();
        tokens::revoke(tokens, &self.token, by, now).await.map(drop).map_err(|error| error.message)
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
    use sekisho_gate::asker::is_demo;

    use super::*;

    #[test]
    fn its_credential_is_known_by_its_end() {
        let now = Timestamp::now();
        assert!(is_demo(&format!("token:{}", marked(TokenId::new(now)))));
        assert_ne!(marked(TokenId::new(now)), marked(TokenId::new(now)));
        assert!(!is_demo(&format!("token:{}", TokenId::new(now))));
        for other in ["demo", "socket:1000", "socket:-000064656d6f", ""] {
            assert!(!is_demo(other), "{other}");
        }
    }
}
