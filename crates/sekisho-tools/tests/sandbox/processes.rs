//! Attacks on processes outside, and floods of processes.

use std::ffi::OsString;

use sekisho_tools::sandbox::HelperPlan;

use crate::sandbox_fixture::{arenas, programs};

#[test]
fn other_processes_are_out_of_reach() {
    for arena in arenas() {
        let mut victim = arena.victim();
        let pid = victim.pid();
        for attack in [
            "trace",
            "seize",
            "read_memory",
            "read_environment",
            "open_memory",
            "open_descriptors",
            "signal",
            "queue_signal",
            "signal_by_descriptor",
            "steal_descriptor",
            "limit",
            "priority",
            "affinity",
        ] {
            let said = arena.attack(&[attack, &pid]);
            assert!(said.starts_with("denied"), "{}, {attack}: {said}", arena.name());
        }
        assert!(victim.is_alive(), "{}", arena.name());
        for attack in ["read_environment", "limit", "signal"] {
            assert_eq!(arena.attack_freely(&[attack, &pid]), "done", "{attack} is not an attack");
        }
    }
}

#[test]
fn the_supervisor_is_out_of_reach() {
    for arena in arenas() {
        let output = arena
            .bash("for pid in $PPID 1 -1; do kill -9 $pid; done; cat /proc/$PPID/environ; echo still here");
        // Inside a process namespace, `kill -1` reaches the program's own processes only.
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            text.ends_with("still here\n") || output.status.code() == Some(137),
            "{}: {output:?}",
            arena.name()
        );
        assert!(!text.contains("PATH="), "{}: {output:?}", arena.name());
    }
}

/// A limit of processor time would end the process that reports how the program ended.
#[test]
fn helpers_inside_are_out_of_reach() {
    for arena in arenas() {
        for (attack, pid) in [("limit", "1"), ("limit", "2"), ("priority", "1"), ("affinity", "1")] {
            let said = arena.attack(&[attack, pid]);
            assert!(said.contains("Operation not permitted"), "{}, {attack} {pid}: {said}", arena.name());
        }
    }
}

#[test]
fn tracing_is_refused() {
    for arena in arenas() {
        assert!(arena.attack(&["trace_me"]).starts_with("denied"), "{}", arena.name());
    }
}

#[test]
fn shared_memory_outside_is_out_of_reach() {
    for arena in arenas() {
        // A private key works where the memory is private too.
        let said = arena.attack(&["shared_memory", "0"]);
        assert_eq!(said == "done", arena.is_isolated(), "{}: {said}", arena.name());
    }
}

/// Ids of queues can be guessed, so a queue need not be opened.
#[test]
fn queues_outside_are_out_of_reach() {
    for arena in arenas() {
        let made = arena.program("ipcmk".as_ref(), &["-Q".into()]).output().unwrap();
        let text = String::from_utf8_lossy(&made.stdout).into_owned();
        let id = text.split_whitespace().last().unwrap();
        assert_eq!(arena.attack_freely(&["send_to_queue", id]), "done", "{made:?}");
        for attack in ["queue", "send_to_queue", "remove_queue"] {
            let said = arena.attack(&[attack, id]);
            assert!(said.starts_with("denied"), "{}, {attack}: {said}", arena.name());
        }
        assert_eq!(arena.attack_freely(&["queue", id]), "done", "the message is still there");
        assert_eq!(arena.attack_freely(&["remove_queue", id]), "done");
    }
}

/// Not tried without the sandbox: it would slow down everything of this user.
#[test]
fn priority_of_groups_and_users_stays() {
    for arena in arenas() {
        for attack in ["group_priority", "user_priority", "group_io_priority", "user_io_priority"] {
            let said = arena.attack(&[attack]);
            assert!(said.contains("Operation not permitted"), "{}, {attack}: {said}", arena.name());
        }
    }
}

#[test]
fn programs_end_first_if_memory_runs_out() {
    for arena in arenas() {
        let output = arena.bash("echo 0 > /proc/self/oom_score_adj; cat /proc/self/oom_score_adj");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "1000\n", "{}", arena.name());
    }
}

#[test]
fn fork_bombs_end() {
    for arena in arenas() {
        let command: Vec<OsString> =
            vec![programs().attacker.clone().into(), "processes".into(), "300".into()];
        let plan = HelperPlan { processes: Some(100), ..arena.plan(&command) };
        let output = arena.program(&programs().helper, &plan.to_arguments()).output().unwrap();
        let said =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let ended = said.contains("denied") || said.contains("too many processes");
        assert!(ended, "{}: {said} {}", arena.name(), output.status);
    }
}
