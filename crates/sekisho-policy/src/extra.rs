//! What a rule asks besides the tool's name and server.

use std::sync::OnceLock;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::command_pattern::{CommandGlob, CommandWords};
use crate::hosts::HostPattern;
use crate::paths::PathGlob;
use crate::rule::{Effect, LayerKind, OnTimeout, Rule};
use crate::stored::{Reader, Row, Rows, Stored, Writer};
use crate::stretch::Stretch;
use crate::verdict::Wait;

/// What a rule asks besides the tool's name and server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Extra {
    pub(crate) agent: Option<Box<str>>,
    pub(crate) path: Option<PathGlob>,
    pub(crate) host: Option<HostPattern>,
    pub(crate) skill: Option<Box<str>>,
    /// For rules filed by program: the tool they name.
    pub(crate) tool: Option<Box<str>>,
    pub(crate) command: Option<CommandWords>,
    pub(crate) command_glob: Option<CommandGlob>,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) unrestricted: bool,
    /// A rule that was never checked and cannot be evaluated: it never allows, and asks where it would deny.
    pub(crate) unreadable: bool,
    #[serde(with = "AllOfWait")]
    pub(crate) wait: Wait,
}

/// The wire form of [`Wait`] leaves out what is not there; bytes without names must not.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Wait")]
struct AllOfWait {
    timeout_s: Option<u32>,
    on_timeout: Option<OnTimeout>,
}

impl Extra {
    /// What the rule asks besides name and server, if anything.
    pub(crate) fn of(layer: LayerKind, effect: Effect, rule: &Rule) -> Option<Extra> {
        let path = rule.path.as_deref().map(|path| PathGlob::new(path, effect.is_wide()));
        let host = rule.host.as_deref().map(HostPattern::new);
        let glob = rule
            .command_glob
            .as_deref()
            .map(|glob| CommandGlob::new(glob, effect).map(|glob| glob.of_layer(layer)));
        let unreadable = path.as_ref().is_some_and(Result::is_err)
            || host.as_ref().is_some_and(Result::is_err)
            || glob.as_ref().is_some_and(Result::is_err);
        let shell = rule.command.is_some() || rule.command_glob.is_some();
        let extra = Extra {
            agent: rule.agent.as_deref().map(Into::into),
            path: path.and_then(Result::ok),
            host: host.and_then(Result::ok),
            unreadable,
            skill: rule.skill_name.as_deref().map(Into::into),
            tool: rule.tool.as_deref().filter(|_| shell).map(Into::into),
            command: rule.command.as_deref().map(CommandWords::new),
            command_glob: glob.and_then(Result::ok),
            expires_at: rule.expires_at,
            unrestricted: rule.unrestricted && layer != LayerKind::Project,
            wait: Wait { timeout_s: rule.timeout_s, on_timeout: rule.on_timeout },
        };
        // A tool alone is nothing: it stands there only beside what is asked of a command.
        (extra != Extra { tool: extra.tool.clone(), ..Extra::default() }).then_some(extra)
    }

    /// The program's name under which the rule is filed, where it is about one.
    pub(crate) fn program(&self) -> Option<&str> {
        let words = self.command.as_ref().and_then(CommandWords::program);
        // A glob of a deny may match anywhere in a text, so it is filed under its tool.
        words.or_else(|| self.command_glob.as_ref().and_then(CommandGlob::program))
    }

    /// What the rule asked cannot be had any more. Not even which command it was about.
    pub(crate) fn is_lost(&self) -> bool {
        self.unreadable && self.command.is_none() && self.command_glob.is_none()
    }
}

/// What the rules of a policy ask, by position.
#[derive(Debug)]
pub(crate) enum Extras {
    /// As they were compiled.
    Own(Vec<Extra>),
    /// As they were stored. Each is decoded when it is first asked for, since a single call asks for few.
    Stored {
        bytes: Stretch,
        /// Where each ends.
        ends: Rows<u32, 4>,
        /// Those that were decoded, in drawers: to make room for every one would cost more than to decode a few.
        drawers: Vec<OnceLock<Box<Drawer>>>,
    },
}

/// Some of those that were decoded.
type Drawer = [OnceLock<Box<Extra>>; DRAWER];

const DRAWER: usize = 32;

impl Extras {
    /// The one at a position.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> Option<&Extra> {
        match self {
            Extras::Own(list) => list.get(at),
            Extras::Stored { bytes, ends, drawers } => {
                let drawer =
                    drawers.get(at / DRAWER)?.get_or_init(|| Box::new([const { OnceLock::new() }; DRAWER]));
                // It is as it was written, or else the whole was not read. Still: what is lost never allows.
                let lost = || Extra { unreadable: true, ..Extra::default() };
                let slot = drawer.get(at % DRAWER).filter(|_| at < ends.len())?;
                Some(slot.get_or_init(|| Box::new(decode(bytes, ends, at).unwrap_or_else(lost))))
            }
        }
    }

    fn iter(&self) -> impl Iterator<Item = &Extra> {
        (0..).map_while(|at| self.get(at))
    }
}

fn decode(bytes: &Stretch, ends: &Rows<u32, 4>, at: usize) -> Option<Extra> {
    let start = at.checked_sub(1).map_or(Some(0), |before| ends.get(before))?;
    postcard::from_bytes(bytes.bytes().get(start as usize..ends.get(at)? as usize)?).ok()
}

impl Stored for Extras {
    fn write(&self, to: &mut Writer) {
        // Nothing in them can fail to be written. If it did, the rule is one that is lost.
        let written: Vec<Vec<u8>> =
            self.iter().map(|extra| postcard::to_allocvec(extra).unwrap_or_default()).collect();
        to.part(written.iter());
        let ends = written.iter().scan(0, |end, bytes| {
            *end += bytes.len();
            u32::try_from(*end).ok()
        });
        to.part(ends.map(u32::to_row));
    }

    fn read(from: &mut Reader<'_>) -> Option<Extras> {
        let (bytes, ends) = (from.part()?, Rows::<u32, 4>::read(from)?);
        let mut drawers = Vec::new();
        drawers.resize_with(ends.len().div_ceil(DRAWER), OnceLock::new);
        Some(Extras::Stored { bytes, ends, drawers })
    }
}
