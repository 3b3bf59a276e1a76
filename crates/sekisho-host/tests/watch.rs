use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sekisho_host::{LastGoodDenies, ProjectFiles, ReloadingLayers, Watch};
use sekisho_policy::Decision::{self, Allow, Confirm, Deny};
use sekisho_policy::Policy;

use crate::test_machine::{TestMachine, config, decide};

fn decides(live: &Mutex<ReloadingLayers>, tool: &str) -> Decision {
    decide(&Policy::compile(live.lock().unwrap().loaded().layers.clone()), tool)
}

/// Waits until the layers as last read decide as expected.
#[track_caller]
fn wait(live: &Mutex<ReloadingLayers>, heard: &Receiver<()>, tool: &str, expected: Decision) {
    while decides(live, tool) != expected {
        assert!(heard.recv_timeout(Duration::from_secs(120)).is_ok(), "{tool} is never {expected}");
    }
}

fn live(machine: &TestMachine) -> ReloadingLayers {
    ReloadingLayers::read(
        machine.locations.clone(),
        ProjectFiles::of(&machine.workspace()),
        LastGoodDenies::default(),
    )
}

#[test]
fn changes_are_noticed_and_denies_stay_while_a_file_is_broken() {
    let machine = TestMachine::new();
    let live = Arc::new(Mutex::new(live(&machine)));
    let read = Arc::clone(&live);
    let mut files = machine.locations.files();
    files.extend(machine.workspace().configs());
    let (tell, heard) = channel();
    let _watch = Watch::start(files, move || {
        read.lock().unwrap().reload();
        let _ = tell.send(());
    })
    .unwrap();
    wait(&live, &heard, "a", Confirm);
    // A file and directories that did not exist when the watch began.
    TestMachine::write(&machine.locations.global, config("allow", "a"));
    wait(&live, &heard, "a", Allow);
    TestMachine::write(&machine.project(), config("deny", "b"));
    wait(&live, &heard, "b", Deny);
    TestMachine::write(&machine.project(), "{");
    wait(&live, &heard, "a", Confirm);
    assert_eq!(decides(&live, "b"), Deny);
    std::fs::remove_dir_all(machine.root.join(".sekisho")).unwrap();
    wait(&live, &heard, "b", Confirm);
    TestMachine::write(&machine.project(), config("allow", "c"));
    wait(&live, &heard, "a", Allow);
    assert_eq!(decides(&live, "c"), Confirm);
    machine.trust();
    wait(&live, &heard, "c", Allow);
}

#[test]
fn polling_finds_unreported_changes() {
    let machine = TestMachine::new();
    let mut live = live(&machine);
    assert!(!live.reload_if_changed());
    TestMachine::write(&machine.root.join("sub/.sekisho/config.json"), config("deny", "a"));
    assert!(live.reload_if_changed() && !live.reload_if_changed());
    let kept = LastGoodDenies::default();
    let projects = ProjectFiles::of(&machine.workspace());
    drop(ReloadingLayers::read(machine.locations.clone(), projects.clone(), kept.clone()));
    // Another workspace with the same file: its denies are known there too.
    TestMachine::write(&machine.root.join("sub/.sekisho/config.json"), "[");
    let other = Mutex::new(ReloadingLayers::read(machine.locations.clone(), projects, kept));
    assert_eq!(decides(&other, "a"), Deny);
    assert_eq!(decides(&other, "b"), Confirm);
}

#[test]
fn trusted_file_only_tightens_without_a_loosening_root() {
    let machine = TestMachine::new();
    let text =
        r#"{ "version": 1, "permissions": { "allow": [{ "tool": "a" }], "deny": [{ "tool": "b" }] } }"#;
    TestMachine::write(&machine.project(), text);
    machine.trust();
    let link = machine.root.join("sub/link");
    std::os::unix::fs::symlink(&machine.root, &link).unwrap();
    let projects = ProjectFiles::restrict_only([machine.root.join("not/there").as_path()]);
    for projects in [projects, ProjectFiles::restrict_only([&*link, std::path::Path::new("relative")])] {
        let read = |projects| {
            Mutex::new(ReloadingLayers::read(machine.locations.clone(), projects, LastGoodDenies::default()))
        };
        let tight = read(projects.clone());
        assert_eq!((decides(&tight, "a"), decides(&tight, "b")), (Confirm, Deny));
        assert_eq!(decides(&read(projects.with_loosening_root(&machine.root)), "a"), Allow);
    }
}
