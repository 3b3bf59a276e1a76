//! The conditions of a rule besides the tool's name and server.

use std::sync::OnceLock;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::byte_encoding::{ByteEncoded, FixedRow, PartReader, PartWriter, Rows};
use crate::byte_slice::ByteSlice;
use crate::command_pattern::{CommandGlob, CommandWords};
use crate::hosts::HostPattern;
use crate::input_condition::InputCondition;
use crate::paths::PathGlob;
use crate::rule::{Effect, LayerKind, OnTimeout, Rule};
use crate::verdict::Wait;

/// The conditions of a rule besides the tool's name and server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Conditions {
    pub(crate) agent: Option<Box<str>>,
    pub(crate) path: Option<PathGlob>,
    pub(crate) host: Option<HostPattern>,
    pub(crate) skill: Option<Box<str>>,
    pub(crate) input: Option<InputCondition>,
    /// For rules indexed by program: the tool they name.
    pub(crate) tool: Option<Box<str>>,
    pub(crate) command: Option<CommandWords>,
    pub(crate) command_glob: Option<CommandGlob>,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) unrestricted: bool,
    /// A stored rule that cannot be evaluated: it never allows, and confirms where it would deny.
    pub(crate) unreadable: bool,
    #[serde(with = "StoredWait")]
    pub(crate) wait: Wait,
}

/// The wire form of [`Wait`] omits absent fields; this format has no field names, so it must not.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Wait")]
struct StoredWait {
    timeout_s: Option<u32>,
    on_timeout: Option<OnTimeout>,
}

impl Conditions {
    /// The conditions of the rule, if it has any.
    pub(crate) fn of(layer: LayerKind, effect: Effect, rule: &Rule) -> Option<Conditions> {
        let path = rule.path.as_deref().map(|path| PathGlob::new(path, effect.is_wide()));
        let host = rule.host.as_deref().map(HostPattern::new);
        let glob = rule
            .command_glob
            .as_deref()
            .map(|glob| CommandGlob::new(glob, effect).map(|glob| glob.of_layer(layer)));
        let input = rule.input.as_deref().map(|input| InputCondition::new(input, rule.server.is_some()));
        let unreadable = path.as_ref().is_some_and(Result::is_err)
            || host.as_ref().is_some_and(Result::is_err)
            || glob.as_ref().is_some_and(Result::is_err)
            || input.as_ref().is_some_and(Result::is_err);
        let shell = rule.command.is_some() || rule.command_glob.is_some();
        let extra = Conditions {
            agent: rule.agent.as_deref().map(Into::into),
            path: path.and_then(Result::ok),
            host: host.and_then(Result::ok),
            unreadable,
            skill: rule.skill_name.as_deref().map(Into::into),
            input: input.and_then(Result::ok),
            tool: rule.tool.as_deref().filter(|_| shell).map(Into::into),
            command: rule.command.as_deref().map(CommandWords::new),
            command_glob: glob.and_then(Result::ok),
            expires_at: rule.expires_at,
            unrestricted: rule.unrestricted && layer != LayerKind::Project,
            wait: Wait { timeout_s: rule.timeout_s, on_timeout: rule.on_timeout },
        };
        // A tool alone is not a condition: it is only stored together with a command condition.
        (extra != Conditions { tool: extra.tool.clone(), ..Conditions::default() }).then_some(extra)
    }

    /// The program name by which the rule is indexed, if it has one.
    pub(crate) fn program(&self) -> Option<&str> {
        let words = self.command.as_ref().and_then(CommandWords::program);
        // The glob of a deny may match anywhere in a text, so it is indexed by its tool.
        words.or_else(|| self.command_glob.as_ref().and_then(CommandGlob::program))
    }

    /// Whether the conditions could not be decoded, so that not even the command is known.
    pub(crate) fn is_undecodable(&self) -> bool {
        self.unreadable && self.command.is_none() && self.command_glob.is_none()
    }
}

/// The conditions of all rules of a policy, by position.
#[derive(Debug)]
pub(crate) enum ConditionTable {
    /// As compiled.
    Own(Vec<Conditions>),
    /// As stored. Each is decoded on first use, because a single call needs few.
    Stored {
        bytes: ByteSlice,
        /// The end offset of each.
        ends: Rows<u32, 4>,
        /// Decoded conditions, allocated in chunks: allocating a slot for every rule would cost more than
        /// decoding a few.
        drawers: Vec<OnceLock<Box<ConditionChunk>>>,
    },
}

/// A chunk of decoded conditions.
type ConditionChunk = [OnceLock<Box<Conditions>>; DRAWER];

const DRAWER: usize = 32;

impl ConditionTable {
    #[inline]
    pub(crate) fn get(&self, at: usize) -> Option<&Conditions> {
        match self {
            ConditionTable::Own(list) => list.get(at),
            ConditionTable::Stored { bytes, ends, drawers } => {
                let drawer =
                    drawers.get(at / DRAWER)?.get_or_init(|| Box::new([const { OnceLock::new() }; DRAWER]));
                // The bytes are as they were written, or the policy would not have been read. If decoding
                // fails anyway, the rule never allows.
                let lost = || Conditions { unreadable: true, ..Conditions::default() };
                let slot = drawer.get(at % DRAWER).filter(|_| at < ends.len())?;
                Some(slot.get_or_init(|| Box::new(decode(bytes, ends, at).unwrap_or_else(lost))))
            }
        }
    }

    fn iter(&self) -> impl Iterator<Item = &Conditions> {
        (0..).map_while(|at| self.get(at))
    }
}

fn decode(bytes: &ByteSlice, ends: &Rows<u32, 4>, at: usize) -> Option<Conditions> {
    let start = at.checked_sub(1).map_or(Some(0), |before| ends.get(before))?;
    postcard::from_bytes(bytes.bytes().get(start as usize..ends.get(at)? as usize)?).ok()
}

impl ByteEncoded for ConditionTable {
    fn write(&self, to: &mut PartWriter) {
        // Encoding cannot fail. If it did, the rule would be undecodable.
        let written: Vec<Vec<u8>> =
            self.iter().map(|extra| postcard::to_allocvec(extra).unwrap_or_default()).collect();
        to.part(written.iter());
        let ends = written.iter().scan(0, |end, bytes| {
            *end += bytes.len();
            u32::try_from(*end).ok()
        });
        to.part(ends.map(u32::to_row));
    }

    fn read(from: &mut PartReader<'_>) -> Option<ConditionTable> {
        let (bytes, ends) = (from.part()?, Rows::<u32, 4>::read(from)?);
        let mut drawers = Vec::new();
        drawers.resize_with(ends.len().div_ceil(DRAWER), OnceLock::new);
        Some(ConditionTable::Stored { bytes, ends, drawers })
    }
}
