//! What a set of rules lets through besides the call that was asked about, in plain words.

use sekisho_policy::Rule;
use sekisho_policy::tools::{ToolKind, by_name};

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

fn words(rule: &Rule) -> String {
    let tool = rule.tool.as_deref().unwrap_or("any tool");
    if let Some(words) = &rule.command {
        return format!(
            "every command that begins with `{words}`, with any options and operands, in any directory"
        );
    }
    if let Some(glob) = &rule.command_glob {
        return if glob.contains('*') {
            format!(
                "every command of the form `{glob}`, where `*` is any text, options included, in any directory"
            )
        } else {
            format!("`{glob}` and nothing else, in any directory, whatever the files it uses then hold")
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
            Some(directory) => format!("{does} every file below `{directory}`"),
            None => format!("{does} `{path}`, and what is below it if it is a directory"),
        };
    }
    if let Some(host) = &rule.host {
        return format!("every address of the host `{host}`, whatever is asked of it");
    }
    if let Some(skill) = &rule.skill_name {
        return format!("loading the skill `{skill}`, whatever it then says");
    }
    match (&rule.server, by_name(tool)) {
        (Some(server), _) => format!("every call of `{tool}` of the server `{server}`, with any input"),
        (None, Some(_)) => format!("every call of `{tool}` and of what other agents call it, with any input"),
        (None, None) => {
            format!("every call of a tool named `{tool}`, an MCP server's included, with any input")
        }
    }
}
