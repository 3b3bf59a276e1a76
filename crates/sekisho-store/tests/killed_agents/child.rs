//! The process that is killed: a gate, a driver of runs, and an approver.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use sekisho_agent::driver::RunDriver;
use sekisho_agent::machine::RunLimits;
use sekisho_gate::answer::{Answer, Role};
use sekisho_gate::approval::Approval;
use sekisho_gate::clock::SystemClock;
use sekisho_gate::ledger::BoxFuture;
use sekisho_gate::rulebook::Rulebook;
use sekisho_gate::{Gate, Ports, ReplicaId, Settings};
use sekisho_policy::LayerKind;
use sekisho_testkit::FixedFiles;
use sekisho_testkit::agent_doubles::{NoteWriter, ScriptedHost, register_note_tools, run_settings};
use sekisho_testkit::fixtures::approver;
use sekisho_tools::{PermittedCall, ToolContext, ToolRegistry, ToolResult, ToolRunner};
use serde_json::json;

use super::transcripts::script;
use super::trees;
use crate::test_database::{TestPorts, opened};

/// The file, or the URL of a database.
pub(super) const LEDGER: &str = "SEKISHO_TEST_AGENT_LEDGER";
/// Where the tools write their notes.
pub(super) const DIRECTORY: &str = "SEKISHO_TEST_AGENT_NOTES";
/// How long a process may be silent before others take over its runs, in milliseconds. 0: all others are dead.
pub(super) const LEASE: &str = "SEKISHO_TEST_AGENT_LEASE";
/// Whether the tool `slow` never ends and nobody answers, as 0 or 1.
pub(super) const HANGS: &str = "SEKISHO_TEST_AGENT_HANGS";
/// Whether runs have sub-agents, as 0 or 1.
pub(super) const TREES: &str = "SEKISHO_TEST_AGENT_TREES";
/// The file that says that no more runs are to be started.
pub(super) const FINISH: &str = "finish";
/// The file with the notes of all tools.
pub(super) const NOTES: &str = "notes";

/// How many runs a process drives at once.
const AT_ONCE: usize = 4;

/// What a process tells its parent, as a line of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    /// It works, under this id.
    Begun(ReplicaId),
    /// A tool never ends.
    Hangs,
    /// Something happened.
    Step,
}

impl Report {
    pub(super) fn read(line: &str) -> Option<Report> {
        match line.strip_prefix("agent ")? {
            "hangs" => Some(Report::Hangs),
            "step" => Some(Report::Step),
            id => Some(Report::Begun(ReplicaId(id.parse().unwrap()))),
        }
    }

    fn say(self) {
        let text = match self {
            Report::Begun(replica) => replica.0.to_string(),
            Report::Hangs => "hangs".into(),
            Report::Step => "step".into(),
        };
        let line = format!("agent {text}\n");
        let mut out = std::io::stdout().lock();
        if out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_err() {
            std::process::exit(1);
        }
    }
}

/// Does nothing by itself: [`super::Site::start`] runs it.
#[test]
#[expect(clippy::disallowed_methods, reason = "whoever starts this process says so in its environment")]
fn works_until_it_is_killed() {
    let Some(ledger) = std::env::var(LEDGER).ok() else { return };
    let directory = PathBuf::from(std::env::var(DIRECTORY).unwrap());
    let lease: i64 = std::env::var(LEASE).unwrap().parse().unwrap();
    let hangs = std::env::var(HANGS).unwrap() == "1";
    let trees = std::env::var(TREES).unwrap() == "1";
    // A panic ends the process, which is noticed.
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        usual(panic);
        std::process::exit(1);
    }));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let (gate, driver) = parts(opened(&ledger).await, &directory, hangs, trees).await;
        println!();
        Report::Begun(gate.replica()).say();
        if !hangs {
            tokio::spawn(answer(gate.clone()));
        }
        tokio::spawn(stay_alive(gate));
        tokio::spawn(work(driver, directory, lease, hangs));
        // Until the parent process is gone.
        tokio::task::spawn_blocking(|| std::io::stdin().lines().for_each(drop)).await.unwrap();
    });
    std::process::exit(1);
}

async fn parts(store: Arc<dyn TestPorts>, directory: &Path, hangs: bool, trees: bool) -> (Gate, RunDriver) {
    let files = FixedFiles::new();
    let rules =
        json!({ "allow": [{ "tool": "note" }, { "tool": "slow" }], "deny": [{ "tool": "forbidden" }] });
    files.set(LayerKind::Global, json!({ "version": 1, "permissions": rules }).to_string());
    let rulebook = Arc::new(Rulebook::new(Arc::new(files.clone()), store.clone()));
    rulebook.refresh(Timestamp::now()).await.unwrap();
    let (ledger, lookup) = (store.clone(), Arc::new(files));
    let (gate, background) =
        Gate::new(Ports { ledger, rulebook, lookup, clock: Arc::new(SystemClock) }, Settings::default());
    tokio::spawn(background.run());
    let mut registry = ToolRegistry::new();
    let notes: Arc<dyn NoteWriter> = Arc::new(Notes { file: directory.join(NOTES), hangs });
    register_note_tools(&mut registry, &notes);
    for tool in trees::tools() {
        registry.register(tool).unwrap();
    }
    let tools = ToolRunner::new(gate.clone(), Arc::new(registry)).unwrap();
    let host = match trees {
        true => ScriptedHost::new(trees::script()).with_sub_agents(trees::sub_agent_script()),
        false => ScriptedHost::new(script()),
    };
    let host = Arc::new(host);
    let driver = RunDriver::new(store, host, tools, gate.clone(), gate.replica());
    (gate, driver)
}

/// Says now and then that this process is alive. Losing the lease is no error: then another one works.
async fn stay_alive(gate: Gate) {
    loop {
        let _ = gate.probe_write().await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Takes up runs of others, and starts new ones until the parent wants no more.
async fn work(driver: RunDriver, directory: PathBuf, lease: i64, hangs: bool) {
    // All runs that it takes up may wait for approvals, which nobody gives while a tool is to hang. So it starts one.
    while hangs && !start_run(&driver).await {}
    loop {
        let seen_before = match lease {
            0 => Timestamp::MAX,
            _ => Timestamp::now() - SignedDuration::from_millis(lease),
        };
        // The database may be busy; the next turn tries again.
        let _ = driver.take_up(seen_before, 100).await;
        while driver.active_count() < AT_ONCE && !directory.join(FINISH).exists() {
            start_run(&driver).await;
            Report::Step.say();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Whether it started. The database may be busy.
async fn start_run(driver: &RunDriver) -> bool {
    let limits = RunLimits::replies(50);
    driver.start(run_settings(), limits, "go".into()).await.is_ok()
}

/// Answers every approval: always the same for the same call. What fails, or was answered by another process, is tried
/// or found again at the next turn.
async fn answer(gate: Gate) {
    loop {
        for approval in gate.ledger().pending(None, 1000).await.unwrap_or_default() {
            answer_one(&gate, &approval).await;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn answer_one(gate: &Gate, approval: &Approval) {
    let is_refused = approval.asked.call.call_id.as_deref() == Some("1:e");
    let answer = match is_refused {
        true => Answer { reason: Some("not e".into()), ..Answer::deny() },
        false => Answer::approve(),
    };
    if gate.answer(approval.id, answer, approver(Role::Approver)).await.is_ok() {
        Report::Step.say();
    }
}

/// Appends the ids of its run and its call to the notes, as one write.
struct Notes {
    file: PathBuf,
    /// Whether `slow` never ends.
    hangs: bool,
}

impl NoteWriter for Notes {
    fn write<'a>(
        &'a self,
        tool: &'static str,
        call: PermittedCall,
        _: &'a ToolContext,
    ) -> BoxFuture<'a, ToolResult> {
        let (run, id) = (call.call().run_id.clone().unwrap(), call.call().call_id.clone().unwrap());
        Box::pin(async move {
            let mut notes = OpenOptions::new().create(true).append(true).open(&self.file).unwrap();
            notes.write_all(format!("{run} {id}\n").as_bytes()).unwrap();
            if self.hangs && tool == "slow" {
                Report::Hangs.say();
                std::future::pending().await
            }
            Report::Step.say();
            tokio::task::yield_now().await;
            ToolResult::ok(format!("noted {id}"))
        })
    }
}
