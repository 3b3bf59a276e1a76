//! Secrets as people carry them.
//!
//! A token is `sks_<id>_<secret>`, a link's secret `skl_<secret>`: 256 random bits in hexadecimal. The prefix lets secret
//! scanners know them; the id lets a token be found without comparing secrets.
//!
//! A device's token is carried in halves of 128 bits, `sks_<id>_<half>` in the cookie and the other half by the page: the
//! cookie goes to every port of the host, so it must not be enough.

use std::fmt::Write;

use jiff::Timestamp;
use sekisho_gate::TokenId;
use sekisho_gate::token_store::SecretHash;
use subtle::ConstantTimeEq;

const TOKEN: &str = "sks_";
const LINK: &str = "skl_";
/// How many digits of a secret each half has.
const HALF: usize = 32;

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

    /// Puts one together again that was told in halves.
    pub fn join(cookie: &str, page: &str) -> Option<TokenSecret> {
        // All of it has 64 digits, so the cookie then has the other half, no more and no less.
        (page.len() == HALF).then(|| TokenSecret::parse(&format!("{cookie}{page}"))).flatten()
    }

    /// The halves to tell, once: one for the cookie, one for the page.
    pub fn split(&self) -> Option<(String, String)> {
        let (cookie, page) = self.secret.split_at_checked(HALF)?;
        Some((format!("{TOKEN}{}_{cookie}", self.id.0.simple()), page.to_owned()))
    }

    /// What is kept of it.
    pub fn hash(&self) -> SecretHash {
        SecretHash::of(self.secret.as_bytes())
    }

    /// Whether it is the one that was kept; takes as long either way.
    pub fn matches(&self, kept: &SecretHash) -> bool {
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
    pub fn url(&self, address: &str) -> String {
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
        assert!(read.matches(&token.hash()));
        assert_eq!(read.id, token.id);
        let other = TokenSecret::make(Timestamp::UNIX_EPOCH).unwrap();
        assert!(!read.matches(&other.hash()));
    }

    #[test]
    fn halves_are_one_token_together_and_none_alone() {
        let token = TokenSecret::make(Timestamp::UNIX_EPOCH).unwrap();
        let (cookie, page) = token.split().unwrap();
        assert!(TokenSecret::join(&cookie, &page).unwrap().matches(&token.hash()));
        assert!(TokenSecret::parse(&cookie).is_none() && TokenSecret::parse(&page).is_none());
        let whole = token.reveal();
        for (cookie, page) in [
            (cookie.as_str(), ""),
            ("", page.as_str()),
            (whole.as_str(), ""),
            (whole.as_str(), page.as_str()),
            (cookie.as_str(), page.strip_suffix(|_| true).unwrap()),
            (whole.strip_suffix(|_| true).unwrap(), page.split_at(31).1),
            (cookie.as_str(), "____aaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
        ] {
            assert!(TokenSecret::join(cookie, page).is_none(), "{cookie} and {page}");
        }
        let other = TokenSecret::make(Timestamp::UNIX_EPOCH).unwrap().split().unwrap().1;
        assert!(!TokenSecret::join(&cookie, &other).unwrap().matches(&token.hash()));
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
