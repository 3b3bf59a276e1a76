//! Claude Code's `permissions`: `Tool` or `Tool(what)` in `allow`, `ask` and `deny`. Deny beats ask, and ask
//! beats allow, however specific each rule is; our rules do the same at equal priority.

use sekisho_policy::{Effect, Rule};

use super::commands::{self, QuestionMark};
use super::conversion::{Conversion, expand_every_server, of_server, pattern, tool};
use super::jsonc_tree::{self, Node};
use super::paths::{self, on};
use super::{DocumentScope, ImportError, ImportedEntry, SourceDocument};

/// The tools covered by a Claude Code rule for reading, and by one for writing.
const READING: [&str; 4] = ["read", "grep", "glob", "list"];
const WRITING: [&str; 3] = ["edit", "write", "delete"];

/// Fields of a Bash call other than the command.
const FIELDS: [&str; 5] =
    ["command", "description", "timeout", "run_in_background", "dangerouslyDisableSandbox"];

pub(super) fn read(documents: &[SourceDocument]) -> Result<Vec<ImportedEntry>, ImportError> {
    let mut entries = Vec::new();
    for (document, (tree, scope)) in
        jsonc_tree::read(documents)?.iter().zip(documents.iter().map(|document| document.scope)).enumerate()
    {
        let Some(permissions) = tree.root().get("permissions") else { continue };
        for (list, effect) in [("allow", Effect::Allow), ("ask", Effect::Confirm), ("deny", Effect::Deny)] {
            let Some(rules) = permissions.get(list) else { continue };
            let fault = |line: u32, message: &str| ImportError {
                document,
                line,
                message: format!("`permissions.{list}` {message}"),
            };
            for node in rules.list().ok_or_else(|| fault(rules.line(), "is not a list"))? {
                let said = node
                    .text()
                    .ok_or_else(|| fault(node.line(), "contains something that is not a string"))?;
                let Conversion { rules, how, why } = converted(effect, said, scope);
                let said = format!("{list} {said}");
                entries.push(ImportedEntry {
                    document,
                    line: node.line(),
                    source_text: said,
                    rules,
                    exactness: how,
                    why,
                });
            }
        }
        entries.extend(directories(document, permissions));
    }
    expand_every_server(&mut entries.iter_mut().map(|entry| &mut entry.rules).collect::<Vec<_>>());
    Ok(entries)
}

/// Settings in `permissions` that are not rules.
fn directories(document: usize, permissions: Node<'_>) -> Option<ImportedEntry> {
    let (said, why) = match (permissions.get("additionalDirectories"), permissions.get("defaultMode")) {
        (Some(node), _) => {
            (node, "directories outside the workspace are not a rule here; allow paths in them")
        }
        (None, Some(node)) => (node, "modes belong to the agent; rules here apply in every mode"),
        (None, None) => return None,
    };
    let Conversion { rules, how, why } = Conversion::dropped(why);
    Some(ImportedEntry { document, line: said.line(), source_text: said.shown(), rules, exactness: how, why })
}

pub(super) fn converted(effect: Effect, said: &str, scope: DocumentScope) -> Conversion {
    let (name, what) = match said.split_once('(') {
        None => (said.trim(), None),
        Some((name, rest)) => match rest.strip_suffix(')') {
            Some("" | "*") => (name, None),
            Some(what) => (name, Some(unescaped(what))),
            None => {
                return Conversion::dropped("its parentheses are not closed; Claude Code ignores it too");
            }
        },
    };
    if let Some(rest) = name.strip_prefix("mcp__") {
        return of_mcp(effect, rest, what.as_deref());
    }
    if name.contains('*') {
        return match effect {
            Effect::Allow => Conversion::dropped("Claude Code ignores it too: an allow must name its tool"),
            _ => Conversion::exact(effect, vec![pattern(name)]),
        };
    }
    match (name, what.as_deref()) {
        ("Bash", None) => commands::any_command(effect),
        ("Bash", Some(what)) => of_command(effect, what),
        ("Read" | "Edit", what) => of_files(effect, name, what, scope),
        ("Write" | "MultiEdit" | "NotebookEdit" | "Glob" | "Grep" | "LS" | "NotebookRead", Some(what)) => {
            never_checked(effect, name, what, scope)
        }
        ("WebFetch", Some(what)) => of_domain(effect, what),
        ("Skill", Some(what)) => of_skill(effect, what),
        (name, None) => of_tool(effect, name),
        ("WebSearch", Some(_)) => {
            Conversion::unsupported(effect, &["web_search"], "rules here cannot match search terms")
        }
        (name, Some(_)) => {
            let known = sekisho_policy::tools::by_name(name).map_or(name, |known| known.name);
            Conversion::unsupported(effect, &[known], "rules here cannot match this part of the tool's input")
        }
    }
}

/// Unescapes `\(`, `\)` and `\\`.
fn unescaped(what: &str) -> String {
    what.replace("\\(", "(").replace("\\)", ")").replace("\\\\", "\\")
}

/// A rule for a whole tool.
fn of_tool(effect: Effect, name: &str) -> Conversion {
    match sekisho_policy::tools::by_name(name) {
        // `NotebookEdit` covers less than our whole edit tool.
        Some(known) if matches!(name, "MultiEdit" | "NotebookEdit" | "NotebookRead") => match effect {
            Effect::Allow => {
                Conversion::dropped(format!("here it is part of `{}`, which covers more", known.name))
            }
            _ => Conversion::exact(effect, vec![tool(name)]),
        },
        // The built-in list covers sub-agents for the agents in which this name means one; in other agents
        // the name means something else.
        Some(known) if known.name == "sub_agent" && effect == Effect::Allow => Conversion::dropped(
            "starting a sub-agent is allowed by the built-in list; each of its calls is judged",
        ),
        Some(known) => Conversion::exact(effect, vec![tool(known.name)]),
        None if effect == Effect::Allow => {
            Conversion::dropped("an MCP server's tool with that name would be allowed too")
        }
        None => Conversion::exact(effect, vec![tool(name)]),
    }
}

/// `Bash(what)`: `words:*` is a prefix, `*` is any text, and a single `*` at the end after a space may match
/// nothing.
fn of_command(effect: Effect, what: &str) -> Conversion {
    let field = what.split_once(':').filter(|(name, value)| FIELDS.contains(name) && *value != "*");
    if field.is_some() {
        return Conversion::unsupported(
            effect,
            &["bash"],
            "rules here cannot match this part of the tool's input",
        );
    }
    if let Some(prefix) = what.strip_suffix(":*").filter(|prefix| !prefix.is_empty()) {
        return commands::prefix(effect, prefix);
    }
    let what = what.trim();
    if what.contains('\\') && what.contains('*') {
        // `\*` is a literal star.
        let wide = what.replace("\\*", "*").replace('\\', "?");
        return match effect {
            Effect::Allow => Conversion::dropped("a literal `*` cannot be expressed here"),
            _ => Conversion::approximate(
                effect,
                commands::glob(effect, &wide, QuestionMark::AnyOne).into_rules(),
                "`*` is any text here",
            ),
        };
    }
    if !what.contains('*') {
        return commands::exact(effect, what);
    }
    let single = what.matches('*').count() == 1;
    if let Some(prefix) = what.strip_suffix(" *").filter(|_| single) {
        return commands::prefix(effect, prefix);
    }
    if what.contains("/**/") && effect != Effect::Allow {
        // In Claude Code `a/**/b` matches `a/b` too.
        let rules = commands::glob(effect, &what.replace("/**/", "/*"), QuestionMark::Plain).into_rules();
        return Conversion::approximate(effect, rules, "`/**/` becomes any text after the slash");
    }
    commands::glob(effect, what, QuestionMark::Plain)
}

/// `Read(path)` and `Edit(path)`, which cover every tool that reads or edits.
fn of_files(effect: Effect, name: &str, what: Option<&str>, scope: DocumentScope) -> Conversion {
    let reads = name == "Read";
    // Allowing a search reveals file contents. Claude Code's documentation is vague about this, so an allow
    // is imported only for the `read` tool.
    let tools: &[&str] = match (effect, reads) {
        (Effect::Allow, true) => &["read"],
        (Effect::Allow, false) => &["edit", "write"],
        (_, true) => &READING,
        (_, false) => &WRITING,
    };
    let Some(what) = what else {
        return Conversion::exact(effect, tools.iter().map(|name| tool(name)).collect());
    };
    let Some((globs, exact)) = globs(effect, what, scope) else {
        let why = "the directory that the path is relative to cannot be expressed here";
        return Conversion::unsupported(effect, tools, why);
    };
    // Searching a directory reveals what is in it.
    let glob_for = |name: &str, glob: &str| match glob.strip_suffix("/**") {
        Some(directory) if effect != Effect::Allow && name != "read" && reads && !directory.is_empty() => {
            directory.to_owned()
        }
        _ => glob.to_owned(),
    };
    let each = tools.iter().flat_map(|name| globs.iter().map(move |glob| (name, glob)));
    let rules: Vec<Rule> = each.map(|(name, glob)| on(name, &glob_for(name, glob))).collect();
    if effect == Effect::Allow {
        return if exact {
            Conversion::exact(effect, rules)
        } else {
            Conversion::approximate(effect, rules, "it covers less here")
        };
    }
    let files = if exact {
        Conversion::exact(effect, rules)
    } else {
        Conversion::approximate(effect, rules, "a name without a directory matches anywhere here")
    };
    // Claude Code applies it to `cat` and similar commands too.
    let naming = match paths::core(what) {
        Some(core) => Rule { command_glob: Some(format!("*{core}*")), ..tool("bash") },
        None => tool("bash"),
    };
    let why = match reads {
        true => "commands that name such a path need confirmation; searches from a parent directory do not",
        false => "commands that name such a path need confirmation",
    };
    files.merge(Conversion::approximate(Effect::Confirm, vec![naming], why))
}

/// The globs for a rule's path, and whether they mean exactly what the original meant.
fn globs(effect: Effect, what: &str, scope: DocumentScope) -> Option<(Vec<String>, bool)> {
    if what.starts_with('!') {
        return None;
    }
    if let Some(path) = what.strip_prefix("//") {
        return Some((vec![format!("/{}", path.trim_start_matches('/'))], true));
    }
    if what.starts_with("~/") {
        return Some((vec![what.into()], true));
    }
    if let Some(path) = what.strip_prefix('/') {
        let anchored = path.trim_end_matches('/').contains('/') && !path.starts_with("**/");
        return match (scope, effect) {
            (DocumentScope::User, Effect::Allow) => None,
            // Relative to the settings file or to the project: a deny covers both.
            (DocumentScope::User, _) => {
                Some((vec![format!("**/{}", path.strip_prefix("**/").unwrap_or(path))], false))
            }
            (DocumentScope::Project, _) if anchored => Some((vec![path.into()], true)),
            (DocumentScope::Project, Effect::Allow) if path.starts_with("**") => {
                Some((paths::in_workspace(effect, path), true))
            }
            (DocumentScope::Project, Effect::Allow) => paths::at_root(path).map(|path| (vec![path], true)),
            (DocumentScope::Project, _) => Some((vec![path.into()], false)),
        };
    }
    let path = what.strip_prefix("./").unwrap_or(what);
    let anywhere = path.starts_with("**/") || !path.trim_end_matches('/').contains('/');
    Some((paths::in_workspace(effect, path), effect == Effect::Allow || !anywhere))
}

/// Claude Code accepts these but never checks them: an allow allows nothing, and a deny is kept as its author
/// meant it.
fn never_checked(effect: Effect, name: &str, what: &str, scope: DocumentScope) -> Conversion {
    if effect == Effect::Allow {
        return Conversion::dropped("Claude Code never checks paths of this tool; use `Read` and `Edit`");
    }
    let reads = matches!(name, "Glob" | "Grep" | "LS" | "NotebookRead");
    let mut converted = of_files(effect, if reads { "Read" } else { "Edit" }, Some(what), scope);
    converted.how = converted.how.max(super::Exactness::Wider);
    converted.why =
        super::conversion::join_reasons(&converted.why, "Claude Code never checks it; here it applies");
    converted
}

/// `WebFetch(domain:host)`.
fn of_domain(effect: Effect, what: &str) -> Conversion {
    let Some(domain) = what.strip_prefix("domain:") else {
        return Conversion::unsupported(effect, &["web_fetch"], "it does not name a domain");
    };
    if domain == "*" {
        return Conversion::exact(effect, vec![tool("web_fetch")]);
    }
    let on_host = |host: &str| vec![Rule { host: Some(host.into()), ..tool("web_fetch") }];
    let starred = domain.strip_prefix("*.").unwrap_or(domain).contains('*');
    match domain.rsplit_once(':') {
        _ if starred => {
            Conversion::unsupported(effect, &["web_fetch"], "hosts here can only be matched by `*.suffix`")
        }
        Some((_, port)) if port.parse::<u16>().is_err() => {
            Conversion::unsupported(effect, &["web_fetch"], "the port is not a number")
        }
        _ => Conversion::exact(effect, on_host(domain)),
    }
}

/// `Skill(name)`, with any arguments.
fn of_skill(effect: Effect, what: &str) -> Conversion {
    let name = what.strip_suffix(":*").or_else(|| what.strip_suffix(" *")).unwrap_or(what);
    if name.contains('*') {
        return Conversion::unsupported(effect, &["skill_load"], "rules here name a skill exactly");
    }
    Conversion::exact(effect, vec![Rule { skill_name: Some(name.into()), ..tool("skill_load") }])
}

/// `mcp__server`, `mcp__server__*`, `mcp__server__tool`; deny and ask take `*` anywhere.
fn of_mcp(effect: Effect, rest: &str, what: Option<&str>) -> Conversion {
    let (id, name) = rest.split_once("__").map_or((rest, None), |(id, name)| (id, Some(name)));
    if effect == Effect::Allow && what.is_some() {
        return Conversion::dropped("rules here cannot match the input of MCP tools");
    }
    let mut converted = if !id.contains('*') {
        of_server(effect, id, name)
    } else if effect == Effect::Allow {
        Conversion::dropped("Claude Code ignores it too: an allow must name its server")
    } else if id == "*" && name.is_none_or(|name| name == "*") {
        Conversion::approximate(
            effect,
            vec![pattern("mcp__*")],
            "servers are named one by one here; those without a rule need confirmation anyway",
        )
    } else {
        // Its server is unknown, so the rule covers every server.
        Conversion::approximate(
            effect,
            vec![pattern(name.unwrap_or("*"))],
            "it covers the tools with that name of any server",
        )
    };
    if what.is_some() {
        converted = Conversion::approximate(
            Effect::Confirm,
            converted.into_rules(),
            "rules here cannot match the input of MCP tools",
        );
    }
    if !converted.rules.is_empty() && id.contains('_') {
        converted.why = super::conversion::join_reasons(
            &converted.why,
            &format!(
                "Claude Code replaces other characters in a server's name by `_`; here the server must be called `{id}`"
            ),
        );
    }
    converted
}
