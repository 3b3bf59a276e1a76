//! Statistics: which shell commands needed approval most often, and how the approvals ended.

use std::collections::{BTreeMap, HashMap};

use sekisho_policy::command_names;
use sekisho_policy::tools::{ToolKind, by_name};
use serde::Deserialize;
use serde::de::IgnoredAny;
use uuid::Uuid;

use super::audit_log::AskedCommand;

/// How many commands are listed.
const MAX_LISTED: usize = 20;
/// How many commands of one approval are counted.
const MAX_COUNTED: usize = 16;
/// How many rows without command names are parsed again. Parsing a shell command takes time.
const MAX_REPARSED: usize = 2000;

/// Marks the row of a described tool, and the shell tool its commands are counted under.
const DESCRIPTOR: &str = "\"descriptor\"";
const SHELL: &str = "bash";

/// Command counts while they are collected.
#[derive(Clone, Debug, Default)]
pub(super) struct CommandCounter {
    /// The index of the counts, by command and tool.
    names: BTreeMap<(String, &'static str), usize>,
    counts: Vec<Counts>,
    /// The commands of each approval.
    questions: HashMap<Uuid, Vec<usize>>,
    /// Which approvals were approved or denied. An answer may be read before its approval, so they are
    /// joined at the end.
    answered: Vec<(Uuid, bool)>,
    reparsed: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    times: u64,
    approved: u64,
    denied: u64,
}

/// The fields that are read from an approval's row.
#[derive(Deserialize)]
struct Body {
    #[serde(default)]
    commands: Option<Vec<String>>,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    descriptor: Option<IgnoredAny>,
}

impl CommandCounter {
    /// Counts an approval.
    pub(super) fn asked(&mut self, approval: Option<Uuid>, tool: &str, body: &str) {
        let shell = by_name(tool).filter(|known| known.kind == ToolKind::Shell);
        // A row of a tool proven to be a shell lists its commands, whatever the tool's name.
        if shell.is_none() && !body.contains(DESCRIPTOR) {
            return;
        }
        let Ok(body) = serde_json::from_str::<Body>(body) else { return };
        let names = match (body.commands, body.message) {
            _ if shell.is_none() && body.descriptor.is_none() => return,
            (Some(names), _) => names,
            _ if shell.is_none() => return,
            (None, Some(message)) => self.first_of(tool, &message).into_iter().collect(),
            (None, None) => return,
        };
        let mut indices = Vec::new();
        for name in names.into_iter().take(MAX_COUNTED) {
            let index = *self
                .names
                .entry((name, shell.map_or(SHELL, |shell| shell.name)))
                .or_insert(self.counts.len());
            if index == self.counts.len() {
                self.counts.push(Counts::default());
            }
            if let Some(counts) = self.counts.get_mut(index).filter(|_| !indices.contains(&index)) {
                counts.times += 1;
                indices.push(index);
            }
        }
        if let Some(approval) = approval.filter(|_| !indices.is_empty()) {
            self.questions.insert(approval, indices);
        }
    }

    /// Counts an answer.
    pub(super) fn answered(&mut self, approval: Option<Uuid>, yes: bool) {
        self.answered.extend(approval.map(|approval| (approval, yes)));
    }

    /// The commands that needed approval most often.
    pub(super) fn most(mut self) -> Vec<AskedCommand> {
        for (approval, yes) in &self.answered {
            for index in self.questions.get(approval).into_iter().flatten() {
                if let Some(counts) = self.counts.get_mut(*index) {
                    counts.approved += u64::from(*yes);
                    counts.denied += u64::from(!yes);
                }
            }
        }
        let mut commands: Vec<AskedCommand> = Vec::new();
        for ((command, tool), index) in self.names {
            let Some(Counts { times, approved, denied }) = self.counts.get(index).copied() else { continue };
            commands.push(AskedCommand { command, tool: tool.into(), times, approved, denied });
        }
        // Equal counts are ordered by name: the map has that order, and the sort is stable.
        commands.sort_by_key(|command| std::cmp::Reverse(command.times));
        commands.truncate(MAX_LISTED);
        commands
    }

    /// Rows from before commands were listed hold only the displayed message. The first command counts
    /// for all.
    fn first_of(&mut self, tool: &str, message: &str) -> Option<String> {
        if self.reparsed >= MAX_REPARSED {
            return None;
        }
        self.reparsed += 1;
        let text = message.split_once(": ").filter(|(name, _)| name.ends_with(tool));
        let text = text.map_or(message, |(_, text)| text);
        command_names(text).into_iter().find(|name| name != "cd")
    }
}
