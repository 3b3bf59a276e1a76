//! For every source and every call: an import never allows what the source does not.

use proptest::prelude::*;
use sekisho_adapters::foreign_rules::{ImportSource, ImportedEntry};
use sekisho_policy::Decision;
use serde_json::{Map, json};

use crate::harness::{carried, compiled, decide, file, rules, shell};
use crate::source_models::{self, Gemini, SourceDecision};

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["git", "rm", "npm", "push", "status", "run", "-rf", "main", "a.b", "gitx", "x"])
        .prop_map(str::to_owned)
}

/// A command of one to four words.
fn command() -> impl Strategy<Value = String> {
    prop::collection::vec(word(), 1..5).prop_map(|words| words.join(" "))
}

/// Commands, and one text that runs them all.
fn script() -> impl Strategy<Value = (Vec<String>, String)> {
    let spelt = (command(), 0..4_u8).prop_map(|(command, spelling)| {
        let text = match spelling {
            0 => command.split(' ').map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" "),
            1 => command.replace(' ', "   "),
            _ => command.clone(),
        };
        (command, text)
    });
    let operator = prop::sample::select(vec![" && ", "; ", " | ", " || ", "\n"]);
    (prop::collection::vec(spelt, 1..4), operator).prop_map(|(parts, operator)| {
        let (commands, texts): (Vec<String>, Vec<String>) = parts.into_iter().unzip();
        (commands, texts.join(operator))
    })
}

fn says() -> impl Strategy<Value = SourceDecision> {
    prop::sample::select(vec![
        SourceDecision::Allow,
        SourceDecision::Allow,
        SourceDecision::Ask,
        SourceDecision::Deny,
    ])
}

/// A command pattern with stars.
fn starred() -> impl Strategy<Value = String> {
    let piece =
        prop_oneof![4 => word(), 2 => Just("*".to_owned()), 1 => word().prop_map(|word| format!("{word}*"))];
    prop::collection::vec(piece, 1..4).prop_map(|pieces| pieces.join(" "))
}

#[track_caller]
fn never_looser(
    entries: &[ImportedEntry],
    call: &sekisho_policy::Call,
    source: SourceDecision,
) -> Result<(), TestCaseError> {
    let carried = rules(entries);
    let ours = decide(&compiled(carried.clone()), call);
    prop_assert!(
        ours != Decision::Allow || source == SourceDecision::Allow,
        "ours allows, the source says {:?}: {:#?}",
        source,
        carried
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn claude_code(
        lists in prop::collection::vec((says(), prop_oneof![
            command().prop_map(|command| format!("{command}:*")), starred(), command()
        ]), 1..6),
        (commands, text) in script(),
    ) {
        let list = |says: SourceDecision| {
            lists.iter().filter(|(list, _)| *list == says).map(|(_, rule)| format!("Bash({rule})")).collect::<Vec<_>>()
        };
        let settings = json!({ "permissions": {
            "allow": list(SourceDecision::Allow), "ask": list(SourceDecision::Ask), "deny": list(SourceDecision::Deny) } });
        let entries = carried(ImportSource::ClaudeCode, &settings.to_string());
        never_looser(&entries, &shell(&text), source_models::claude(&lists, &commands))?;
    }

    #[test]
    fn codex(
        lists in prop::collection::vec(
            (says(), prop::collection::vec(prop::collection::vec(word(), 1..3), 1..4)), 1..6),
        (commands, text) in script(),
    ) {
        let file: String = lists.iter().map(|(says, pattern)| {
            let decision = match says { SourceDecision::Allow => "allow", SourceDecision::Ask => "prompt", SourceDecision::Deny => "forbidden" };
            format!("prefix_rule(pattern = {}, decision = {decision:?})\n", json!(pattern))
        }).collect();
        let entries = carried(ImportSource::Codex, &file);
        prop_assert!(!entries.is_empty());
        never_looser(&entries, &shell(&text), source_models::codex(&lists, &commands))?;
    }

    #[test]
    fn gemini_cli(
        lists in prop::collection::vec((says(), prop_oneof![
            1 => Just(Gemini::Whole),
            4 => command().prop_map(Gemini::Prefix),
            2 => (word(), word(), word()).prop_filter_map("plain", |(a, b, c)| {
                let text = format!("{a} ({b}|{c})");
                (!text.contains('.')).then(|| Gemini::Begins(vec![format!("{a} {b}"), format!("{a} {c}")]))
            }),
        ], 0..4_u32), 1..6),
        (commands, text) in script(),
    ) {
        let file: String = lists.iter().map(|(says, rule, priority)| {
            let decision = match says { SourceDecision::Allow => "allow", SourceDecision::Ask => "ask_user", SourceDecision::Deny => "deny" };
            let what = match rule {
                Gemini::Whole => String::new(),
                Gemini::Prefix(prefix) => format!("commandPrefix = {prefix:?}\n"),
                Gemini::Begins(texts) => {
                    let (head, one) = texts[0].rsplit_once(' ').unwrap();
                    let (_, two) = texts[1].rsplit_once(' ').unwrap();
                    format!("commandRegex = \"{head} ({one}|{two})\"\n")
                }
            };
            format!("[[rule]]\ntoolName = \"run_shell_command\"\n{what}decision = {decision:?}\npriority = {priority}\n")
        }).collect();
        let entries = carried(ImportSource::GeminiCli, &file);
        let plain = commands.join(" && ");
        never_looser(&entries, &shell(&text), source_models::gemini(&lists, &plain, &commands))?;
    }

    #[test]
    fn opencode(
        lists in prop::collection::vec((says(), prop_oneof![
            command().prop_map(|command| format!("{command} *")), starred(), Just("*".to_owned()),
            command().prop_map(|command| command.replacen('i', "?", 1)),
        ]), 1..7),
        (commands, text) in script(),
    ) {
        let entries = carried(ImportSource::OpenCode, &opencode_config("bash", &lists));
        let merged = last_at_first(&lists);
        never_looser(&entries, &shell(&text), source_models::opencode(&merged, &commands))?;
    }

    #[test]
    fn opencode_paths(
        lists in prop::collection::vec((says(), path_pattern()), 1..7),
        path in prop::collection::vec(prop::sample::select(vec!["a", "ab", "b.md", "src", "x"]), 1..4),
    ) {
        let entries = carried(ImportSource::OpenCode, &opencode_config("edit", &lists));
        let merged = last_at_first(&lists);
        let path = path.join("/");
        let source = source_models::opencode(&merged, std::slice::from_ref(&path));
        never_looser(&entries, &file("edit", &format!("/w/{path}")), source)?;
    }
}

fn path_pattern() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec!["a", "ab", "*", "b.md", "*.md", "src", "a*", "?", "**"]);
    prop::collection::vec(piece, 1..4).prop_map(|pieces| pieces.join("/"))
}

fn opencode_config(permission: &str, lists: &[(SourceDecision, String)]) -> String {
    // Written by hand: order matters, and our map would sort.
    let patterns: Vec<String> = last_at_first(lists)
        .iter()
        .map(|(says, pattern)| {
            let action = match says {
                SourceDecision::Allow => "allow",
                SourceDecision::Ask => "ask",
                SourceDecision::Deny => "deny",
            };
            format!("{}: {action:?}", json!(pattern))
        })
        .collect();
    format!("{{ \"permission\": {{ {permission:?}: {{ {} }} }} }}", patterns.join(", "))
}

/// Equal keys are one key, with the last value at the first position.
fn last_at_first(lists: &[(SourceDecision, String)]) -> Vec<(SourceDecision, String)> {
    let mut merged: Vec<(SourceDecision, String)> = Vec::new();
    for (says, pattern) in lists {
        match merged.iter_mut().find(|(_, earlier)| earlier == pattern) {
            Some(earlier) => earlier.0 = *says,
            None => merged.push((*says, pattern.clone())),
        }
    }
    merged
}

#[test]
fn properties_are_not_vacuous() {
    // A plain allow is imported, so the property does not hold trivially.
    let text = Map::from_iter([("permissions".to_owned(), json!({ "allow": ["Bash(git status:*)"] }))]);
    let policy = compiled(rules(&carried(ImportSource::ClaudeCode, &json!(text).to_string())));
    assert_eq!(decide(&policy, &shell("git status && git   status -s")), Decision::Allow);
}
