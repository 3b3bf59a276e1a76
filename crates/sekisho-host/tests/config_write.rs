use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use jiff::Timestamp;
use sekisho_host::{HostError, change_config, config_rule_edit};
use sekisho_policy::{Decision, Effect, LayerKind, Rule};

use crate::test_machine::{TestMachine, config};

fn rule(tool: &str) -> Rule {
    Rule { tool: Some(tool.into()), ..Rule::default() }
}

fn add(machine: &TestMachine, kind: LayerKind, path: &Path, tool: &str) -> Result<(), HostError> {
    let edit = |text: Option<&str>| config_rule_edit::add(text, Effect::Allow, &rule(tool));
    change_config(&machine.locations, kind, path, "me", Timestamp::now(), edit).map(|_| ())
}

#[test]
fn our_own_writes_keep_trust() {
    let machine = TestMachine::new();
    add(&machine, LayerKind::Project, &machine.project(), "a").unwrap();
    assert_eq!(machine.decide("a"), Decision::Allow);
    add(&machine, LayerKind::Project, &machine.project(), "b").unwrap();
    assert_eq!((machine.decide("a"), machine.decide("b")), (Decision::Allow, Decision::Allow));
}

#[test]
fn planted_allow_is_not_trusted_with_a_humans_rule() {
    let machine = TestMachine::new();
    add(&machine, LayerKind::Project, &machine.project(), "a").unwrap();
    let planted = std::fs::read_to_string(machine.project()).unwrap().replace("\"a\"", "\"evil\"");
    std::fs::write(machine.project(), &planted).unwrap();
    let refused = add(&machine, LayerKind::Project, &machine.project(), "b");
    let Err(HostError::NotTrusted { diff, .. }) = refused else { panic!("{refused:?}") };
    assert!(
        diff.contains("-       { \"tool\": \"a\" }") && diff.contains("+       { \"tool\": \"evil\" }"),
        "{diff}"
    );
    assert_eq!(std::fs::read_to_string(machine.project()).unwrap(), planted);
    assert_eq!(machine.decide("evil"), Decision::Confirm);
    // The same in a project that was never trusted.
    let machine = TestMachine::new();
    TestMachine::write(&machine.project(), config("allow", "evil"));
    assert!(matches!(
        add(&machine, LayerKind::Project, &machine.project(), "b"),
        Err(HostError::NotTrusted { .. })
    ));
}

#[test]
fn project_file_is_not_written_through_links() {
    for linked in [".sekisho", ".sekisho/config.json"] {
        let machine = TestMachine::new();
        let link = machine.root.join(linked);
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        let target = if linked.ends_with("json") { "config.json" } else { "." };
        let target = machine.locations.global.parent().unwrap().join(target);
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let refused = add(&machine, LayerKind::Project, &machine.project(), "a").unwrap_err();
        assert!(refused.to_string().contains("this is a link"), "{refused}");
        assert!(!machine.locations.global.exists());
    }
}

#[test]
fn users_config_may_be_a_link_and_keeps_its_mode() {
    let machine = TestMachine::new();
    let dotfiles = machine.root.join("dotfiles.json");
    TestMachine::write(&dotfiles, config("deny", "x"));
    std::fs::set_permissions(&dotfiles, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::fs::create_dir_all(machine.locations.global.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&dotfiles, &machine.locations.global).unwrap();
    add(&machine, LayerKind::Global, &machine.locations.global, "a").unwrap();
    assert_eq!((machine.decide("a"), machine.decide("x")), (Decision::Allow, Decision::Deny));
    assert!(machine.locations.global.is_symlink());
    assert_eq!(std::fs::metadata(&dotfiles).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn change_that_does_not_load_is_not_written() {
    let machine = TestMachine::new();
    let path = machine.locations.global.clone();
    let edit = |_: Option<&str>| Ok("{ \"version\": 1, \"permissons\": {} }".into());
    let error = change_config(&machine.locations, LayerKind::Global, &path, "me", Timestamp::now(), edit);
    assert!(error.unwrap_err().to_string().contains("did you mean `permissions`?"));
    assert!(!path.exists());
}
