//! Mastra's agent in a process of its own (`mastra/agent.mjs`).

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use sekisho_bench::ledger_throughput::Failure;
use serde::Deserialize;

use crate::REPLIES;
use crate::steps::Round;

/// How Mastra runs an agent.
#[derive(Clone, Copy)]
pub(crate) enum Mastra {
    /// As usual. Nothing is stored unless a run suspends.
    Plain,
    /// As a durable agent that recovers by itself, so that checkpoints of running runs are stored.
    Durable,
}

#[derive(Deserialize)]
struct Report {
    seconds: f64,
    steps: usize,
    /// In milliseconds.
    between: Vec<f64>,
}

impl Mastra {
    /// Installs the pinned versions, and the version of Node that they need, if they are missing.
    pub(crate) fn install() -> Result<(), Failure> {
        if directory().join("node_modules/.package-lock.json").exists() {
            return Ok(());
        }
        eprintln!("installing Mastra ...");
        let installed = Command::new("npm")
            .args(["ci", "--no-audit", "--no-fund", "--loglevel=error"])
            .current_dir(directory())
            .status()?;
        if installed.success() { Ok(()) } else { Err("npm ci in bench/mastra failed".into()) }
    }

    pub(crate) fn measure(self, runs: usize, at_once: usize) -> Result<Round, Failure> {
        let files = tempfile::tempdir()?;
        let form = match self {
            Mastra::Plain => "plain",
            Mastra::Durable => "durable",
        };
        let ended = Command::new(directory().join("node_modules/node/bin/node"))
            .arg("agent.mjs")
            .arg(files.path().join("mastra.db"))
            .args([form, &runs.to_string(), &at_once.to_string(), &REPLIES.to_string()])
            .current_dir(directory())
            .env("MASTRA_TELEMETRY_DISABLED", "1")
            .stderr(Stdio::inherit())
            .output()?;
        if !ended.status.success() {
            return Err(format!("Mastra's agent ended with {}", ended.status).into());
        }
        let text = String::from_utf8(ended.stdout)?;
        let report: Report = serde_json::from_str(text.lines().last().ok_or("it reported nothing")?)?;
        let alone = at_once == 1;
        let between = report.between.into_iter().filter(|_| alone);
        Ok(Round {
            took: Duration::from_secs_f64(report.seconds),
            steps: report.steps,
            between: between.map(|ms| Duration::from_secs_f64(ms / 1000.0)).collect(),
        })
    }
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("mastra")
}
