//! Secrets as people carry them.
//!
//! A token is `sks_<id>_<secret>`, a link's secret `skl_<secret>`: 256 random bits in hexadecimal. The prefix lets secret
//! scanners know them; the id lets a token be found without comparing secrets.

use std::fmt::Write;

use jiff::Timestamp;
use sekisho_gate::TokenId;
use sekisho_gate::tokens::SecretHash;
use subtle::ConstantTimeEq;

const TOKEN: &str = "sks_";
const LINK: &str = "skl_";

/// A token's text: told once.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenSecret {
    /// Whose.
    pub id: TokenId,
    secret: String,
}

/// A link's secret: told once.
#[derive(Clone, PartialEq, Eq)]
pub struct LinkSecret(String);

impl TokenSecret {
    /// A new one.
    pub fn make(at: Timestamp) -> Result<TokenSecret, String> {
        Ok(TokenSecret { id: TokenId::new(at), secret: random()? })
    }

    /// Reads one as it was told.
    pub fn parse(text: &str) -> Option<TokenSecret> {
        let (id, secret) = text.strip_prefix(TOKEN)?.split_once('_')?;
        let id = uuid::Uuid::try_parse(id).ok().filter(|_| id.len() == 32)?;
        (secret.len() == 64 && secret.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .then(|| TokenSecret { id: TokenId(id), secret: secret.to_owned() })
    }

    /// What is kept of it.
    pub fn hash(&self) -> SecretHash {
        SecretHash::of(self.secret.as_bytes())
    }

    /// Whether it is the one that was kept; takes as long either way.
    pub fn is(&self, kept: &SecretHash) -> bool {
        self.hash().0.ct_eq(&kept.0).into()
    }

    /// The text to tell, once.
    pub fn reveal(&self) -> String {
        format!("{TOKEN}{}_{}", self.id.0.simple(), self.secret)
    }
}

impl LinkSecret {
    /// A new one.
    pub fn make() -> Result<LinkSecret, String> {
        Ok(LinkSecret(random()?))
    }

    /// Reads one as it was told.
    pub fn parse(text: &str) -> Option<LinkSecret> {
        let secret = text.strip_prefix(LINK)?;
        (secret.len() == 64 && secret.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .then(|| LinkSecret(secret.to_owned()))
    }

    /// What is kept of it, and found by: an attacker cannot steer a hash, so finding by it tells nothing.
    pub fn hash(&self) -> SecretHash {
        SecretHash::of(self.0.as_bytes())
    }

    /// The text to tell, once.
    pub fn reveal(&self) -> String {
        format!("{LINK}{}", self.0)
    }

    /// The link below an address. The secret stands behind `#`: it is never sent to a server or told to the next page.
    pub fn below(&self, address: &str) -> String {
        format!("{}/#link={}", address.trim_end_matches('/'), self.reveal())
    }
}

fn random() -> Result<String, String> {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).map_err(|error| format!("the system has no random numbers: {error}"))?;
    let mut text = String::with_capacity(64);
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::{LinkSecret, TokenSecret};
    use jiff::Timestamp;

    #[test]
    fn a_token_is_read_as_it_was_told() {
        let token = TokenSecret::make(Timestamp::UNIX_EPOCH).unwrap();
        let read = TokenSecret::parse(&token.reveal()).unwrap();
        assert!(read.is(&token.hash()));
        assert_eq!(read.id, token.id);
        let other = TokenSecret::make(Timestamp::UNIX_EPOCH).unwrap();
        assert!(!read.is(&other.hash()));
    }

    #[test]
    fn what_is_no_token_is_not_read() {
        let told = TokenSecret::make(Timestamp::UNIX_EPOCH).unwrap().reveal();
        for bad in [
            "",
            "sks_",
            "sks__",
            "sks_x_y",
            told.strip_suffix(|_| true).unwrap(),
            &told.replace("sks_", "skl_"),
        ] {
            assert!(TokenSecret::parse(bad).is_none(), "{bad}");
        }
        assert!(LinkSecret::parse(&told).is_none());
    }
}
