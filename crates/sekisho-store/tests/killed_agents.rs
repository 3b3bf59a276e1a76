//! Processes that are killed while they drive runs of an agent.
//!
//! This binary starts itself again as a gate, a driver and an approver on one database. Each process starts runs with
//! parallel calls, some of which need an approval, and takes up what killed processes left. A tool appends a line to
//! a file. At the end every run must have ended with the right transcript: no tool ran twice, no result was lost, and
//! a call whose end nobody saw is reported as unknown.
//!
//! On a server two processes work at once, and the one that survives a kill takes over the runs of the other.
//! Progress is counted in lines of output, never in time.

mod child;
mod transcripts;
mod trees;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use sekisho_agent::runs::{RunQuery, StoredRun};
use sekisho_gate::ReplicaId;
use tempfile::TempDir;

use self::child::Report;
use crate::harness::{verify, wait};
use crate::killed_process::{PATIENCE, number, random};
use crate::test_database::{TestDatabase, TestPorts};

/// How many processes are killed.
const KILLS: u64 = 20;
/// A process is killed after fewer lines than this.
const LINES: u64 = 60;

/// The application name of such a process on the server.
const NAME: &str = "killed_agents";

/// The same for runs with sub-agents.
const KILLS_OF_TREES: u64 = 8;

/// A database, the directory of the notes, and the processes that are alive.
struct Site {
    database: TestDatabase,
    store: Arc<dyn TestPorts>,
    directory: TempDir,
    processes: Vec<Process>,
    /// Whether the runs have sub-agents.
    trees: bool,
}

struct Process {
    child: Child,
    reports: Receiver<Report>,
    replica: ReplicaId,
}

impl Drop for Process {
    fn drop(&mut self) {
        // A process that was killed before cannot be killed again.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn runs_in_a_file_survive_kills() {
    runs_survive_kills(TestDatabase::file(), 1, false);
}

#[test]
fn runs_in_a_server_survive_kills() {
    runs_survive_kills(TestDatabase::server(), 2, false);
}

#[test]
fn sub_agents_in_a_file_survive_kills() {
    runs_survive_kills(TestDatabase::file(), 1, true);
}

#[test]
fn sub_agents_in_a_server_survive_kills() {
    runs_survive_kills(TestDatabase::server(), 2, true);
}

fn runs_survive_kills(database: TestDatabase, processes: usize, trees: bool) {
    let usual = if trees { KILLS_OF_TREES } else { KILLS };
    let kills = number("SEKISHO_KILLS").unwrap_or(usual).max(2);
    let seed = number("SEKISHO_KILL_SEED").unwrap_or(7);
    println!("{kills} kills from seed {seed}: SEKISHO_KILLS and SEKISHO_KILL_SEED change them");
    let store = database.store();
    let directory = tempfile::tempdir().unwrap();
    let mut site = Site { database, store, directory, processes: Vec::new(), trees };
    for kill in 0..kills {
        // The first and the last are killed inside a tool.
        let hangs = !trees && (kill == 0 || kill + 1 == kills);
        while site.processes.len() < processes {
            let is_last = site.processes.len() + 1 == processes;
            site.start(hangs && is_last);
        }
        let random = random(seed, kill);
        let at = if hangs { processes - 1 } else { usize::try_from(random).unwrap() % processes };
        let victim = site.processes.remove(at);
        if hangs {
            while victim.next_report() != Report::Hangs {}
        } else {
            for _ in 0..random / 7 % LINES {
                victim.next_report();
            }
            std::thread::sleep(Duration::from_micros(random / 11 % 3000));
        }
        let replica = victim.replica;
        drop(victim);
        let lost = site.runs(Some(true)).into_iter().filter(|run| run.owner == Some(replica)).count();
        assert!(lost > 0 || !hangs, "a process that hangs leaves a run");
    }
    site.finish(processes);
}

impl Site {
    #[expect(clippy::disallowed_methods, reason = "a process to be killed")]
    fn start(&mut self, hangs: bool) {
        let mut ledger = self.database.address().to_owned();
        let mut lease = 0;
        if let TestDatabase::Server { .. } = self.database {
            ledger = format!("{ledger}?application_name={NAME}");
            lease = 1000;
        }
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "killed_agents::child::works_until_it_is_killed", "--nocapture"])
            .env(child::LEDGER, ledger)
            .env(child::DIRECTORY, self.directory.path())
            .env(child::LEASE, lease.to_string())
            .env(child::HANGS, u8::from(hangs).to_string())
            .env(child::TREES, u8::from(self.trees).to_string())
            // If this process ends, so does the child: its standard input closes.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, reports) = channel();
        std::thread::spawn(move || {
            for report in output.lines().map_while(Result::ok).filter_map(|line| Report::read(&line)) {
                // Nobody listens to a process that was killed.
                let _ = sender.send(report);
            }
        });
        let mut process = Process { child, reports, replica: ReplicaId(uuid::Uuid::nil()) };
        let Report::Begun(replica) = process.next_report() else { panic!("it begins with its id") };
        process.replica = replica;
        self.processes.push(process);
    }

    fn runs(&self, works: Option<bool>) -> Vec<StoredRun> {
        wait(self.store.runs(RunQuery { works, limit: usize::MAX, ..RunQuery::default() })).unwrap()
    }

    /// Lets the processes end all runs, and checks them.
    fn finish(&mut self, processes: usize) {
        std::fs::write(self.directory.path().join(child::FINISH), "").unwrap();
        if processes == 1 {
            self.start(false);
        }
        let begin = Instant::now();
        while !self.runs(Some(true)).is_empty() {
            assert!(begin.elapsed() < PATIENCE, "the runs end: {:?}", self.runs(Some(true)).first());
            for process in &mut self.processes {
                assert!(process.child.try_wait().unwrap().is_none(), "it runs until it is killed");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        self.processes.clear();
        if self.trees {
            trees::check(&*self.store, &self.runs(None), self.directory.path());
            verify(&*self.store, &[]).unwrap();
            return;
        }
        let sums = transcripts::check(&*self.store, &self.runs(None), self.directory.path());
        println!("{sums:?}");
        assert!(sums.unknown > 0 && sums.noted > 0 && sums.denied >= 2 * sums.runs, "{sums:?}");
        verify(&*self.store, &[]).unwrap();
    }
}

impl Process {
    fn next_report(&self) -> Report {
        self.reports.recv_timeout(PATIENCE).expect("the process goes on")
    }
}
