//! Help is published text, so its changes must show in a diff. `SNAPSHOTS=overwrite cargo test` updates it.

use snapbox::{assert_data_eq, file};

use crate::test_home::TestHome;

fn help(command: &str) -> String {
    let words: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
    let output = TestHome::new().run(&words);
    assert_eq!((output.code, output.err.as_str()), (0, ""), "{command}");
    assert!(output.out.contains("Examples:"), "{command} has no examples");
    output.out
}

#[test]
fn every_command_has_help_with_examples() {
    assert_data_eq!(help(""), file!["help/sekisho.txt"]);
    assert_data_eq!(help("check"), file!["help/check.txt"]);
    assert_data_eq!(help("trust"), file!["help/trust.txt"]);
    assert_data_eq!(help("serve"), file!["help/serve.txt"]);
    assert_data_eq!(help("demo"), file!["help/demo.txt"]);
    assert_data_eq!(help("token"), file!["help/token.txt"]);
    assert_data_eq!(help("token create"), file!["help/token-create.txt"]);
    assert_data_eq!(help("token list"), file!["help/token-list.txt"]);
    assert_data_eq!(help("token revoke"), file!["help/token-revoke.txt"]);
    assert_data_eq!(help("token link"), file!["help/token-link.txt"]);
    assert_data_eq!(help("install"), file!["help/install.txt"]);
    assert_data_eq!(help("uninstall"), file!["help/uninstall.txt"]);
    assert_data_eq!(help("status"), file!["help/status.txt"]);
    assert_data_eq!(help("hook"), file!["help/hook.txt"]);
    assert_data_eq!(help("acp"), file!["help/acp.txt"]);
    assert_data_eq!(help("doctor"), file!["help/doctor.txt"]);
    assert_data_eq!(help("completions"), file!["help/completions.txt"]);
    assert_data_eq!(help("man"), file!["help/man.txt"]);
    assert_data_eq!(help("schema"), file!["help/schema.txt"]);
    assert_data_eq!(help("sandbox"), file!["help/sandbox.txt"]);
    assert_data_eq!(help("tool"), file!["help/tool.txt"]);
    assert_data_eq!(help("tool list"), file!["help/tool-list.txt"]);
    assert_data_eq!(help("tool show"), file!["help/tool-show.txt"]);
    assert_data_eq!(help("tool run"), file!["help/tool-run.txt"]);
}

#[test]
fn every_command_for_rules_has_help_with_examples() {
    assert_data_eq!(help("rules"), file!["help/rules.txt"]);
    assert_data_eq!(help("rules list"), file!["help/rules-list.txt"]);
    assert_data_eq!(help("rules add"), file!["help/rules-add.txt"]);
    assert_data_eq!(help("rules edit"), file!["help/rules-edit.txt"]);
    assert_data_eq!(help("rules rm"), file!["help/rules-rm.txt"]);
    assert_data_eq!(help("rules lint"), file!["help/rules-lint.txt"]);
    assert_data_eq!(help("rules test"), file!["help/rules-test.txt"]);
    assert_data_eq!(help("rules import"), file!["help/rules-import.txt"]);
    assert_data_eq!(help("rules export"), file!["help/rules-export.txt"]);
    assert_data_eq!(help("rules presets"), file!["help/rules-presets.txt"]);
}

#[test]
fn every_audit_and_db_command_has_help_with_examples() {
    assert_data_eq!(help("audit"), file!["help/audit.txt"]);
    assert_data_eq!(help("audit search"), file!["help/audit-search.txt"]);
    assert_data_eq!(help("audit tail"), file!["help/audit-tail.txt"]);
    assert_data_eq!(help("audit show"), file!["help/audit-show.txt"]);
    assert_data_eq!(help("audit stats"), file!["help/audit-stats.txt"]);
    assert_data_eq!(help("audit verify"), file!["help/audit-verify.txt"]);
    assert_data_eq!(help("audit head"), file!["help/audit-head.txt"]);
    assert_data_eq!(help("audit export"), file!["help/audit-export.txt"]);
    assert_data_eq!(help("audit rotate-key"), file!["help/audit-rotate-key.txt"]);
    assert_data_eq!(help("audit prune"), file!["help/audit-prune.txt"]);
    assert_data_eq!(help("audit purge"), file!["help/audit-purge.txt"]);
    assert_data_eq!(help("audit import-spools"), file!["help/audit-import-spools.txt"]);
    assert_data_eq!(help("db"), file!["help/db.txt"]);
    assert_data_eq!(help("db status"), file!["help/db-status.txt"]);
    assert_data_eq!(help("db migrate"), file!["help/db-migrate.txt"]);
    assert_data_eq!(help("db copy"), file!["help/db-copy.txt"]);
}

#[test]
fn every_command_for_agents_and_runs_has_help_with_examples() {
    assert_data_eq!(help("agents"), file!["help/agents.txt"]);
    assert_data_eq!(help("agents list"), file!["help/agents-list.txt"]);
    assert_data_eq!(help("agents show"), file!["help/agents-show.txt"]);
    assert_data_eq!(help("agents create"), file!["help/agents-create.txt"]);
    assert_data_eq!(help("agents edit"), file!["help/agents-edit.txt"]);
    assert_data_eq!(help("agents delete"), file!["help/agents-delete.txt"]);
    assert_data_eq!(help("run"), file!["help/run.txt"]);
    assert_data_eq!(help("runs"), file!["help/runs.txt"]);
    assert_data_eq!(help("runs list"), file!["help/runs-list.txt"]);
    assert_data_eq!(help("runs show"), file!["help/runs-show.txt"]);
    assert_data_eq!(help("runs resume"), file!["help/runs-resume.txt"]);
    assert_data_eq!(help("runs abort"), file!["help/runs-abort.txt"]);
}

#[test]
fn every_command_for_pipelines_has_help_with_examples() {
    assert_data_eq!(help("pipeline"), file!["help/pipeline.txt"]);
    assert_data_eq!(help("pipeline run"), file!["help/pipeline-run.txt"]);
    assert_data_eq!(help("pipeline list"), file!["help/pipeline-list.txt"]);
    assert_data_eq!(help("pipeline show"), file!["help/pipeline-show.txt"]);
    assert_data_eq!(help("pipeline create"), file!["help/pipeline-create.txt"]);
    assert_data_eq!(help("pipeline delete"), file!["help/pipeline-delete.txt"]);
    assert_data_eq!(help("pipeline runs"), file!["help/pipeline-runs.txt"]);
    assert_data_eq!(help("pipeline status"), file!["help/pipeline-status.txt"]);
    assert_data_eq!(help("pipeline retry"), file!["help/pipeline-retry.txt"]);
    assert_data_eq!(help("pipeline abort"), file!["help/pipeline-abort.txt"]);
}

#[test]
fn every_approvals_command_has_help_with_examples() {
    assert_data_eq!(help("approvals"), file!["help/approvals.txt"]);
    assert_data_eq!(help("approvals list"), file!["help/approvals-list.txt"]);
    assert_data_eq!(help("approvals show"), file!["help/approvals-show.txt"].raw());
    assert_data_eq!(help("approvals approve"), file!["help/approvals-approve.txt"]);
    assert_data_eq!(help("approvals deny"), file!["help/approvals-deny.txt"]);
    assert_data_eq!(help("approvals watch"), file!["help/approvals-watch.txt"]);
}

#[test]
fn invalid_arguments_exit_with_64() {
    let place = TestHome::new();
    for arguments in [
        &["frobnicate"][..],
        &["check"],
        &["check", "read", "a", "--input", "{}"],
        &["check", "frobnicate", "text"],
        &["check", "read", "--input", "{"],
        &["check", "read", "--input", r#"{"a":1,"a":2}"#],
        &["check", "--batch", "read"],
        &["rules", "add", "maybe", "--tool", "a"],
        &["rules", "add", "allow"],
        &["rules", "add", "allow", "--tool", "read", "--command", "x"],
        &["rules", "add", "allow", "--tool", ""],
        &["rules", "add", "allow", "--tool", "a", "--expires-at", "soon"],
        &["rules", "edit", "global:1"],
        &["rules", "rm", "nonsense"],
        &["trust", "--show", "--revoke"],
        &["audit"],
        &["audit", "search", "--from", "soon"],
        &["audit", "search", "--from", "1h", "--to", "2h"],
        &["audit", "search", "--decision", "maybe"],
        &["audit", "search", "--kind", "gossip"],
        &["audit", "search", "--limit", "0"],
        &["audit", "show", "x:1"],
        &["audit", "show", "nonsense"],
        &["audit", "prune"],
        &["audit", "export", "--format", "xml"],
        &["approvals"],
        &["approvals", "show", "x"],
        &["approvals", "approve", "5d2a91c0", "--input", "{"],
        &["approvals", "approve", "5d2a91c0", "--input", "{}", "--edit"],
        &["approvals", "approve", "5d2a91c0", "--remember", "everywhere"],
        &["approvals", "deny", "5d2a91c0", "--rule", "1"],
        &["approvals", "list", "--server", "gate"],
        &["approvals", "list", "--token", "secret"],
        &["db"],
        &["db", "copy"],
        &["man", "frobnicate"],
        &["token"],
        &["doctor", "me"],
        &["install"],
        &["install", "cursor"],
        &["install", "codex", "--project"],
        &["install", "claude-code", "--project", "--global"],
        &["install", "claude-code", "--wait", "3"],
        &["install", "claude-code", "--headless", "ask"],
        &["uninstall"],
        &["status", "cursor"],
    ] {
        let output = place.run(arguments);
        assert_eq!(output.code, 64, "{arguments:?}: {}{}", output.out, output.err);
        assert!(!output.err.is_empty() && output.out.is_empty(), "{arguments:?}");
    }
}

#[test]
fn completions_man_pages_and_schema_are_printed() {
    let place = TestHome::new();
    for (arguments, expected) in [
        (&["completions", "bash"][..], "_sekisho()"),
        (&["completions", "zsh"], "#compdef sekisho"),
        (&["completions", "fish"], "complete -c sekisho"),
        (&["man"], ".TH sekisho 1"),
        (&["man", "rules", "add"], "tool\\-pattern"),
        (&["schema"], "\"title\": \"sekisho config\""),
    ] {
        let output = place.run(arguments);
        assert_eq!(output.code, 0, "{arguments:?}: {}", output.err);
        assert!(output.out.contains(expected), "{arguments:?}: {}", output.out);
    }
}
