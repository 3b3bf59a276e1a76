//! Files that programs must not read.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{chown, symlink};
use std::path::{Path, PathBuf};

use sekisho_tools::SandboxSettings;
use sekisho_tools::sandbox::{HelperPlan, Isolation, Sandbox, SandboxError};

use crate::sandbox_fixture::{Arena, arenas, programs};

/// What bash prints, with some paths hidden.
fn read(arena: &Arena, hidden: Vec<PathBuf>, text: &str) -> String {
    let command: Vec<OsString> =
        vec!["bash".into(), "-c".into(), text.into(), arena.outside().into(), arena.inside().into()];
    let plan = HelperPlan { hidden, ..arena.plan(&command) };
    let output = arena.program(&programs().helper, &plan.to_arguments()).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn hidden_paths_are_not_read() {
    for arena in arenas() {
        let (state, other) = (arena.outside().join("empty"), arena.outside().join("other-key"));
        let plant = || {
            arena.reset();
            for secret in [&state.join("key"), &other] {
                fs::write(secret, "swordfish").unwrap();
                chown(secret, arena.user, arena.user).unwrap();
            }
            symlink(state.join("key"), arena.inside().join("link")).unwrap();
            symlink(&state, arena.inside().join("linked")).unwrap();
        };
        let hidden = vec![state.clone(), other.clone(), arena.outside().join("missing")];
        let attacks = "cat $0/empty/key; cat link; cat linked/key; cat /proc/self/root$0/empty/key; cat /proc/self/cwd/link; \
            cat $0/other-key; cd $0/empty && cat key; cd /; exec 3<$0/empty/key && cat <&3; cp $0/empty/key $1/copy && cat $1/copy; \
            ln $0/empty/key $1/hard && cat $1/hard; mv $0/empty/key $1/moved && cat $1/moved; tar c $0/empty/key; \
            cat /proc/$PPID/root$0/empty/key; chmod 777 $0/empty; cat $0/empty/key; umount $0/empty; cat $0/empty/key";
        plant();
        assert!(read(&arena, Vec::new(), attacks).contains("swordfish"), "it is not an attack");
        plant();
        let found = read(&arena, hidden.clone(), attacks);
        assert!(!found.contains("swordfish"), "{}: {found}", arena.name());
        // What is beside it can be read.
        let found = read(
            &arena,
            hidden,
            "cat $0/file $1/file /etc/hostname >/dev/null && cat $0/file; echo x > n; cat n",
        );
        assert_eq!(found, "outsidex\n", "{}", arena.name());
    }
}

#[test]
fn file_created_later_at_a_hidden_path_is_not_read() {
    for arena in arenas() {
        let (late, ready) = (arena.outside().join("late"), arena.inside().join("ready"));
        let text = "echo > ready; until [ -e $0/late ]; do sleep 0.01; done; cat $0/late";
        let command: Vec<OsString> = vec!["bash".into(), "-c".into(), text.into(), arena.outside().into()];
        let plan = HelperPlan { hidden: vec![late.clone()], ..arena.plan(&command) };
        let mut helper = arena.program(&programs().helper, &plan.to_arguments());
        let child = helper.stdout(std::process::Stdio::piped()).spawn().unwrap();
        crate::sandbox_fixture::wait_until("it runs", || ready.exists());
        fs::write(&late, "swordfish").unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{}", arena.name());
    }
}

/// Disks hold every file, terminals what is typed elsewhere.
#[test]
fn devices_are_not_read() {
    let disk =
        fs::read_dir("/sys/block").unwrap().flatten().map(|entry| Path::new("/dev").join(entry.file_name()));
    let disk = disk.filter(|path| fs::File::open(path).is_ok()).map(|path| path.to_str().unwrap().to_owned());
    let devices: Vec<String> = disk.take(3).chain(["/dev/ptmx".to_owned()]).collect();
    for arena in arenas() {
        for device in &devices {
            let said = arena.attack(&["open", device]);
            assert!(said.starts_with("denied"), "{}, {device}: {said}", arena.name());
        }
        for device in ["/dev/null", "/dev/zero", "/dev/urandom"] {
            assert_eq!(arena.attack(&["read", device]), "done", "{}, {device}", arena.name());
        }
        assert_eq!(arena.attack_freely(&["open", "/dev/ptmx"]), "done", "it is not an attack");
    }
}

#[test]
fn writable_directory_with_a_hidden_path_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    fs::create_dir_all(root.join("home/state/inner")).unwrap();
    fs::create_dir_all(root.join("home/project")).unwrap();
    symlink(root.join("home"), root.join("link")).unwrap();
    let state = root.join("home/state");
    // Given by another name.
    let sandbox = Sandbox::at_level(&programs().helper, Isolation::None).hiding([root.join("link/state")]);
    for (writable, refused) in [
        ("home", true),
        ("link", true),
        ("home/state", true),
        ("home/state/inner", true),
        ("home/project", false),
    ] {
        let dir = root.join(writable);
        let settings = SandboxSettings { writable: vec![dir.clone().into()], ..SandboxSettings::default() };
        let found = sandbox.plan(&settings, vec!["true".into()]);
        match refused {
            true => assert_eq!(found, Err(SandboxError::HiddenInside(dir, state.clone()))),
            false => assert_eq!(found.unwrap().hidden, vec![state.clone()]),
        }
    }
}

#[test]
fn links_to_the_helper_and_elsewhere_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    fs::create_dir_all(root.join("real/out")).unwrap();
    let programs_dir = programs().helper.parent().unwrap().canonicalize().unwrap();
    symlink(programs_dir, root.join("programs")).unwrap();
    symlink("real", root.join("link")).unwrap();
    let sandbox = Sandbox::at_level(&programs().helper, Isolation::None);
    let plan = |name: &str| {
        let settings =
            SandboxSettings { writable: vec![root.join(name).into()], ..SandboxSettings::default() };
        sandbox.plan(&settings, vec!["true".into()])
    };
    assert_eq!(plan("programs"), Err(SandboxError::HelperInside(root.join("programs"))));
    assert_eq!(plan("link"), Err(SandboxError::Link(root.join("link"), root.join("real"))));
    assert_eq!(plan("link/out"), Err(SandboxError::Link(root.join("link/out"), root.join("real/out"))));
    assert_eq!(plan("real/out").unwrap().writable[0].path, root.join("real/out"));
}
