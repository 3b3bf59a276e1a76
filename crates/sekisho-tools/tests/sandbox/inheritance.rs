//! What a program inherits: no descriptors, no capabilities, no privileges.

use std::ffi::OsString;
use std::fs::File;

use rustix::io::{FdFlags, fcntl_setfd};

use crate::sandbox_fixture::{arenas, programs};

#[test]
fn nothing_is_inherited() {
    // Descriptors that every program started meanwhile inherits.
    let leaked: Vec<File> = (0..3).map(|_| File::open("/etc/hostname").unwrap()).collect();
    for file in &leaked {
        fcntl_setfd(file, FdFlags::empty()).unwrap();
    }
    for arena in arenas() {
        assert_eq!(arena.attack_freely(&["descriptors"]), "done", "no descriptor was leaked");
        for attack in ["descriptors", "capabilities", "new_privileges", "become_root", "core_size"] {
            let said = arena.attack(&[attack]);
            assert!(said.starts_with("denied"), "{}, {attack}: {said}", arena.name());
        }
    }
}

#[test]
fn setuid_programs_get_nothing() {
    let su = std::path::Path::new("/bin/su");
    if !su.is_file() {
        return;
    }
    for arena in arenas().into_iter().filter(|arena| arena.user.is_some()) {
        let output =
            arena.bash("cp /bin/su ./su 2>/dev/null; /bin/su -c id root </dev/null; cat /etc/shadow");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(!text.contains("uid=0") && !text.contains("root:"), "{}: {output:?}", arena.name());
    }
}

#[test]
fn root_cannot_read_what_capabilities_would_open() {
    // A file of another user that only capabilities open.
    for arena in arenas().into_iter().filter(|arena| arena.user.is_none()) {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let file = arena.outside().join("theirs");
        std::fs::write(&file, "secret").unwrap();
        std::os::unix::fs::chown(&file, Some(65534), Some(65534)).unwrap();
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        let output = arena.run(&["cat".into(), file.into_os_string()]);
        assert!(!output.status.success() && output.stdout.is_empty(), "{}: {output:?}", arena.name());
    }
}

#[test]
fn limits_are_set() {
    for arena in arenas() {
        let plan = sekisho_tools::sandbox::HelperPlan {
            file_size: Some(4096),
            memory: Some(2 << 30),
            ..arena.plan(&["bash", "-c", "ulimit -c -f -v; head -c 8192 /dev/zero > big"].map(OsString::from))
        };
        let output = arena.program(&programs().helper, &plan.to_arguments()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let values: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().last()).collect();
        assert_eq!(values, ["0", "4", "2097152"], "{}: {output:?}", arena.name());
        assert!(std::fs::metadata(arena.inside().join("big")).unwrap().len() <= 4096, "{}", arena.name());
    }
}
