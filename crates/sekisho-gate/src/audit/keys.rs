//! The keys of the audit log: the one that signs, and older ones that still verify.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac as _};
use sha2::Sha256;

use super::mac::Mac;

/// A key and its number.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningKey {
    /// The key number, from 1. Rows name the key that signed them.
    pub id: u32,
    bytes: [u8; 32],
}

/// All keys, newest last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRing {
    keys: Vec<SigningKey>,
}

/// Why a key file was rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyFileError {
    /// The line number, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for KeyFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for KeyFileError {}

// The key itself is never printed.
impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.id)
    }
}

impl SigningKey {
    /// A key from its bytes.
    pub fn new(id: u32, bytes: [u8; 32]) -> SigningKey {
        SigningKey { id, bytes }
    }

    /// Identifies the key without revealing anything else about it.
    pub fn fingerprint(&self) -> Mac {
        self.code(b"sekisho audit key 1")
    }

    /// The code (MAC) of a message.
    pub(super) fn code(&self, message: &[u8]) -> Mac {
        // HMAC takes keys of any length, so this cannot fail. If it did, no row would verify.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.bytes) else { return Mac([0; 32]) };
        mac.update(message);
        Mac(mac.finalize().into_bytes().into())
    }
}

impl KeyRing {
    /// A key ring with one key.
    pub fn of(key: SigningKey) -> KeyRing {
        KeyRing { keys: vec![key] }
    }

    /// A key ring without keys, for readers: nothing can be signed, so nothing can be written.
    pub fn none() -> KeyRing {
        KeyRing { keys: Vec::new() }
    }

    /// All keys, newest last.
    pub fn all(&self) -> &[SigningKey] {
        &self.keys
    }

    /// The key that signs.
    pub fn signing(&self) -> Option<&SigningKey> {
        self.keys.last()
    }

    /// The key with this number.
    pub fn get(&self, id: u32) -> Option<&SigningKey> {
        self.keys.iter().find(|key| key.id == id)
    }

    /// Adds a key, which signs from now on.
    #[must_use]
    pub fn rotated(&self, bytes: [u8; 32]) -> KeyRing {
        let id = self.keys.last().map_or(1, |key| key.id.saturating_add(1));
        let mut keys = self.keys.clone();
        keys.push(SigningKey::new(id, bytes));
        KeyRing { keys }
    }

    /// Parses a key file: one line per key, with its number and 64 hexadecimal digits.
    pub fn parse(text: &str) -> Result<KeyRing, KeyFileError> {
        let mut keys: Vec<SigningKey> = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            if text.trim().is_empty() || text.starts_with('#') {
                continue;
            }
            let fault = |message: &str| KeyFileError { line, message: message.into() };
            let (id, digits) = text
                .split_once(' ')
                .ok_or_else(|| fault("expected the key number, a space and 64 hexadecimal digits"))?;
            let id: u32 = id.parse().map_err(|_| fault("the key number is not a number"))?;
            let code: Mac = digits.trim().parse().map_err(|_| fault("expected 64 hexadecimal digits"))?;
            if keys.last().is_some_and(|last| last.id >= id) {
                return Err(fault("key numbers must be ascending"));
            }
            keys.push(SigningKey::new(id, code.0));
        }
        if keys.is_empty() {
            return Err(KeyFileError { line: 1, message: "the file contains no key".into() });
        }
        Ok(KeyRing { keys })
    }

    /// The text of a key file.
    pub fn to_file_text(&self) -> String {
        let mut text = String::from(
            "# Signing keys of the audit log: they can forge it, and it cannot be verified without them.\n",
        );
        for key in &self.keys {
            text.push_str(&format!("{} {}\n", key.id, Mac(key.bytes)));
        }
        text
    }
}
