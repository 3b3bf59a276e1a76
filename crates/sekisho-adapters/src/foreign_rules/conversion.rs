//! The rules that one imported entry becomes, and what could not be converted.

use std::collections::BTreeSet;

use sekisho_policy::{Effect, Rule};

use super::Exactness;

/// The rules an entry becomes, how exactly, and why not exactly.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Conversion {
    pub(super) rules: Vec<(Effect, Rule)>,
    pub(super) how: Exactness,
    pub(super) why: String,
}

impl Conversion {
    pub(super) fn exact(effect: Effect, rules: Vec<Rule>) -> Conversion {
        Conversion { rules: with(effect, rules), how: Exactness::Exact, why: String::new() }
    }

    /// Rules that cover less (an allow) or more (a deny or an ask) than the source.
    pub(super) fn approximate(effect: Effect, rules: Vec<Rule>, why: impl Into<String>) -> Conversion {
        let how = if effect == Effect::Allow { Exactness::Narrower } else { Exactness::Wider };
        Conversion { rules: with(effect, rules), how, why: why.into() }
    }

    pub(super) fn dropped(why: impl Into<String>) -> Conversion {
        Conversion { rules: Vec::new(), how: Exactness::Dropped, why: why.into() }
    }

    /// An entry that cannot be expressed: an allow is dropped, a deny or an ask becomes a question about all
    /// of the tools.
    pub(super) fn unsupported(effect: Effect, tools: &[&str], why: impl Into<String>) -> Conversion {
        let why = why.into();
        if effect == Effect::Allow || tools.is_empty() {
            return Conversion::dropped(why);
        }
        let rules = tools.iter().map(|name| tool(name)).collect();
        let how = if effect == Effect::Deny { Exactness::Confirm } else { Exactness::Wider };
        let why = format!("{why}; so every call of {} needs confirmation", tools.join(", "));
        Conversion { rules: with(Effect::Confirm, rules), how, why }
    }

    /// The rules alone, to be converted further.
    pub(super) fn into_rules(self) -> Vec<Rule> {
        self.rules.into_iter().map(|(_, rule)| rule).collect()
    }

    /// Adds the rules of another conversion.
    pub(super) fn merge(mut self, other: Conversion) -> Conversion {
        let partly = (self.how == Exactness::Dropped) != (other.how == Exactness::Dropped);
        let carried =
            [self.how, other.how].into_iter().filter(|how| !partly || *how != Exactness::Dropped).max();
        let least = if partly { Exactness::Narrower } else { Exactness::Exact };
        self.how = carried.unwrap_or(Exactness::Dropped).max(least);
        self.rules.extend(other.rules);
        if !other.why.is_empty() {
            self.why = join_reasons(&self.why, &other.why);
        }
        self
    }
}

fn with(effect: Effect, rules: Vec<Rule>) -> Vec<(Effect, Rule)> {
    rules.into_iter().map(|rule| (effect, rule)).collect()
}

/// A rule about a whole tool.
pub(super) fn tool(name: &str) -> Rule {
    Rule { tool: Some(name.into()), ..Rule::default() }
}

/// A rule about a whole MCP server.
pub(super) fn server(id: &str) -> Rule {
    Rule { server: Some(id.into()), ..Rule::default() }
}

/// A rule about all tools whose name matches.
pub(super) fn pattern(pattern: &str) -> Rule {
    Rule { tool_pattern: Some(pattern.into()), ..Rule::default() }
}

/// Joins two reasons, without repeating one.
pub(super) fn join_reasons(why: &str, more: &str) -> String {
    match why {
        "" => more.into(),
        why if why.contains(more) => why.into(),
        why => format!("{why}; {more}"),
    }
}

/// The patterns for the tools of every MCP server.
pub(super) const EVERY_SERVER: [&str; 2] = ["mcp__*", "mcp_*"];

/// Here servers are named one by one. So a deny or an ask for every MCP server is repeated for each server
/// that is allowed something; the other servers need confirmation by default.
pub(super) fn expand_every_server(lists: &mut [&mut Vec<(Effect, Rule)>]) {
    let allowed = lists.iter().flat_map(|list| list.iter()).filter(|(effect, _)| *effect == Effect::Allow);
    let servers: BTreeSet<String> = allowed.filter_map(|(_, rule)| rule.server.clone()).collect();
    for list in lists {
        let is_every =
            |rule: &Rule| rule.tool_pattern.as_deref().is_some_and(|name| EVERY_SERVER.contains(&name));
        let every = list.iter().find(|(effect, rule)| *effect != Effect::Allow && is_every(rule));
        if let Some(effect) = every.map(|(effect, _)| *effect) {
            list.extend(servers.iter().map(|id| (effect, server(id))));
        }
    }
}

/// A tool of an MCP server, or the whole server. An allow takes one exact name or the whole server: our
/// patterns ignore case and would cover more.
pub(super) fn of_server(effect: Effect, id: &str, name: Option<&str>) -> Conversion {
    match name.filter(|name| *name != "*") {
        None => Conversion::exact(effect, vec![server(id)]),
        Some(name) if !name.contains('*') => {
            Conversion::exact(effect, vec![Rule { tool: Some(name.into()), ..server(id) }])
        }
        Some(name) if effect == Effect::Allow && name.chars().any(char::is_alphabetic) => {
            Conversion::dropped(
                "patterns ignore case here, so it would allow more; add the tools by name with `sekisho rules add`",
            )
        }
        Some(name) => Conversion::exact(effect, vec![Rule { tool_pattern: Some(name.into()), ..server(id) }]),
    }
}
