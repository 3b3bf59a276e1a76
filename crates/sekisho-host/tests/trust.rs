use std::os::unix::fs::PermissionsExt;

use jiff::Timestamp;
use sekisho_host::{TrustState, TrustStore};
use sekisho_policy::Decision;

use crate::test_machine::{TestMachine, config};

#[test]
fn trust_applies_to_the_bytes_that_were_shown() {
    let machine = TestMachine::new();
    let trust = TrustStore::at(&machine.locations.state);
    TestMachine::write(&machine.project(), config("allow", "a"));
    let proposal = machine.propose();
    assert_eq!(proposal.state, TrustState::Never);
    // The file changes while it is being read.
    TestMachine::write(&machine.project(), config("allow", "evil"));
    trust.accept(&proposal, "me", Timestamp::now()).unwrap();
    assert_eq!(machine.decide("evil"), Decision::Confirm);
    let proposal = machine.propose();
    assert!(matches!(proposal.state, TrustState::Changed(_)));
    assert_eq!(proposal.last, Some(config("allow", "a")));
    TestMachine::write(&machine.project(), config("allow", "a"));
    assert_eq!(machine.decide("a"), Decision::Allow);
    assert!(trust.revoke(&machine.project()).unwrap());
    assert!(!trust.revoke(&machine.project()).unwrap());
    assert_eq!(machine.decide("a"), Decision::Confirm);
}

#[test]
fn trust_records_are_private() {
    let machine = TestMachine::new();
    TestMachine::write(&machine.project(), config("allow", "a"));
    machine.trust();
    let mode = |path| {
        std::fs::metadata(path).map(|found: std::fs::Metadata| found.permissions().mode() & 0o777).unwrap()
    };
    let state = &machine.locations.state;
    assert_eq!(mode(state.join("trust.json")), 0o600);
    assert_eq!(mode(state.clone()), 0o700);
    assert_eq!(mode(state.join("trusted")), 0o700);
    let kept = std::fs::read_dir(state.join("trusted")).unwrap().next().unwrap().unwrap();
    assert_eq!(mode(kept.path()), 0o600);
}

type Damage = fn(&std::path::Path);

#[test]
fn invalid_trust_records_trust_nothing() {
    let cases: [(&str, Damage); 3] = [
        ("damaged", |record| std::fs::write(record, "{").unwrap()),
        ("version 2", |record| std::fs::write(record, r#"{"version":2,"files":{}}"#).unwrap()),
        ("others may write the file", |record| {
            std::fs::set_permissions(record, std::fs::Permissions::from_mode(0o666)).unwrap();
        }),
    ];
    for (why, damage) in cases {
        let machine = TestMachine::new();
        TestMachine::write(&machine.project(), config("allow", "a"));
        machine.trust();
        damage(&machine.locations.state.join("trust.json"));
        assert_eq!(machine.decide("a"), Decision::Confirm, "{why}");
        let problems = machine.load().problems;
        assert!(problems.iter().any(|problem| problem.contains(why)), "{why}: {problems:?}");
        let proposal = TrustStore::at(&machine.locations.state).propose(&machine.workspace());
        assert!(proposal.is_err(), "{why}");
    }
}

#[test]
fn link_borrows_no_trust_from_another_project() {
    let (machine, other) = (TestMachine::new(), TestMachine::new());
    TestMachine::write(&machine.project(), config("allow", "a"));
    machine.trust();
    std::os::unix::fs::symlink(machine.root.join(".sekisho"), other.root.join(".sekisho")).unwrap();
    let mut locations = other.locations.clone();
    locations.state = machine.locations.state.clone();
    let loaded = sekisho_host::load_layers(&locations, &other.workspace());
    let policy = sekisho_policy::Policy::compile(loaded.layers);
    assert_eq!(crate::test_machine::decide(&policy, "a"), Decision::Confirm);
    assert_eq!(machine.decide("a"), Decision::Allow);
}
