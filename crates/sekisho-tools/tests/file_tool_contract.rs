//! Names, parameters, defaults, messages and result fields of `file_write`, `edit` and `git_ops`, one by one.

use std::fs;
use std::path::PathBuf;

use sekisho_tools::edit::{self, Edit};
use sekisho_tools::file_write::{self, FileWrite};
use sekisho_tools::git_ops::{self, GitCall, GitOps, GitSettings};
use sekisho_tools::{GitPermission, Tool, ToolCategory, ToolDefinition};
use serde_json::{Value, json};

use crate::project::Project;

fn parameters(definition: &ToolDefinition) -> Vec<(String, String)> {
    let properties = definition.input_schema["properties"].as_object().unwrap();
    properties.iter().map(|(name, schema)| (name.clone(), schema["type"].as_str().unwrap().into())).collect()
}

/// A definition, its name, its parameters with their types, and the required ones.
type Row = (ToolDefinition, &'static str, &'static [(&'static str, &'static str)], &'static [&'static str]);

#[test]
fn definitions() {
    let table: [Row; 3] = [
        (
            file_write::definition(),
            "file_write",
            &[("content", "string"), ("mode", "string"), ("path", "string")],
            &["path", "content"],
        ),
        (
            edit::definition(),
            "edit",
            &[("new_text", "string"), ("old_text", "string"), ("path", "string"), ("replace_all", "boolean")],
            &["path", "old_text", "new_text"],
        ),
        (git_ops::definition(), "git_ops", &[("action", "string"), ("args", "object")], &["action"]),
    ];
    for (definition, name, expected, required) in table {
        assert_eq!(definition.name, name);
        let mut found = parameters(&definition);
        found.sort_unstable();
        let expected: Vec<(String, String)> =
            expected.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect();
        assert_eq!(found, expected, "{name}");
        assert_eq!(definition.input_schema["required"], json!(required), "{name}");
        assert_eq!(definition.input_schema["type"], "object");
    }
    let schema = file_write::definition().input_schema;
    assert_eq!(schema["properties"]["mode"]["enum"], json!(["create", "overwrite", "append"]));
    let schema = git_ops::definition().input_schema;
    let actions =
        json!(["status", "diff", "log", "show", "branch_list", "add", "commit", "branch_create", "checkout"]);
    assert_eq!(schema["properties"]["action"]["enum"], actions);
    let arguments = schema["properties"]["args"]["properties"].as_object().unwrap();
    let mut names: Vec<&str> = arguments.keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(names, ["branch_name", "files", "max_count", "message", "ref"]);
    assert_eq!(
        file_write::definition().description,
        "Write content to a file on disk. Can create new files or overwrite/append to existing files. The file path \
         must be within the allowed directories."
    );
    assert_eq!(
        git_ops::definition().description,
        "Perform git operations on the repository. Supports: status, diff, log, show, branch_list (read-only), and \
         add, commit, branch_create, checkout (if write permission is granted)."
    );
}

/// The whole definitions, with the descriptions of all parameters.
#[test]
fn definitions_are_complete() {
    let text = |description: &str| json!({ "type": "string", "description": description });
    let with_values = |values: &[&str], description: &str| json!({ "type": "string", "enum": values, "description": description });
    let modes = with_values(
        &["create", "overwrite", "append"],
        "Write mode: 'create' fails if file exists, 'overwrite' replaces content, 'append' adds to end (default: overwrite)",
    );
    let expected = json!({
        "type": "object",
        "properties": {
            "path": text("File path to write to (relative to working directory, or absolute)"),
            "content": text("The content to write to the file"),
            "mode": modes,
        },
        "required": ["path", "content"],
    });
    assert_eq!(file_write::definition().input_schema, expected);
    let actions =
        ["status", "diff", "log", "show", "branch_list", "add", "commit", "branch_create", "checkout"];
    let expected = json!({
        "type": "object",
        "properties": {
            "action": with_values(&actions, "The git operation to perform"),
            "args": {
                "type": "object",
                "description": "Action-specific arguments",
                "properties": {
                    "files": {
                        "type": "array",
                        "items": { "type": "string" },
                        "description": "File paths for 'add' action",
                    },
                    "message": text("Commit message for 'commit' action"),
                    "branch_name": text("Branch name for 'branch_create' or 'checkout'"),
                    "max_count": {
                        "type": "integer",
                        "description": "Max entries for 'log' action (default: 10)",
                    },
                    "ref": text("Ref for 'show' (commit hash, branch, tag)"),
                },
            },
        },
        "required": ["action"],
    });
    assert_eq!(git_ops::definition().input_schema, expected);
}

#[test]
fn categories_and_names() {
    let git = GitOps::new(GitSettings { program: PathBuf::from("/usr/bin/git"), identity: None });
    let tools: [(&dyn Tool, &str, ToolCategory); 3] = [
        (&FileWrite, "file_write", ToolCategory::FileSystem),
        (&Edit, "edit", ToolCategory::FileSystem),
        (&git, "git_ops", ToolCategory::VersionControl),
    ];
    for (tool, name, category) in tools {
        assert_eq!((tool.name(), tool.category()), (name, category));
        assert_eq!(tool.definition().name, name);
        let written = serde_json::to_value(tool.definition()).unwrap();
        let mut fields: Vec<&str> = written.as_object().unwrap().keys().map(String::as_str).collect();
        fields.sort_unstable();
        assert_eq!(fields, ["description", "input_schema", "name"]);
    }
    let named = |category: ToolCategory| serde_json::to_value(category).unwrap();
    for (category, name) in [
        (ToolCategory::ReadOnly, "ReadOnly"),
        (ToolCategory::FileSystem, "FileSystem"),
        (ToolCategory::Execution, "Execution"),
        (ToolCategory::VersionControl, "VersionControl"),
        (ToolCategory::Composite, "Composite"),
    ] {
        assert_eq!(named(category), json!(name));
    }
    for (permission, name) in [
        (GitPermission::Disabled, "Disabled"),
        (GitPermission::ReadOnly, "ReadOnly"),
        (GitPermission::ReadWrite, "ReadWrite"),
    ] {
        assert_eq!(serde_json::to_value(permission).unwrap(), json!(name));
    }
}

#[test]
fn file_write_messages_and_results() {
    let project = Project::new();
    let working_dir = project.path("work").display().to_string();
    for (input, is_error, expected) in [
        (json!({}), true, "Missing 'path' parameter".to_owned()),
        (json!({ "path": "doc/a" }), true, "Missing 'content' parameter".into()),
        (json!({ "path": 1, "content": "" }), true, "Parameter 'path' must be a string".into()),
        (
            json!({ "path": "x/a", "content": "" }),
            true,
            format!("Path '{working_dir}/x/a' is not within any allowed write directory. Allowed: [\"doc\"]"),
        ),
        (
            json!({ "path": "doc/a", "content": "é" }),
            false,
            json!({ "path": format!("{working_dir}/doc/a"), "mode": "overwrite", "bytes_written": 2, "success": true })
                .to_string(),
        ),
        (
            json!({ "path": "doc/a", "content": "", "mode": "create" }),
            true,
            format!("File already exists: {working_dir}/doc/a. Use 'overwrite' mode to replace."),
        ),
        (
            json!({ "path": "doc/a", "content": "b", "mode": "append" }),
            false,
            json!({ "path": format!("{working_dir}/doc/a"), "mode": "append", "bytes_written": 1, "success": true })
                .to_string(),
        ),
        (
            json!({ "path": "doc/b", "content": "", "mode": "create" }),
            false,
            json!({ "path": format!("{working_dir}/doc/b"), "mode": "create", "bytes_written": 0, "success": true })
                .to_string(),
        ),
        (
            json!({ "path": "doc/b", "content": "", "mode": "truncate" }),
            true,
            "Unknown mode 'truncate'. Use 'create', 'overwrite' or 'append'.".into(),
        ),
    ] {
        let result = project.call(&input);
        assert_eq!((result.content, result.is_error), (expected, is_error), "{input}");
    }
    let mut project = project;
    project.context.allowed_write_dirs.clear();
    let result = project.write("doc/a", "", "create");
    assert_eq!(result.content, "File writing is disabled. No allowed write directories configured.");
    let input = json!({ "path": "doc/a", "content": "" });
    assert_eq!(file_write::check(&input, &project.context).unwrap_err().content, result.content);
}

#[test]
fn edit_messages_and_results() {
    let project = Project::new();
    let file = project.path("work/doc/a").display().to_string();
    fs::write(&file, "a b a").unwrap();
    for (input, is_error, expected) in [
        (json!({ "path": "doc/a", "old_text": "a" }), true, "Missing 'new_text' parameter".to_owned()),
        (json!({ "old_text": "a" }), true, "Missing 'path' parameter".into()),
        (
            json!({ "path": "doc/a", "old_text": "x", "new_text": "" }),
            true,
            format!("'old_text' does not occur in {file}"),
        ),
        (
            json!({ "path": "doc/a", "old_text": "a", "new_text": "c" }),
            true,
            format!(
                "'old_text' occurs 2 times in {file}. Include more of the text around it, or set 'replace_all'."
            ),
        ),
        (
            json!({ "path": "doc/a", "old_text": "a", "new_text": "cc", "replace_all": true }),
            false,
            json!({ "path": file, "replacements": 2, "bytes_written": 7, "success": true }).to_string(),
        ),
        (
            json!({ "path": "doc/a", "old_text": "b", "new_text": "", "replace_all": "yes" }),
            true,
            "Parameter 'replace_all' must be true or false".into(),
        ),
    ] {
        let result = project.call(&input);
        assert_eq!((result.content, result.is_error), (expected, is_error), "{input}");
    }
}

#[test]
fn git_ops_messages() {
    use GitPermission::{Disabled, ReadOnly, ReadWrite};
    let write = |action: &str| {
        format!("Git write action '{action}' requires ReadWrite permission. Current: ReadOnly")
    };
    for (permission, input, expected) in [
        (ReadWrite, json!({}), "Missing 'action' parameter".to_owned()),
        (Disabled, json!({ "action": "status" }), "Git operations are disabled.".into()),
        (Disabled, json!({ "action": "add" }), "Git operations are disabled.".into()),
        (ReadOnly, json!({ "action": "add" }), write("add")),
        (ReadOnly, json!({ "action": "commit" }), write("commit")),
        (ReadOnly, json!({ "action": "branch_create" }), write("branch_create")),
        (ReadOnly, json!({ "action": "checkout" }), write("checkout")),
        (ReadWrite, json!({ "action": "add" }), "No files specified for 'add'".into()),
        (
            ReadWrite,
            json!({ "action": "add", "args": { "files": [] } }),
            "No files specified for 'add'".into(),
        ),
        (ReadWrite, json!({ "action": "commit", "args": {} }), "Missing commit message".into()),
        (ReadWrite, json!({ "action": "branch_create", "args": {} }), "Missing branch_name".into()),
        (ReadWrite, json!({ "action": "checkout" }), "Missing branch_name".into()),
        (ReadWrite, json!({ "action": "rebase" }), "Unknown git action: rebase".into()),
    ] {
        let mut project = Project::new();
        project.context.git_permission = permission;
        let refused = git_ops::check(&input, &project.context).unwrap_err();
        assert_eq!((refused.content, refused.is_error), (expected, true), "{permission:?} {input}");
    }
    for action in ["status", "diff", "log", "show", "branch_list"] {
        let mut project = Project::new();
        project.context.git_permission = ReadOnly;
        assert!(git_ops::check(&json!({ "action": action }), &project.context).is_ok(), "{action}");
    }
}

#[test]
fn git_ops_defaults_and_results() {
    let project = Project::new();
    fs::create_dir(project.path("work/.git")).unwrap();
    fs::write(project.path("work/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let call = |input: Value| {
        let settings = GitSettings { program: PathBuf::from("/usr/bin/git"), identity: None };
        GitCall::new(&input, &project.context, settings).unwrap()
    };
    for (input, argument) in [
        (json!({ "action": "log" }), "--max-count=10"),
        (json!({ "action": "log", "args": { "max_count": 3 } }), "--max-count=3"),
        (json!({ "action": "show" }), "HEAD"),
        (json!({ "action": "show", "args": { "ref": "v1" } }), "v1"),
        (json!({ "action": "status" }), "--porcelain"),
        (json!({ "action": "branch_list" }), "--all"),
    ] {
        let invocation = call(input.clone()).invocation(b"").unwrap();
        assert!(invocation.argv.iter().any(|word| word == argument), "{input}: {:?}", invocation.argv);
    }
    let status = call(json!({ "action": "status" }));
    assert_eq!(
        status.result(true, b" M a\n", b"").content,
        json!({ "output": " M a", "success": true }).to_string()
    );
    for (input, command) in [
        (json!({ "action": "status" }), "status --porcelain"),
        (json!({ "action": "diff" }), "diff"),
        (json!({ "action": "log" }), "log --max-count=10 --oneline --decorate"),
        (json!({ "action": "show" }), "show --stat HEAD"),
        (json!({ "action": "branch_list" }), "branch -a"),
        (json!({ "action": "add", "args": { "files": ["a", "b"] } }), "add a b"),
        (json!({ "action": "commit", "args": { "message": "m" } }), "commit -m m"),
        (json!({ "action": "branch_create", "args": { "branch_name": "x" } }), "checkout -b x"),
        (json!({ "action": "checkout", "args": { "branch_name": "x" } }), "checkout x"),
    ] {
        let failed = call(input).result(false, b"", b"fatal: x\n");
        assert_eq!((failed.content, failed.is_error), (format!("git {command} failed:\nfatal: x"), true));
    }
    let failed = status.result(false, b"", b"fatal: x\n");
    assert_eq!(
        (failed.content.as_str(), failed.is_error),
        ("git status --porcelain failed:\nfatal: x", true)
    );
}
