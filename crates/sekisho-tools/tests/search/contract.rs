//! Names, parameters, categories and messages of the tools that read.

use sekisho_tools::glob_search::{self, GlobSearch};
use sekisho_tools::grep::{self, Grep};
use sekisho_tools::read::{self, Read};
use sekisho_tools::{Tool, ToolCategory, ToolDefinition};
use serde_json::{Value, json};

use super::search_project::SearchProject;

fn tools() -> [(&'static dyn Tool, ToolDefinition); 3] {
    [(&Read, read::definition()), (&Grep, grep::definition()), (&GlobSearch, glob_search::definition())]
}

#[test]
fn tools_only_read_and_start_nothing() {
    for (tool, definition) in tools() {
        assert_eq!(tool.category(), ToolCategory::ReadOnly, "{}", tool.name());
        assert!(!tool.starts_programs(), "{}", tool.name());
        assert!(tool.descriptor().is_none(), "{}: the policy's table describes it", tool.name());
        assert_eq!((tool.definition(), tool.name()), (definition.clone(), definition.name.as_str()));
    }
}

#[test]
fn parameters() {
    let text = |description: &str| json!({ "type": "string", "description": description });
    let flag = |description: &str| json!({ "type": "boolean", "description": description });
    let expected = [
        json!({
            "type": "object",
            "properties": {
                "path": text("File path to read (relative to working directory, or absolute)"),
                "offset": { "type": "integer", "minimum": 1, "description": "Number of the first line to show (default: 1)" },
                "limit": { "type": "integer", "minimum": 1, "maximum": 10_000, "description": "The most lines to show (default: 2000)" },
            },
            "required": ["path"],
        }),
        json!({
            "type": "object",
            "properties": {
                "pattern": text("Regular expression in Rust syntax (no lookaround, no backreferences)"),
                "path": text("File or directory to search (default: the working directory)"),
                "glob": text("Only files that match, e.g. '*.rs' or 'src/**/*.{ts,tsx}'; '!' before a glob excludes; several are separated by blanks or commas"),
                "ignore_case": flag("Upper and lower case are the same (default: false)"),
                "hidden": flag("Also search files and directories whose names begin with a dot (default: false)"),
                "context": { "type": "integer", "minimum": 0, "maximum": 20, "description": "Lines to show before and after each match (default: 0)" },
                "max_results": { "type": "integer", "minimum": 1, "maximum": 1000, "description": "Maximum number of matching lines (or files) to show (default: 100)" },
                "output_mode": {
                    "type": "string",
                    "enum": ["content", "files", "count"],
                    "description": "'content' shows lines as file:line:text, 'files' the names of files that match, 'count' the matching lines of each file (default: content)",
                },
            },
            "required": ["pattern"],
        }),
        json!({
            "type": "object",
            "properties": {
                "pattern": text("Glob, e.g. '**/*.rs' or 'src/**/*.{ts,tsx}'; one without '/' matches names in every directory"),
                "path": text("Directory to search (default: the working directory)"),
                "max_results": { "type": "integer", "minimum": 1, "maximum": 1000, "description": "Maximum number of files to list (default: 100)" },
            },
            "required": ["pattern"],
        }),
    ];
    for ((tool, definition), expected) in tools().into_iter().zip(expected) {
        assert_eq!(definition.input_schema, expected, "{}", tool.name());
    }
}

/// The policy judges the fields by their names: a field that it does not know must not select files.
#[test]
fn policy_knows_the_fields_that_select_files() {
    for (name, selects) in
        [("read", &["path"][..]), ("grep", &["path", "glob"]), ("glob_search", &["path", "pattern"])]
    {
        let known = sekisho_policy::tools::by_name(name).unwrap();
        for field in selects {
            assert!(known.target_fields.iter().any(|place| place.field() == *field), "{name} {field}");
        }
    }
}

#[test]
fn wrong_input_is_named_before_anything_is_opened() {
    let project = SearchProject::new();
    let check = |tool: &dyn Tool, input: Value, expected: &str| {
        let found = tool.check(&input, &project.context).unwrap_err();
        assert!(found.starts_with(expected), "{}: {found}", tool.name());
    };
    check(&Read, json!({}), "Missing 'path' parameter");
    check(&Read, json!({ "path": 1 }), "Parameter 'path' must be a string");
    check(&Read, json!({ "path": "" }), "Failed to resolve path '': it is empty");
    check(&Read, json!({ "path": "a\0b" }), "Failed to resolve path 'a\\u{0}b': it contains a NUL character");
    check(&Read, json!({ "path": "x".repeat(5000) }), "Failed to resolve path 'xxxx");
    check(
        &Read,
        json!({ "path": "~/x" }),
        "Failed to resolve path '~/x': '~' is not expanded; write the whole path",
    );
    check(&Read, json!({ "path": "a", "offset": "1" }), "Parameter 'offset' must be a whole number");
    check(&Read, json!({ "path": "a", "limit": -1 }), "Parameter 'limit' must be a whole number");
    check(&Grep, json!({}), "Missing 'pattern' parameter");
    check(&Grep, json!({ "pattern": "" }), "Parameter 'pattern' is empty. To match every line, use '^'.");
    check(
        &Grep,
        json!({ "pattern": "(" }),
        "Parameter 'pattern' is not a regular expression: unclosed group.",
    );
    check(
        &Grep,
        json!({ "pattern": "x", "ignore_case": 1 }),
        "Parameter 'ignore_case' must be true or false",
    );
    check(
        &Grep,
        json!({ "pattern": "x", "output_mode": "json" }),
        "Unknown output_mode 'json'. Use 'content', 'files' or 'count'.",
    );
    check(
        &Grep,
        json!({ "pattern": "x", "glob": "../*" }),
        "Parameter 'glob' contains '..'; name the directory by 'path' instead",
    );
    check(&Grep, json!({ "pattern": "x", "path": "~" }), "Failed to resolve path '~': '~' is not expanded");
    check(&GlobSearch, json!({}), "Missing 'pattern' parameter");
    check(&GlobSearch, json!({ "pattern": "" }), "Parameter 'pattern' is empty; '*' matches every name");
    check(&GlobSearch, json!({ "pattern": "src/" }), "Parameter 'pattern' ends with '/'");
    check(&GlobSearch, json!({ "pattern": "a/../../*" }), "Parameter 'pattern' contains '..'");
    check(&GlobSearch, json!({ "pattern": "{a" }), "Parameter 'pattern' is not a glob: ");
    for (tool, input) in [
        (&Read as &dyn Tool, json!({ "path": "a", "offset": 3, "limit": 5 })),
        (&Grep, json!({ "pattern": "a|b", "glob": "*.rs", "context": 2 })),
        (&GlobSearch, json!({ "pattern": "**/*.{rs,toml}", "path": "/tmp" })),
    ] {
        assert_eq!(tool.check(&input, &project.context), Ok(()));
    }
}

#[test]
fn what_is_not_there_is_named() {
    let project = SearchProject::with_files(&["a.txt"]);
    let root = project.context.root.display();
    let check = |found: String, expected: String| assert_eq!(found, expected);
    check(project.refuses_to_read("missing"), format!("File not found: {root}/missing"));
    check(
        project.refuses_to_read("a.txt/b"),
        format!("File not found: {root}/a.txt/b (a part of the path is not a directory)"),
    );
    check(
        project.refuses_to_read("."),
        format!("'{root}' is a directory. List its files with glob_search: pattern '*' and this path."),
    );
    let message = |result: sekisho_tools::ToolResult| result.is_error.then_some(result.content).unwrap();
    check(
        message(project.grep(&json!({ "pattern": "x", "path": "missing" }))),
        format!("No such file or directory: {root}/missing"),
    );
    check(
        message(project.glob(&json!({ "pattern": "*", "path": "missing" }))),
        format!("No such file or directory: {root}/missing"),
    );
    check(
        message(project.glob(&json!({ "pattern": "*", "path": "a.txt" }))),
        "'a.txt' is not a directory. Set 'path' to a directory.".into(),
    );
}
