//! codelia's config, from which our rule format evolved.

use sekisho_policy::{Effect, Rule};

use super::conversion::Conversion;
use super::jsonc_tree::{self, Node};
use super::{ImportError, ImportedEntry, SourceDocument};

pub(super) fn read(documents: &[SourceDocument]) -> Result<Vec<ImportedEntry>, ImportError> {
    let mut entries = Vec::new();
    for (document, tree) in jsonc_tree::read(documents)?.iter().enumerate() {
        let Some(permissions) = tree.root().get("permissions") else { continue };
        for (list, effect) in [("allow", Effect::Allow), ("deny", Effect::Deny)] {
            let Some(rules) = permissions.get(list) else { continue };
            let fault = |message: &str| ImportError {
                document,
                line: rules.line(),
                message: format!("`permissions.{list}` {message}"),
            };
            for node in rules.list().ok_or_else(|| fault("is not a list"))? {
                let Conversion { rules, how, why } = converted(effect, node);
                let said = format!("{list} {}", node.shown());
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
    }
    Ok(entries)
}

fn converted(effect: Effect, node: Node<'_>) -> Conversion {
    let fields = ["tool", "command", "command_glob", "skill_name"];
    let field = |name: &str| node.get(name).and_then(Node::text).map(str::to_owned);
    let strange = node.fields().into_iter().find(|(name, value)| {
        !fields.contains(name) || value.text().is_none_or(|text| text.trim().is_empty())
    });
    let Some(tool) = field("tool") else { return Conversion::dropped("it does not name a tool") };
    if let Some((name, _)) = strange {
        return Conversion::unsupported(effect, &[&tool], format!("unknown field `{name}`"));
    }
    // Other agents' tools of this kind are the same tool here.
    let known = sekisho_policy::tools::by_name(&tool).map(|known| known.name);
    let tool = known.map_or(tool, str::to_owned);
    let mut rule = Rule {
        tool: Some(tool.clone()),
        command: field("command"),
        command_glob: field("command_glob"),
        skill_name: field("skill_name"),
        ..Rule::default()
    };
    let shell = rule.command.is_some() || rule.command_glob.is_some();
    if effect == Effect::Allow {
        if known.is_none() {
            return Conversion::dropped("an MCP server's tool with that name would be allowed too");
        }
        if tool == "bash" && !shell {
            return super::commands::any_command(effect);
        }
        return match rule.command_glob {
            Some(_) => Conversion::approximate(
                effect,
                vec![rule],
                "a glob is matched against each command, never across several",
            ),
            None => Conversion::exact(effect, vec![rule]),
        };
    }
    // codelia compares at most two words, so a deny must not require more.
    let words: Vec<&str> = rule.command.as_deref().unwrap_or("").split_whitespace().collect();
    if words.len() > 2 {
        rule.command = Some(words.iter().take(2).copied().collect::<Vec<_>>().join(" "));
        return Conversion::approximate(effect, vec![rule], "codelia compares two words at most");
    }
    Conversion::exact(effect, vec![rule])
}
