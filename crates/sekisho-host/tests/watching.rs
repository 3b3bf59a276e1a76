use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sekisho_host::Watch;
use sekisho_policy::Decision::{self, Allow, Confirm, Deny};

use crate::machine::{Machine, config, decide};

/// Waits until the policy in force decides as expected.
#[track_caller]
fn wait(watch: &Watch, tool: &str, expected: Decision) {
    let start = Instant::now();
    while decide(&watch.live().current().policy, tool) != expected {
        assert!(start.elapsed() < Duration::from_secs(5), "{tool} is not {expected} in time");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn changes_apply_at_once_and_what_was_denied_stays_denied_while_a_file_is_broken() {
    let machine = Machine::new();
    let told = Arc::new(AtomicU64::new(0));
    let tell = Arc::clone(&told);
    let watch = Watch::start(machine.locations.clone(), machine.workspace(), move |generation| {
        tell.store(generation, Ordering::SeqCst);
    })
    .unwrap();
    assert_eq!(watch.live().current().generation, 1);
    wait(&watch, "a", Confirm);
    // A file, and directories, that were not there when the watching began.
    Machine::write(&machine.locations.global, config("allow", "a"));
    wait(&watch, "a", Allow);
    Machine::write(&machine.project(), config("deny", "b"));
    wait(&watch, "b", Deny);
    let before = watch.live().current();
    Machine::write(&machine.project(), "{");
    wait(&watch, "a", Confirm);
    assert_eq!(decide(&watch.live().current().policy, "b"), Deny);
    // Whoever took a policy keeps it whole.
    assert_eq!(decide(&before.policy, "a"), Allow);
    std::fs::remove_dir_all(machine.root.join(".sekisho")).unwrap();
    wait(&watch, "b", Confirm);
    Machine::write(&machine.project(), config("allow", "c"));
    wait(&watch, "a", Allow);
    assert_eq!(decide(&watch.live().current().policy, "c"), Confirm);
    machine.trust();
    wait(&watch, "c", Allow);
    let generation = watch.live().current().generation;
    assert!(generation >= 6, "{generation}");
    // The one who asked to be told is told after the swap.
    let start = Instant::now();
    while told.load(Ordering::SeqCst) != generation {
        assert!(start.elapsed() < Duration::from_secs(5));
        std::thread::sleep(Duration::from_millis(5));
    }
}
