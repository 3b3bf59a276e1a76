//! Which shell commands questions were about, and what came of them.

use std::collections::{BTreeMap, HashMap};

use sekisho_policy::command_names;
use sekisho_policy::tools::{ToolKind, by_name};
use serde::Deserialize;
use serde::de::IgnoredAny;
use uuid::Uuid;

use super::audit_log::AskedCommand;

/// How many commands are told of.
const TOLD: usize = 20;
/// How many commands of one question count.
const MOST: usize = 16;
/// How many rows that do not name their commands are read anew: reading a shell text takes its time.
const READ_ANEW: usize = 2000;

/// What the row of a described tool has, and the shell tool its commands count for.
const DESCRIPTOR: &str = "\"descriptor\"";
const SHELL: &str = "bash";

/// Commands in the making.
#[derive(Clone, Debug, Default)]
pub(super) struct CommandCounter {
    /// By command and tool: where its counts are.
    names: BTreeMap<(String, &'static str), usize>,
    counts: Vec<Counts>,
    /// The commands of each question.
    questions: HashMap<Uuid, Vec<usize>>,
    /// Which questions were answered with yes or no. A question may come after its answer, so they meet in the end.
    answered: Vec<(Uuid, bool)>,
    read_anew: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    times: u64,
    approved: u64,
    denied: u64,
}

/// What is read of a question's row.
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
    /// A question.
    pub(super) fn asked(&mut self, approval: Option<Uuid>, tool: &str, body: &str) {
        let shell = by_name(tool).filter(|known| known.kind == ToolKind::Shell);
        // The row of a tool that is proven to be a shell names its commands, whatever the tool is called.
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
        let mut places = Vec::new();
        for name in names.into_iter().take(MOST) {
            let place = *self
                .names
                .entry((name, shell.map_or(SHELL, |shell| shell.name)))
                .or_insert(self.counts.len());
            if place == self.counts.len() {
                self.counts.push(Counts::default());
            }
            if let Some(counts) = self.counts.get_mut(place).filter(|_| !places.contains(&place)) {
                counts.times += 1;
                places.push(place);
            }
        }
        if let Some(approval) = approval.filter(|_| !places.is_empty()) {
            self.questions.insert(approval, places);
        }
    }

    /// A yes or a no.
    pub(super) fn answered(&mut self, approval: Option<Uuid>, yes: bool) {
        self.answered.extend(approval.map(|approval| (approval, yes)));
    }

    /// Those that were asked about most.
    pub(super) fn most(mut self) -> Vec<AskedCommand> {
        for (approval, yes) in &self.answered {
            for place in self.questions.get(approval).into_iter().flatten() {
                if let Some(counts) = self.counts.get_mut(*place) {
                    counts.approved += u64::from(*yes);
                    counts.denied += u64::from(!yes);
                }
            }
        }
        let mut commands: Vec<AskedCommand> = Vec::new();
        for ((command, tool), place) in self.names {
            let Some(Counts { times, approved, denied }) = self.counts.get(place).copied() else { continue };
            commands.push(AskedCommand { command, tool: tool.into(), times, approved, denied });
        }
        // By name where they are equal: the map is in that order, and sorting keeps it.
        commands.sort_by_key(|command| std::cmp::Reverse(command.times));
        commands.truncate(TOLD);
        commands
    }

    /// Rows that were written before they named their commands say only what was shown; the first command stands for all.
    fn first_of(&mut self, tool: &str, message: &str) -> Option<String> {
        if self.read_anew >= READ_ANEW {
            return None;
        }
        self.read_anew += 1;
        let text = message.split_once(": ").filter(|(name, _)| name.ends_with(tool));
        let text = text.map_or(message, |(_, text)| text);
        command_names(text).into_iter().find(|name| name != "cd")
    }
}
