//! A policy as bytes, for a process that judges one call and ends: reading them back costs a small part of compiling.
//!
//! The bytes are a line that says what they are and which build made them, a checksum of all that follows, what every call
//! needs, and then what few calls need: the conditions of rules, the protected paths, the texts to cite. Of the latter only
//! the place is read; each is decoded when it is first asked for.
//!
//! The form is for one build only, and has no fields to skip and no old versions. The line holds a number made of all sources
//! of this crate and of the parser's, shipped rules and program table included; so whoever changes a type, what a rule
//! means or how it is compiled changes the number, and nobody has to remember to. Bytes of another build are refused, and
//! their policy is compiled anew. The checksum finds files that were torn or damaged. It does not stop a forger: whoever
//! can write the bytes can write the rules.

use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use foldhash::quality::FixedState;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::cite::{Cite, RuleTable, Source, Written};
use crate::extra::Extras;
use crate::index::Index;
use crate::layer::Broken;
use crate::policy::{Compiled, Notice, Policy};
use crate::protected::ProtectedPaths;
use crate::rule::LayerKind;
use crate::stretch::Stretch;

/// Changed where the order of the parts changes without a change of this crate's sources: never, so far.
const FORM: u32 = 1;

/// What the first line begins with.
const BEGINNING: &str = "sekisho policy ";

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

/// What every call needs. Places are counted from the end of it.
#[derive(Serialize, Deserialize)]
struct Head {
    rules: Vec<Compiled>,
    patterns: Vec<u8>,
    denies: u32,
    index: Index,
    managed: Option<Index>,
    inert: Index,
    strict_redirects: bool,
    broken: Vec<Broken>,
    notices: Vec<Notice>,
    cites: Vec<Cite>,
    ids: Vec<(u32, Uuid)>,
    sources: Vec<Place>,
    /// Where the conditions of each rule end; they come first.
    extras: Vec<u32>,
    protected: (usize, usize),
}

/// Where the text of a source is.
#[derive(Serialize, Deserialize)]
struct Place {
    layer: LayerKind,
    name: String,
    text: (usize, usize),
}

impl Policy {
    /// The policy as bytes that [`Policy::from_bytes`] of the same build reads.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Nothing in it can fail to be written. If it did, no bytes are no policy either.
        self.body().map(|body| sealed(&body)).unwrap_or_default()
    }

    /// The policy that was turned into these bytes. It judges as the original does. What takes over the bytes of a file need
    /// not copy them: a `Vec` is kept as it is.
    ///
    /// # Errors
    /// Bytes of another build, damaged ones, or no policy at all. Compile the policy anew then.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Result<Policy, BytesError> {
        let bytes: Vec<u8> = bytes.into();
        let start = opened(&bytes)?;
        let body = bytes.get(start..).unwrap_or_default();
        let (head, rest) = postcard::take_from_bytes(body).map_err(|_| BytesError::Damaged)?;
        let rest = bytes.len() - rest.len()..bytes.len();
        Stretch::all(bytes)
            .part(rest)
            .and_then(|rest| Policy::of_parts(head, &rest))
            .ok_or(BytesError::Damaged)
    }

    fn body(&self) -> postcard::Result<Vec<u8>> {
        let mut rest = Vec::new();
        let extras = self.extras.write(&mut rest)?;
        let mut add = |bytes: &[u8]| {
            let start = rest.len();
            rest.extend_from_slice(bytes);
            (start, rest.len())
        };
        let protected = add(&postcard::to_allocvec(&*self.protected)?);
        let place = |source: &Source| Place {
            layer: source.layer,
            name: source.name.to_string(),
            text: add(source.text.bytes()),
        };
        let sources = self.table.sources.iter().map(place).collect();
        let head = Head {
            rules: self.rules.clone(),
            patterns: self.patterns.clone(),
            denies: self.denies,
            index: self.index.clone(),
            managed: self.managed.clone(),
            inert: self.inert.clone(),
            strict_redirects: self.strict_redirects,
            broken: self.broken.clone(),
            notices: self.notices.clone(),
            cites: self.table.cites.clone(),
            ids: self.table.ids.clone(),
            sources,
            extras,
            protected,
        };
        let mut body = postcard::to_allocvec(&head)?;
        body.append(&mut rest);
        Ok(body)
    }

    fn of_parts(head: Head, rest: &Stretch) -> Option<Policy> {
        let source = |place: Place| {
            let text = rest.part(place.text.0..place.text.1)?;
            Some(Source { layer: place.layer, name: place.name.into(), text: Written::Stored(text) })
        };
        let sources = head.sources.into_iter().map(source).collect::<Option<_>>()?;
        let extras = rest.part(0..head.extras.last().copied().unwrap_or(0) as usize)?;
        Some(Policy {
            table: Arc::new(RuleTable { sources, cites: head.cites, ids: head.ids }),
            rules: head.rules,
            extras: Extras::stored(extras, head.extras),
            patterns: head.patterns,
            denies: head.denies,
            index: head.index,
            managed: head.managed,
            inert: head.inert,
            protected: ProtectedPaths::stored(rest.part(head.protected.0..head.protected.1)?),
            strict_redirects: head.strict_redirects,
            broken: head.broken,
            notices: head.notices,
        })
    }
}

/// The first line.
fn title() -> String {
    let build = [sekisho_shell::FINGERPRINT, env!("SEKISHO_POLICY_FINGERPRINT")];
    format!("{BEGINNING}{FORM} {}\n", build.join("-"))
}

fn checksum(body: &[u8]) -> [u8; CHECKSUM] {
    let mut hasher = FixedState::with_seed(0x5ea1).build_hasher();
    hasher.write(body);
    hasher.write_usize(body.len());
    hasher.finish().to_le_bytes()
}

/// A body with its title and checksum.
fn sealed(body: &[u8]) -> Vec<u8> {
    [title().as_bytes(), &checksum(body), body].concat()
}

/// Where the body of sealed bytes begins.
fn opened(bytes: &[u8]) -> Result<usize, BytesError> {
    let title = title();
    let Some(rest) = bytes.strip_prefix(title.as_bytes()) else {
        let ours = bytes.starts_with(BEGINNING.as_bytes());
        return Err(if ours { BytesError::OtherBuild } else { BytesError::NotAPolicy });
    };
    match rest.split_first_chunk::<CHECKSUM>() {
        Some((sum, body)) if *sum == checksum(body) => Ok(title.len() + CHECKSUM),
        _ => Err(BytesError::Damaged),
    }
}

#[cfg(test)]
mod tests {
    use super::{Policy, opened, sealed};
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
        Policy::compile(Layers::from(vec![layer])).body().unwrap()
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
