//! What a set of rules lets through besides the call that was asked about, in plain words.

use sekisho_policy::Rule;
use sekisho_policy::tools::{ToolKind, by_name};

use crate::display::{Layout, visible};

/// One sentence for a set of rules.
pub(super) fn sentence(rules: &[Rule]) -> String {
    let mut said: Vec<String> = Vec::new();
    for rule in rules {
        let words = words(rule);
        if !said.contains(&words) {
            said.push(words);
        }
    }
    said.join("; ")
}

/// A name of somebody else's, which cannot end the quotes it stands in nor hide what it is.
fn quoted(name: &str) -> String {
    format!("`{}`", visible(name, Layout::Line).replace('`', "\\u{60}"))
}

fn words(rule: &Rule) -> String {
    let tool = rule.tool.as_deref().unwrap_or("any tool");
    if let Some(words) = &rule.command {
        return format!(
            "every command that begins with {}, with any options and operands, in any directory",
            quoted(words)
        );
    }
    if let Some(glob) = &rule.command_glob {
        return if glob.contains('*') {
            format!(
                "every command of the form {}, where `*` is any text, options included, in any directory",
                quoted(glob)
            )
        } else {
            format!(
                "{} and nothing else, in any directory, whatever the files it uses then hold",
                quoted(glob)
            )
        };
    }
    if let Some(path) = &rule.path {
        let does = match by_name(tool).map(|tool| (tool.kind, tool.name)) {
            Some((ToolKind::Read, _)) => "reading",
            Some((ToolKind::Search, _)) => "searching",
            Some((ToolKind::Write, "delete")) => "deleting",
            Some((ToolKind::Write, "edit")) => "any edit of",
            _ => "writing anything to",
        };
        return match path.strip_suffix("/**") {
            Some(directory) => format!("{does} every file below {}", quoted(directory)),
            None => format!("{does} {}, and what is below it if it is a directory", quoted(path)),
        };
    }
    if let Some(host) = &rule.host {
        return format!("every address of the host {}, whatever is asked of it", quoted(host));
    }
    if let Some(skill) = &rule.skill_name {
        return format!("loading the skill {}, whatever it then says", quoted(skill));
    }
    let named = quoted(tool);
    match (&rule.server, by_name(tool)) {
        (Some(server), _) => {
            format!("every call of {named} of the server {}, with any input", quoted(server))
        }
        (None, Some(_)) => format!("every call of {named} and of what other agents call it, with any input"),
        (None, None) => {
            format!("every call of a tool named {named}, an MCP server's included, with any input")
        }
    }
}
