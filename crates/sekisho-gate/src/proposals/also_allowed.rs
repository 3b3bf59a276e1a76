//! What a set of rules lets through besides the call that was asked about: codes, and the sentences people read.

use schemars::JsonSchema;
use sekisho_policy::tools::{ToolKind, by_name};
use sekisho_policy::{Rule, say};
use serde::{Deserialize, Serialize};

use crate::display::{Layout, visible};

/// What a rule lets through besides the call at hand. All text in it is visible text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum AlsoAllowed {
    /// Every command that begins so, with any options and operands, in any directory.
    CommandsBeginning {
        /// The words it begins with.
        command: String,
    },
    /// Every command of a form, in any directory.
    CommandsLike {
        /// The form; `*` is any text.
        command: String,
    },
    /// One command in any directory, whatever the files it uses then hold.
    CommandAlone {
        /// The command.
        command: String,
    },
    /// Every file below a directory.
    FilesBelow {
        /// What is done to them.
        access: PathAccess,
        /// The directory.
        path: String,
    },
    /// A path, and what is below it if it is a directory.
    Path {
        /// What is done to it.
        access: PathAccess,
        /// The path.
        path: String,
    },
    /// Every address of a host.
    Host {
        /// The host.
        host: String,
    },
    /// A skill, whatever it then says.
    Skill {
        /// The skill.
        skill: String,
    },
    /// Every call of a tool of a server.
    ServerTool {
        /// The tool.
        tool: String,
        /// The server.
        server: String,
    },
    /// Every call of a tool, whatever agents call it.
    KnownTool {
        /// The tool.
        tool: String,
    },
    /// Every call of a tool of this name, an MCP server's included.
    ToolNamed {
        /// The name.
        tool: String,
    },
}

/// What is done to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PathAccess {
    /// It is read.
    Read,
    /// It is searched.
    Search,
    /// It is deleted.
    Delete,
    /// It is edited.
    Edit,
    /// Anything is written to it.
    Write,
}

impl PathAccess {
    fn words(self) -> &'static str {
        match self {
            PathAccess::Read => "reading",
            PathAccess::Search => "searching",
            PathAccess::Delete => "deleting",
            PathAccess::Edit => "any edit of",
            PathAccess::Write => "writing anything to",
        }
    }
}

/// What a set of rules lets through, each thing once.
pub(super) fn of(rules: &[Rule]) -> Vec<AlsoAllowed> {
    let mut found: Vec<AlsoAllowed> = Vec::new();
    for rule in rules {
        let also = AlsoAllowed::by(rule);
        if !found.contains(&also) {
            found.push(also);
        }
    }
    found
}

/// One sentence for all of it.
pub(super) fn sentence(allowed: &[AlsoAllowed]) -> String {
    let sentences: Vec<String> = allowed.iter().map(AlsoAllowed::sentence).collect();
    sentences.join("; ")
}

/// A name of somebody else's, which cannot end the quotes it stands in.
fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "\\u{60}"))
}

impl AlsoAllowed {
    fn by(rule: &Rule) -> AlsoAllowed {
        let shown = |text: &str| visible(text, Layout::Line).into_owned();
        let tool = rule.tool.as_deref().unwrap_or("any tool");
        if let Some(words) = &rule.command {
            return AlsoAllowed::CommandsBeginning { command: shown(words) };
        }
        if let Some(glob) = &rule.command_glob {
            let command = shown(glob);
            return if glob.contains('*') {
                AlsoAllowed::CommandsLike { command }
            } else {
                AlsoAllowed::CommandAlone { command }
            };
        }
        if let Some(path) = &rule.path {
            let access = match by_name(tool).map(|tool| (tool.kind, tool.name)) {
                Some((ToolKind::Read, _)) => PathAccess::Read,
                Some((ToolKind::Search, _)) => PathAccess::Search,
                Some((ToolKind::Write, "delete")) => PathAccess::Delete,
                Some((ToolKind::Write, "edit")) => PathAccess::Edit,
                _ => PathAccess::Write,
            };
            return match path.strip_suffix("/**") {
                Some(directory) => AlsoAllowed::FilesBelow { access, path: shown(directory) },
                None => AlsoAllowed::Path { access, path: shown(path) },
            };
        }
        if let Some(host) = &rule.host {
            return AlsoAllowed::Host { host: shown(host) };
        }
        if let Some(skill) = &rule.skill_name {
            return AlsoAllowed::Skill { skill: shown(skill) };
        }
        let named = shown(tool);
        match (&rule.server, by_name(tool)) {
            (Some(server), _) => AlsoAllowed::ServerTool { tool: named, server: shown(server) },
            (None, Some(_)) => AlsoAllowed::KnownTool { tool: named },
            (None, None) => AlsoAllowed::ToolNamed { tool: named },
        }
    }

    /// For people.
    pub fn sentence(&self) -> String {
        let sentence = match self {
            AlsoAllowed::CommandsBeginning { command } => format!(
                "every command that begins with {}, with any options and operands, in any directory",
                quoted(command)
            ),
            AlsoAllowed::CommandsLike { command } => format!(
                "every command of the form {}, where `*` is any text, options included, in any directory",
                quoted(command)
            ),
            AlsoAllowed::CommandAlone { command } => format!(
                "{} and nothing else, in any directory, whatever the files it uses then hold",
                quoted(command)
            ),
            AlsoAllowed::FilesBelow { access, path } => {
                format!("{} every file below {}", access.words(), quoted(path))
            }
            AlsoAllowed::Path { access, path } => {
                format!("{} {}, and what is below it if it is a directory", access.words(), quoted(path))
            }
            AlsoAllowed::Host { host } => {
                format!("every address of the host {}, whatever is asked of it", quoted(host))
            }
            AlsoAllowed::Skill { skill } => {
                format!("loading the skill {}, whatever it then says", quoted(skill))
            }
            AlsoAllowed::ServerTool { tool, server } => {
                format!("every call of {} of the server {}, with any input", quoted(tool), quoted(server))
            }
            AlsoAllowed::KnownTool { tool } => {
                format!("every call of {} and of what other agents call it, with any input", quoted(tool))
            }
            AlsoAllowed::ToolNamed { tool } => format!(
                "every call of a tool named {}, an MCP server's included, with any input",
                quoted(tool)
            ),
        };
        say(sentence).into_owned()
    }
}
