//! Two processes that answer the same approvals at the same time, each differently.
//!
//! This binary starts itself again, twice. Both processes get the same few approvals at the same time, in
//! opposite orders, and report what they were told about each.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use sekisho_gate::WriteAccess;

use sekisho_gate::ApprovalId;
use sekisho_gate::answer::Answer;
use sekisho_testkit::fixtures::{call, caller, new_approval, pending_approval, replica, seconds_after_start};

use super::harness::RUNTIME;
use crate::harness::{answered, verify, wait};
use crate::test_database::{TestDatabase, opened};

/// The URL of the database.
const LEDGER: &str = "SEKISHO_TEST_ANSWERED_LEDGER";
/// What the process answers.
const ANSWER: &str = "SEKISHO_TEST_ANSWER";
/// The prefix of these lines; the test harness prints others.
const MARK: &str = "said ";

const QUESTIONS: usize = 50;
/// How many each process answers at once.
const AT_ONCE: usize = 5;

type Said = BTreeMap<ApprovalId, String>;

#[test]
fn one_of_two_processes_answers_and_the_other_sees_it() {
    let site = TestDatabase::server();
    let store = site.store();
    let asked = (0..QUESTIONS).map(|number| {
        pending_approval(call(&number.to_string()), caller(), seconds_after_start(0), Some(120))
    });
    let asked: Vec<_> = asked.collect();
    for one in &asked {
        wait(store.open(WriteAccess::TESTS, new_approval(one, replica(1)))).unwrap();
    }
    let mut approves = Process::start(&site, "approve");
    let mut denies = Process::start(&site, "deny");
    let (mut approved, mut denied) = (0, 0);
    for some in asked.chunks(AT_ONCE) {
        let mut ids: Vec<ApprovalId> = some.iter().map(|one| one.id).collect();
        approves.send(&ids);
        ids.reverse();
        denies.send(&ids);
        let (yes, no) = (approves.said(), denies.said());
        for id in &ids {
            let state = wait(store.approval(*id)).unwrap().unwrap().fate.state;
            let told = match state.name() {
                "approved" => ["Changed", "Conflict"],
                _ => ["Conflict", "Changed"],
            };
            assert_eq!([&*yes[id], &*no[id]], told, "`{id}` is {}", state.name());
            approved += usize::from(state.name() == "approved");
            denied += usize::from(state.name() == "denied");
            let outcomes = "SELECT count(*) FROM audit_log WHERE kind = 'outcome' AND approval";
            assert_eq!(site.one(&format!("{outcomes} = {}", site.id(id.0))), 1);
        }
    }
    println!("{approved} approved, {denied} denied");
    assert_eq!(approved + denied, QUESTIONS);
    let ends = "SELECT count(*) FROM events WHERE body::json ->> 'type' = 'resolved'";
    assert_eq!((site.one(ends), site.count("events")), (50, 100));
    assert_eq!(verify(&*store, &[]).unwrap().rows, 100);
    approves.end();
    denies.end();
}

/// Does nothing by itself: [`Process::start`] runs it.
#[test]
#[expect(clippy::disallowed_methods, reason = "whoever starts this process says so in its environment")]
fn answers_what_it_is_given() {
    let Ok(url) = std::env::var(LEDGER) else { return };
    let kind = std::env::var(ANSWER).unwrap();
    let store = RUNTIME.block_on(opened(&url));
    // Starts a new line, whatever the harness has printed.
    println!("\n{MARK}{{}}");
    for line in std::io::stdin().lines() {
        let ids: Vec<ApprovalId> = serde_json::from_str(&line.unwrap()).unwrap();
        let answering = ids.into_iter().map(|id| {
            let answer = if kind == "approve" { Answer::approve() } else { Answer::deny() };
            let (store, happening) = (store.clone(), answered(answer, &kind));
            RUNTIME.spawn(async move {
                let step = store
                    .step(WriteAccess::TESTS, id, happening, seconds_after_start(1))
                    .await
                    .unwrap()
                    .unwrap();
                (id, format!("{:?}", step.outcome))
            })
        });
        let answering: Vec<_> = answering.collect();
        let said: Said = answering.into_iter().map(|one| RUNTIME.block_on(one).unwrap()).collect();
        println!("{MARK}{}", serde_json::to_string(&said).unwrap());
    }
}

struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Process {
    /// Starts a process and waits until it is ready.
    #[expect(clippy::disallowed_methods, reason = "the other process")]
    fn start(site: &TestDatabase, answer: &str) -> Process {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "postgres::concurrent_answers::answers_what_it_is_given", "--nocapture"])
            .env(LEDGER, site.address())
            .env(ANSWER, answer)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut process = Process { child, input, output };
        assert!(process.said().is_empty());
        process
    }

    fn send(&mut self, ids: &[ApprovalId]) {
        writeln!(self.input, "{}", serde_json::to_string(ids).unwrap()).unwrap();
    }

    fn said(&mut self) -> Said {
        let mut line = String::new();
        while self.output.read_line(&mut line).unwrap() > 0 {
            if let Some(said) = line.strip_prefix(MARK) {
                return serde_json::from_str(said).unwrap();
            }
            line.clear();
        }
        panic!("the process has ended");
    }

    /// It ends when there is nothing more to answer.
    fn end(self) {
        let Process { mut child, input, output } = self;
        drop(input);
        output.lines().for_each(|line| drop(line.unwrap()));
        assert!(child.wait().unwrap().success());
    }
}
