//! Secrets in their text form.
//!
//! A token is `sks_<id>_<secret>`, a link's secret is `skl_<secret>`: 256 random bits in hexadecimal. Secret
//! scanners recognise the prefix; the id finds a token without comparing secrets.
//!
//! A device's token is split into halves of 128 bits: `sks_<id>_<half>` in the cookie, and the other half in
//! the page. Browsers send the cookie to every port of the host, so it must not be enough alone.

use std::fmt::Write;

use jiff::Timestamp;
use sekisho_gate::TokenId;
use sekisho_gate::token_store::SecretHash;
use subtle::ConstantTimeEq;

const TOKEN: &str = "sks_";
const LINK: &str = "skl_";
/// Hexadecimal digits in each half of a secret.
const HALF: usize = 32;

/// A token's text. It is shown once.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenSecret {
    /// The id of the token.
    pub id: TokenId,
    secret: String,
}

/// A link's secret. It is shown once.
#[derive(Clone, PartialEq, Eq)]
pub struct LinkSecret(String);

impl TokenSecret {
    /// Creates a random token.
    pub fn make(at: Timestamp) -> Result<TokenSecret, String> {
        Ok(TokenSecret { id: TokenId::new(at), secret: random()? })
    }

    /// Parses a token from its text.
    pub fn parse(text: &str) -> Option<TokenSecret> {
        let (id, secret) = text.strip_prefix(TOKEN)?.split_once('_')?;
        let id = uuid::Uuid::try_parse(id).ok().filter(|_| id.len() == 32)?;
        (secret.len() == 64 && secret.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .then(|| TokenSecret { id: TokenId(id), secret: secret.to_owned() })
    }

    /// Joins the two halves of a device's token.
    pub fn join(cookie: &str, page: &str) -> Option<TokenSecret> {
        // The whole secret has 64 digits, so the cookie must hold exactly the other half.
        (page.len() == HALF).then(|| TokenSecret::parse(&format!("{cookie}{page}"))).flatten()
    }

    /// The two halves, to hand out once: for the cookie and for the page.
    pub fn split(&self) -> Option<(String, String)> {
        let (cookie, page) = self.secret.split_at_checked(HALF)?;
        Some((format!("{TOKEN}{}_{cookie}", self.id.0.simple()), page.to_owned()))
    }

    /// The hash to store.
    pub fn hash(&self) -> SecretHash {
        SecretHash::of(self.secret.as_bytes())
    }

    /// Whether it matches the stored hash, in constant time.
    pub fn matches(&self, stored: &SecretHash) -> bool {
        self.hash().0.ct_eq(&stored.0).into()
    }

    /// The text to show once.
    pub fn reveal(&self) -> String {
        format!("{TOKEN}{}_{}", self.id.0.simple(), self.secret)
    }
}

impl LinkSecret {
    /// Creates a random link secret.
    pub fn make() -> Result<LinkSecret, String> {
        Ok(LinkSecret(random()?))
    }

    /// Parses a link secret from its text.
    pub fn parse(text: &str) -> Option<LinkSecret> {
        let secret = text.strip_prefix(LINK)?;
        (secret.len() == 64 && secret.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .then(|| LinkSecret(secret.to_owned()))
    }

    /// The hash that is stored and looked up. An attacker cannot choose a hash, so the lookup reveals
    /// nothing.
    pub fn hash(&self) -> SecretHash {
        SecretHash::of(self.0.as_bytes())
    }

    /// The text to show once.
    pub fn reveal(&self) -> String {
        format!("{LINK}{}", self.0)
    }

    /// The link below an address. The secret follows `#`, so browsers never send it to a server or to the
    /// next page.
    pub fn url(&self, address: &str) -> String {
        format!("{}/#link={}", address.trim_end_matches('/'), self.reveal())
    }
}

fn random() -> Result<String, String> {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| format!("cannot get random numbers from the system: {error}"))?;
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
    fn token_text_parses_back() {
        let token = TokenSecret::make(Timestamp::UNIX_EPOCH).unwrap();
        let read = TokenSecret::parse(&token.reveal()).unwrap();
        assert!(read.matches(&token.hash()));
        assert_eq!(read.id, token.id);
        let other = TokenSecret::make(Timestamp::UNIX_EPOCH).unwrap();
        assert!(!read.matches(&other.hash()));
    }

    #[test]
    fn halves_are_a_token_only_together() {
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
    fn malformed_tokens_do_not_parse() {
        let text = TokenSecret::make(Timestamp::UNIX_EPOCH).unwrap().reveal();
        for bad in [
            "",
            "sks_",
            "sks__",
            "sks_x_y",
            text.strip_suffix(|_| true).unwrap(),
            &text.replace("sks_", "skl_"),
        ] {
            assert!(TokenSecret::parse(bad).is_none(), "{bad}");
        }
        assert!(LinkSecret::parse(&text).is_none());
    }
}
