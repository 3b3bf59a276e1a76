//! Heavy inputs are judged one at a time.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use sekisho_gate::ask::Ask;
use sekisho_gate::premises::{FileNow, Preview};
use sekisho_gate::{Gate, Ports, Settings};
use sekisho_policy::{Call, Facts, Need, Policy};
use sekisho_testkit::{FixedFiles, ManualClock, MemoryLedger};
use serde_json::json;

use crate::world::{ask, ports};

/// How long a company that never comes is waited for.
const PATIENCE: Duration = Duration::from_secs(120);
/// Long enough for others to come in, if they can; where they cannot, nothing is waited for in vain.
const GLANCE: Duration = Duration::from_millis(60);

/// Whoever looks things up here waits for others to do so at the same time; counts how many there are.
struct Slow {
    /// Those who look things up now, and the most there ever were.
    inside: Mutex<(usize, usize)>,
    came: Condvar,
    patience: Duration,
}

impl Preview for Slow {
    fn facts(&self, _: &Policy, _: &[Need], _: Option<&str>, _: Option<&str>) -> Facts {
        let mut inside = self.inside.lock().unwrap();
        inside.0 += 1;
        inside.1 = inside.1.max(inside.0);
        self.came.notify_all();
        (inside, _) = self.came.wait_timeout_while(inside, self.patience, |inside| inside.1 < 2).unwrap();
        inside.0 -= 1;
        Facts::default()
    }

    fn file(&self, _: &str) -> FileNow {
        FileNow::Absent
    }
}

/// How many of four such calls are judged at the same time, on four threads, where each waits so long for company.
fn at_once(call: &Call, passes: bool, patience: Duration) -> usize {
    most_at_once(&[call, call, call, call], passes, patience)
}

fn most_at_once(calls: &[&Call], passes: bool, patience: Duration) -> usize {
    let slow = Arc::new(Slow { inside: Mutex::default(), came: Condvar::new(), patience });
    let ports = ports(&MemoryLedger::new(), &FixedFiles::new(), &ManualClock::new());
    let (gate, _keeper) = Gate::new(Ports { preview: slow.clone(), ..ports }, Settings::default());
    std::thread::scope(|scope| {
        for (n, call) in calls.iter().enumerate() {
            let gate = gate.clone();
            scope.spawn(move || {
                let call_id = Some(format!("c{n}"));
                let ask = Ask { call: Call { call_id, ..Call::clone(call) }, ..ask() };
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                runtime.block_on(async {
                    match passes {
                        true => drop(gate.begin(ask).await.unwrap()),
                        false => drop(gate.judge_in_turn(&ask).await.unwrap()),
                    }
                });
            });
        }
    });
    slow.inside.lock().unwrap().1
}

#[test]
fn heavy_inputs_are_judged_one_at_a_time_and_light_ones_at_once() {
    let call = |size: usize| Call { input: json!({ "text": "x".repeat(size) }), ..ask().call };
    for passes in [false, true] {
        assert_eq!(at_once(&call(9 << 10), passes, GLANCE), 1, "heavy");
        assert!(at_once(&call(100), passes, PATIENCE) > 1, "light");
    }
}

#[test]
fn what_looks_through_directories_is_judged_one_at_a_time_however_small_it_is() {
    let call = |command: &str| Call {
        cwd: Some("/work/project".into()),
        ..Call::new("Bash", json!({ "command": command }))
    };
    for command in ["grep -r x /usr", "cat /*/*", "git status"] {
        assert_eq!(at_once(&call(command), false, GLANCE), 1, "{command}");
    }
    for command in ["ls src", "cat src/a.txt"] {
        assert!(at_once(&call(command), false, PATIENCE) > 1, "{command}");
    }
}

#[test]
fn what_looks_through_directories_does_not_wait_for_heavy_inputs() {
    let heavy = Call { input: json!({ "text": "x".repeat(9 << 10) }), ..ask().call };
    let looks =
        Call { cwd: Some("/work/project".into()), ..Call::new("Bash", json!({ "command": "git status" })) };
    assert_eq!(most_at_once(&[&heavy, &looks], false, PATIENCE), 2);
}
