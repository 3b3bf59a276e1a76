//! A workspace with files to read, and a directory outside.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sekisho_policy::{Fact, FactQuery, Facts};
use sekisho_tools::file_access::ReadGuard;
use sekisho_tools::sandbox::Isolation;
use sekisho_tools::{Sandbox, ToolContext, ToolResult};
use sekisho_tools::{glob_search, grep, read};
use serde_json::{Value, json};

pub(crate) struct SearchProject {
    pub(crate) context: ToolContext,
    /// What the gate has looked up.
    pub(crate) judged: Facts,
    pub(crate) approved_by_human: bool,
    _directory: tempfile::TempDir,
}

impl SearchProject {
    /// `work` is the workspace; `outside/text` contains `outside needle`.
    pub(crate) fn new() -> SearchProject {
        let directory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let root = directory.path().canonicalize().unwrap().join("work");
        fs::create_dir(&root).unwrap();
        let sandbox = Sandbox::at_level(Path::new("/nonexistent"), Isolation::None);
        let context = ToolContext::new(root, Arc::new(sandbox));
        let project = SearchProject {
            context,
            judged: Facts::default(),
            approved_by_human: false,
            _directory: directory,
        };
        project.write("../outside/text", "outside needle\n");
        project
    }

    /// With these files, each with a line `needle`.
    pub(crate) fn with_files(names: &[&str]) -> SearchProject {
        let project = SearchProject::new();
        for name in names {
            project.write(name, "needle\n");
        }
        project
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.context.root.join(name)
    }

    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }

    pub(crate) fn link(&self, name: &str, target: &str) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        symlink(target, self.path(name)).unwrap();
    }

    /// Makes the workspace a repository.
    pub(crate) fn make_repository(&self) {
        fs::create_dir_all(self.path(".git/info")).unwrap();
    }

    /// Lets the gate have found that a path leads somewhere, and a human have approved the call.
    pub(crate) fn approve(&mut self, name: &str, leads_to: &str) {
        self.judge(name, leads_to);
        self.approved_by_human = true;
    }

    /// Lets the gate have found that a path leads somewhere.
    pub(crate) fn judge(&mut self, name: &str, leads_to: &str) {
        let text = |name: &str| self.path(name).to_str().unwrap().to_owned();
        let (query, fact) = (FactQuery::Resolve(text(name)), Fact::Resolved(text(leads_to)));
        self.judged.insert(query, fact);
    }

    pub(crate) fn guard(&self) -> ReadGuard<'_> {
        ReadGuard {
            policy: &self.context.policy,
            home: Some("/home/someone"),
            approved_by_human: self.approved_by_human,
            judged: &self.judged,
        }
    }

    pub(crate) fn read(&self, input: &Value) -> ToolResult {
        read::run(input, &self.context, self.guard())
    }

    pub(crate) fn grep(&self, input: &Value) -> ToolResult {
        grep::run(input, &self.context, self.guard())
    }

    pub(crate) fn glob(&self, input: &Value) -> ToolResult {
        glob_search::run(input, &self.context, self.guard())
    }

    /// The text of a file as `read` shows it.
    pub(crate) fn text(&self, path: &str) -> String {
        fields(self.read(&json!({ "path": path })))["content"].as_str().unwrap().to_owned()
    }

    /// The lines that `grep` finds.
    pub(crate) fn lines(&self, input: &Value) -> Vec<String> {
        let found = fields(self.grep(input));
        found["output"].as_str().unwrap().lines().map(str::to_owned).collect()
    }

    /// The files with a line `needle`.
    pub(crate) fn files(&self) -> Vec<String> {
        self.lines(&json!({ "pattern": "needle", "output_mode": "files" }))
    }

    /// The names that `glob_search` finds, sorted.
    pub(crate) fn names(&self, pattern: &str) -> Vec<String> {
        let found = fields(self.glob(&json!({ "pattern": pattern })));
        let mut names: Vec<String> =
            found["files"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect();
        names.sort_unstable();
        names
    }

    /// The message of `read`, which must refuse.
    pub(crate) fn refuses_to_read(&self, path: &str) -> String {
        let result = self.read(&json!({ "path": path }));
        assert!(result.is_error, "{path}: {}", result.content);
        result.content
    }
}

/// The fields of a result.
#[track_caller]
pub(crate) fn fields(result: ToolResult) -> Value {
    assert!(!result.is_error, "{}", result.content);
    serde_json::from_str(&result.content).unwrap()
}

/// The notes of a result, as one text.
#[track_caller]
pub(crate) fn notes(result: ToolResult) -> String {
    let fields = fields(result);
    let notes = fields["notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap());
    notes.collect::<Vec<_>>().join("\n")
}
