//! A policy as bytes, for a process that judges one call and ends: reading them back costs a small part of compiling.
//!
//! The bytes are a line that says what they are and which build made them, a checksum of all that follows, and then the
//! parts of the policy, each behind its length and in the form in which it is looked into (`stored.rs`). Hardly anything is
//! decoded, and that only when a call asks for it.
//!
//! The form is for one build only, and has no fields to skip and no old versions. The line holds a number made of all sources
//! of this crate and of the parser's, shipped rules and program table included; so whoever changes a type, what a rule
//! means or how it is compiled changes the number, and nobody has to remember to. Bytes of another build are refused, and
//! their policy is compiled anew. The checksum finds files that were torn or damaged. It does not stop a forger: whoever
//! can write the bytes can write the rules.

use std::borrow::Cow;
use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use foldhash::quality::FixedState;
use serde::{Deserialize, Serialize};

use crate::cite::{RuleTable, Source};
use crate::extra::Extras;
use crate::index::Index;
use crate::layer::{Broken, Reads};
use crate::policy::{Notice, Policy};
use crate::protected::ProtectedPaths;
use crate::rule::LayerKind;
use crate::stored::{Blob, Reader, Rows, Stored, Text, Writer};
use crate::stretch::Stretch;

/// What the first line begins with, the number of the form included. It need not change with the sources, which have a
/// number of their own.
const BEGINNING: &str = "sekisho policy, form 1, build ";

/// Bytes of the checksum.
const CHECKSUM: usize = 8;

/// Why bytes are no policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BytesError {
    /// They do not begin as a policy does.
    NotAPolicy,
    /// Another build of sekisho made them.
    OtherBuild,
    /// They are not as they were written.
    Damaged,
}

impl fmt::Display for BytesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            BytesError::NotAPolicy => "this is not a compiled policy",
            BytesError::OtherBuild => "another build of sekisho compiled this policy",
            BytesError::Damaged => "the compiled policy is damaged",
        };
        write!(f, "{what}; compile it anew from its config files")
    }
}

impl std::error::Error for BytesError {}

/// What is decoded whatever is asked: it is little.
#[derive(Serialize, Deserialize)]
struct Small {
    denies: u32,
    strict_redirects: bool,
    reads: Reads,
    has_managed: bool,
    broken: Vec<Broken>,
    notices: Vec<Notice>,
    /// The layer of each source of rules.
    sources: Vec<LayerKind>,
}

impl Policy {
    /// The policy as bytes that [`Policy::from_bytes`] of the same build reads.
    pub fn to_bytes(&self) -> Vec<u8> {
        sealed(&Writer::bytes_of(self))
    }

    /// The policy that was turned into these bytes. It judges as the original does. The bytes are kept and used where they
    /// lie: those of a file that was read as a `Vec`, or those of one that is mapped for as long as the process lives.
    ///
    /// # Errors
    /// Bytes of another build, damaged ones, or no policy at all. Compile the policy anew then.
    pub fn from_bytes(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Policy, BytesError> {
        let bytes: Cow<'static, [u8]> = bytes.into();
        let body = opened(&bytes)?..bytes.len();
        let body = Stretch::all(bytes).part(body).ok_or(BytesError::Damaged)?;
        let mut reader = Reader::new(&body);
        let policy = Policy::read(&mut reader).filter(|_| reader.is_done());
        policy.ok_or(BytesError::Damaged)
    }

    fn small(&self) -> Small {
        Small {
            denies: self.denies,
            strict_redirects: self.strict_redirects,
            reads: self.reads,
            has_managed: self.managed.is_some(),
            broken: self.broken.clone(),
            notices: self.notices.clone(),
            sources: self.table.sources.iter().map(|source| source.layer).collect(),
        }
    }
}

impl Stored for Policy {
    fn write(&self, to: &mut Writer) {
        // Nothing in it can fail to be written. If it did, no bytes are not read back.
        to.part(std::iter::once(postcard::to_allocvec(&self.small()).unwrap_or_default()));
        self.rules.write(to);
        self.patterns.write(to);
        self.index.write(to);
        self.inert.write(to);
        if let Some(managed) = &self.managed {
            managed.write(to);
        }
        self.extras.write(to);
        to.part(std::iter::once(Writer::bytes_of(&*self.protected)));
        self.table.cites.write(to);
        self.table.ids.write(to);
        for source in &self.table.sources {
            source.name.write(to);
            source.text.write(to);
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<Policy> {
        let small: Small = postcard::from_bytes(from.part()?.bytes()).ok()?;
        let (rules, patterns) = (Rows::read(from)?, Blob::read(from)?);
        let (index, inert) = (Index::read(from)?, Index::read(from)?);
        let managed = if small.has_managed { Some(Index::read(from)?) } else { None };
        let (extras, protected) = (Extras::read(from)?, ProtectedPaths::stored(from.part()?));
        let (cites, ids) = (Rows::read(from)?, Rows::read(from)?);
        let mut sources = Vec::with_capacity(small.sources.len());
        for layer in small.sources {
            sources.push(Source { layer, name: Text::read(from)?, text: Text::read(from)? });
        }
        Some(Policy {
            table: Arc::new(RuleTable { sources, cites, ids }),
            rules,
            extras,
            patterns,
            denies: small.denies,
            index,
            managed,
            inert,
            protected,
            strict_redirects: small.strict_redirects,
            reads: small.reads,
            broken: small.broken,
            notices: small.notices,
        })
    }
}

/// The first line, in pieces.
const TITLE: [&str; 4] =
    [BEGINNING, sekisho_shell::FINGERPRINT, concat!("-", env!("SEKISHO_POLICY_FINGERPRINT")), "\n"];

fn checksum(body: &[u8]) -> [u8; CHECKSUM] {
    let mut hasher = FixedState::with_seed(0x5ea1).build_hasher();
    hasher.write(body);
    hasher.write_usize(body.len());
    hasher.finish().to_le_bytes()
}

/// A body with its title and checksum.
fn sealed(body: &[u8]) -> Vec<u8> {
    [TITLE.concat().as_bytes(), &checksum(body), body].concat()
}

/// Where the body of sealed bytes begins.
fn opened(bytes: &[u8]) -> Result<usize, BytesError> {
    let titled = TITLE.iter().try_fold(bytes, |rest, piece| rest.strip_prefix(piece.as_bytes()));
    let Some(rest) = titled else {
        let ours = bytes.starts_with(BEGINNING.as_bytes());
        return Err(if ours { BytesError::OtherBuild } else { BytesError::NotAPolicy });
    };
    match rest.split_first_chunk::<CHECKSUM>() {
        Some((sum, body)) if *sum == checksum(body) => Ok(bytes.len() - body.len()),
        _ => Err(BytesError::Damaged),
    }
}

#[cfg(test)]
mod tests {
    use super::{Policy, Writer, opened, sealed};
    use crate::{Call, Layer, LayerKind, Layers, Surroundings, judge_and_trace, judge_remembering, needs};
    use proptest::prelude::*;
    use serde_json::json;

    const CONFIG: &str = r#"{ "version": 1, "builtin": "none", "protected_paths": { "add": ["secret/*"] }, "permissions": {
        "allow": [{ "tool": "bash", "command": "npm test" }, { "tool_pattern": "get_*" }, { "tool": "read", "path": "/w" },
                  { "tool": "bash", "command_glob": "make * && ls" }, { "tool": "x", "server": "s", "agent": "me" }],
        "confirm": [{ "tool_pattern": "*_label", "timeout_s": 5 }, { "tool": "web_fetch", "host": "*.a.test" }],
        "deny": [{ "tool_pattern": "*delete*" }, { "tool": "bash", "command": "rm", "note": "no" }] } }"#;

    fn body() -> Vec<u8> {
        let layer = Layer::parse(LayerKind::Managed, "c", CONFIG).unwrap();
        Writer::bytes_of(&Policy::compile(Layers::from(vec![layer])))
    }

    proptest! {
        /// The checksum keeps such bytes away; what would come of them is still no panic and comes to an end.
        #[test]
        fn a_forged_body_does_no_harm_to_the_process(
            changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
            cut in proptest::option::weighted(0.2, any::<prop::sample::Index>()),
        ) {
            let mut body = body();
            for (at, byte) in changes {
                let at = at.index(body.len());
                body[at] = byte;
            }
            if let Some(cut) = cut {
                body.truncate(cut.index(body.len()));
            }
            let bytes = sealed(&body);
            prop_assert!(opened(&bytes).is_ok());
            let Ok(policy) = Policy::from_bytes(bytes) else { return Ok(()) };
            for (tool, input) in [
                ("Bash", json!({ "command": "npm test && rm -rf x; make a && ls > secret/x" })),
                ("Read", json!({ "path": "/w/secret/x" })),
                ("get_undeleted_label", json!(null)),
                ("WebFetch", json!({ "url": "https://x.a.test" })),
            ] {
                let call = Call::new(tool, input).in_directory("/w");
                let mut around = Surroundings::at(jiff::Timestamp::UNIX_EPOCH);
                around.root = Some("/w".into());
                let _ = needs(&policy, &call);
                let (verdict, trace) = judge_and_trace(&policy, &call, &around);
                let _ = (serde_json::to_string(&verdict).unwrap(), serde_json::to_string(&trace).unwrap());
                let _ = judge_remembering(&policy, &call, &around, crate::Effect::Allow, &[]);
            }
            let _ = Policy::from_bytes(policy.to_bytes());
        }
    }
}
