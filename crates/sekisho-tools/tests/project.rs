//! A project in a temporary directory, with a directory `doc` that may be written to and one outside that may not.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sekisho_policy::{Layers, Policy};
use sekisho_tools::contained_write::{Lookup, WriteRoots};
use sekisho_tools::sandbox::Isolation;
use sekisho_tools::write_guard::WriteGuard;
use sekisho_tools::{GitPermission, Sandbox, ToolContext, ToolResult};
use sekisho_tools::{edit, file_write};
use serde_json::{Value, json};

pub(crate) struct Project {
    pub(crate) directory: tempfile::TempDir,
    pub(crate) context: ToolContext,
    pub(crate) approved_by_human: bool,
    pub(crate) lookup: Lookup,
    pub(crate) policy: Policy,
}

impl Project {
    /// `work/doc` may be written to; `outside/secret` contains `outside`.
    pub(crate) fn new() -> Project {
        let project = Project::without_doc();
        fs::create_dir(project.path("work/doc")).unwrap();
        project
    }

    /// Where syncing costs nothing, if there is such a place.
    pub(crate) fn new_in_memory() -> Project {
        let directory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let project = Project::in_directory(directory);
        fs::create_dir(project.path("work/doc")).unwrap();
        project
    }

    pub(crate) fn without_doc() -> Project {
        // Without links, which a workspace must not have.
        let place = std::env::temp_dir().canonicalize().unwrap();
        Project::in_directory(tempfile::tempdir_in(place).unwrap())
    }

    fn in_directory(directory: tempfile::TempDir) -> Project {
        fs::create_dir(directory.path().join("work")).unwrap();
        fs::create_dir(directory.path().join("outside")).unwrap();
        fs::write(directory.path().join("outside/secret"), "outside").unwrap();
        // Writing files starts no program.
        let sandbox = Sandbox::at_level(Path::new("/nonexistent"), Isolation::None);
        // Without links, which a workspace must not have.
        let root = directory.path().canonicalize().unwrap().join("work");
        let mut context = ToolContext::new(root, Arc::new(sandbox));
        context.git_permission = GitPermission::ReadWrite;
        let policy = Policy::compile(Layers::default());
        Project { directory, context, approved_by_human: false, lookup: Lookup::Kernel, policy }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn roots(&self) -> WriteRoots {
        WriteRoots::open_with(&self.context.root, &self.context.allowed_write_dirs, self.lookup).unwrap()
    }

    pub(crate) fn guard(&self) -> WriteGuard<'_> {
        WriteGuard {
            policy: &self.policy,
            home: Some("/home/someone"),
            approved_by_human: self.approved_by_human,
        }
    }

    pub(crate) fn call(&self, input: &Value) -> ToolResult {
        if input.get("old_text").is_some() {
            return edit::run(input, &self.context, &self.roots(), self.guard());
        }
        file_write::run(input, &self.context, &self.roots(), self.guard())
    }

    pub(crate) fn write(&self, path: &str, content: &str, mode: &str) -> ToolResult {
        self.call(&json!({ "path": path, "content": content, "mode": mode }))
    }

    pub(crate) fn edit(&self, path: &str, old: &str, new: &str, all: bool) -> ToolResult {
        self.call(&json!({ "path": path, "old_text": old, "new_text": new, "replace_all": all }))
    }

    /// Every way to write a path must be refused, and nothing may be left behind anywhere.
    pub(crate) fn refuses(&self, path: &str) -> String {
        let before = listing(self.directory.path());
        let mut message = String::new();
        for lookup in [Lookup::Stepwise, Lookup::Kernel] {
            let roots =
                WriteRoots::open_with(&self.context.root, &self.context.allowed_write_dirs, lookup).unwrap();
            for input in [
                json!({ "path": path, "content": "x", "mode": "create" }),
                json!({ "path": path, "content": "x", "mode": "append" }),
                json!({ "path": path, "old_text": "outside", "new_text": "y" }),
                json!({ "path": path, "content": "x" }),
            ] {
                let result = if input.get("content").is_some() {
                    file_write::run(&input, &self.context, &roots, self.guard())
                } else {
                    edit::run(&input, &self.context, &roots, self.guard())
                };
                assert!(result.is_error, "{input} with {lookup:?}: {}", result.content);
                message = result.content;
            }
        }
        assert_eq!(listing(self.directory.path()), before, "{path} left something behind");
        message
    }
}

/// Every file below a directory with its kind, size and contents, without following links.
pub(crate) fn listing(directory: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let entry = entry.unwrap();
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                open.push(entry.path());
            }
            let contents =
                if kind.is_file() { fs::read(entry.path()).unwrap_or_default() } else { Vec::new() };
            lines.push(format!("{:?} {kind:?} {contents:?}", entry.path()));
        }
    }
    lines.sort_unstable();
    lines
}
