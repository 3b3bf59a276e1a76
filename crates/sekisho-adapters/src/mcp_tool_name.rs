//! Resolves a tool's name and its MCP server.
//!
//! Agents join an MCP server's name and its tool's into one. An ambiguous name is not guessed: a deny that
//! names the server or the tool could be missed by the wrong reading.

use sekisho_policy::tools::{self, sanitised_name};

/// A tool, and the MCP server it belongs to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ToolName {
    pub(crate) tool: String,
    pub(crate) server: Option<String>,
}

/// The server of a tool that is not the agent's own, if the request does not name it.
const UNKNOWN_SERVER: &str = "unknown";

impl ToolName {
    pub(crate) fn built_in(tool: &str) -> ToolName {
        ToolName { tool: tool.to_owned(), server: None }
    }

    /// A server's tool. Server names are normalised alike for all agents, so that one rule matches them all.
    pub(crate) fn of(server: &str, tool: &str) -> ToolName {
        ToolName { tool: tool.to_owned(), server: Some(sanitised_name(server)) }
    }

    /// A name without a server that is not one of the agent's own tools. A name known from another agent is
    /// not that tool: an MCP server called `todo` with a tool `write` must not pass for `todo_write`.
    pub(crate) fn unknown_server(tool: &str) -> ToolName {
        let server = tools::by_name(tool).map(|_| UNKNOWN_SERVER.to_owned());
        ToolName { tool: tool.to_owned(), server }
    }
}

/// Parses `mcp__SERVER__TOOL`; `server` is the server's name if the protocol sends it separately.
pub(crate) fn parse_mcp_name(name: &str, server: Option<&str>) -> Result<ToolName, String> {
    let Some(rest) = name.strip_prefix("mcp__") else {
        return Ok(ToolName { tool: name.to_owned(), server: server.map(sanitised_name) });
    };
    if let Some(server) = server.map(sanitised_name)
        && let Some(tool) = rest.strip_prefix(&server).and_then(|rest| rest.strip_prefix("__"))
        && !tool.is_empty()
    {
        return Ok(ToolName::of(&server, tool));
    }
    match rest.split_once("__") {
        Some((server, tool)) if !server.is_empty() && !tool.is_empty() => {
            let joints = rest.as_bytes().windows(2).filter(|pair| *pair == b"__").count();
            if joints == 1 {
                return Ok(ToolName::of(server, tool));
            }
            Err(format!(
                "`{name}` is ambiguous: it fits several tools of several servers; use server and tool names without `__`"
            ))
        }
        _ => Err(format!("`{name}` does not name a server and a tool")),
    }
}

/// The same when nothing is left to decide: takes the first reading of an ambiguous name.
pub(crate) fn parse_mcp_name_lenient(name: &str, server: Option<&str>) -> ToolName {
    parse_mcp_name(name, server).unwrap_or_else(|_| {
        let split = name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"));
        split.map_or_else(|| ToolName::built_in(name), |(server, tool)| ToolName::of(server, tool))
    })
}

#[cfg(test)]
mod tests {
    use super::{ToolName, parse_mcp_name, parse_mcp_name_lenient};
    use sekisho_policy::tools::sanitised_name;

    #[test]
    fn unambiguous_name_is_split() {
        for (name, server, tool_of) in [
            ("mcp__gate__danger", None, ("gate", "danger")),
            ("mcp__my_server__get_user", None, ("my_server", "get_user")),
            ("mcp__gate__danger", Some("gate"), ("gate", "danger")),
            ("mcp__a__b__c", Some("a"), ("a", "b__c")),
            ("mcp__a__b__c", Some("a__b"), ("a__b", "c")),
            ("mcp__plugin_x_y__z", Some("plugin:x:y"), ("plugin_x_y", "z")),
            ("mcp__other__tool", Some("gate"), ("other", "tool")),
        ] {
            assert_eq!(
                parse_mcp_name(name, server),
                Ok(ToolName::of(tool_of.0, tool_of.1)),
                "{name} {server:?}"
            );
        }
        assert_eq!(parse_mcp_name("Bash", None), Ok(ToolName::built_in("Bash")));
        // Some hosts omit the prefix; the server still shows that it is not the agent's own `read`.
        assert_eq!(parse_mcp_name("read", Some("files")), Ok(ToolName::of("files", "read")));
    }

    #[test]
    fn ambiguous_name_is_not_guessed() {
        for name in ["mcp__a__b__c", "mcp__a___b", "mcp____a__b", "mcp__", "mcp__a", "mcp__a__", "mcp____a"] {
            assert!(parse_mcp_name(name, None).is_err(), "{name}");
            assert!(parse_mcp_name(name, Some("elsewhere")).is_err(), "{name}");
        }
        assert_eq!(parse_mcp_name_lenient("mcp__a__b__c", None), ToolName::of("a", "b__c"));
        assert_eq!(parse_mcp_name_lenient("mcp__a", None), ToolName::built_in("mcp__a"));
    }

    #[test]
    fn name_from_another_agent_is_not_that_tool() {
        assert_eq!(ToolName::unknown_server("todo_write"), ToolName::of("unknown", "todo_write"));
        assert_eq!(ToolName::unknown_server("frobnicate"), ToolName::built_in("frobnicate"));
        assert_eq!(sanitised_name("a b.c😀"), "a_b_c__");
    }
}
