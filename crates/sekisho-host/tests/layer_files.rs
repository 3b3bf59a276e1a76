use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use sekisho_host::{LayerFileState, Workspace};
use sekisho_policy::Decision;

use crate::test_machine::{TestMachine, config};

#[test]
fn root_is_requested_then_reported_then_gits_then_the_directory() {
    let machine = TestMachine::new();
    let (sub, above) = (machine.root.join("sub"), machine.root.parent().unwrap());
    let root = |demanded: Option<&Path>, reported: Option<&Path>, cwd: &Path| {
        Workspace::find(demanded, reported, cwd).unwrap().root
    };
    assert_eq!(root(Some(above), Some(&sub), &sub), above);
    assert_eq!(root(None, Some(&sub), &sub), sub);
    assert_eq!(root(None, None, &sub), machine.root);
    assert_eq!(root(None, None, above), above);
    // Git skips a `.git` without HEAD.
    std::fs::create_dir(sub.join(".git")).unwrap();
    assert_eq!(root(None, None, &sub), machine.root);
    assert!(Workspace::find(Some(Path::new("/nowhere/at/all")), None, &sub).is_err());
}

#[test]
fn only_the_trusted_root_file_loosens_and_every_file_tightens() {
    let machine = TestMachine::new();
    TestMachine::write(&machine.project(), config("allow", "a"));
    TestMachine::write(&machine.root.join("sub/.sekisho/config.json"), config("allow", "b"));
    TestMachine::write(&machine.root.parent().unwrap().join(".sekisho/config.json"), config("deny", "c"));
    assert_eq!(machine.decide("a"), Decision::Confirm);
    machine.trust();
    assert_eq!(machine.decide("a"), Decision::Allow);
    assert_eq!(machine.decide("b"), Decision::Confirm);
    assert_eq!(machine.decide("c"), Decision::Deny);
    let states: Vec<LayerFileState> = machine.load().sources.into_iter().map(|source| source.state).collect();
    assert!(states.contains(&LayerFileState::OnlyTightens) && states.contains(&LayerFileState::Active));
}

/// What is in place of the file, and the expected error.
type Fault = (&'static str, fn(&Path), &'static str);

const FAULTS: &[Fault] = &[
    ("invalid UTF-8", |path| TestMachine::write(path, b"{\n\xff"), "line 2 is not UTF-8"),
    ("broken JSON", |path| TestMachine::write(path, "{"), "unterminated object"),
    ("a directory", |path| std::fs::create_dir_all(path).unwrap(), "a directory is in place of the file"),
    ("a link to nowhere", |path| link(path, "/nowhere/at/all"), "a link that leads nowhere"),
    (
        "a link as directory",
        |path| link(path.parent().unwrap(), "/nowhere/at/all"),
        "a link that leads nowhere",
    ),
    ("a file as directory", |path| TestMachine::write(path.parent().unwrap(), ""), "not a directory"),
    ("a device", |path| link(path, "/dev/zero"), "not a regular file"),
    ("a pipe", pipe, "not a regular file"),
    ("100 MB", large, "has 104857600 bytes, more than the 67108864 that are read"),
];

fn link(path: &Path, target: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(target, path).unwrap();
}

fn pipe(path: &Path) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
}

fn large(path: &Path) {
    TestMachine::write(path, "");
    std::fs::File::options().write(true).open(path).unwrap().set_len(100 << 20).unwrap();
}

#[track_caller]
fn check(name: &str, machine: &TestMachine, path: &Path, why: &str, expected: Decision) {
    let broken = machine.load().layers.broken;
    let [broken] = broken.as_slice() else { panic!("{name}: {broken:?}") };
    assert!(broken.error.contains(why), "{name}: {}", broken.error);
    assert!(
        !broken.error.contains('\n')
            && path.starts_with(broken.error.split(": ").next().unwrap().split(":1:").next().unwrap()),
        "{}",
        broken.error
    );
    assert_eq!(machine.decide("anything"), expected, "{name}");
    // `done` is allowed by a built-in rule.
    assert_eq!(machine.decide("done"), expected, "{name}");
}

#[test]
fn broken_file_denies_and_broken_project_file_asks() {
    for (name, make, why) in FAULTS {
        let machine = TestMachine::new();
        make(&machine.locations.managed);
        check(name, &machine, &machine.locations.managed, why, Decision::Deny);
        let machine = TestMachine::new();
        make(&machine.locations.global);
        check(name, &machine, &machine.locations.global, why, Decision::Deny);
        let machine = TestMachine::new();
        make(&machine.project());
        check(name, &machine, &machine.project(), why, Decision::Confirm);
    }
}

#[test]
fn unreadable_file_is_an_error() {
    let machine = TestMachine::new();
    let path = &machine.locations.global;
    TestMachine::write(path, config("allow", "a"));
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(path).is_ok() {
        eprintln!("skipped: this user may read everything");
        return;
    }
    check("no permission", &machine, path, "no permission to read it", Decision::Deny);
}

#[test]
fn named_config_must_exist() {
    let mut machine = TestMachine::new();
    assert_eq!(machine.decide("done"), Decision::Allow);
    machine.locations.global_is_named = true;
    assert_eq!(machine.decide("done"), Decision::Deny);
    TestMachine::write(&machine.locations.global, config("allow", "a"));
    assert_eq!(machine.decide("a"), Decision::Allow);
}

#[test]
fn sekishos_own_files_are_protected_wherever_they_are() {
    let mut machine = TestMachine::new();
    machine.locations.state = machine.root.join("odd [place]*");
    let policy = sekisho_policy::Policy::compile(machine.load().layers);
    let decide = |name: &str| {
        let path = machine.root.join(name);
        let call = sekisho_policy::Call::new("write", serde_json::json!({ "path": path }));
        let needs = sekisho_policy::required_facts(&policy, &call);
        let mut context = sekisho_policy::JudgeContext::at(jiff::Timestamp::now());
        context.facts = sekisho_host::look_up(&policy, &needs, None, None);
        sekisho_policy::judge(&policy, &call, &context).decision
    };
    assert_eq!(decide("odd [place]*/trust.json"), Decision::Deny);
    assert_eq!(decide("odd p"), Decision::Confirm);
}
