//! What must still work, and how the helper reports.

use std::ffi::OsString;
use std::path::Path;

use sekisho_tools::sandbox::{HelperPlan, Isolation, Sandbox, SandboxError, SandboxLevel, SandboxSettings};
use sekisho_tools::{Network, RequiredLevel};

use crate::sandbox_fixture::{arenas, isolations, programs};

#[test]
fn ordinary_work_is_possible() {
    for arena in arenas() {
        let text = "set -e; umask 022; echo a > a; chmod +x a; mkdir -p b/c; mv a b/c; ln b/c/a h; ln -s b/c/a s; touch -d yesterday h; \
            cat < h > /dev/null; echo to stderr >&2; ls / > list; (sleep 0 & wait); echo x | tee t | wc -c; \
            cat <(echo y); rm -r b; [ -r /proc/self/status ]; head -c 4 /dev/urandom | wc -c";
        let output = arena.bash(text);
        assert!(output.status.success(), "{}: {output:?}", arena.name());
        assert_eq!(String::from_utf8_lossy(&output.stdout), "2\ny\n4\n", "{}", arena.name());
    }
}

#[test]
fn exit_codes_and_signals_are_passed_on() {
    for arena in arenas() {
        for (text, code) in [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("kill -TERM $$", 143)] {
            assert_eq!(arena.bash(text).status.code(), Some(code), "{}, {text}", arena.name());
        }
        let missing = arena.run(&["no-such-program".into()]);
        let error = String::from_utf8_lossy(&missing.stderr).into_owned();
        assert_eq!(missing.status.code(), Some(125), "{}", arena.name());
        assert!(error.contains("`no-such-program` cannot be started"), "{}: {error}", arena.name());
    }
}

#[test]
fn a_missing_writable_directory_is_an_error() {
    for arena in arenas() {
        let plan = HelperPlan {
            writable: vec![std::path::PathBuf::from("/no/such/directory").into()],
            ..arena.plan(&["true".into()])
        };
        let output = arena.program(&programs().helper, &plan.to_arguments()).output().unwrap();
        assert_eq!(output.status.code(), Some(125), "{}: {output:?}", arena.name());
    }
}

#[test]
fn detection_finds_the_strongest_isolation() {
    let found = Sandbox::detect(&programs().helper, Some(Path::new("/usr/bin/bwrap")));
    let best = match isolations().last() {
        Some(Isolation::Bubblewrap(_)) => SandboxLevel::Bubblewrap,
        Some(Isolation::Namespaces) => SandboxLevel::Namespaces,
        _ => SandboxLevel::Landlock,
    };
    assert_eq!(found.level(), best, "{found:?}");
    let without = Sandbox::detect(&programs().helper, None);
    assert!(without.level() >= SandboxLevel::Landlock && without.level() < SandboxLevel::Bubblewrap);
}

#[test]
fn without_a_sandbox_nothing_starts() {
    let none = Sandbox::detect(Path::new("/no/such/helper"), None);
    assert_eq!(none.level(), SandboxLevel::None);
    assert!(none.why().unwrap().contains("does not exist"), "{none:?}");
    let command: Vec<OsString> = vec!["true".into()];
    let required = SandboxSettings::default();
    assert!(matches!(none.plan(&required, command.clone()), Err(SandboxError::Level(_))));
    let degraded = SandboxSettings { level: RequiredLevel::Degraded, ..SandboxSettings::default() };
    assert!(none.plan(&degraded, command).is_ok(), "the helper is still asked for what there is");
}

#[test]
fn hosts_need_namespaces() {
    let plain = Sandbox::at_level(&programs().helper, Isolation::None);
    let network = Network::Hosts(vec!["example.com".into()]);
    let settings = SandboxSettings { network, ..SandboxSettings::default() };
    let refused = plain.plan(&settings, vec!["true".into()]).unwrap_err();
    assert_eq!(refused, SandboxError::Network);
    assert!(refused.to_string().starts_with("network is not available in the sandbox here"));
}

#[test]
fn the_helper_must_not_be_writable() {
    let sandbox = Sandbox::at_level(&programs().helper, Isolation::None);
    let dir = programs().helper.parent().unwrap().canonicalize().unwrap();
    let settings = SandboxSettings { writable: vec![dir.clone().into()], ..SandboxSettings::default() };
    assert_eq!(sandbox.plan(&settings, vec!["true".into()]), Err(SandboxError::HelperInside(dir)));
}
