//! What a proposed rule would allow besides this call: codes, and the sentences people read.

use schemars::JsonSchema;
use sekisho_policy::tools::{ToolKind, by_name};
use sekisho_policy::{Rule, say};
use serde::{Deserialize, Serialize};

use crate::display::{Layout, visible};

/// What a rule would allow besides this call. All text in it is visible text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum AlsoAllowed {
    /// Every command that begins with these words, with any options and operands, in any directory.
    CommandsBeginning {
        /// The leading words.
        command: String,
    },
    /// Every command of a form, in any directory.
    CommandsLike {
        /// The form; `*` matches any text.
        command: String,
    },
    /// One command in any directory, whatever its files contain by then.
    CommandAlone {
        /// The command.
        command: String,
    },
    /// Every file below a directory.
    FilesBelow {
        /// How the files are accessed.
        access: PathAccess,
        /// The directory.
        path: String,
    },
    /// A path, and everything below it if it is a directory.
    Path {
        /// How the path is accessed.
        access: PathAccess,
        /// The path.
        path: String,
    },
    /// Every address of a host.
    Host {
        /// The host.
        host: String,
    },
    /// A skill, whatever it contains by then.
    Skill {
        /// The skill.
        skill: String,
    },
    /// Only calls of a tool of a server with the input of this call.
    ServerToolInput {
        /// The tool.
        tool: String,
        /// The server.
        server: String,
    },
    /// Only calls of a tool with the input of this call.
    ToolInput {
        /// The tool.
        tool: String,
    },
    /// Every call of a tool of a server.
    ServerTool {
        /// The tool.
        tool: String,
        /// The server.
        server: String,
    },
    /// Every call of a tool, by any name that agents use for it.
    KnownTool {
        /// The tool.
        tool: String,
    },
    /// Every call of a tool with this name, including tools of MCP servers.
    ToolNamed {
        /// The name.
        tool: String,
    },
}

/// How a path is accessed.
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
    /// It is written, with any content.
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

/// What a set of rules would allow, without repetitions.
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

/// Quotes an untrusted name so that it cannot end its quotes.
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
        if rule.input.is_some() {
            return match &rule.server {
                Some(server) => AlsoAllowed::ServerToolInput { tool: named, server: shown(server) },
                None => AlsoAllowed::ToolInput { tool: named },
            };
        }
        match (&rule.server, by_name(tool)) {
            (Some(server), _) => AlsoAllowed::ServerTool { tool: named, server: shown(server) },
            (None, Some(_)) => AlsoAllowed::KnownTool { tool: named },
            (None, None) => AlsoAllowed::ToolNamed { tool: named },
        }
    }

    /// The sentence people read.
    pub fn sentence(&self) -> String {
        let sentence = match self {
            AlsoAllowed::CommandsBeginning { command } => format!(
                "every command that begins with {}, with any options and operands, in any directory",
                quoted(command)
            ),
            AlsoAllowed::CommandsLike { command } => format!(
                "every command of the form {}, where `*` matches any text, options included, in any directory",
                quoted(command)
            ),
            AlsoAllowed::CommandAlone { command } => {
                format!("only {}, in any directory, whatever its files contain by then", quoted(command))
            }
            AlsoAllowed::FilesBelow { access, path } => {
                format!("{} every file below {}", access.words(), quoted(path))
            }
            AlsoAllowed::Path { access, path } => {
                format!("{} {}, and everything below it if it is a directory", access.words(), quoted(path))
            }
            AlsoAllowed::Host { host } => {
                format!("every address of the host {}, with any request", quoted(host))
            }
            AlsoAllowed::Skill { skill } => {
                format!("loading the skill {}, whatever it contains by then", quoted(skill))
            }
            AlsoAllowed::ServerToolInput { tool, server } => {
                format!("only {} of the server {} with exactly this input", quoted(tool), quoted(server))
            }
            AlsoAllowed::ToolInput { tool } => format!("only {} with exactly this input", quoted(tool)),
            AlsoAllowed::ServerTool { tool, server } => {
                format!("every call of {} of the server {}, with any input", quoted(tool), quoted(server))
            }
            AlsoAllowed::KnownTool { tool } => {
                format!("every call of {}, by any name that agents use for it, with any input", quoted(tool))
            }
            AlsoAllowed::ToolNamed { tool } => format!(
                "every call of a tool named {}, including tools of MCP servers, with any input",
                quoted(tool)
            ),
        };
        say(sentence).into_owned()
    }
}
