//! Heavy inputs are judged one at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sekisho_gate::premises::{FileNow, Preview};
use sekisho_gate::{Gate, Ports, Settings};
use sekisho_policy::{Facts, Need, Policy};
use sekisho_testkit::{FixedFiles, ManualClock, MemoryLedger};
use serde_json::json;

use crate::world::{ask, ports};

/// Takes its time, and counts how many look things up at once.
#[derive(Default)]
struct Slow {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Preview for Slow {
    fn facts(&self, _: &Policy, _: &[Need], _: Option<&str>, _: Option<&str>) -> Facts {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(60));
        self.now.fetch_sub(1, Ordering::SeqCst);
        Facts::default()
    }

    fn file(&self, _: &str) -> FileNow {
        FileNow::Absent
    }
}

/// How many of four inputs of a size are judged at the same time, on four threads.
fn at_once(size: usize, passes: bool) -> usize {
    let slow = Arc::new(Slow::default());
    let ports = ports(&MemoryLedger::new(), &FixedFiles::new(), &ManualClock::new());
    let (gate, _keeper) = Gate::new(Ports { preview: slow.clone(), ..ports }, Settings::default());
    std::thread::scope(|scope| {
        for n in 0..4 {
            let gate = gate.clone();
            scope.spawn(move || {
                let mut ask = ask();
                ask.call.call_id = Some(format!("c{n}"));
                ask.call.input = json!({ "text": "x".repeat(size) });
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                runtime.block_on(async {
                    match passes {
                        true => drop(gate.begin(ask).await.unwrap()),
                        false => drop(gate.judge_in_turn(&ask).await),
                    }
                });
            });
        }
    });
    slow.most.load(Ordering::SeqCst)
}

#[test]
fn heavy_inputs_are_judged_one_at_a_time_and_light_ones_at_once() {
    for passes in [false, true] {
        assert_eq!(at_once(9 << 10, passes), 1, "heavy");
        assert!(at_once(100, passes) > 1, "light");
    }
}
