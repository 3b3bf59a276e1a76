//! A separate machine for each test: a home, a project, an administrator's file.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use sekisho_host::{LoadedLayers, Locations, TrustCandidate, TrustStore, Workspace, load_layers};
use sekisho_policy::{Call, Decision, JudgeContext, Policy, judge};
use serde_json::json;

pub(crate) struct TestMachine {
    _directory: tempfile::TempDir,
    pub(crate) locations: Locations,
    pub(crate) root: PathBuf,
}

/// A config with one rule.
pub(crate) fn config(effect: &str, tool: &str) -> String {
    format!(r#"{{ "version": 1, "permissions": {{ "{effect}": [{{ "tool": "{tool}" }}] }} }}"#)
}

impl TestMachine {
    pub(crate) fn new() -> TestMachine {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        let root = base.join("work/project");
        std::fs::create_dir_all(root.join("sub")).unwrap();
        for name in ["objects", "refs"] {
            std::fs::create_dir_all(root.join(".git").join(name)).unwrap();
        }
        std::fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let locations = Locations {
            managed: base.join("etc/config.json"),
            global: base.join("home/.config/sekisho/config.json"),
            global_is_named: false,
            state: base.join("home/.local/state/sekisho"),
            home: Some(base.join("home")),
            doors: vec!["127.0.0.1:8787".into(), "/run/a *b/sekisho.sock".into()],
        };
        TestMachine { _directory: directory, locations, root }
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root.join(".sekisho/config.json")
    }

    pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn workspace(&self) -> Workspace {
        Workspace::find(None, None, &self.root.join("sub")).unwrap()
    }

    pub(crate) fn load(&self) -> LoadedLayers {
        load_layers(&self.locations, &self.workspace())
    }

    pub(crate) fn decide(&self, tool: &str) -> Decision {
        decide(&Policy::compile(self.load().layers), tool)
    }

    pub(crate) fn propose(&self) -> TrustCandidate {
        TrustStore::at(&self.locations.state).propose(&self.workspace()).unwrap()
    }

    pub(crate) fn trust(&self) {
        let proposal = self.propose();
        TrustStore::at(&self.locations.state).accept(&proposal, "me", Timestamp::now()).unwrap();
    }
}

pub(crate) fn decide(policy: &Policy, tool: &str) -> Decision {
    judge(policy, &Call::new(tool, json!({})), &JudgeContext::at(Timestamp::now())).decision
}
