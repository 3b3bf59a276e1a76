//! Gemini CLI's policy files: `[[rule]]` tables, of which the matching one with the highest priority decides.
//!
//! A rule limited to some modes, some sub-agents or interactive use cannot be expressed: an allow is dropped,
//! a deny or an ask applies always.

use sekisho_policy::tools::{ToolKind, by_name};
use sekisho_policy::{Effect, Rule};
use serde::Deserialize;
use toml::{Spanned, Table, Value};

use super::conversion::{Conversion, expand_every_server, join_reasons, of_server, pattern, tool};
use super::paths::{WORKSPACE, on};
use super::{Exactness, ImportError, ImportedEntry, SourceDocument, commands, priorities, regex_prefixes};

const SHELL: &str = "run_shell_command";

/// Conditions that cannot be expressed.
const CONDITIONS: [&str; 4] = ["modes", "interactive", "subagent", "toolAnnotations"];

/// Fields that do not affect which calls a rule matches.
const REMARKS: [&str; 4] = ["allowRedirection", "allow_redirection", "denyMessage", "deny_message"];

/// Fields that are read.
const READ: [&str; 7] =
    ["toolName", "mcpName", "commandPrefix", "commandRegex", "argsPattern", "decision", "priority"];

#[derive(Deserialize)]
struct GeminiPolicyFile {
    #[serde(default)]
    rule: Vec<Spanned<Table>>,
    #[serde(default)]
    safety_checker: Vec<Spanned<Table>>,
}

/// One rule with its priority.
struct PrioritizedRule {
    document: usize,
    line: u32,
    said: String,
    priority: i64,
    converted: Conversion,
}

pub(super) fn read(documents: &[SourceDocument]) -> Result<Vec<ImportedEntry>, ImportError> {
    let mut rules: Vec<PrioritizedRule> = Vec::new();
    let mut aside: Vec<ImportedEntry> = Vec::new();
    for (document, SourceDocument { text, .. }) in documents.iter().enumerate() {
        let unread = |line: u32, message: String| ImportError { document, line, message };
        let policy: GeminiPolicyFile =
            toml::from_str(text).map_err(|error| unread(0, error.message().to_lowercase()))?;
        let line = |at: usize| {
            let lines = text.get(..at).unwrap_or("").matches('\n').count();
            u32::try_from(lines).unwrap_or(u32::MAX).saturating_add(1)
        };
        for rule in &policy.rule {
            let (line, table) = (line(rule.span().start), rule.get_ref());
            let (effect, priority) = head(table).map_err(|message| unread(line, message))?;
            let converted = converted(effect, table).map_err(|message| unread(line, message))?;
            rules.push(PrioritizedRule { document, line, said: shown(table), priority, converted });
        }
        for checker in &policy.safety_checker {
            let Conversion { rules, how, why } = Conversion::dropped("checkers are programs of Gemini CLI");
            let said = shown(checker.get_ref());
            aside.push(ImportedEntry {
                document,
                line: line(checker.span().start),
                source_text: said,
                rules,
                exactness: how,
                why,
            });
        }
    }
    // Among equal priorities the first decides; a stable sort keeps their order.
    rules.sort_by_key(|rule| std::cmp::Reverse(rule.priority));
    expand_every_server(&mut rules.iter_mut().map(|rule| &mut rule.converted.rules).collect::<Vec<_>>());
    let mut conversions: Vec<Conversion> = rules.iter().map(|rule| rule.converted.clone()).collect();
    priorities::rank(&mut conversions, 0);
    let carried = rules.into_iter().zip(conversions).map(
        |(PrioritizedRule { document, line, said, .. }, converted)| {
            let Conversion { rules, how, why } = converted;
            ImportedEntry { document, line, source_text: said, rules, exactness: how, why }
        },
    );
    let mut entries: Vec<ImportedEntry> = carried.chain(aside).collect();
    entries.sort_by_key(|entry| (entry.document, entry.line));
    Ok(entries)
}

fn head(table: &Table) -> Result<(Effect, i64), String> {
    let effect = match table.get("decision").and_then(Value::as_str) {
        Some("allow") => Effect::Allow,
        Some("deny") => Effect::Deny,
        Some("ask_user") => Effect::Confirm,
        _ => return Err("`decision` is not one of allow, deny and ask_user".into()),
    };
    let priority = table.get("priority").and_then(Value::as_integer);
    let priority = priority.filter(|priority| (0..1000).contains(priority));
    Ok((effect, priority.ok_or("`priority` is not a number from 0 to 999")?))
}

fn shown(table: &Table) -> String {
    let fields: Vec<String> = table
        .iter()
        .map(|(name, value)| {
            let value = serde_json::to_string(value).unwrap_or_default();
            format!("{name} = {value}")
        })
        .collect();
    fields.join(", ")
}

/// A string or a list of strings.
fn texts<'a>(table: &'a Table, name: &str) -> Result<Vec<&'a str>, String> {
    let fault = || format!("`{name}` is not a string or a list of strings");
    match table.get(name) {
        None => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(vec![text]),
        Some(Value::Array(list)) => list.iter().map(Value::as_str).collect::<Option<_>>().ok_or_else(fault),
        Some(_) => Err(fault()),
    }
}

fn converted(effect: Effect, table: &Table) -> Result<Conversion, String> {
    let condition = CONDITIONS.iter().find(|name| table.contains_key(**name)).copied();
    let strange = table
        .keys()
        .map(String::as_str)
        .find(|name| !READ.contains(name) && !REMARKS.contains(name) && !CONDITIONS.contains(name));
    let unsaid = condition.or(strange);
    if let Some(name) = unsaid.filter(|_| effect == Effect::Allow) {
        return Ok(Conversion::dropped(format!("it applies only under `{name}`, which is unknown here")));
    }
    let mut converted = matched(effect, table)?;
    let message = ["denyMessage", "deny_message"].iter().find_map(|name| table.get(*name)?.as_str());
    for (_, rule) in &mut converted.rules {
        rule.note = message.map(str::to_owned);
    }
    if let Some(name) = unsaid {
        converted.how = converted.how.max(Exactness::Wider);
        converted.why =
            join_reasons(&converted.why, &format!("it always applies here, not only under `{name}`"));
    }
    Ok(converted)
}

fn matched(effect: Effect, table: &Table) -> Result<Conversion, String> {
    let names = texts(table, "toolName")?;
    let server = table.get("mcpName").and_then(Value::as_str);
    let args = table.get("argsPattern").and_then(Value::as_str);
    let prefixes = texts(table, "commandPrefix")?;
    let commands = table.get("commandRegex").and_then(Value::as_str);
    if !prefixes.is_empty() || commands.is_some() {
        if names != [SHELL] || server.is_some() || args.is_some() {
            return Err(
                "`commandPrefix` and `commandRegex` go with `toolName = \"run_shell_command\"` alone".into(),
            );
        }
        return Ok(match commands {
            Some(commands) => of_regex(effect, commands),
            None => prefixes
                .iter()
                .map(|prefix| of_prefix(effect, prefix))
                .reduce(Conversion::merge)
                .unwrap_or_else(|| Conversion::dropped("it does not name a command")),
        });
    }
    let names = if names.is_empty() { vec!["*"] } else { names };
    let conversions = names.iter().map(|name| match server {
        Some(id) => of_mcp(effect, id, name),
        None => of_tool(effect, name),
    });
    let converted = conversions
        .reduce(Conversion::merge)
        .unwrap_or_else(|| Conversion::dropped("it does not name a tool"));
    Ok(match args {
        None => converted,
        Some(_) if effect == Effect::Allow => {
            Conversion::dropped("a pattern over the arguments cannot be expressed here")
        }
        Some(_) => {
            let how = if effect == Effect::Deny { Exactness::Confirm } else { Exactness::Wider };
            let rules = converted.into_rules().into_iter().map(|rule| (Effect::Confirm, rule)).collect();
            let why = "a pattern over the arguments cannot be expressed here; so every call of the tool needs confirmation";
            Conversion { rules, how, why: why.into() }
        }
    })
}

/// `commandPrefix`: the words, then a space, a quote or the end.
fn of_prefix(effect: Effect, prefix: &str) -> Conversion {
    if prefix.ends_with([' ', '\t']) && effect == Effect::Allow {
        return Conversion::dropped(
            "Gemini CLI requires another space after its trailing space; write it without",
        );
    }
    let converted = commands::prefix(effect, prefix.trim());
    if prefix.trim().len() == prefix.len() || converted.rules.is_empty() {
        return converted;
    }
    Conversion::approximate(effect, converted.into_rules(), "spaces around the words are ignored")
}

/// `commandRegex`, if it only says how a command begins.
fn of_regex(effect: Effect, text: &str) -> Conversion {
    let Some((beginnings, ends)) = regex_prefixes::literal_prefixes(text) else {
        return Conversion::unsupported(
            effect,
            &["bash"],
            "this regular expression cannot be expressed here",
        );
    };
    let each = beginnings.iter().map(|beginning| match effect {
        // `git commit` is also a prefix of `git commit-tree`; matching whole words covers less.
        Effect::Allow => commands::prefix(effect, beginning.trim_end()),
        _ if ends => commands::prefix(effect, beginning),
        _ => commands::glob(effect, &format!("{beginning}*"), commands::QuestionMark::Plain),
    });
    let converted =
        each.reduce(Conversion::merge).unwrap_or_else(|| Conversion::dropped("it does not name a command"));
    if effect == Effect::Allow && !converted.rules.is_empty() {
        return Conversion::approximate(effect, converted.into_rules(), "whole words only");
    }
    converted
}

fn of_mcp(effect: Effect, id: &str, name: &str) -> Conversion {
    match (id, name) {
        ("*", _) if effect == Effect::Allow => Conversion::dropped("an allow here must name its server"),
        ("*", "*") => every(effect),
        ("*", name) if !name.contains('*') => Conversion::approximate(
            effect,
            vec![tool(name)],
            "it covers all tools with that name, including an agent's own",
        ),
        ("*", name) => Conversion::approximate(
            effect,
            vec![pattern(name)],
            "it covers the tools with that name of any server",
        ),
        (id, name) => of_server(effect, id, Some(name)),
    }
}

fn every(effect: Effect) -> Conversion {
    Conversion::approximate(
        effect,
        vec![pattern("mcp_*")],
        "servers are named one by one here; those without a rule need confirmation anyway",
    )
}

fn of_tool(effect: Effect, name: &str) -> Conversion {
    if let Some(rest) = name.strip_prefix("mcp_") {
        return match rest.split_once('_') {
            _ if rest == "*" && effect != Effect::Allow => every(effect),
            Some((id, name)) => of_mcp(effect, id, name),
            None => Conversion::unsupported(effect, &[name], "it does not name a server"),
        };
    }
    if name.contains('*') {
        return match effect {
            Effect::Allow => Conversion::dropped("an allow of everything is not imported; name the tools"),
            _ => Conversion::exact(effect, vec![pattern(name)]),
        };
    }
    match by_name(name) {
        Some(known) if known.kind == ToolKind::Shell && effect == Effect::Allow => Conversion::dropped(
            "Gemini CLI would still ask about commands it considers dangerous; name the commands",
        ),
        Some(known) if known.kind == ToolKind::Shell => commands::any_command(effect),
        Some(_) if name == "read_many_files" && effect == Effect::Allow => {
            Conversion::dropped("a call does not say which files it would read")
        }
        Some(known) if known.kind.is_file() && effect == Effect::Allow => in_workspace(known.name),
        Some(known) => Conversion::exact(effect, vec![tool(known.name)]),
        None if effect == Effect::Allow => {
            Conversion::dropped("an MCP server's tool with that name would be allowed too")
        }
        None => Conversion::exact(effect, vec![tool(name)]),
    }
}

/// A file tool of an agent that confines itself to its workspace.
fn in_workspace(name: &str) -> Conversion {
    let rule: Rule = on(name, WORKSPACE);
    Conversion::approximate(
        Effect::Allow,
        vec![rule],
        "files in the workspace, like the agent's own tool; protected files need confirmation",
    )
}
