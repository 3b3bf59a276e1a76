//! A policy as bytes, for a process that judges one call and exits: reading them costs a small fraction of
//! what compiling costs.
//!
//! The bytes consist of a line that identifies the format and the build, a checksum of everything after it,
//! and then the parts of the policy, each preceded by its length and stored in the form in which it is used
//! (`byte_encoding.rs`). Almost nothing is decoded until a call needs it.
//!
//! The format is valid for one build only; it has no fields to skip and no old versions. The first line
//! contains a hash of all sources of this crate and of the parser, including the shipped rules and the
//! program table. So any change to a type, to the meaning of a rule or to compilation changes the hash
//! automatically. Bytes of another build are refused, and the policy is compiled again. The checksum detects
//! truncated or damaged files. It does not stop an attacker: a user who can write the bytes can also write
//! the rules.

use std::borrow::Cow;
use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use foldhash::quality::FixedState;
use serde::{Deserialize, Serialize};

use crate::byte_encoding::{Blob, ByteEncoded, LazyText, PartReader, PartWriter, Rows};
use crate::byte_slice::ByteSlice;
use crate::conditions::ConditionTable;
use crate::index::Index;
use crate::layer::{BrokenLayer, Reads};
use crate::policy::{Policy, PolicyNotice};
use crate::protected_paths::LazyProtectedList;
use crate::rule::LayerKind;
use crate::rule_ref::{LayerSource, RuleTable};

/// The beginning of the first line, including the format number. The number need not change with the sources,
/// which have their own hash.
const BEGINNING: &str = "sekisho policy, form 1, build ";

/// Bytes of the checksum.
const CHECKSUM: usize = 8;

/// Why bytes are not a valid policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyBytesError {
    /// They do not begin like a policy.
    NotAPolicy,
    /// Another build of sekisho made them.
    OtherBuild,
    /// They were changed after they were written.
    Damaged,
}

impl fmt::Display for PolicyBytesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            PolicyBytesError::NotAPolicy => "this is not a compiled policy",
            PolicyBytesError::OtherBuild => "another build of sekisho compiled this policy",
            PolicyBytesError::Damaged => "the compiled policy is damaged",
        };
        write!(f, "{what}; compile it again from its config files")
    }
}

impl std::error::Error for PolicyBytesError {}

/// The small fields that are always decoded.
#[derive(Serialize, Deserialize)]
struct EagerFields {
    denies: u32,
    strict_redirects: bool,
    reads: Reads,
    local_work: bool,
    has_managed: bool,
    broken: Vec<BrokenLayer>,
    notices: Vec<PolicyNotice>,
    /// The layer of each source of rules.
    sources: Vec<LayerKind>,
}

impl Policy {
    /// The policy as bytes, for [`Policy::from_bytes`] of the same build.
    pub fn to_bytes(&self) -> Vec<u8> {
        sealed(&PartWriter::bytes_of(self))
    }

    /// The policy that was encoded in these bytes. It judges exactly like the original. The bytes are kept
    /// and used in place: either a `Vec` read from a file, or a file mapped for the lifetime of the process.
    ///
    /// # Errors
    ///
    /// Bytes of another build, damaged bytes, or no policy at all. Compile the policy again in these cases.
    pub fn from_bytes(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Policy, PolicyBytesError> {
        let bytes: Cow<'static, [u8]> = bytes.into();
        let body = opened(&bytes)?..bytes.len();
        let body = ByteSlice::all(bytes).part(body).ok_or(PolicyBytesError::Damaged)?;
        let mut reader = PartReader::new(&body);
        let policy = Policy::read(&mut reader).filter(|_| reader.is_done());
        policy.ok_or(PolicyBytesError::Damaged)
    }

    fn small(&self) -> EagerFields {
        EagerFields {
            denies: self.denies,
            strict_redirects: self.strict_redirects,
            reads: self.reads,
            local_work: self.local_work,
            has_managed: self.managed.is_some(),
            broken: self.broken.clone(),
            notices: self.notices.clone(),
            sources: self.table.sources.iter().map(|source| source.layer).collect(),
        }
    }
}

impl ByteEncoded for Policy {
    fn write(&self, to: &mut PartWriter) {
        // Encoding cannot fail. If it did, the empty bytes would be refused when read.
        to.part(std::iter::once(postcard::to_allocvec(&self.small()).unwrap_or_default()));
        self.rules.write(to);
        self.patterns.write(to);
        self.index.write(to);
        self.inert.write(to);
        if let Some(managed) = &self.managed {
            managed.write(to);
        }
        self.extras.write(to);
        to.part(std::iter::once(PartWriter::bytes_of(&*self.protected)));
        self.table.cites.write(to);
        self.table.ids.write(to);
        for source in &self.table.sources {
            source.name.write(to);
            source.text.write(to);
        }
    }

    fn read(from: &mut PartReader<'_>) -> Option<Policy> {
        let small: EagerFields = postcard::from_bytes(from.part()?.bytes()).ok()?;
        let (rules, patterns) = (Rows::read(from)?, Blob::read(from)?);
        let (index, inert) = (Index::read(from)?, Index::read(from)?);
        let managed = if small.has_managed { Some(Index::read(from)?) } else { None };
        let (extras, protected) = (ConditionTable::read(from)?, LazyProtectedList::stored(from.part()?));
        let (cites, ids) = (Rows::read(from)?, Rows::read(from)?);
        let mut sources = Vec::with_capacity(small.sources.len());
        for layer in small.sources {
            sources.push(LayerSource { layer, name: LazyText::read(from)?, text: LazyText::read(from)? });
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
            local_work: small.local_work,
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

/// The offset of the body.
fn opened(bytes: &[u8]) -> Result<usize, PolicyBytesError> {
    let titled = TITLE.iter().try_fold(bytes, |rest, piece| rest.strip_prefix(piece.as_bytes()));
    let Some(rest) = titled else {
        let ours = bytes.starts_with(BEGINNING.as_bytes());
        return Err(if ours { PolicyBytesError::OtherBuild } else { PolicyBytesError::NotAPolicy });
    };
    match rest.split_first_chunk::<CHECKSUM>() {
        Some((sum, body)) if *sum == checksum(body) => Ok(bytes.len() - body.len()),
        _ => Err(PolicyBytesError::Damaged),
    }
}

#[cfg(test)]
mod tests {
    use super::{PartWriter, Policy, opened, sealed};
    use crate::{
        Call, JudgeContext, Layer, LayerKind, Layers, judge_and_trace, judge_with_extra_rules, required_facts,
    };
    use proptest::prelude::*;
    use serde_json::json;

    const CONFIG: &str = r#"{ "version": 1, "builtin": "none", "protected_paths": { "add": ["secret/*"] }, "permissions": {
        "allow": [{ "tool": "bash", "command": "npm test" }, { "tool_pattern": "get_*" }, { "tool": "read", "path": "/w" },
                  { "tool": "bash", "command_glob": "make * && ls" }, { "tool": "x", "server": "s", "agent": "me" }],
        "confirm": [{ "tool_pattern": "*_label", "timeout_s": 5 }, { "tool": "web_fetch", "host": "*.a.test" }],
        "deny": [{ "tool_pattern": "*delete*" }, { "tool": "bash", "command": "rm", "note": "no" }] } }"#;

    fn body() -> Vec<u8> {
        let layer = Layer::parse(LayerKind::Managed, "c", CONFIG).unwrap();
        PartWriter::bytes_of(&Policy::compile(Layers::from(vec![layer])))
    }

    proptest! {
        /// The checksum rejects such bytes. Even without it, reading them must end without a panic.
        #[test]
        fn forged_body_does_not_crash(
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
                let mut context = JudgeContext::at(jiff::Timestamp::UNIX_EPOCH);
                context.root = Some("/w".into());
                let _ = required_facts(&policy, &call);
                let (verdict, trace) = judge_and_trace(&policy, &call, &context);
                let _ = (serde_json::to_string(&verdict).unwrap(), serde_json::to_string(&trace).unwrap());
                let _ = judge_with_extra_rules(&policy, &call, &context, crate::Effect::Allow, &[]);
            }
            let _ = Policy::from_bytes(policy.to_bytes());
        }
    }
}
