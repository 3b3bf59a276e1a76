//! Directories that are mounted at several places, and mounts that are not the planned ones.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_change, unmount,
};
use sekisho_tools::SandboxSettings;
use sekisho_tools::sandbox::{DirectoryId, HelperPlan, Isolation, PlannedDir, Sandbox, SandboxError};

use crate::sandbox_fixture::{Arena, arenas, copy_program, isolations, programs, wait_until};

/// Calls a function in a thread with mounts of its own, if this user may have them.
#[expect(unsafe_code, reason = "only this thread gets other mounts")]
fn with_own_mounts(test: impl FnOnce() + Send + 'static) {
    use rustix::thread::{UnshareFlags, unshare_unsafe};

    if !rustix::process::geteuid().is_root() {
        return;
    }
    let thread = std::thread::spawn(move || {
        // SAFETY: this thread owns nothing that depends on its mounts.
        unsafe { unshare_unsafe(UnshareFlags::NEWNS) }.unwrap();
        mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC).unwrap();
        test();
    });
    thread.join().unwrap();
}

/// How often the secret is read by `cat` of these files below a directory, first without hiding `state`.
fn check_hidden(root: &Path, state: &str, files: &[&str]) {
    for isolation in isolations() {
        let sandbox = Sandbox::at_level(&programs().helper, isolation.clone());
        let hiding = sandbox.clone().hiding([root.join(state)]);
        let mut command: Vec<OsString> = vec!["cat".into()];
        command.extend(files.iter().map(|file| root.join(file).into_os_string()));
        for (sandbox, expected) in [(&sandbox, files.len()), (&hiding, 0)] {
            let plan = sandbox.plan(&SandboxSettings::default(), command.clone()).unwrap();
            let arena = Arena::new(None, isolation.clone());
            let output = arena.program(&programs().helper, &plan.to_arguments()).output().unwrap();
            let found = String::from_utf8_lossy(&output.stdout).matches("swordfish").count();
            assert_eq!(found, expected, "{isolation:?}: {output:?}");
        }
    }
}

fn temporary_root(directories: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for name in directories {
        fs::create_dir_all(root.join(name)).unwrap();
    }
    (dir, root)
}

fn planned(sandbox: &Sandbox, writable: PathBuf) -> Result<HelperPlan, SandboxError> {
    sandbox.plan(
        &SandboxSettings { writable: vec![writable.into()], ..SandboxSettings::default() },
        vec!["true".into()],
    )
}

/// A home directory may be mounted at two places.
#[test]
fn second_mount_of_a_hidden_directory_is_hidden_too() {
    let (_dir, root) = temporary_root(&["home/state/keys", "home/project", "alias", "keys"]);
    fs::write(root.join("home/state/keys/key"), "swordfish").unwrap();
    with_own_mounts(move || {
        mount_bind(root.join("home"), root.join("alias")).unwrap();
        mount_bind(root.join("home/state/keys"), root.join("keys")).unwrap();
        check_hidden(&root, "home/state", &["home/state/keys/key", "alias/state/keys/key", "keys/key"]);
        let hiding = Sandbox::at_level(&programs().helper, Isolation::None).hiding([root.join("home/state")]);
        for (writable, refused) in [("alias", true), ("keys", true), ("alias/project", false)] {
            let found = planned(&hiding, root.join(writable));
            assert_eq!(
                matches!(found, Err(SandboxError::HiddenInside(..))),
                refused,
                "{writable}: {found:?}"
            );
        }
    });
}

/// A home directory may be mounted over one that had mounts in it.
#[test]
fn hidden_directory_below_a_covered_mount_is_hidden_everywhere() {
    let (_dir, root) = temporary_root(&["home/.local", "real/.local/state", "alias"]);
    fs::write(root.join("real/.local/state/key"), "swordfish").unwrap();
    with_own_mounts(move || {
        mount(c"none", root.join("home/.local"), c"tmpfs", MountFlags::empty(), None).unwrap();
        mount_bind(root.join("real"), root.join("home")).unwrap();
        mount_bind(root.join("real"), root.join("alias")).unwrap();
        let files = ["home/.local/state/key", "alias/.local/state/key", "real/.local/state/key"];
        check_hidden(&root, "home/.local/state", &files);
    });
}

/// Secrets of containers are single files that are mounted.
#[test]
fn file_mounted_in_a_hidden_directory_is_hidden_everywhere() {
    let (_dir, root) = temporary_root(&["state", "keys", "alias"]);
    fs::write(root.join("state/key"), "").unwrap();
    fs::write(root.join("keys/k"), "swordfish").unwrap();
    with_own_mounts(move || {
        mount_bind(root.join("keys/k"), root.join("state/key")).unwrap();
        mount_bind(root.join("keys"), root.join("alias")).unwrap();
        check_hidden(&root, "state", &["state/key", "keys/k", "alias/k"]);
    });
}

#[test]
fn second_mount_of_the_directory_of_the_helper_is_not_writable() {
    let (_dir, root) = temporary_root(&["bin", "alias", "beside"]);
    with_own_mounts(move || {
        mount_bind(root.join("bin"), root.join("alias")).unwrap();
        let sandbox = Sandbox::at_level(&root.join("bin/sekisho-sandbox"), Isolation::None);
        for name in ["bin", "alias"] {
            let expected = Err(SandboxError::HelperInside(root.join(name)));
            assert_eq!(planned(&sandbox, root.join(name)), expected);
        }
        assert!(planned(&sandbox, root.join("beside")).is_ok());
        // This program itself.
        let own = std::env::current_exe().unwrap().canonicalize().unwrap();
        mount_bind(own.parent().unwrap(), root.join("beside")).unwrap();
        for dir in [own.parent().unwrap().to_owned(), root.join("beside")] {
            assert_eq!(planned(&sandbox, dir.clone()), Err(SandboxError::HelperInside(dir)));
        }
    });
}

/// Somebody plugs in a disk, or starts a container, while a command runs.
#[test]
fn mounts_made_later_do_not_appear_inside() {
    with_own_mounts(|| {
        mount_change("/", MountPropagationFlags::SHARED | MountPropagationFlags::REC).unwrap();
        for arena in arenas().into_iter().filter(Arena::is_isolated) {
            let (late, go) = (arena.outside().join("late"), arena.inside().join("go"));
            let (secret, ready) = (arena.outside().join("secret"), arena.inside().join("ready"));
            for dir in [&late, &secret] {
                fs::create_dir_all(dir).unwrap();
            }
            fs::write(secret.join("key"), "swordfish").unwrap();
            let text = "touch ready; while ! [ -e go ]; do sleep 0.05; done; cat \"$0/key\"; echo end";
            let command = ["bash".into(), "-c".into(), text.into(), late.clone().into_os_string()];
            let arguments = arena.plan(&command).to_arguments();
            let mut command = arena.program(&programs().helper, &arguments);
            let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            wait_until("the command runs", || ready.exists());
            mount_bind(&secret, &late).unwrap();
            assert!(late.join("key").exists());
            fs::write(go, "").unwrap();
            let output = child.wait_with_output().unwrap();
            unmount(&late, UnmountFlags::DETACH).unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stdout), "end\n", "{}", arena.name());
        }
    });
}

/// Another directory took the place of one that the plan names.
#[test]
fn other_directories_than_the_planned_ones_are_refused() {
    for arena in arenas() {
        let id = |dir: &Path| Some(DirectoryId::of(&fs::metadata(dir).unwrap()));
        let (inside, outside) = (arena.inside(), arena.outside());
        for (name, id, expected) in [("same", id(&outside), true), ("other", id(&inside), false)] {
            let plan = arena.plan(&["true".into()]);
            let usr = PathBuf::from("/").into();
            let readable = vec![PlannedDir { path: outside.clone(), id }, usr];
            let reading = HelperPlan { readable, ..plan.clone() };
            let starting = HelperPlan { working_dir: Some(outside.clone()), working_dir_id: id, ..plan };
            for plan in [reading, starting] {
                let output = arena.program(&programs().helper, &plan.to_arguments()).output().unwrap();
                assert_eq!(output.status.success(), expected, "{}, {name}: {output:?}", arena.name());
            }
        }
    }
}

/// A writable `inside/a/out`, and a link `inside/evil` that leads outside when it takes the place of `a`.
struct Exchange {
    arena: Arena,
    plan: HelperPlan,
}

impl Exchange {
    fn new(arena: Arena) -> Exchange {
        let (out, victim) = (arena.inside().join("a/out"), arena.outside().join("out"));
        for dir in [&out, &victim] {
            fs::create_dir_all(dir).unwrap();
            fs::write(dir.join("f"), "").unwrap();
            fs::set_permissions(dir.join("f"), fs::Permissions::from_mode(0o600)).unwrap();
            for path in [dir.parent().unwrap(), dir, &dir.join("f")] {
                chown(path, arena.user, arena.user).unwrap();
            }
        }
        symlink("../outside", arena.inside().join("evil")).unwrap();
        let text = "chmod 700 \"$0\"; chmod 700 \"$1\"; echo ran";
        let command = ["bash".into(), "-c".into(), text.into()];
        let mut command: Vec<OsString> = command.into();
        command.extend([victim.join("f").into(), out.join("f").into()]);
        let id = DirectoryId::of(&fs::metadata(&out).unwrap());
        let plan = HelperPlan {
            writable: vec![PlannedDir { path: out, id: Some(id) }],
            working_dir: None,
            ..arena.plan(&command)
        };
        Exchange { arena, plan }
    }

    /// Runs the command, and says whether it was started.
    fn run(&self, isolation: Isolation) -> bool {
        let plan = HelperPlan { isolation, ..self.plan.clone() };
        let output = self.arena.program(&programs().helper, &plan.to_arguments()).output().unwrap();
        String::from_utf8_lossy(&output.stdout).contains("ran")
    }

    fn mode(&self, path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn assert_untouched(&self, what: &str) {
        assert_eq!(self.mode(&self.arena.outside().join("out/f")), 0o600, "{}, {what}", self.arena.name());
    }
}

/// What bubblewrap mounts if a link is there for a moment: `--bind` of its target, or of a directory above.
#[test]
fn other_mounts_than_the_planned_ones_are_refused() {
    let bubblewraps =
        arenas().into_iter().filter(|arena| matches!(arena.isolation, Isolation::Bubblewrap(_)));
    for arena in bubblewraps {
        let scripts = tempfile::tempdir().unwrap();
        fs::set_permissions(scripts.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let exchange = Exchange::new(arena);
        let (out, outside) = (exchange.plan.writable[0].path.clone(), exchange.arena.outside());
        let (inside, victim) = (exchange.arena.inside(), outside.join("out"));
        let (place, out, victim) = (inside.parent().unwrap().display(), out.display(), victim.display());
        for (name, mounts, expected) in [
            ("planned", format!("--bind {out} {out}"), true),
            ("target", format!("--bind {victim} {victim}"), false),
            ("both", format!("--bind {out} {out} --bind {victim} {victim}"), false),
            ("above", format!("--bind {place} {place}"), false),
            ("in-place", format!("--bind {victim} {out}"), false),
        ] {
            // The same options, with other mounts.
            let text = format!(
                "#!/bin/bash\nwords=()\nwhile [ $# -gt 0 ]; do case $1 in \
                 --bind) words+=({mounts}); shift 3;; --) break;; *) words+=(\"$1\"); shift;; esac; done\n\
                 exec /usr/bin/bwrap \"${{words[@]}}\" \"$@\"\n"
            );
            let source = scripts.path().join(format!("{name}.txt"));
            fs::write(&source, text).unwrap();
            fs::set_permissions(&source, fs::Permissions::from_mode(0o755)).unwrap();
            let program = copy_program(&source, &scripts.path().join(name));
            assert_eq!(exchange.run(Isolation::Bubblewrap(program)), expected, "{name}");
            exchange.assert_untouched(name);
        }
        assert_eq!(exchange.mode(&exchange.arena.inside().join("a/out/f")), 0o700, "it is writable");
    }
}

/// Another program exchanges a directory above the writable one for a link, and back, during the start.
#[test]
fn directory_exchanged_during_the_start_makes_nothing_else_writable() {
    for arena in arenas().into_iter().filter(Arena::is_isolated) {
        let exchange = Exchange::new(arena);
        let isolation = exchange.arena.isolation.clone();
        assert!(exchange.run(isolation.clone()));
        exchange.assert_untouched("without exchanges");
        let done = AtomicBool::new(false);
        let (there, link) = (exchange.arena.inside().join("a"), exchange.arena.inside().join("evil"));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let exchange = || renameat_with(CWD, &there, CWD, &link, RenameFlags::EXCHANGE).unwrap();
                for round in (0_u64..).take_while(|_| !done.load(Ordering::Relaxed)) {
                    std::thread::sleep(Duration::from_micros(round * 317 % 4000));
                    exchange();
                    std::thread::sleep(Duration::from_micros(300 + round * 511 % 2000));
                    exchange();
                }
            });
            for _ in 0..60 {
                exchange.run(isolation.clone());
            }
            done.store(true, Ordering::Relaxed);
        });
        exchange.assert_untouched("with exchanges");
    }
}
