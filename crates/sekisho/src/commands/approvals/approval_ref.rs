//! Names a question on the command line by its id or the end of its id.

use std::fmt;
use std::str::FromStr;

use sekisho_gate::ApprovalId;

use crate::terminal::visible;

/// A question id, or the end of one. The beginning of an id is not accepted: it is a timestamp that questions
/// of the same minute share, so it could come to match another question than the one the user saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ApprovalRef {
    Full(ApprovalId),
    Suffix(String),
}

impl ApprovalRef {
    pub(super) fn matches(&self, id: &str) -> bool {
        match self {
            ApprovalRef::Full(whole) => whole.to_string() == id,
            ApprovalRef::Suffix(piece) => {
                let (bare, piece) = (id.replace('-', ""), piece.replace('-', ""));
                bare.ends_with(&piece)
            }
        }
    }
}

impl FromStr for ApprovalRef {
    type Err = String;

    fn from_str(text: &str) -> Result<ApprovalRef, String> {
        if let Ok(id) = text.parse() {
            return Ok(ApprovalRef::Full(id));
        }
        let fits = text.len() >= 4 && text.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
        match fits {
            true => Ok(ApprovalRef::Suffix(text.to_ascii_lowercase())),
            false => Err("expected a question id, or at least the last 4 digits of one".into()),
        }
    }
}

impl fmt::Display for ApprovalRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ApprovalRef::Full(id) => id.fmt(f),
            ApprovalRef::Suffix(piece) => f.write_str(&visible(piece)),
        }
    }
}

/// The last eight characters of an id. Ids begin with the time, so their ends tell questions apart.
pub(in crate::commands) fn short_id(id: ApprovalId) -> String {
    let id = id.to_string();
    id.len().checked_sub(8).and_then(|start| id.get(start..)).unwrap_or(&id).to_owned()
}

#[cfg(test)]
mod tests {
    use super::ApprovalRef;

    #[test]
    fn id_or_end_of_id_matches() {
        let id = "019a4b7e-7c1e-7f6a-9a52-3f0c5d2a91c0";
        for piece in [id, "5D2A91C0", "3f0c5d2a91c0", "9a52-3f0c5d2a91c0", "91c0"] {
            assert!(piece.parse::<ApprovalRef>().unwrap().matches(id), "{piece}");
        }
        for other in ["7c1e", "019a4b7e-7c1e"] {
            assert!(!other.parse::<ApprovalRef>().unwrap().matches(id), "{other}");
        }
        for nonsense in ["", "abc", "frob", "0190:1"] {
            assert!(nonsense.parse::<ApprovalRef>().is_err(), "{nonsense}");
        }
    }
}
