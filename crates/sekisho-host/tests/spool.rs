//! Lines that hooks leave for a server.

use std::io::Write;

use sekisho_host::Spools;
use uuid::Uuid;

fn id(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

#[test]
fn lines_are_read_in_order_from_any_position() {
    let state = tempfile::tempdir().unwrap();
    let spools = Spools::at(state.path());
    assert!(spools.all().unwrap().is_empty());
    for n in 0..5 {
        spools.append(&format!("line {n}"), id(n)).unwrap();
    }
    let all = spools.all().unwrap();
    assert_eq!(all.iter().map(|spool| spool.id).collect::<Vec<_>>(), [id(0)], "one spool while it is short");
    assert_eq!(all[0].lines(0, 100).unwrap(), ["line 0", "line 1", "line 2", "line 3", "line 4"]);
    assert_eq!(all[0].lines(3, 1).unwrap(), ["line 3"]);
    assert!(spools.append("two\nlines", id(9)).is_err());
}

#[test]
fn truncated_line_stays_separate() {
    let state = tempfile::tempdir().unwrap();
    let spools = Spools::at(state.path());
    spools.append("whole", id(1)).unwrap();
    let path = state.path().join("spool").join(format!("{}.spool", id(1)));
    std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"tor").unwrap();
    let spool = spools.all().unwrap().remove(0);
    assert_eq!(spool.lines(0, 10).unwrap(), ["whole"], "an unfinished line is not read");
    assert!(spool.remove_if_imported(1).unwrap_or(false), "and does not hold the spool back");
    spools.append("whole", id(1)).unwrap();
    std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"tor").unwrap();
    spools.append("next", id(2)).unwrap();
    assert_eq!(spools.all().unwrap()[0].lines(0, 10).unwrap(), ["whole", "{\"tor", "next"]);
}

#[test]
fn spool_is_removed_only_when_all_of_it_was_imported() {
    let state = tempfile::tempdir().unwrap();
    let spools = Spools::at(state.path());
    spools.append("one", id(1)).unwrap();
    spools.append("two", id(1)).unwrap();
    let spool = spools.all().unwrap().remove(0);
    assert!(!spool.remove_if_imported(1).unwrap());
    assert!(spool.remove_if_imported(2).unwrap());
    spools.append("three", id(2)).unwrap();
    assert_eq!(spools.all().unwrap()[0].id, id(2), "the next line begins a new one");
}

#[test]
fn concurrent_writers_and_removal_lose_nothing() {
    let state = tempfile::tempdir().unwrap();
    let spools = Spools::at(state.path());
    let taken = std::thread::scope(|threads| {
        let writers: Vec<_> = (0..4_u128)
            .map(|writer| {
                let spools = spools.clone();
                threads.spawn(move || {
                    for n in 0..200_u128 {
                        spools.append(&format!("{writer}.{n}"), id(1 + writer * 1000 + n)).unwrap();
                    }
                })
            })
            .collect();
        let mut taken = Vec::new();
        loop {
            let done = writers.iter().all(std::thread::ScopedJoinHandle::is_finished);
            for spool in spools.all().unwrap() {
                let lines = spool.lines(0, usize::MAX).unwrap_or_default();
                if spool.remove_if_imported(lines.len() as u64).unwrap_or(false) {
                    taken.extend(lines);
                }
            }
            if done && spools.all().unwrap().is_empty() {
                break taken;
            }
        }
    });
    let unique: std::collections::BTreeSet<&String> = taken.iter().collect();
    assert_eq!((taken.len(), unique.len()), (800, 800));
}

#[test]
fn locked_spool_is_left_alone() {
    let state = tempfile::tempdir().unwrap();
    let spools = Spools::at(state.path());
    spools.append("one", id(1)).unwrap();
    let path = state.path().join("spool").join(format!("{}.spool", id(1)));
    let held = std::fs::File::open(path).unwrap();
    held.lock_shared().unwrap();
    spools.append("two", id(2)).unwrap();
    drop(held);
    let all = spools.all().unwrap();
    assert_eq!(all.iter().map(|spool| spool.id).collect::<Vec<_>>(), [id(1), id(2)]);
    assert_eq!(all[1].lines(0, 9).unwrap(), ["two"]);
}
