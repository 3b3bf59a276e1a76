//! Protected files: a search never shows what is in them.

use serde_json::json;

use super::search_project::{SearchProject, fields, notes};

const SECRET: &str = "needle hunter2\n";

fn project(names: &[&str]) -> SearchProject {
    let project = SearchProject::new();
    for name in names {
        project.write(name, SECRET);
    }
    project
}

/// Searched with hidden files: nothing is shown, and the names are said.
#[track_caller]
fn skips(name: &str) {
    let project = project(&[name]);
    for input in [
        json!({ "pattern": "needle", "hidden": true }),
        json!({ "pattern": "needle", "hidden": true, "output_mode": "files" }),
        json!({ "pattern": "needle", "hidden": true, "output_mode": "count" }),
        json!({ "pattern": "needle", "glob": name }),
    ] {
        let result = project.grep(&input);
        assert!(!result.content.contains("hunter2"), "{name}: {}", result.content);
        let found = fields(result);
        assert_eq!((&found["output"], &found["files_searched"]), (&json!(""), &json!(0)), "{name}: {found}");
    }
    let found = notes(project.grep(&json!({ "pattern": "needle", "hidden": true })));
    assert!(found.starts_with("1 protected path not searched: "), "{name}: {found}");
}

#[test]
fn secrets_are_skipped_and_named() {
    for name in [
        ".env",
        ".env.local",
        ".ENV",
        "Prod.Env",
        "config/prod.env",
        "id_rsa",
        "ID_RSA",
        "keys/id_ed25519",
        "server.key",
        "terraform.tfstate",
        ".netrc",
        ".netrc~",
        "sub/.aws/credentials",
        ".ssh/config",
        "credentials.json",
    ] {
        skips(name);
    }
}

#[test]
fn names_of_many_are_counted() {
    let project = SearchProject::new();
    for at in 0..30 {
        project.write(&format!("{at:02}.env"), SECRET);
    }
    let found = notes(project.grep(&json!({ "pattern": "needle" })));
    let names: Vec<String> = (0..20).map(|at| format!("{at:02}.env")).collect();
    assert_eq!(found, format!("30 protected paths not searched: {}, and 10 more.", names.join(", ")));
}

#[test]
fn what_is_not_secret_is_searched() {
    let names = [
        ".env.example",
        ".github/x.yml",
        ".vscode/settings.json",
        "environment.ts",
        "id_rsa.pub",
        "ssh/config",
    ];
    let project = project(&names);
    let found = project.lines(&json!({ "pattern": "needle", "hidden": true, "output_mode": "files" }));
    assert_eq!(found, names);
}

#[test]
fn contents_decide_about_some_names() {
    let project = SearchProject::new();
    let block = |label: &str| format!("needle\n-----BEGIN {label}-----\nAAAA\n-----END {label}-----\n");
    project.write("ca.pem", block("CERTIFICATE"));
    project.write("key.pem", block("RSA PRIVATE KEY"));
    project.write("large.pem", block("CERTIFICATE") + &"\n".repeat(2 << 20));
    project.write(".yarnrc.yml", "needle: node-modules\n");
    project.write("sub/.yarnrc.yml", "needle: 1\nnpmAuthToken: hunter2\n");
    let input = json!({ "pattern": "needle", "hidden": true, "output_mode": "files" });
    assert_eq!(project.lines(&input), [".yarnrc.yml", "ca.pem"]);
    assert_eq!(
        notes(project.grep(&input)),
        "3 protected paths not searched: key.pem, large.pem, sub/.yarnrc.yml."
    );
    assert!(project.text("ca.pem").contains("CERTIFICATE"));
    assert!(project.refuses_to_read("key.pem").contains("is protected (*.pem)"));
}

#[test]
fn named_file_or_directory_needs_an_approval() {
    let mut project = project(&[".env", ".aws/credentials", ".aws/.env", "a"]);
    for path in [".env", ".aws", ".aws/credentials"] {
        for result in [
            project.grep(&json!({ "pattern": "needle", "path": path })),
            project.read(&json!({ "path": path })),
        ] {
            assert!(result.is_error && result.content.contains("is protected ("), "{}", result.content);
            assert!(!result.content.contains("hunter2"));
        }
    }
    project.approve(".env", ".env");
    assert_eq!(project.lines(&json!({ "pattern": "needle", "path": ".env" })), [".env:1:needle hunter2"]);
    // Below a directory that was approved, other secrets stay protected.
    project.approve(".aws", ".aws");
    let found = project.grep(&json!({ "pattern": "needle", "path": ".aws", "hidden": true }));
    assert_eq!(fields(found)["output"], json!(".aws/credentials:1:needle hunter2"));
    let found = project.grep(&json!({ "pattern": "needle", "path": ".aws", "hidden": true }));
    assert_eq!(notes(found), "1 protected path not searched: .aws/.env.");
    // An approval of the whole search does not open single secrets.
    let found = project.lines(&json!({ "pattern": "needle", "hidden": true, "output_mode": "files" }));
    assert_eq!(found, ["a"]);
}

/// A name is not a secret, but the names inside a secret directory are not listed.
#[test]
fn names_of_protected_files_may_be_listed() {
    let project = project(&[".env", "prod.env", ".ssh/id_rsa", "deploy/.aws/credentials", "a"]);
    assert_eq!(project.names("**/.env"), [".env"]);
    assert_eq!(project.names("*"), ["a", "prod.env"]);
    assert_eq!(project.names("**/.*/*"), Vec::<String>::new());
    let found = notes(project.glob(&json!({ "pattern": "**/.*/*" })));
    assert_eq!(found, "2 protected paths not listed: .ssh/, deploy/.aws/.");
    let found = project.glob(&json!({ "pattern": ".ssh/*" }));
    assert!(found.is_error && found.content.contains("is protected (.ssh)"), "{}", found.content);
}

#[test]
fn patterns_of_the_config_count() {
    use sekisho_policy::{Layer, LayerKind, Layers, Policy};
    let mut project = project(&["private/notes.md", "notes.md"]);
    let text = r#"{ "version": 1, "protected_paths": { "add": ["private/**"] } }"#;
    let layer = Layer::parse(LayerKind::Global, "config.json", text);
    let Ok(layer) = layer else { panic!("{layer:?}") };
    let layers = Layers { loaded: vec![layer], ..Layers::default() };
    project.context.policy = std::sync::Arc::new(Policy::compile(layers));
    assert_eq!(project.files(), ["notes.md"]);
    assert!(project.refuses_to_read("private/notes.md").contains("is protected (private/**)"));
}
