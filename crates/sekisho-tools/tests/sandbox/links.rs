//! Programs that reach no file through a link in their writable directories.

use sekisho_tools::sandbox::{HelperPlan, Isolation, Links, Sandbox, SandboxError};
use sekisho_tools::{RequiredLevel, SandboxSettings};

use crate::sandbox_fixture::{arenas, isolations, programs};

#[test]
fn links_in_writable_directories_lead_nowhere() {
    let text = "ln -s empty there; ln -s file name; mkdir deep; ln -s .. deep/up; \
        echo x > there/new; echo x > name; echo x > deep/up/new; echo x > empty/plain; readlink there";
    for arena in arenas().into_iter().filter(|arena| arena.isolation == Isolation::Namespaces) {
        let plan = HelperPlan { no_links: true, ..arena.plan(&["bash".into(), "-c".into(), text.into()]) };
        let output = arena.program(&programs().helper, &plan.to_arguments()).output().unwrap();
        let name = arena.name();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "empty\n", "{name}: {output:?}");
        for file in ["empty/new", "new"] {
            assert!(!arena.inside().join(file).exists(), "{name}: {file}");
        }
        assert_eq!(std::fs::read_to_string(arena.inside().join("file")).unwrap(), "inside", "{name}");
        assert!(arena.inside().join("empty/plain").exists(), "{name}: {output:?}");
    }
}

#[test]
fn without_namespaces_such_a_program_does_not_start() {
    for isolation in isolations() {
        let sandbox = Sandbox::at_level(&programs().helper, isolation.clone());
        let plan = |links, level| {
            let settings = SandboxSettings { links, level, ..SandboxSettings::default() };
            sandbox.plan(&settings, vec!["true".into()]).map(|plan| plan.no_links)
        };
        let possible = isolation != Isolation::None;
        let ignored = if possible { Ok(true) } else { Err(SandboxError::Links) };
        assert_eq!(plan(Links::Ignored, RequiredLevel::Required), ignored);
        assert_eq!(plan(Links::Ignored, RequiredLevel::Degraded), Ok(possible));
        assert_eq!(plan(Links::IgnoredIfPossible, RequiredLevel::Required), Ok(possible));
        assert_eq!(plan(Links::Followed, RequiredLevel::Required), Ok(false));
    }
    let plan = HelperPlan { no_links: true, ..HelperPlan::default() };
    for arena in arenas().into_iter().filter(|arena| arena.isolation == Isolation::None) {
        let plan = HelperPlan { command: vec!["true".into()], ..plan.clone() };
        let output = arena.program(&programs().helper, &plan.to_arguments()).output().unwrap();
        assert!(!output.status.success(), "{output:?}");
    }
}
