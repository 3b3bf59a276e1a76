//! Exports our rules as Claude Code's `permissions`.
//!
//! An allow is exported only if Claude Code's form covers no more, a deny or a confirm only if it covers no
//! less. Rules that cannot be exported are reported, denies and confirms first.

use sekisho_policy::{Effect, Rule, protected_patterns, tools};

use super::Exactness;
use super::commands::is_plain;

/// One of our rules and its entries for Claude Code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedRule {
    /// The list it goes to: `allow`, `ask` or `deny`.
    pub list: &'static str,
    /// The entries it becomes.
    pub entries: Vec<String>,
    /// How exactly the entries express the rule.
    pub how: Exactness,
    /// Why not exactly; empty if it is exact.
    pub why: String,
}

impl ExportedRule {
    /// Whether sekisho restricts something that Claude Code would not.
    pub fn loses_restriction(&self) -> bool {
        self.list != "allow" && matches!(self.how, Exactness::Dropped | Exactness::Narrower)
    }
}

/// Exports rules for Claude Code: one result per rule, and one more for what is protected here whatever is
/// allowed.
pub fn export(rules: &[(Effect, Rule)]) -> Vec<ExportedRule> {
    let mut exported: Vec<ExportedRule> = rules
        .iter()
        .map(|(effect, rule)| {
            let list = list(*effect);
            match entries(*effect, rule, rules) {
                Ok((entries, how, why)) => ExportedRule { list, entries, how, why },
                Err(why) => ExportedRule { list, entries: Vec::new(), how: Exactness::Dropped, why },
            }
        })
        .collect();
    let allowed = |name: &str| {
        exported
            .iter()
            .any(|one| one.list == "allow" && one.entries.iter().any(|entry| entry.starts_with(name)))
    };
    let names: Vec<&str> = ["Read", "Edit"].into_iter().filter(|name| allowed(name)).collect();
    if !names.is_empty() {
        let paths = protected_patterns().map(path_of);
        let entries =
            paths.flat_map(|path| names.iter().map(move |name| format!("{name}({path})"))).collect();
        let why = "no rule here can allow protected paths; Claude Code asks about them".into();
        exported.push(ExportedRule { list: "ask", entries, how: Exactness::Exact, why });
    }
    exported
}

fn list(effect: Effect) -> &'static str {
    match effect {
        Effect::Allow => "allow",
        Effect::Confirm => "ask",
        Effect::Deny => "deny",
    }
}

type ExportOutcome = Result<(Vec<String>, Exactness, String), String>;

fn exact(entry: impl Into<String>) -> ExportOutcome {
    Ok((vec![entry.into()], Exactness::Exact, String::new()))
}

fn entries(effect: Effect, rule: &Rule, all: &[(Effect, Rule)]) -> ExportOutcome {
    let allows = effect == Effect::Allow;
    if rule.agent.as_deref().is_some_and(|agent| agent != "claude-code") {
        return Err("it is about another agent".into());
    }
    if rule.input.is_some() {
        return Err("Claude Code's rules cannot match a whole input".into());
    }
    if allows && rule.expires_at.is_some() {
        return Err("it expires, and Claude Code's rules do not".into());
    }
    let said = match (&rule.tool, &rule.tool_pattern, &rule.server) {
        (_, Some(_), _) if allows && rule.server.is_none() => {
            Err("an allow in Claude Code must name its tool".into())
        }
        (Some(_), Some(_), _) => Err("it has both a name and a pattern".into()),
        (name, pattern, Some(id)) => of_server(allows, id, name.as_deref().or(pattern.as_deref()), rule),
        (Some(name), None, None) => of_tool(effect, name, rule, all),
        (None, Some(pattern), None) => of_pattern(pattern, rule),
        (None, None, None) => of_pattern("*", rule),
    };
    let (entries, how, why) = said?;
    if rule.expires_at.is_some() {
        return Ok((
            entries,
            Exactness::Wider,
            super::conversion::join_reasons(&why, "it does not expire in Claude Code"),
        ));
    }
    if effect == Effect::Confirm && outranked(rule, all) {
        let more = "Claude Code's rules have no priority: it asks even if another rule allows";
        return Ok((entries, how.max(Exactness::Wider), super::conversion::join_reasons(&why, more)));
    }
    Ok((entries, how, why))
}

fn outranked(rule: &Rule, all: &[(Effect, Rule)]) -> bool {
    all.iter().any(|(effect, other)| *effect == Effect::Allow && other.priority > rule.priority)
}

fn speaks_of_nothing_else(rule: &Rule) -> bool {
    let told = [&rule.command, &rule.command_glob, &rule.path, &rule.host, &rule.skill_name];
    told.iter().all(|field| field.is_none())
}

fn of_server(allows: bool, id: &str, name: Option<&str>, rule: &Rule) -> ExportOutcome {
    if !speaks_of_nothing_else(rule) {
        return Err("Claude Code's rules cannot match the input of MCP tools".into());
    }
    let clean = |text: &str| text.replace(|c: char| !(c.is_ascii_alphanumeric() || "_-*".contains(c)), "_");
    if allows && (clean(id) != id || id.contains('*') || name.is_some_and(|name| clean(name) != name)) {
        return Err("Claude Code replaces characters in this name, so it may match another name".into());
    }
    let entry = match name {
        None => format!("mcp__{}", clean(id)),
        Some(name) => format!("mcp__{}__{}", clean(id), clean(name)),
    };
    let letters = rule.tool_pattern.as_deref().is_some_and(|name| name.chars().any(char::is_alphabetic));
    if letters {
        return Ok((vec![entry], Exactness::Narrower, "Claude Code's patterns are case-sensitive".into()));
    }
    exact(entry)
}

/// Claude Code's names for a tool.
fn names_of(canonical: &str) -> &'static [&'static str] {
    match canonical {
        "bash" => &["Bash"],
        "read" => &["Read"],
        "write" => &["Write"],
        "edit" => &["Edit"],
        "grep" => &["Grep"],
        "glob" => &["Glob"],
        "list" => &["LS"],
        "web_fetch" => &["WebFetch"],
        "web_search" => &["WebSearch"],
        "skill_load" => &["Skill"],
        "sub_agent" => &["Agent", "Task"],
        "todo_read" => &["TodoRead"],
        "todo_write" => &["TodoWrite"],
        _ => &[],
    }
}

/// A deny or confirm with a name pattern: Claude Code's own matching tools, and those of every server.
fn of_pattern(pattern: &str, rule: &Rule) -> ExportOutcome {
    if !speaks_of_nothing_else(rule) {
        return Err("Claude Code cannot combine a name pattern with a command, a path or a host".into());
    }
    if pattern.chars().all(|c| c == '*') {
        return exact("*");
    }
    let (own, of_servers) = (pattern.to_lowercase(), format!("mcp__*__{pattern}"));
    let fits = |name: &str| glob(&own, &name.to_lowercase());
    let matching = tools::all_names().filter(|(name, known)| fits(name) || fits(known.name));
    let mut entries: Vec<String> =
        matching.flat_map(|(_, known)| names_of(known.name)).map(|name| (*name).to_owned()).collect();
    entries.sort();
    entries.dedup();
    entries.extend([pattern.to_owned(), of_servers]);
    Ok((entries, Exactness::Narrower, "Claude Code's patterns are case-sensitive".into()))
}

/// Matches a pattern in which `*` is any text.
fn glob(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((before, after)) => text.strip_prefix(before).is_some_and(|rest| {
            let starts = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
            starts.into_iter().any(|at| rest.get(at..).is_some_and(|rest| glob(after, rest)))
        }),
    }
}

fn of_tool(effect: Effect, name: &str, rule: &Rule, all: &[(Effect, Rule)]) -> ExportOutcome {
    let allows = effect == Effect::Allow;
    let known = tools::by_name(name);
    let own = known.is_some_and(|known| {
        known.name == name
            || known.aliases.iter().any(|(alias, who)| *alias == name && who.contains("Claude Code"))
    });
    match known {
        Some(_) if !own => return Err("it is a tool of another agent".into()),
        None if allows => return Err("a tool with that name may belong to any server".into()),
        None => return exact(name),
        Some(_) => {}
    }
    let canonical = known.map_or("", |known| known.name);
    if name != canonical && !speaks_of_nothing_else(rule) && !names_of(canonical).contains(&name) {
        return Err("Claude Code matches only the name of this tool".into());
    }
    let title = if name == canonical { names_of(canonical).first().copied() } else { Some(name) };
    let Some(title) = title else { return Err("Claude Code has no such tool".into()) };
    match canonical {
        "bash" => of_command(allows, rule),
        "read" | "write" | "edit" | "grep" | "glob" | "list" => of_file(effect, canonical, title, rule, all),
        "web_fetch" => match &rule.host {
            Some(host) => exact(format!("WebFetch(domain:{host})")),
            None => exact(title),
        },
        "skill_load" => match &rule.skill_name {
            Some(skill) => exact(format!("Skill({skill})")),
            None => exact(title),
        },
        _ => exact(title),
    }
}

fn of_command(allows: bool, rule: &Rule) -> ExportOutcome {
    let escaped = |text: &str| text.replace('(', "\\(").replace(')', "\\)");
    match (&rule.command, &rule.command_glob) {
        (None, None) if allows && !rule.unrestricted => {
            Err("`Bash` in Claude Code is every command, including redirects and computed text".into())
        }
        (None, None) => exact("Bash"),
        (Some(words), None) => exact(format!("Bash({words}:*)")),
        (Some(words), Some(glob)) if words == glob => exact(format!("Bash({words})")),
        (words, Some(glob)) => {
            let odd = |c: char| "|&;<>()$`\\\n".contains(c);
            let optional = glob.ends_with(" *") && glob.matches('*').count() == 1;
            let implied = words.as_ref().is_none_or(|words| glob.starts_with(&format!("{words} ")));
            if glob.contains(odd) {
                return Err("a glob with operators or computed text matches nothing in Claude Code".into());
            }
            if allows
                && (optional
                    || glob.contains('?')
                    || glob.contains("/**/")
                    || glob.ends_with(":*")
                    || !implied)
            {
                return Err("the closest form in Claude Code would allow more".into());
            }
            if !glob.contains(['*', '?']) && !is_plain(glob) && !allows {
                return exact(format!("Bash({})", escaped(glob)));
            }
            let wide = glob.replace('?', "*");
            let how = if optional || wide != *glob || !implied { Exactness::Wider } else { Exactness::Exact };
            let why =
                if how == Exactness::Wider { "the closest form in Claude Code covers more" } else { "" };
            let wide = if wide.ends_with(":*") { format!("{wide}*") } else { wide };
            Ok((vec![format!("Bash({})", escaped(&wide))], how, why.into()))
        }
    }
}

/// Claude Code has path rules for reading and for editing, each covering every tool that does so.
fn of_file(
    effect: Effect,
    canonical: &str,
    title: &str,
    rule: &Rule,
    all: &[(Effect, Rule)],
) -> ExportOutcome {
    let allows = effect == Effect::Allow;
    let Some(path) = &rule.path else {
        return exact(title);
    };
    let reads = matches!(canonical, "read" | "grep" | "glob" | "list");
    if path.contains("/]") {
        return Err("Claude Code has no form for a character class with a slash".into());
    }
    if !allows {
        let entry = format!("{}({})", if reads { "Read" } else { "Edit" }, path_of(path));
        let main = matches!(canonical, "read" | "edit");
        let why = if main { "" } else { "in Claude Code it covers every tool of this kind" };
        return Ok((vec![entry], if main { Exactness::Exact } else { Exactness::Wider }, why.into()));
    }
    if canonical != "read" && reads {
        return Err("Claude Code allows a path for every reading tool, which is more".into());
    }
    let twin = if canonical == "edit" { "write" } else { "edit" };
    let has_twin = all.iter().any(|(effect, other)| {
        *effect == Effect::Allow
            && other.tool.as_deref() == Some(twin)
            && other.path.as_ref() == Some(path)
            && other.agent.is_none()
            && other.expires_at.is_none()
    });
    if !reads && !has_twin {
        return Err(format!(
            "`Edit` in Claude Code includes `{twin}`, which is not allowed here for that path"
        ));
    }
    exact(format!("{}({})", if reads { "Read" } else { "Edit" }, path_of(path)))
}

/// Converts one of our paths to Claude Code's form.
fn path_of(path: &str) -> String {
    let anchored = path.trim_end_matches('/').contains('/') && !path.starts_with("**/");
    match path.strip_prefix('/') {
        Some(_) => format!("/{path}"),
        None if path.starts_with("~/") || anchored => path.into(),
        None if path.starts_with("**/") => format!("//{path}"),
        None => format!("//**/{path}"),
    }
}
