//! The scan over compiled regular expressions in Node: a child process that gets rules and calls as JSON and
//! reports its time.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::Failure;
use crate::workload::Workload;

/// The child process: its script, and a directory for its files.
pub struct Node {
    script: PathBuf,
    file: PathBuf,
}

/// The child's report.
#[derive(Deserialize)]
pub struct NodeResult {
    /// Time from JSON text to ready.
    pub load_ns: u64,
    /// The best pass.
    pub ns_per_decision: f64,
    /// How many calls were decided in a pass.
    pub decided: usize,
    /// Heap bytes held for the rules.
    pub held: usize,
    /// The rule that decided each call, by position; -1 for the default.
    pub winners: Vec<i64>,
}

impl Node {
    /// The child, if `node` can be started.
    pub fn find() -> Option<Node> {
        let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let works =
            Command::new("node").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        works.is_ok_and(|status| status.success()).then(|| Node {
            script: here.join("scan.mjs"),
            file: std::env::temp_dir().join(format!("sekisho-bench-{}.json", std::process::id())),
        })
    }

    /// Runs the child on a workload, for about `budget_ms`.
    pub fn run(&self, workload: &Workload, budget_ms: u64) -> Result<NodeResult, Failure> {
        std::fs::write(&self.file, serde_json::to_string(workload)?)?;
        let mut command = Command::new("node");
        command.arg("--expose-gc").arg(&self.script).arg(&self.file).arg(budget_ms.to_string());
        let output = command.stderr(Stdio::inherit()).output();
        std::fs::remove_file(&self.file)?;
        let output = output?;
        if !output.status.success() {
            return Err(format!("the node child ended with {}", output.status).into());
        }
        Ok(serde_json::from_slice(&output.stdout)?)
    }
}
