//! Expensive inputs are judged one at a time.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use sekisho_gate::call_request::CallRequest;
use sekisho_gate::host_ports::{CurrentFile, HostLookup};
use sekisho_gate::{Gate, Ports, Settings};
use sekisho_policy::{Call, FactQuery, Facts, Policy};
use sekisho_testkit::{FixedFiles, ManualClock, MemoryLedger};
use serde_json::json;

use crate::harness::{ports, request};

/// How long to wait for others that should come.
const MAX_WAIT: Duration = Duration::from_secs(120);
/// Long enough for others to come in if they can. Used where they cannot.
const SHORT_WAIT: Duration = Duration::from_millis(60);

/// A lookup that waits for other lookups at the same time and counts them.
struct Slow {
    /// The number of current lookups, and the maximum so far.
    inside: Mutex<(usize, usize)>,
    came: Condvar,
    max_wait: Duration,
}

impl HostLookup for Slow {
    fn facts(&self, _: &Policy, _: &[FactQuery], _: Option<&str>, _: Option<&str>) -> Facts {
        let mut inside = self.inside.lock().unwrap();
        inside.0 += 1;
        inside.1 = inside.1.max(inside.0);
        self.came.notify_all();
        (inside, _) = self.came.wait_timeout_while(inside, self.max_wait, |inside| inside.1 < 2).unwrap();
        inside.0 -= 1;
        Facts::default()
    }

    fn file(&self, _: &str) -> CurrentFile {
        CurrentFile::Absent
    }
}

/// How many of four copies of a call are judged at the same time on four threads, if each waits this long
/// for the others.
fn at_once(call: &Call, passes: bool, max_wait: Duration) -> usize {
    max_at_once(&[call, call, call, call], passes, max_wait)
}

fn max_at_once(calls: &[&Call], passes: bool, max_wait: Duration) -> usize {
    let slow = Arc::new(Slow { inside: Mutex::default(), came: Condvar::new(), max_wait });
    let ports = ports(&MemoryLedger::new(), &FixedFiles::new(), &ManualClock::new());
    let (gate, _keeper) = Gate::new(Ports { lookup: slow.clone(), ..ports }, Settings::default());
    std::thread::scope(|scope| {
        for (n, call) in calls.iter().enumerate() {
            let gate = gate.clone();
            scope.spawn(move || {
                let call_id = Some(format!("c{n}"));
                let request = CallRequest { call: Call { call_id, ..Call::clone(call) }, ..request() };
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                runtime.block_on(async {
                    match passes {
                        true => drop(gate.submit_remote(request).await.unwrap()),
                        false => drop(gate.judge_queued(&request).await.unwrap()),
                    }
                });
            });
        }
    });
    slow.inside.lock().unwrap().1
}

#[test]
fn expensive_inputs_are_judged_one_at_a_time() {
    let call = |size: usize| Call { input: json!({ "text": "x".repeat(size) }), ..request().call };
    for passes in [false, true] {
        assert_eq!(at_once(&call(9 << 10), passes, SHORT_WAIT), 1, "heavy");
        assert!(at_once(&call(100), passes, MAX_WAIT) > 1, "light");
    }
}

#[test]
fn directory_searches_are_judged_one_at_a_time() {
    let call = |command: &str| Call {
        cwd: Some("/work/project".into()),
        ..Call::new("Bash", json!({ "command": command }))
    };
    for command in ["grep -r x /usr", "cat /*/*", "git status"] {
        assert_eq!(at_once(&call(command), false, SHORT_WAIT), 1, "{command}");
    }
    for command in ["ls src", "cat src/a.txt"] {
        assert!(at_once(&call(command), false, MAX_WAIT) > 1, "{command}");
    }
}

#[test]
fn directory_searches_do_not_wait_for_expensive_inputs() {
    let expensive = Call { input: json!({ "text": "x".repeat(9 << 10) }), ..request().call };
    let search =
        Call { cwd: Some("/work/project".into()), ..Call::new("Bash", json!({ "command": "git status" })) };
    assert_eq!(max_at_once(&[&expensive, &search], false, MAX_WAIT), 2);
}
