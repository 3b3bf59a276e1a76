//! A disk that fills up during work and is emptied again.
//!
//! The disk is a real mount in memory: this binary starts itself again in its own mount namespace. Rules
//! allow calls, approvals are opened and answered, and then the disk is full: every caller gets the error
//! that nothing could be recorded. Once there is space again work continues, and the file holds exactly what
//! callers were told.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sekisho_gate::answer::{Answer, Approver, Role};
use sekisho_gate::answer_handler::AnswerError;
use sekisho_gate::call_request::CallRequest;
use sekisho_gate::caller::Caller;
use sekisho_gate::clock::SystemClock;
use sekisho_gate::record::EventPayload;
use sekisho_gate::refusal::RefusalCode;
use sekisho_gate::rulebook::Rulebook;
use sekisho_gate::{Gate, Ports, Settings};
use sekisho_policy::{Call, LayerKind};
use sekisho_store::SqliteStore;
use sekisho_testkit::FixedFiles;
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use crate::harness::TempDatabase;
use crate::killed_process::checks::ReportLog;
use crate::killed_process::report_line::ReportLine;
use crate::postgres::harness::RUNTIME;
use crate::test_database::TestDatabase;

/// The mount point of the disk.
const DISK: &str = "SEKISHO_TEST_DISK";
/// Number of callers of each kind.
const ASKERS: usize = 4;
/// The slot of the approver, after those of the callers.
const ANSWERER: usize = 2 * ASKERS;
/// How many outcomes of a kind each client must see before the test continues.
const ENOUGH: usize = 3;
/// The time limit for a client that hangs.
const PATIENCE: Duration = Duration::from_secs(600);

const MOUNTED: &str = r#"mount -t tmpfs -o size=64m none "$1" && shift && exec "$@""#;

/// Runs a program in a process with its own mount namespace.
#[expect(clippy::disallowed_methods, reason = "mounts of its own need a process of its own")]
fn with_disk(how: &[&str], disk: &Path, program: &[&OsStr]) -> Output {
    let mut command = Command::new("unshare");
    command.args(how).args(["--", "sh", "-c", MOUNTED, "sh"]).arg(disk).args(program).env(DISK, disk);
    command.output().unwrap()
}

#[test]
fn full_disk_stops_work_and_loses_nothing() {
    let disk = tempfile::tempdir().unwrap();
    // As root, or as root of a new user namespace.
    let ways: [&[&str]; 2] = [&["--mount"], &["--mount", "--map-root-user"]];
    let can = |how: &&&[&str]| with_disk(how, disk.path(), &["true".as_ref()]).status.success();
    let Some(how) = ways.iter().find(can) else {
        // Bypasses the test harness, which captures the output of passing tests.
        let loudly = b"SKIPPED: no disk can be mounted here, so none can be filled: run the tests as root\n";
        return std::io::stderr().write_all(loudly).unwrap();
    };
    let me = std::env::current_exe().unwrap();
    let child = ["--exact", "full_disk::works_on_a_small_disk", "--nocapture"].map(OsStr::new);
    let program: Vec<&OsStr> = [me.as_os_str()].into_iter().chain(child).collect();
    let ended = with_disk(how, disk.path(), &program);
    let said = String::from_utf8_lossy(&ended.stdout);
    print!("{said}");
    assert!(ended.status.success(), "{said}\n{}", String::from_utf8_lossy(&ended.stderr));
    assert!(said.contains("1 passed"), "{said}");
    assert_eq!(disk.path().read_dir().unwrap().count(), 0, "the disk was the other process's own");
}

/// Does nothing by itself: the test above runs it.
#[test]
#[expect(clippy::disallowed_methods, reason = "whoever starts this process says so in its environment")]
fn works_on_a_small_disk() {
    let Some(disk) = std::env::var_os(DISK).map(PathBuf::from) else { return };
    let place = TempDatabase::inside(&disk);
    let told = RUNTIME.block_on(async {
        tokio::time::timeout(PATIENCE, fill_and_free(&place, &disk)).await.expect("everybody gets on")
    });
    let permits = told.iter().filter(|told| matches!(told, ReportLine::Permitted { .. })).count();
    println!("\n{permits} permits, {} told", told.len());
    // No process was killed, so everything stored was reported to a caller.
    assert_eq!(place.count("tool_executions"), i64::try_from(permits).unwrap());
    let site = TestDatabase::File(place);
    let mut book = ReportLog::default();
    told.into_iter().for_each(|told| book.add(told));
    book.check(&site).unwrap();
}

/// What a client received: a result, or the error that nothing could be recorded.
enum ClientOutcome {
    Told(ReportLine),
    NotRecorded,
}

type Ear = UnboundedSender<(usize, ClientOutcome)>;

async fn fill_and_free(place: &TempDatabase, disk: &Path) -> Vec<ReportLine> {
    let gate = gate(place.store()).await;
    let (ear, mut heard) = unbounded_channel();
    let stop = Arc::new(AtomicBool::new(false));
    let working: Vec<JoinHandle<()>> =
        (0..ANSWERER).map(|slot| tokio::spawn(ask(gate.clone(), slot, ear.clone(), stop.clone()))).collect();
    let answering = tokio::spawn(answer(gate.clone(), ear));
    let mut told = Vec::new();

    until(&mut heard, &mut told, |heard| {
        matches!(heard, ClientOutcome::Told(ReportLine::Permitted { .. } | ReportLine::Answered { .. }))
    })
    .await;
    let filler = disk.join("filler");
    fill(&filler);
    until(&mut heard, &mut told, |heard| matches!(heard, ClientOutcome::NotRecorded)).await;
    // Stored data can still be read.
    gate.ledger().snapshot().await.unwrap();
    std::fs::remove_file(&filler).unwrap();
    until(&mut heard, &mut told, |heard| {
        matches!(heard, ClientOutcome::Told(ReportLine::Permitted { .. } | ReportLine::Answered { .. }))
    })
    .await;

    stop.store(true, Ordering::Relaxed);
    for one in working {
        one.await.unwrap();
    }
    answering.abort();
    while let Ok((_, heard)) = heard.try_recv() {
        told.extend(kept(heard));
    }
    told
}

/// Waits until every client has seen this outcome often enough.
async fn until(
    heard: &mut UnboundedReceiver<(usize, ClientOutcome)>,
    told: &mut Vec<ReportLine>,
    counts: fn(&ClientOutcome) -> bool,
) {
    let mut times = [0; ANSWERER + 1];
    while times.iter().any(|times| *times < ENOUGH) {
        let (slot, one) = heard.recv().await.expect("they work until they are stopped");
        *times.get_mut(slot).unwrap() += usize::from(counts(&one));
        told.extend(kept(one));
    }
}

fn kept(heard: ClientOutcome) -> Option<ReportLine> {
    if let ClientOutcome::Told(told) = heard { Some(told) } else { None }
}

/// Fills the disk completely.
fn fill(filler: &Path) {
    let mut filler = File::create(filler).unwrap();
    for piece in [4096, 1] {
        while filler.write_all(&vec![0; piece]).is_ok() {}
    }
}

async fn gate(store: SqliteStore) -> Gate {
    let store = Arc::new(store);
    let files = FixedFiles::new();
    let rules = json!({ "allow": [{ "tool": "status" }] });
    files.set(LayerKind::Global, json!({ "version": 1, "permissions": rules }).to_string());
    let rulebook = Arc::new(Rulebook::new(Arc::new(files.clone()), store.clone()));
    rulebook.refresh(jiff::Timestamp::now()).await.unwrap();
    let ports = Ports { ledger: store, rulebook, lookup: Arc::new(files), clock: Arc::new(SystemClock) };
    let (gate, keeper) = Gate::new(ports, Settings::default());
    tokio::spawn(keeper.run());
    gate
}

/// Half of the callers make calls that a rule allows, half make calls that need an approval.
async fn ask(gate: Gate, slot: usize, ear: Ear, stop: Arc<AtomicBool>) {
    for round in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let call_id = format!("{slot}-{round}");
        let tool = if slot < ASKERS { "status" } else { "deploy" };
        let call = Call { call_id: Some(call_id.clone()), ..Call::new(tool, json!({ "to": call_id })) };
        let mut ask = CallRequest::new(call, Caller::in_process("agent"));
        // A caller whose answer cannot be recorded gets an error in the end.
        ask.timeout.timeout_s = Some(1);
        let heard = match gate.pass(ask).await {
            Ok(permit) => {
                let (execution, approval) = (permit.execution(), permit.approval());
                ClientOutcome::Told(ReportLine::Permitted { call_id, execution, approval })
            }
            Err(refusal) if refusal.code == RefusalCode::NotRecorded => ClientOutcome::NotRecorded,
            Err(_) => ClientOutcome::Told(ReportLine::Refused { call_id }),
        };
        ear.send((slot, heard)).unwrap();
    }
}

/// Answers until the answer is recorded or too late.
async fn answer(gate: Gate, ear: Ear) {
    let by = Approver {
        credential: "token-1".into(),
        name: "answerer".into(),
        role: Role::Approver,
        device: None,
        how: "test".into(),
    };
    let mut feed = gate.subscribe(Some(0));
    loop {
        let sekisho_gate::feed::Update::Event(changed) = feed.next().await.unwrap() else { continue };
        let (EventPayload::Opened { .. }, Some(approval)) = (&changed.event.change, &changed.approval) else {
            continue;
        };
        let known = loop {
            match gate.answer(approval.id, Answer::approve(), by.clone()).await {
                Ok(given) => break ReportLine::answered(&given.approval),
                Err(AnswerError::NotRecorded(error)) => {
                    assert!(error.transient, "{error}");
                    ear.send((ANSWERER, ClientOutcome::NotRecorded)).unwrap();
                }
                Err(AnswerError::Conflict(_) | AnswerError::Gone(_)) => break None,
                Err(error) => panic!("{error}"),
            }
        };
        if let Some(known) = known {
            ear.send((ANSWERER, ClientOutcome::Told(known))).unwrap();
        }
    }
}
