//! What single entries become, by source.

use sekisho_adapters::foreign_rules::{DocumentScope, Exactness, ImportSource, import};
use sekisho_policy::Decision::{Allow, Confirm, Deny};

use crate::harness::{carried, compiled, decide, document, file, rules, shell, told, web};

fn claude(list: &str, entry: &str) -> String {
    let text = serde_json::json!({ "permissions": { list: [entry] } }).to_string();
    told(&carried(ImportSource::ClaudeCode, &text)[0])
}

#[test]
fn claude_code_commands() {
    for (list, entry, expected) in [
        ("allow", "Bash(npm run test:*)", "exact: allow {tool:bash,command:npm run test}"),
        ("allow", "Bash(git log *)", "exact: allow {tool:bash,command:git log}"),
        ("allow", "Bash(git log*)", "exact: allow {tool:bash,command:git,command_glob:git log*}"),
        ("allow", "Bash(git * main)", "exact: allow {tool:bash,command:git,command_glob:git * main}"),
        (
            "allow",
            "Bash(npm run build)",
            "exact: allow {tool:bash,command:npm run build,command_glob:npm run build}",
        ),
        ("allow", "Bash", "narrower: allow {tool:bash}"),
        ("allow", "Bash(*)", "narrower: allow {tool:bash}"),
        ("allow", "Bash(curl http://x/?a=1)", "not carried: "),
        ("allow", "Bash(find . -name \\*.rs)", "not carried: "),
        ("allow", "Bash(a && b)", "not carried: "),
        ("allow", "Bash(FOO=1 npm test)", "not carried: "),
        ("allow", "Bash(run_in_background:true)", "not carried: "),
        ("deny", "Bash(run_in_background:true)", "asked: confirm {tool:bash}"),
        ("deny", "Bash(rm:*)", "exact: deny {tool:bash,command:rm}"),
        ("deny", "Bash(rm -rf /)", "exact: deny {tool:bash,command_glob:rm -rf /}"),
        ("deny", "Bash(curl * | bash*)", "exact: deny {tool:bash,command_glob:curl * | bash*}"),
        ("deny", "Bash(cat a/**/b)", "wider: deny {tool:bash,command_glob:cat a/*b}"),
        ("deny", "Bash(FOO=1 rm:*)", "exact: deny {tool:bash,command:rm}"),
        ("ask", "Bash(git push:*)", "exact: confirm {tool:bash,command:git push}"),
        ("deny", "Bash(unclosed", "not carried: "),
    ] {
        assert_eq!(claude(list, entry), expected, "{list} {entry}");
    }
}

#[test]
fn claude_code_tools_and_servers() {
    for (list, entry, expected) in [
        ("allow", "WebFetch(domain:example.com)", "exact: allow {tool:web_fetch,host:example.com}"),
        ("allow", "WebFetch(domain:*.example.com)", "exact: allow {tool:web_fetch,host:*.example.com}"),
        ("allow", "WebFetch(domain:x.com:8080)", "exact: allow {tool:web_fetch,host:x.com:8080}"),
        ("deny", "WebFetch(domain:x.com:8080)", "exact: deny {tool:web_fetch,host:x.com:8080}"),
        ("deny", "WebFetch(domain:*evil*)", "asked: confirm {tool:web_fetch}"),
        ("allow", "WebSearch", "exact: allow {tool:web_search}"),
        ("allow", "Skill(review)", "exact: allow {tool:skill_load,skill_name:review}"),
        ("allow", "mcp__github", "exact: allow {server:github}"),
        ("allow", "mcp__github__*", "exact: allow {server:github}"),
        ("allow", "mcp__github__get_issue", "exact: allow {server:github,tool:get_issue}"),
        ("allow", "mcp__github__get_*", "not carried: "),
        ("deny", "mcp__github__delete_*", "exact: deny {server:github,tool_pattern:delete_*}"),
        ("allow", "mcp__*", "not carried: "),
        ("deny", "mcp__*", "wider: deny {tool_pattern:mcp__*}"),
        ("allow", "Task", "not carried: "),
        ("deny", "Task(Explore)", "asked: confirm {tool:sub_agent}"),
        ("deny", "Agent", "exact: deny {tool:sub_agent}"),
        ("allow", "Write(docs/**)", "not carried: "),
    ] {
        assert_eq!(claude(list, entry), expected, "{list} {entry}");
    }
    let text = r#"{ "permissions": { "allow": ["mcp__github"], "deny": ["mcp__*"] } }"#;
    let policy = compiled(rules(&carried(ImportSource::ClaudeCode, text)));
    let call = sekisho_policy::Call::new("x", serde_json::json!({})).on_server("github");
    assert_eq!(decide(&policy, &call), Deny, "a deny of every server is one of each that is allowed");
}

#[test]
fn claude_code_paths() {
    let allow = |entry: &str, scope: DocumentScope| {
        let text = serde_json::json!({ "permissions": { "allow": [entry] } }).to_string();
        compiled(rules(&import(ImportSource::ClaudeCode, &[document(&text, scope)]).unwrap()))
    };
    for (entry, path, expected) in [
        ("Edit(src/**)", "/w/src/a/b.rs", Allow),
        ("Edit(src/**)", "/elsewhere/src/b.rs", Confirm),
        ("Edit(./src/**)", "/w/src/b.rs", Allow),
        ("Edit(/src/**)", "/w/src/b.rs", Allow),
        ("Edit(/README.md)", "/w/README.md", Allow),
        ("Edit(/README.md)", "/w/sub/README.md", Confirm),
        ("Edit(/README.md)", "/README.md", Confirm),
        ("Edit(*.md)", "/w/README.md", Allow),
        ("Edit(*.md)", "/w/a/b/README.md", Allow),
        ("Edit(*.md)", "/other/README.md", Confirm),
        ("Edit(**/*.md)", "/w/a/README.md", Allow),
        ("Edit(**/*.md)", "/w/README.md", Allow),
        ("Edit(**/*.md)", "/other/README.md", Confirm),
        ("Edit(**/docs/*.md)", "/w/docs/README.md", Allow),
        ("Edit(**/docs/*.md)", "/w/a/docs/README.md", Allow),
        ("Edit(**/docs/*.md)", "/docs/README.md", Confirm),
        ("Edit(./**)", "/w/top.txt", Allow),
        ("Edit(./**)", "/w/a/b/c.txt", Allow),
        ("Edit(./**)", "/etc/hosts", Confirm),
        ("Edit(//opt/x/**)", "/opt/x/y", Allow),
        ("Edit(//opt/x/**)", "/w/opt/x/y", Confirm),
        ("Edit(~/notes/**)", "/home/u/notes/a", Allow),
    ] {
        let policy = allow(entry, DocumentScope::Project);
        for tool in ["edit", "Write"] {
            assert_eq!(decide(&policy, &file(tool, path)), expected, "{entry} {tool} {path}");
        }
    }
    assert_eq!(decide(&allow("Edit(/src/**)", DocumentScope::User), &file("edit", "/w/src/a")), Confirm);
}

#[test]
fn claude_code_path_denies_confirm_commands() {
    let text = r#"{ "permissions": { "allow": ["Bash(cat:*)", "Read"], "deny": ["Read(./secrets/**)"] } }"#;
    let policy = compiled(rules(&carried(ImportSource::ClaudeCode, text)));
    for (call, expected) in [
        (file("read", "/w/secrets/key"), Deny),
        (file("Grep", "/w/secrets"), Deny),
        (file("read", "/w/src/a"), Allow),
        (shell("cat src/a"), Allow),
        (shell("cat secrets/key"), Confirm),
        (shell("cat ./s'ecret's/key"), Confirm),
    ] {
        assert_eq!(decide(&policy, &call), expected, "{call:?}");
    }
}

fn codex(text: &str) -> Vec<String> {
    carried(ImportSource::Codex, text).iter().map(told).collect()
}

#[test]
fn codex_rules() {
    for (text, expected) in [
        (r#"prefix_rule(pattern=["git", "status"])"#, "exact: allow {tool:bash,command:git status}"),
        (
            "# why\nprefix_rule(\n  pattern = [\"git\", [\"push\", 'fetch']],  # two\n  decision = \"prompt\",\n)\n",
            "exact: confirm {tool:bash,command:git push}; confirm {tool:bash,command:git fetch}",
        ),
        (r#"prefix_rule(pattern=["rm"], decision="forbidden")"#, "exact: deny {tool:bash,command:rm}"),
        (r#"prefix_rule(pattern=["git", "commit", "-m", "a b"])"#, "not carried: "),
        (
            r#"prefix_rule(pattern=["sh", "-c", "a b"], decision="forbidden")"#,
            "wider: deny {tool:bash,command:sh -c a b}",
        ),
        (r#"prefix_rule(pattern=["a"], decision="maybe")"#, "not carried: "),
        (r#"network_rule(host="x", protocol="https", decision="deny")"#, "not carried: "),
    ] {
        assert_eq!(codex(text), [expected], "{text}");
    }
}

#[test]
fn codex_unread_statements_withhold_allows() {
    for strange in [
        "for x in [\"git\"]:\n    prefix_rule(pattern=[x], decision=\"forbidden\")",
        "prefix_rule(pattern=TOOLS, decision=\"forbidden\")",
        "prefix_rule([\"git\"], decision=\"forbidden\")",
        "prefix_rule(pattern=[\"g\" + \"it\"], decision=\"forbidden\")",
        "def f():\n    pass\nf()",
        "x = \"\"\"\nprefix_rule(pattern=[\"rm\"])\n\"\"\"",
        "prefix_rule(pattern=[f\"git\"], decision=\"forbidden\")",
        "prefix_rule(pattern=[\"git\"], decision=\"allow\" if X else \"forbidden\")",
        "prefix_rule(pattern=[\"a\"], new_condition=\"x\")",
        "prefix_rule(pattern=[\"a\"",
        "load(\"other.rules\", \"x\")",
    ] {
        let text = format!(
            "prefix_rule(pattern=[\"git\"])\n{strange}\nprefix_rule(pattern=[\"dd\"], decision=\"forbidden\")\n"
        );
        let entries = carried(ImportSource::Codex, &text);
        let policy = compiled(rules(&entries));
        assert_eq!(decide(&policy, &shell("git status")), Confirm, "{strange}");
        assert!(
            entries.iter().any(|entry| entry.exactness == Exactness::Dropped && entry.why.contains("read")),
            "{strange}"
        );
    }
    // A separate file does not help: the strictest rule of all files wins.
    let files =
        ["prefix_rule(pattern=[\"git\"])", "include()"].map(|text| document(text, DocumentScope::User));
    assert!(rules(&import(ImportSource::Codex, &files).unwrap()).is_empty());
}

#[test]
fn codex_examples_and_reasons_are_imported() {
    let text = r#"prefix_rule(pattern=["git", "push"], decision="forbidden", justification="Use `jj`.",
        match=[["git", "push", "origin main"], "git push"], not_match=["git status"])"#;
    let entry = &carried(ImportSource::Codex, text)[0];
    let rule = &entry.rules[0].1;
    assert!(
        rule.note.as_deref().unwrap().starts_with("Use `jj`. (Codex, their.file: prefix_rule("),
        "{rule:?}"
    );
    let examples = rule.examples.as_ref().unwrap();
    assert_eq!((examples.matching.len(), examples.not_match.len()), (2, 1));
    let bound = "host_executable(name=\"git\", paths=[\"/opt/git\"])\nprefix_rule(pattern=[\"git\"])";
    assert!(rules(&carried(ImportSource::Codex, bound)).is_empty());
}

fn gemini(rule: &str) -> String {
    let text = format!("[[rule]]\npriority = 10\n{rule}\n");
    told(&carried(ImportSource::GeminiCli, &text)[0])
}

#[test]
fn gemini_rules() {
    let shell = "toolName = \"run_shell_command\"\n";
    for (rule, expected) in [
        (
            "commandPrefix = \"git status\"\ndecision = \"allow\"",
            "exact: allow {tool:bash,command:git status}",
        ),
        ("commandPrefix = \"git \"\ndecision = \"allow\"", "not carried: "),
        ("commandPrefix = \"git \"\ndecision = \"deny\"", "wider: deny {tool:bash,command:git}"),
        (
            "commandPrefix = [\"a\", \"b c\"]\ndecision = \"ask_user\"",
            "exact: confirm {tool:bash,command:a}; confirm {tool:bash,command:b c}",
        ),
        (
            "commandRegex = \"git (commit|push)\"\ndecision = \"allow\"",
            "narrower: allow {tool:bash,command:git commit}; allow {tool:bash,command:git push}",
        ),
        (
            "commandRegex = \"git (commit|push)\"\ndecision = \"deny\"",
            "exact: deny {tool:bash,command_glob:git commit*}; deny {tool:bash,command_glob:git push*}",
        ),
        ("commandRegex = \"git [a-z]+\"\ndecision = \"allow\"", "not carried: "),
        ("commandRegex = \"rm .*-rf\"\ndecision = \"deny\"", "asked: confirm {tool:bash}"),
        ("argsPattern = \"x\"\ndecision = \"deny\"", "asked: confirm {tool:bash}"),
        ("decision = \"allow\"", "not carried: "),
        ("decision = \"allow\"\nmodes = [\"yolo\"]", "not carried: "),
        ("decision = \"deny\"\nmodes = [\"plan\"]", "wider: deny {tool:bash}"),
        ("decision = \"allow\"\nsomethingNew = 1", "not carried: "),
        ("decision = \"allow\"\ninteractive = true", "not carried: "),
    ] {
        assert_eq!(gemini(&format!("{shell}{rule}")), expected, "{rule}");
    }
    for (rule, expected) in [
        ("toolName = \"*\"\ndecision = \"allow\"", "not carried: "),
        ("toolName = \"*\"\ndecision = \"ask_user\"", "exact: confirm {tool_pattern:*}"),
        ("toolName = \"write_file\"\ndecision = \"allow\"", "narrower: allow {tool:write,path:*[!/]}"),
        (
            "toolName = [\"write_file\", \"replace\"]\ndecision = \"deny\"",
            "exact: deny {tool:write}; deny {tool:edit}",
        ),
        (
            "toolName = \"search\"\nmcpName = \"jira\"\ndecision = \"allow\"",
            "exact: allow {server:jira,tool:search}",
        ),
        ("toolName = \"*\"\nmcpName = \"jira\"\ndecision = \"deny\"", "exact: deny {server:jira}"),
        ("toolName = \"mcp_jira_get\"\ndecision = \"allow\"", "exact: allow {server:jira,tool:get}"),
        ("toolName = \"save_memory\"\ndecision = \"allow\"", "not carried: "),
        ("toolName = \"save_memory\"\ndecision = \"deny\"", "exact: deny {tool:save_memory}"),
    ] {
        assert_eq!(gemini(rule), expected, "{rule}");
    }
    for wrong in ["[[rule]]\ndecision = \"maybe\"\npriority = 1", "[[rule]]\ndecision = \"deny\"", "[[rule"] {
        assert!(import(ImportSource::GeminiCli, &[document(wrong, DocumentScope::User)]).is_err(), "{wrong}");
    }
}

#[test]
fn opencode_permissions() {
    let one = |permission: &str, pattern: &str, action: &str| {
        let text = serde_json::json!({ "permission": { permission: { pattern: action } } }).to_string();
        let entries = carried(ImportSource::OpenCode, &text);
        told(entries.iter().find(|entry| !entry.source_text.starts_with("external_directory (")).unwrap())
    };
    for (permission, pattern, action, expected) in [
        ("bash", "git *", "allow", "exact: allow {tool:bash,command:git}"),
        (
            "bash",
            "git status",
            "allow",
            "exact: allow {tool:bash,command:git status,command_glob:git status}",
        ),
        ("bash", "git st?sh*", "deny", "exact: deny {tool:bash,command_glob:git st?sh*}"),
        ("edit", "*", "allow", "narrower: allow {tool:edit,path:*[!/]}; allow {tool:write,path:*[!/]}"),
        ("edit", "docs/*.md", "allow", "not carried: "),
        (
            "edit",
            "docs/*",
            "allow",
            "narrower: allow {tool:edit,path:docs/*}; allow {tool:write,path:docs/*}",
        ),
        (
            "edit",
            "a/**/b*",
            "allow",
            "narrower: allow {tool:edit,path:a/*/**/b*}; allow {tool:write,path:a/*/**/b*}",
        ),
        ("read", "*.env", "deny", "wider: deny {tool:read,path:*.env}"),
        ("read", "secrets/*/x?", "ask", "wider: confirm {tool:read,path:secrets/**}"),
        ("grep", "password*", "deny", "asked: confirm {tool:grep}"),
        ("webfetch", "https://x.com/*", "allow", "not carried: "),
        ("webfetch", "https://x.com/*", "deny", "wider: deny {tool:web_fetch,host:x.com}"),
        ("webfetch", "*x.com*", "deny", "asked: confirm {tool:web_fetch}"),
        ("skill", "review", "allow", "exact: allow {tool:skill_load,skill_name:review}"),
        ("github_*", "*", "deny", "exact: deny {tool_pattern:github_*}; deny {server:github}"),
        ("github_*", "*", "allow", "not carried: "),
        ("*", "*", "allow", "not carried: "),
        ("doom_loop", "*", "deny", "not carried: "),
        (
            "external_directory",
            "*",
            "deny",
            "asked: confirm {tool:bash,command_glob:* /*}; confirm {tool:bash,command_glob:*..*}; confirm {tool:bash,command_glob:*~*}",
        ),
    ] {
        assert_eq!(one(permission, pattern, action), expected, "{permission} {pattern} {action}");
    }
}

#[test]
fn opencode_asks_before_commands_leave_the_project() {
    let text = r#"{ "permission": { "bash": { "rm *": "allow" } } }"#;
    let policy = compiled(rules(&carried(ImportSource::OpenCode, text)));
    assert_eq!(decide(&policy, &shell("rm a")), Allow);
    for outside in ["rm /etc/x", "rm ../x", "rm ~/x", "rm a '/b'"] {
        assert_eq!(decide(&policy, &shell(outside)), Confirm, "{outside}");
    }
    let told = r#"{ "permission": { "bash": { "rm *": "allow" }, "external_directory": "allow" } }"#;
    let policy = compiled(rules(&carried(ImportSource::OpenCode, told)));
    assert_eq!(decide(&policy, &shell("rm /opt/x")), Allow);
}

#[test]
fn codelia_rules() {
    let text = r#"{ "version": 1, "permissions": {
        "allow": [{ "tool": "read" }, { "tool": "bash", "command": "rg" }, { "tool": "bash", "command_glob": "git status*" },
                  { "tool": "bash", "sudo": "x" }, { "tool": "frobnicate" }, { "tool": "glob_search" }],
        "deny": [{ "tool": "bash", "command": "rm" }, { "tool": "skill_load", "skill_name": "x" },
                 { "tool": "bash", "command": "a b c" }, { "tool": "bash", "when": "y" }] } }"#;
    let told: Vec<String> = carried(ImportSource::Codelia, text).iter().map(told).collect();
    assert_eq!(
        told,
        [
            "exact: allow {tool:read}",
            "exact: allow {tool:bash,command:rg}",
            "narrower: allow {tool:bash,command_glob:git status*}",
            "not carried: ",
            "not carried: ",
            "exact: allow {tool:glob}",
            "exact: deny {tool:bash,command:rm}",
            "exact: deny {tool:skill_load,skill_name:x}",
            "wider: deny {tool:bash,command:a b}",
            "asked: confirm {tool:bash}",
        ]
    );
}

#[test]
fn lines_and_notes_name_the_source_of_a_rule() {
    let text = "{\n  // mine\n  \"permissions\": {\n    \"deny\": [\n      \"Bash(rm:*)\"\n    ]\n  }\n}";
    let entry = &carried(ImportSource::ClaudeCode, text)[0];
    assert_eq!((entry.line, entry.source_text.as_str()), (5, "deny Bash(rm:*)"));
    assert_eq!(entry.rules[0].1.note.as_deref(), Some("Claude Code, their.file: deny Bash(rm:*)"));
    assert_eq!(decide(&compiled(rules(std::slice::from_ref(entry))), &web("https://x/")), Confirm);
    for wrong in
        ["[]", "{", "{ \"permissions\": { \"deny\": \"Bash\" } }", "{ \"permissions\": { \"deny\": [1] } }"]
    {
        assert!(
            import(ImportSource::ClaudeCode, &[document(wrong, DocumentScope::User)]).is_err(),
            "{wrong}"
        );
    }
}
