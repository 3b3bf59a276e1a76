//! Sources where the strongest of several matches decides.

use sekisho_adapters::foreign_rules::{DocumentScope, Exactness, ImportSource, import};
use sekisho_policy::Decision::{Allow, Confirm, Deny};

use crate::harness::{carried, compiled, decide, document, rules, shell};

#[test]
fn last_match_of_opencode_decides() {
    let text = r#"{ "permission": { "bash": {
        "*": "deny", "git *": "allow", "git push *": "ask", "git push --force*": "deny" } } }"#;
    let entries = carried(ImportSource::OpenCode, text);
    let policy = compiled(rules(&entries));
    for (command, expected) in [
        ("git status", Allow),
        ("git push", Confirm),
        ("git push --force", Deny),
        // A deny with an exception becomes a question.
        ("ls", Confirm),
    ] {
        assert_eq!(decide(&policy, &shell(command)), expected, "{command}");
    }
    let all = entries.iter().find(|entry| entry.source_text.starts_with("bash \"*\"")).unwrap();
    assert_eq!(all.exactness, Exactness::Confirm);
    assert!(
        rules(&entries).iter().all(|(_, rule)| rule.priority <= 0),
        "nothing here is outranked by an import"
    );
}

#[test]
fn project_file_is_merged_key_by_key() {
    // The project's `*` keeps its first position, so the user's `rm *` still decides.
    let user =
        document(r#"{ "permission": { "bash": { "*": "ask", "rm *": "deny" } } }"#, DocumentScope::User);
    let project = document(r#"{ "permission": { "bash": { "*": "allow" } } }"#, DocumentScope::Project);
    let entries = import(ImportSource::OpenCode, &[user, project]).unwrap();
    let policy = compiled(rules(&entries));
    assert_eq!(decide(&policy, &shell("rm x")), Deny);
    assert_eq!(decide(&policy, &shell("ls")), Allow);
    let documents: Vec<usize> = entries.iter().map(|entry| entry.document).collect();
    assert!(documents.contains(&0) && documents.contains(&1), "{documents:?}");
}

#[test]
fn highest_priority_of_gemini_decides() {
    let rule = |fields: &str, decision: &str, priority: u32| {
        format!(
            "[[rule]]\ntoolName = \"run_shell_command\"\n{fields}\ndecision = \"{decision}\"\npriority = {priority}\n"
        )
    };
    let text = rule("", "deny", 1)
        + &rule("commandPrefix = \"git\"", "allow", 100)
        + &rule("commandPrefix = \"git push\"", "ask_user", 200)
        + &rule("commandPrefix = \"git gc\"", "deny", 300);
    let policy = compiled(rules(&carried(ImportSource::GeminiCli, &text)));
    for (command, expected) in [
        ("git status", Allow),
        ("git push", Confirm),
        ("git gc", Deny),
        ("ls", Confirm),
        ("git status; ls", Confirm),
    ] {
        assert_eq!(decide(&policy, &shell(command)), expected, "{command}");
    }
}
