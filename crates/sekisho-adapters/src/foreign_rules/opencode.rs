//! opencode's `permission`: entries of a tool and a pattern. The last matching entry decides. A project's
//! file is merged into the user's key by key; a key keeps its first position.

use sekisho_policy::{Effect, Rule};

use super::commands::{self, QuestionMark};
use super::conversion::{Conversion, pattern, server, tool};
use super::jsonc_tree::{self, JsoncDocument, Node};
use super::paths::{self, WORKSPACE, on};
use super::{Exactness, ImportError, ImportedEntry, SourceDocument, priorities};

/// What a permission's pattern is matched against.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Subject {
    Command,
    Path,
    Url,
    Skill,
    /// Something our rules cannot match.
    Else,
}

/// A permission, our tools under it, and what its pattern is matched against.
const PERMISSIONS: &[(&str, &[&str], Subject)] = &[
    ("bash", &["bash"], Subject::Command),
    ("edit", &["edit", "write", "delete"], Subject::Path),
    ("read", &["read"], Subject::Path),
    ("list", &["list"], Subject::Path),
    ("grep", &["grep"], Subject::Else),
    ("glob", &["glob"], Subject::Else),
    ("webfetch", &["web_fetch"], Subject::Url),
    ("websearch", &["web_search"], Subject::Else),
    ("skill", &["skill_load"], Subject::Skill),
    ("todoread", &["todo_read"], Subject::Else),
    ("todowrite", &["todo_write"], Subject::Else),
];

/// Permissions that are not tools.
const NO_TOOLS: [&str; 4] = ["doom_loop", "question", "plan_enter", "plan_exit"];

/// One pattern of the merged object.
#[derive(Clone)]
struct PermissionEntry {
    document: usize,
    line: u32,
    pattern: String,
    action: String,
}

pub(super) fn read(documents: &[SourceDocument]) -> Result<Vec<ImportedEntry>, ImportError> {
    let trees = jsonc_tree::read(documents)?;
    let mut merged: Vec<(String, Vec<PermissionEntry>)> = Vec::new();
    let mut entries: Vec<ImportedEntry> = Vec::new();
    for (document, root) in trees.iter().map(JsoncDocument::root).enumerate() {
        for (name, node) in root.get("tools").map(Node::fields).unwrap_or_default() {
            merge(document, &mut merged, legacy(name), "*", node)?;
        }
        match root.get("permission") {
            Some(node) if node.text().is_some() => merge(document, &mut merged, "*", "*", node)?,
            Some(node) if node.is_object() => {
                for (name, node) in node.fields() {
                    permission(document, &mut merged, name, node)?;
                }
            }
            Some(node) => return Err(unread(document, node, "`permission` is not an object")),
            None => {}
        }
        entries.extend(agents(document, root));
    }
    let mut said: Vec<(String, PermissionEntry)> = Vec::new();
    for (name, patterns) in merged {
        said.extend(patterns.into_iter().map(|pattern| (name.clone(), pattern)));
    }
    said.reverse();
    let mut conversions: Vec<Conversion> = said.iter().map(|(name, said)| converted(name, said)).collect();
    let outside = outside(&said, &conversions);
    let guards = usize::from(outside.is_some());
    if let Some(outside) = outside {
        let document = said.iter().map(|(_, said)| said.document).min().unwrap_or(0);
        let pattern = PermissionEntry { document, line: 1, pattern: "*".into(), action: "ask".into() };
        said.insert(0, ("external_directory (default)".into(), pattern));
        conversions.insert(0, outside);
    }
    priorities::rank(&mut conversions, guards);
    let carried = said.into_iter().zip(conversions).map(|((name, said), Conversion { rules, how, why })| {
        let text = format!("{name} {:?}: {}", said.pattern, said.action);
        ImportedEntry {
            document: said.document,
            line: said.line,
            source_text: text,
            rules,
            exactness: how,
            why,
        }
    });
    entries.extend(carried);
    entries.sort_by_key(|entry| (entry.document, entry.line));
    Ok(entries)
}

fn unread(document: usize, node: Node<'_>, message: &str) -> ImportError {
    ImportError { document, line: node.line(), message: message.into() }
}

/// The permission that `tools: { name: false }` is about.
fn legacy(name: &str) -> &str {
    if matches!(name, "write" | "edit" | "patch" | "multiedit" | "apply_patch") { "edit" } else { name }
}

/// One key of `permission`: an action for everything, or patterns with actions.
fn permission(
    document: usize,
    merged: &mut Vec<(String, Vec<PermissionEntry>)>,
    name: &str,
    node: Node<'_>,
) -> Result<(), ImportError> {
    if node.is_object() {
        for (pattern, node) in node.fields() {
            merge(document, merged, name, pattern, node)?;
        }
        return Ok(());
    }
    // A single action replaces the earlier patterns.
    if let Some((_, patterns)) = merged.iter_mut().find(|(key, _)| key == name) {
        patterns.clear();
    }
    merge(document, merged, name, "*", node)
}

fn merge(
    document: usize,
    merged: &mut Vec<(String, Vec<PermissionEntry>)>,
    name: &str,
    pattern: &str,
    node: Node<'_>,
) -> Result<(), ImportError> {
    let action = match (node.text(), node.flag()) {
        (Some(action @ ("allow" | "ask" | "deny")), _) => action,
        (_, Some(true)) => "allow",
        (_, Some(false)) => "deny",
        _ => return Err(unread(document, node, &format!("`{name}` is not one of allow, ask and deny"))),
    };
    let said =
        PermissionEntry { document, line: node.line(), pattern: pattern.into(), action: action.into() };
    let at = merged.iter().position(|(key, _)| key == name).unwrap_or_else(|| {
        merged.push((name.into(), Vec::new()));
        merged.len() - 1
    });
    let Some((_, patterns)) = merged.get_mut(at) else { return Ok(()) };
    match patterns.iter_mut().find(|earlier| earlier.pattern == pattern) {
        Some(earlier) => *earlier = said,
        None => patterns.push(said),
    }
    Ok(())
}

/// Additional permissions of single opencode agents.
fn agents(document: usize, root: Node<'_>) -> Vec<ImportedEntry> {
    let agents = ["agent", "mode"].iter().filter_map(|name| root.get(name)).flat_map(Node::fields);
    let own = agents.filter_map(|(name, agent)| {
        let node = agent.get("permission").or_else(|| agent.get("tools"))?;
        let Conversion { rules, how, why } = Conversion::dropped(
            "it is for one of opencode's own agents, which rules here cannot distinguish",
        );
        Some(ImportedEntry {
            document,
            line: node.line(),
            source_text: format!("agent {name}: {}", node.shown()),
            rules,
            exactness: how,
            why,
        })
    });
    own.collect()
}

fn effect(action: &str) -> Effect {
    match action {
        "allow" => Effect::Allow,
        "ask" => Effect::Confirm,
        _ => Effect::Deny,
    }
}

fn converted(name: &str, said: &PermissionEntry) -> Conversion {
    let effect = effect(&said.action);
    let known = PERMISSIONS.iter().find(|(known, _, _)| *known == name);
    match (name, known) {
        ("external_directory", _) if effect == Effect::Allow => {
            Conversion::dropped("rules here cannot name all paths outside the workspace")
        }
        ("external_directory", _) => {
            let guards = guards("it becomes a confirm");
            Conversion {
                how: if effect == Effect::Deny { Exactness::Confirm } else { Exactness::Wider },
                ..guards
            }
        }
        (name, _) if NO_TOOLS.contains(&name) => {
            Conversion::dropped("it is not a tool, so no rule here covers it")
        }
        (_, Some((_, tools, subject))) => of_known(effect, tools, *subject, &said.pattern),
        _ if said.pattern != "*" => {
            Conversion::unsupported(effect, &[name], "rules here cannot match this part of the tool's input")
        }
        (name, None) if effect == Effect::Allow => Conversion::dropped(match name.contains('*') {
            true => "an allow of everything is not imported; name the tools",
            false => "an MCP server's tool with that name would be allowed too",
        }),
        (name, None) if name.contains(['*', '?']) => of_names(effect, name),
        (name, None) => Conversion::exact(effect, vec![tool(name)]),
    }
}

/// A deny or an ask with a name pattern. opencode calls an MCP server's tool `server_tool`.
fn of_names(effect: Effect, name: &str) -> Conversion {
    let wide = name.replace('?', "*");
    let own = PERMISSIONS.iter().filter(|(known, _, _)| matches_wildcard(name, known));
    let mut rules: Vec<Rule> = vec![pattern(&wide)];
    if wide.chars().any(|c| c != '*') {
        rules.extend(own.flat_map(|(_, tools, _)| tools.iter().map(|name| tool(name))));
        let id = wide.strip_suffix("_*").filter(|id| !id.is_empty() && !id.contains('*'));
        rules.extend(id.map(server));
    }
    Conversion::exact(effect, rules)
}

/// Matches a pattern in which `*` is any text and `?` one character.
fn matches_wildcard(pattern: &str, text: &str) -> bool {
    match (pattern.chars().next(), text.chars().next()) {
        (None, None) => true,
        (Some('*'), _) => {
            let mut rest = pattern.chars();
            rest.next();
            let mut tail = text.chars();
            loop {
                if matches_wildcard(rest.as_str(), tail.as_str()) {
                    return true;
                }
                if tail.next().is_none() {
                    return false;
                }
            }
        }
        (Some(p), Some(t)) if p == '?' || p == t => {
            let (mut p, mut t) = (pattern.chars(), text.chars());
            p.next();
            t.next();
            matches_wildcard(p.as_str(), t.as_str())
        }
        _ => false,
    }
}

fn of_known(effect: Effect, tools: &[&str], subject: Subject, pattern: &str) -> Conversion {
    let whole = !pattern.is_empty() && pattern.chars().all(|c| c == '*');
    let all = || tools.iter().map(|name| tool(name)).collect::<Vec<_>>();
    match subject {
        Subject::Command if whole => commands::any_command(effect),
        Subject::Command => of_command(effect, pattern),
        Subject::Path if effect == Effect::Allow => {
            // No opencode tool under this name deletes files.
            let tools: Vec<&str> = tools.iter().copied().filter(|name| *name != "delete").collect();
            allowed_path(&tools, pattern)
        }
        _ if whole => Conversion::exact(effect, all()),
        Subject::Path => denied_path(effect, tools, pattern),
        Subject::Skill if !pattern.contains(['*', '?']) => {
            let rule = Rule { skill_name: Some(pattern.into()), ..tool("skill_load") };
            Conversion::exact(effect, vec![rule])
        }
        Subject::Url if effect != Effect::Allow => denied_url(effect, pattern),
        Subject::Url => Conversion::dropped("rules here match only the host, so it would allow more"),
        Subject::Skill | Subject::Else => {
            Conversion::unsupported(effect, tools, "rules here cannot match this part of the tool's input")
        }
    }
}

/// A command's text. A space and `*` at the end may both match nothing.
fn of_command(effect: Effect, pattern: &str) -> Conversion {
    if pattern.contains('\\') || pattern.starts_with(['~', '$']) {
        return Conversion::unsupported(
            effect,
            &["bash"],
            "opencode rewrites this pattern before it matches",
        );
    }
    match pattern.strip_suffix(" *") {
        Some(prefix) if !prefix.contains(['*', '?']) => commands::prefix(effect, prefix),
        Some(prefix) if effect != Effect::Allow => commands::glob(effect, prefix, QuestionMark::AnyOne)
            .merge(commands::glob(effect, pattern, QuestionMark::AnyOne)),
        _ if pattern.contains(['*', '?']) => commands::glob(effect, pattern, QuestionMark::AnyOne),
        _ => commands::exact(effect, pattern),
    }
}

/// An allow of paths below the worktree. In opencode `*` crosses directories, and a plain name is that file
/// alone, while ours covers everything below it. So only a pattern that ends in `*` covers no more than
/// opencode's.
fn allowed_path(tools: &[&str], pattern: &str) -> Conversion {
    let (rules, why) = if pattern.chars().all(|c| c == '*') {
        (WORKSPACE.to_owned(), "files in the workspace; outside it opencode asks too")
    } else if pattern.starts_with(['/', '~', '$'])
        || pattern.contains(['\\', '[', '!'])
        || pattern.contains("..")
    {
        return Conversion::dropped("opencode matches paths below the project, and this is not one");
    } else if !pattern.ends_with('*') {
        return Conversion::dropped("a path here covers everything below it, so it would allow more");
    } else if pattern.contains('/') {
        (through_directories(pattern), "`*` does not cross directories here")
    } else {
        match paths::at_root(pattern) {
            Some(glob) => (glob, "at the root of the workspace"),
            None => return Conversion::dropped("it cannot be limited to the workspace here"),
        }
    };
    Conversion::approximate(Effect::Allow, tools.iter().map(|name| on(name, &rules)).collect(), why)
}

/// In opencode `**` between slashes is at least one directory; here it may be none.
fn through_directories(pattern: &str) -> String {
    let last = pattern.split('/').count().saturating_sub(1);
    let segments = pattern.split('/').enumerate().map(|(at, segment)| {
        let stars = segment.len() > 1 && segment.chars().all(|c| c == '*');
        if stars && at < last { "*/**" } else { segment }
    });
    segments.collect::<Vec<_>>().join("/")
}

/// A deny or an ask of paths. It covers at least what opencode's pattern matches, whose `*` crosses
/// directories.
fn denied_path(effect: Effect, tools: &[&str], pattern: &str) -> Conversion {
    let pattern =
        pattern.strip_prefix("$HOME/").map_or_else(|| pattern.to_owned(), |rest| format!("~/{rest}"));
    let first = pattern.find(['*', '?']).unwrap_or(pattern.len());
    let (literal, rest) = pattern.split_at_checked(first).unwrap_or((&pattern, ""));
    let suffix = rest.trim_start_matches('*');
    let glob = if rest.is_empty() || (!rest.contains('?') && suffix.is_empty() && !literal.ends_with('/')) {
        // `src/key` and `src/key*`: everything below a match matches here anyway.
        Some(pattern.replace("**", "*"))
    } else if literal.is_empty() && !suffix.contains(['*', '?', '/']) {
        Some(format!("*{suffix}"))
    } else {
        literal.rfind('/').and_then(|end| literal.get(..end)).map(|directory| format!("{directory}/**"))
    };
    let glob = glob.filter(|glob| !glob.contains(['[', ']', '\\', '!']) && glob.len() > 1);
    match glob {
        None => Conversion::unsupported(effect, tools, "this pattern cannot be expressed here"),
        Some(glob) => {
            let rules = tools.iter().map(|name| on(name, &glob)).collect();
            Conversion::approximate(effect, rules, "a path here covers everything below it")
        }
    }
}

/// A deny or an ask of URLs becomes a rule for their host.
fn denied_url(effect: Effect, pattern: &str) -> Conversion {
    let address = pattern.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"));
    let host = address.and_then(|(_, rest)| rest.split_once('/')).map_or("", |(host, _)| host);
    // In opencode a star crosses slashes, so it does not limit the host.
    if host.is_empty() || host.contains(['*', '?', '@', ':']) {
        return Conversion::unsupported(effect, &["web_fetch"], "this pattern does not determine a host");
    }
    let rule = Rule { host: Some(host.into()), ..tool("web_fetch") };
    Conversion::approximate(effect, vec![rule], "rules here match only the host")
}

/// Questions about commands with a path that may be outside the workspace.
fn guards(why: &str) -> Conversion {
    let globs = ["* /*", "*..*", "*~*"];
    let rules = globs.iter().map(|glob| Rule { command_glob: Some((*glob).into()), ..tool("bash") });
    let why =
        format!("{why} for commands that name an absolute path, a parent directory or the home directory");
    Conversion::approximate(Effect::Confirm, rules.collect(), why)
}

/// By default opencode asks before any command touches files outside the project.
fn outside(said: &[(String, PermissionEntry)], conversions: &[Conversion]) -> Option<Conversion> {
    let last = said
        .iter()
        .find(|(name, said)| matches!(name.as_str(), "external_directory" | "*") && said.pattern == "*");
    if last.is_some_and(|(_, said)| said.action == "allow") {
        return None;
    }
    let allows = conversions
        .iter()
        .flat_map(|converted| &converted.rules)
        .any(|(effect, rule)| *effect == Effect::Allow && rule.tool.as_deref() == Some("bash"));
    allows.then(|| {
        guards("opencode asks by default before a command leaves the project; here it becomes a confirm")
    })
}
