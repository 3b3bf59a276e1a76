//! opencode's `permission`: a tool and a pattern, of which the last that matches decides. A project's file is merged into
//! the user's key by key, so that a key keeps its first place.

use sekisho_policy::{Effect, Rule};

use super::commands::{self, Mark};
use super::fate::{Fate, pattern, server, tool};
use super::paths::{self, WORKSPACE, on};
use super::tree::{self, Node, Tree};
use super::{Document, Entry, How, Unread, order};

/// What a permission's pattern is held against.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Subject {
    Command,
    Path,
    Url,
    Skill,
    /// Something that no rule of ours looks at.
    Else,
}

/// A permission, our tools under it, and what its pattern is about.
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

/// Permissions that are no tools.
const NO_TOOLS: [&str; 4] = ["doom_loop", "question", "plan_enter", "plan_exit"];

/// One pattern of the merged object.
#[derive(Clone)]
struct Said {
    document: usize,
    line: u32,
    pattern: String,
    action: String,
}

pub(super) fn read(documents: &[Document]) -> Result<Vec<Entry>, Unread> {
    let trees = tree::read(documents)?;
    let mut merged: Vec<(String, Vec<Said>)> = Vec::new();
    let mut entries: Vec<Entry> = Vec::new();
    for (document, root) in trees.iter().map(Tree::root).enumerate() {
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
            Some(node) => return Err(unread(document, node, "`permission` is no object")),
            None => {}
        }
        entries.extend(agents(document, root));
    }
    let mut said: Vec<(String, Said)> = Vec::new();
    for (name, patterns) in merged {
        said.extend(patterns.into_iter().map(|pattern| (name.clone(), pattern)));
    }
    said.reverse();
    let mut fates: Vec<Fate> = said.iter().map(|(name, said)| fate(name, said)).collect();
    let outside = outside(&said, &fates);
    let guards = usize::from(outside.is_some());
    if let Some(outside) = outside {
        let document = said.iter().map(|(_, said)| said.document).min().unwrap_or(0);
        let pattern = Said { document, line: 1, pattern: "*".into(), action: "ask".into() };
        said.insert(0, ("external_directory (where it is not said otherwise)".into(), pattern));
        fates.insert(0, outside);
    }
    order::rank(&mut fates, guards);
    let carried = said.into_iter().zip(fates).map(|((name, said), Fate { rules, how, why })| {
        let text = format!("{name} {:?}: {}", said.pattern, said.action);
        Entry { document: said.document, line: said.line, said: text, rules, how, why }
    });
    entries.extend(carried);
    entries.sort_by_key(|entry| (entry.document, entry.line));
    Ok(entries)
}

fn unread(document: usize, node: Node<'_>, message: &str) -> Unread {
    Unread { document, line: node.line(), message: message.into() }
}

/// What `tools: { name: false }` speaks of.
fn legacy(name: &str) -> &str {
    if matches!(name, "write" | "edit" | "patch" | "multiedit" | "apply_patch") { "edit" } else { name }
}

/// One key of `permission`: an action for everything, or patterns with theirs.
fn permission(
    document: usize,
    merged: &mut Vec<(String, Vec<Said>)>,
    name: &str,
    node: Node<'_>,
) -> Result<(), Unread> {
    if node.is_object() {
        for (pattern, node) in node.fields() {
            merge(document, merged, name, pattern, node)?;
        }
        return Ok(());
    }
    // A single action takes the place of the patterns there were.
    if let Some((_, patterns)) = merged.iter_mut().find(|(key, _)| key == name) {
        patterns.clear();
    }
    merge(document, merged, name, "*", node)
}

fn merge(
    document: usize,
    merged: &mut Vec<(String, Vec<Said>)>,
    name: &str,
    pattern: &str,
    node: Node<'_>,
) -> Result<(), Unread> {
    let action = match (node.text(), node.flag()) {
        (Some(action @ ("allow" | "ask" | "deny")), _) => action,
        (_, Some(true)) => "allow",
        (_, Some(false)) => "deny",
        _ => return Err(unread(document, node, &format!("`{name}` says none of allow, ask and deny"))),
    };
    let said = Said { document, line: node.line(), pattern: pattern.into(), action: action.into() };
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

/// What single agents of opencode are given or refused besides.
fn agents(document: usize, root: Node<'_>) -> Vec<Entry> {
    let agents = ["agent", "mode"].iter().filter_map(|name| root.get(name)).flat_map(Node::fields);
    let own = agents.filter_map(|(name, agent)| {
        let node = agent.get("permission").or_else(|| agent.get("tools"))?;
        let Fate { rules, how, why } =
            Fate::dropped("it is for one of opencode's own agents, which are not told apart here");
        Some(Entry {
            document,
            line: node.line(),
            said: format!("agent {name}: {}", node.shown()),
            rules,
            how,
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

fn fate(name: &str, said: &Said) -> Fate {
    let effect = effect(&said.action);
    let known = PERMISSIONS.iter().find(|(known, _, _)| *known == name);
    match (name, known) {
        ("external_directory", _) if effect == Effect::Allow => {
            Fate::dropped("paths outside the workspace are no rule of their own here")
        }
        ("external_directory", _) => {
            let guards = guards("it is a question");
            Fate { how: if effect == Effect::Deny { How::Asked } else { How::Wider }, ..guards }
        }
        (name, _) if NO_TOOLS.contains(&name) => {
            Fate::dropped("it is no tool, so nothing here asks about it")
        }
        (_, Some((_, tools, subject))) => of_known(effect, tools, *subject, &said.pattern),
        _ if said.pattern != "*" => {
            Fate::unsaid(effect, &[name], "rules here do not look at this part of the tool's input")
        }
        (name, None) if effect == Effect::Allow => Fate::dropped(match name.contains('*') {
            true => "an allow of everything is not carried over; name the tools",
            false => "an MCP server's tool of that name would be allowed as well",
        }),
        (name, None) if name.contains(['*', '?']) => of_names(effect, name),
        (name, None) => Fate::exact(effect, vec![tool(name)]),
    }
}

/// A deny or an ask with a pattern for its name. opencode calls an MCP server's tool `server_tool`.
fn of_names(effect: Effect, name: &str) -> Fate {
    let wide = name.replace('?', "*");
    let own = PERMISSIONS.iter().filter(|(known, _, _)| matches_wildcard(name, known));
    let mut rules: Vec<Rule> = vec![pattern(&wide)];
    if wide.chars().any(|c| c != '*') {
        rules.extend(own.flat_map(|(_, tools, _)| tools.iter().map(|name| tool(name))));
        let id = wide.strip_suffix("_*").filter(|id| !id.is_empty() && !id.contains('*'));
        rules.extend(id.map(server));
    }
    Fate::exact(effect, rules)
}

/// `*` is any text, `?` one character.
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

fn of_known(effect: Effect, tools: &[&str], subject: Subject, pattern: &str) -> Fate {
    let whole = !pattern.is_empty() && pattern.chars().all(|c| c == '*');
    let all = || tools.iter().map(|name| tool(name)).collect::<Vec<_>>();
    match subject {
        Subject::Command if whole => commands::whole(effect),
        Subject::Command => of_command(effect, pattern),
        Subject::Path if effect == Effect::Allow => {
            // Nothing of opencode's deletes under this name.
            let tools: Vec<&str> = tools.iter().copied().filter(|name| *name != "delete").collect();
            allowed_path(&tools, pattern)
        }
        _ if whole => Fate::exact(effect, all()),
        Subject::Path => denied_path(effect, tools, pattern),
        Subject::Skill if !pattern.contains(['*', '?']) => {
            let rule = Rule { skill_name: Some(pattern.into()), ..tool("skill_load") };
            Fate::exact(effect, vec![rule])
        }
        Subject::Url if effect != Effect::Allow => denied_url(effect, pattern),
        Subject::Url => Fate::dropped("rules here look at the host alone, so it would allow more"),
        Subject::Skill | Subject::Else => {
            Fate::unsaid(effect, tools, "rules here do not look at this part of the tool's input")
        }
    }
}

/// A command's text. A blank and a `*` at the end may both be missing.
fn of_command(effect: Effect, pattern: &str) -> Fate {
    if pattern.contains('\\') || pattern.starts_with(['~', '$']) {
        return Fate::unsaid(effect, &["bash"], "opencode rewrites this pattern before it compares");
    }
    match pattern.strip_suffix(" *") {
        Some(prefix) if !prefix.contains(['*', '?']) => commands::prefix(effect, prefix),
        Some(prefix) if effect != Effect::Allow => {
            commands::glob(effect, prefix, Mark::AnyOne).and(commands::glob(effect, pattern, Mark::AnyOne))
        }
        _ if pattern.contains(['*', '?']) => commands::glob(effect, pattern, Mark::AnyOne),
        _ => commands::exact(effect, pattern),
    }
}

/// An allow of paths below the worktree. Its `*` goes through directories, and a name is that file alone, while ours is
/// all that lies below it: only what ends in `*` says no more than opencode.
fn allowed_path(tools: &[&str], pattern: &str) -> Fate {
    let (rules, why) = if pattern.chars().all(|c| c == '*') {
        (WORKSPACE.to_owned(), "files in the workspace; outside it opencode asks as well")
    } else if pattern.starts_with(['/', '~', '$'])
        || pattern.contains(['\\', '[', '!'])
        || pattern.contains("..")
    {
        return Fate::dropped("opencode compares paths below the project, and this is none");
    } else if !pattern.ends_with('*') {
        return Fate::dropped("a path here is also all that lies below it, so it would allow more");
    } else if pattern.contains('/') {
        (through_directories(pattern), "`*` does not go through directories here")
    } else {
        match paths::at_root(pattern) {
            Some(glob) => (glob, "at the root of the workspace"),
            None => return Fate::dropped("it cannot be kept to the workspace here"),
        }
    };
    Fate::off(Effect::Allow, tools.iter().map(|name| on(name, &rules)).collect(), why)
}

/// A `**` between slashes is at least one directory there, and none is enough here.
fn through_directories(pattern: &str) -> String {
    let last = pattern.split('/').count().saturating_sub(1);
    let segments = pattern.split('/').enumerate().map(|(at, segment)| {
        let stars = segment.len() > 1 && segment.chars().all(|c| c == '*');
        if stars && at < last { "*/**" } else { segment }
    });
    segments.collect::<Vec<_>>().join("/")
}

/// A deny or an ask of paths: at least what opencode's pattern, whose `*` goes through directories, matches.
fn denied_path(effect: Effect, tools: &[&str], pattern: &str) -> Fate {
    let pattern =
        pattern.strip_prefix("$HOME/").map_or_else(|| pattern.to_owned(), |rest| format!("~/{rest}"));
    let first = pattern.find(['*', '?']).unwrap_or(pattern.len());
    let (literal, rest) = pattern.split_at_checked(first).unwrap_or((&pattern, ""));
    let suffix = rest.trim_start_matches('*');
    let glob = if rest.is_empty() || (!rest.contains('?') && suffix.is_empty() && !literal.ends_with('/')) {
        // `src/key` and `src/key*`: what is below a match matches here anyway.
        Some(pattern.replace("**", "*"))
    } else if literal.is_empty() && !suffix.contains(['*', '?', '/']) {
        Some(format!("*{suffix}"))
    } else {
        literal.rfind('/').and_then(|end| literal.get(..end)).map(|directory| format!("{directory}/**"))
    };
    let glob = glob.filter(|glob| !glob.contains(['[', ']', '\\', '!']) && glob.len() > 1);
    match glob {
        None => Fate::unsaid(effect, tools, "this pattern cannot be said here"),
        Some(glob) => {
            let rules = tools.iter().map(|name| on(name, &glob)).collect();
            Fate::off(effect, rules, "a path here is also all that lies below it")
        }
    }
}

/// A deny or an ask of addresses is one of their host.
fn denied_url(effect: Effect, pattern: &str) -> Fate {
    let address = pattern.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"));
    let host = address.and_then(|(_, rest)| rest.split_once('/')).map_or("", |(host, _)| host);
    // A star goes through slashes there, so it says nothing of the host.
    if host.is_empty() || host.contains(['*', '?', '@', ':']) {
        return Fate::unsaid(effect, &["web_fetch"], "no host can be told from this pattern");
    }
    let rule = Rule { host: Some(host.into()), ..tool("web_fetch") };
    Fate::off(effect, vec![rule], "rules here look at the host alone")
}

/// Questions about commands that name a path which may lie outside the workspace.
fn guards(why: &str) -> Fate {
    let globs = ["* /*", "*..*", "*~*"];
    let rules = globs.iter().map(|glob| Rule { command_glob: Some((*glob).into()), ..tool("bash") });
    let why =
        format!("{why} about commands that name an absolute path, a parent directory or the home directory");
    Fate::off(Effect::Confirm, rules.collect(), why)
}

/// opencode asks before commands touch what is outside the project, whatever they are, unless it is told not to.
fn outside(said: &[(String, Said)], fates: &[Fate]) -> Option<Fate> {
    let last = said
        .iter()
        .find(|(name, said)| matches!(name.as_str(), "external_directory" | "*") && said.pattern == "*");
    if last.is_some_and(|(_, said)| said.action == "allow") {
        return None;
    }
    let allows = fates
        .iter()
        .flat_map(|fate| &fate.rules)
        .any(|(effect, rule)| *effect == Effect::Allow && rule.tool.as_deref() == Some("bash"));
    allows.then(|| {
        guards("opencode asks by itself before a command goes outside the project; here it is a question")
    })
}
