//! A key of a provider, which is never shown.

use std::fmt;

use hyper::header::HeaderValue;

/// What stands in place of a key.
const MASK: &str = "[key]";

/// The key of an account with a provider. It has no serde form, and its `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretKey(String);

impl SecretKey {
    /// A key. Spaces and line ends around it are removed; `None` if nothing is left.
    pub fn new(text: impl AsRef<str>) -> Option<SecretKey> {
        let text = text.as_ref().trim();
        (!text.is_empty()).then(|| SecretKey(text.to_owned()))
    }

    /// The value of a header, after `prefix`. `None` if a header cannot hold it.
    pub(super) fn header(&self, prefix: &str) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("{prefix}{}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// The text without the key.
    pub(super) fn masked(&self, text: &str) -> String {
        text.replace(&self.0, MASK)
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_never_shown() {
        let key = SecretKey::new(" sk-12345678\n").unwrap();
        assert_eq!(format!("{key:?}"), "SecretKey");
        let header = key.header("Bearer ").unwrap();
        assert_eq!(header.as_bytes(), b"Bearer sk-12345678");
        assert!(!format!("{header:?}").contains("1234"), "{header:?}");
        assert_eq!(key.masked("no key `sk-12345678`, sk-12345678"), "no key `[key]`, [key]");
    }

    #[test]
    fn empty_keys_are_none_and_broken_ones_cannot_be_sent() {
        assert_eq!(SecretKey::new(" \n"), None);
        assert_eq!(SecretKey::new("a\nb").unwrap().header(""), None);
    }
}
