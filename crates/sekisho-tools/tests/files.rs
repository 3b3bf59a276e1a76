//! `file_write` and `edit` against links, races, special files, full disks and odd names.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use sekisho_tools::Sandbox;
use sekisho_tools::contained_write::Lookup;
use sekisho_tools::sandbox::Isolation;
use serde_json::json;

use crate::project::{Project, listing};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

/// The helper enforces the sandbox, and the others run outside it.
#[test]
fn programs_of_sekisho_are_never_written() {
    let mut project = Project::new();
    fs::create_dir(project.path("work/doc/bin")).unwrap();
    fs::write(project.path("work/doc/bin/sekisho-sandbox"), "outside").unwrap();
    let helper = project.context.root.join("doc/bin/sekisho-sandbox");
    project.context.sandbox = Arc::new(Sandbox::at_level(&helper, Isolation::None));
    // Not even with the approval of a human.
    for approved_by_human in [false, true] {
        project.approved_by_human = approved_by_human;
        for name in ["doc/bin/sekisho-sandbox", "doc/bin/sekisho", "doc/bin/sekisho-hook"] {
            let message = project.refuses(name);
            assert!(message.contains("is a program of sekisho"), "{name}: {message}");
        }
    }
    assert!(!project.write("doc/bin/other", "x", "create").is_error);
    assert!(!project.write("doc/sekisho", "x", "create").is_error);
}

#[test]
fn writes_below_the_allowed_directory() {
    for lookup in [Lookup::Kernel, Lookup::Stepwise] {
        let project = Project { lookup, ..Project::without_doc() };
        let absolute = project.path("work/doc/b");
        for (path, content, mode) in [
            ("doc/a", "one", "create"),
            ("doc/a", "two", "overwrite"),
            ("doc/a", "three", "append"),
            ("./doc//deep/er/../er/a", "x", "overwrite"),
            ("../work/doc/c", "x", "append"),
            (absolute.to_str().unwrap(), "x", "create"),
        ] {
            let result = project.write(path, content, mode);
            assert!(!result.is_error, "{path}: {}", result.content);
        }
        assert_eq!(project.text("work/doc/a"), "twothree");
        assert_eq!(project.text("work/doc/deep/er/a"), "x");
        assert!(!listing(project.directory.path()).iter().any(|line| line.contains(".sekisho-")));
        let result = project.write("doc/a", "x", "create");
        assert!(result.is_error && project.text("work/doc/a") == "twothree", "{}", result.content);
    }
}

#[test]
fn nothing_is_created_for_a_refused_write() {
    let project = Project::without_doc();
    for path in ["other/x", "doc/.git/config", "../outside/x", "doc", "doc/", "doc/new/", ""] {
        project.refuses(path);
    }
    assert!(!project.path("work/doc").exists());
}

#[test]
fn paths_outside_are_refused() {
    let project = Project::new();
    fs::create_dir(project.path("work/doc_evil")).unwrap();
    let outside = project.path("outside/secret");
    let evil = project.path("work/doc_evil/x");
    let through_fd = format!("/proc/self/fd/0/../../..{}", outside.display());
    for path in [
        "../outside/secret",
        "doc/../../outside/secret",
        "doc/x/../../../outside/secret",
        "doc_evil/x",
        "doc/../doc_evil/x",
        "x",
        "/",
        "doc/..",
        "doc\0/x",
        "/etc/passwd",
        "//etc//passwd",
        "/tmp/../etc/passwd",
        "/proc/self/cwd/x",
        "/dev/null",
        "C:\\Windows\\x",
        outside.to_str().unwrap(),
        evil.to_str().unwrap(),
        &through_fd,
    ] {
        project.refuses(path);
    }
    assert_eq!(project.text("outside/secret"), "outside");
}

#[test]
fn links_are_not_followed() {
    let project = Project::new();
    symlink(project.path("outside"), project.path("work/doc/directory")).unwrap();
    symlink(project.path("outside/secret"), project.path("work/doc/file")).unwrap();
    symlink("../../outside/new", project.path("work/doc/dangling")).unwrap();
    symlink("/proc/self/cwd", project.path("work/doc/magic")).unwrap();
    symlink("/proc/self/fd", project.path("work/doc/descriptors")).unwrap();
    symlink(".", project.path("work/doc/inside")).unwrap();
    symlink("loop", project.path("work/doc/loop")).unwrap();
    for path in [
        "directory/secret",
        "directory/new/x",
        "file",
        "dangling",
        "magic/x",
        "descriptors/0",
        "inside/x",
        "loop",
        "loop/x",
    ] {
        project.refuses(&format!("doc/{path}"));
    }
}

#[test]
fn allowed_directory_that_became_a_link_is_refused() {
    let project = Project::without_doc();
    symlink(project.path("outside"), project.path("work/doc")).unwrap();
    project.refuses("doc/secret");
    project.refuses("doc/new/x");
}

#[test]
fn directory_moved_away_and_replaced_by_a_link_is_refused() {
    let project = Project::new();
    let roots = project.roots();
    fs::rename(project.path("work/doc"), project.path("work/old")).unwrap();
    symlink(project.path("outside"), project.path("work/doc")).unwrap();
    let input = json!({ "path": "doc/secret", "content": "x" });
    let result = sekisho_tools::file_write::run(&input, &project.context, &roots, project.guard());
    assert!(result.is_error && project.text("outside/secret") == "outside", "{}", result.content);
}

#[test]
fn configured_directory_elsewhere_must_not_be_a_link_and_need_not_exist() {
    let mut project = Project::new();
    symlink(project.path("outside"), project.path("link")).unwrap();
    fs::create_dir(project.path("outside/inner")).unwrap();
    // A program that may write above the directory could have made the link.
    for linked in ["link", "link/inner", "link/later"] {
        project.context.allowed_write_dirs = vec![project.path(linked)];
        let path = project.path(linked).join("a");
        let opened = sekisho_tools::contained_write::WriteRoots::open(
            &project.context.root,
            &project.context.allowed_write_dirs,
        );
        let message = opened.unwrap_err().to_string();
        assert!(message.contains("name that directory instead"), "{message}");
        assert!(!path.exists());
        assert_eq!(project.context.write_dirs(), Ok(Vec::new()));
    }
    project.context.allowed_write_dirs = vec![project.path("outside"), project.path("later/deep")];
    for path in ["outside/a", "outside/b", "later/deep/c"] {
        let path = project.path(path);
        let result = project.write(path.to_str().unwrap(), "x", "create");
        assert!(!result.is_error, "{}", result.content);
    }
    assert!(project.path("outside/a").exists() && project.path("later/deep/c").exists());
    project.refuses("doc/x");
    let result = project.write(project.path("later/x").to_str().unwrap(), "x", "create");
    assert!(result.is_error, "{}", result.content);
}

#[test]
fn configured_link_to_a_system_directory_is_refused() {
    let mut project = Project::new();
    symlink("/etc", project.path("link")).unwrap();
    let roots =
        sekisho_tools::contained_write::WriteRoots::open(&project.context.root, &[project.path("link")]);
    assert!(roots.is_err());
    project.context.allowed_write_dirs = vec!["/usr".into()];
    let message = project.refuses("/usr/sekisho-test");
    assert!(message.contains("Forbidden"), "{message}");
    assert!(!Path::new("/etc/sekisho-test").exists() && !Path::new("/usr/sekisho-test").exists());
}

#[test]
fn hard_link_is_broken_and_not_written_through() {
    let project = Project::new();
    for (name, input) in [
        ("a", json!({ "path": "doc/a", "content": "changed" })),
        ("b", json!({ "path": "doc/b", "content": "changed", "mode": "append" })),
        ("c", json!({ "path": "doc/c", "old_text": "outside", "new_text": "changed" })),
    ] {
        fs::hard_link(project.path("outside/secret"), project.path("work/doc").join(name)).unwrap();
        let result = project.call(&input);
        assert!(!result.is_error, "{}", result.content);
        assert!(project.text(&format!("work/doc/{name}")).ends_with("changed"));
        assert_eq!(project.text("outside/secret"), "outside");
    }
    assert_eq!(fs::metadata(project.path("outside/secret")).unwrap().nlink(), 1);
}

#[test]
fn special_files_are_refused_without_being_opened() {
    let project = Project::new();
    let doc = project.path("work/doc");
    fs::create_dir(doc.join("directory")).unwrap();
    let _listener = UnixListener::bind(doc.join("socket")).unwrap();
    mknodat(CWD, doc.join("fifo"), FileType::Fifo, Mode::from_raw_mode(0o666), 0).unwrap();
    let mut names = vec!["directory", "socket", "fifo"];
    // Only root can make a device.
    let null = rustix::fs::makedev(1, 3);
    if mknodat(CWD, doc.join("device"), FileType::CharacterDevice, Mode::from_raw_mode(0o666), null).is_ok() {
        names.push("device");
    }
    for name in names {
        let message = project.refuses(&format!("doc/{name}"));
        assert!(message.contains(&format!("it is a {name}")) || message.contains("FIFO"), "{message}");
        project.refuses(&format!("doc/{name}/x/y/../.."));
    }
    project.refuses("doc/fifo/x");
}

#[test]
fn mode_of_the_old_file_is_kept() {
    let project = Project::new();
    let file = project.path("work/doc/run");
    project.write("doc/run", "x", "create");
    assert_eq!(mode(&file) & 0o133, 0, "a new file is at most 0644");
    for (before, after) in [(0o755, 0o755), (0o600, 0o600), (0o666, 0o666), (0o4755, 0o755), (0o2775, 0o775)]
    {
        fs::set_permissions(&file, fs::Permissions::from_mode(before)).unwrap();
        for input in [
            json!({ "path": "doc/run", "content": "text" }),
            json!({ "path": "doc/run", "content": "more", "mode": "append" }),
            json!({ "path": "doc/run", "old_text": "more", "new_text": "less" }),
        ] {
            fs::set_permissions(&file, fs::Permissions::from_mode(before)).unwrap();
            assert!(!project.call(&input).is_error);
            assert_eq!(mode(&file), after, "{before:o} {input}");
        }
    }
}

#[test]
fn protected_paths_need_a_human() {
    let mut project = Project::new();
    project.context.allowed_write_dirs = vec![".".into()];
    let paths = [
        ".git/hooks/pre-commit",
        ".git/rebase-merge/git-rebase-todo",
        "doc/.git/x",
        ".husky/pre-commit",
        ".cargo/config.toml",
        ".env",
        "doc/.ssh/authorized_keys",
        ".GIT/config",
        ".bashrc",
        ".hg/hgrc",
        ".config/git/config",
        "hooks/pre-commit",
        "lefthook.yml",
        ".nvim.lua",
        ".gdbinit",
        ".local/bin/git",
        "doc/sitecustomize.py",
    ];
    for path in paths {
        let message = project.refuses(path);
        assert!(message.contains("protected"), "{message}");
    }
    project.approved_by_human = true;
    for path in paths {
        let result = project.write(path, "x", "create");
        assert!(!result.is_error, "{}", result.content);
    }
    // No human can approve a system directory.
    project.context.allowed_write_dirs = vec!["/etc".into()];
    project.refuses("/etc/sekisho-test");
}

#[test]
fn edit_needs_the_old_text_exactly_once() {
    let project = Project::new();
    let file = project.path("work/doc/a");
    for (before, old, new, all, after) in [
        ("one two", "two", "three", false, Some("one three")),
        ("one two", "two", "", false, Some("one ")),
        ("a b a", "a", "c", true, Some("c b c")),
        ("a b a", "a", "c", false, None),
        ("aaa", "aa", "b", false, None),
        ("aaa", "aa", "b", true, Some("ba")),
        ("日本日", "日", "本", true, Some("本本本")),
        ("one", "two", "x", false, None),
        ("one", "two", "x", true, None),
        ("one", "", "x", false, None),
        ("one", "one", "one", false, None),
        ("a\r\nb", "a\nb", "x", false, None),
    ] {
        fs::write(&file, before).unwrap();
        let result = project.edit("doc/a", old, new, all);
        assert_eq!(result.is_error, after.is_none(), "{before} {old}: {}", result.content);
        assert_eq!(project.text("work/doc/a"), after.unwrap_or(before));
    }
    assert!(project.edit("doc/missing", "a", "b", false).content.starts_with("File not found: "));
    assert!(project.edit("doc/no/such", "a", "b", false).content.starts_with("File not found: "));
    assert!(!project.path("work/doc/no").exists());
}

/// Occurrences that overlap everywhere. This does not end if each is compared on its own.
#[test]
fn edit_of_repetitive_text_takes_linear_time() {
    let project = Project::new();
    fs::write(project.path("work/doc/a"), "a".repeat(8_000_000)).unwrap();
    let result = project.edit("doc/a", &"a".repeat(4_000_000), "b", false);
    assert!(result.is_error, "{}", result.content);
}

#[test]
fn edit_of_invalid_utf8_is_an_error_and_append_keeps_the_bytes() {
    let project = Project::new();
    let file = project.path("work/doc/a");
    fs::write(&file, b"ab\xff\xfe").unwrap();
    let message = project.edit("doc/a", "a", "b", false).content;
    assert!(message.contains("not valid UTF-8 (first invalid byte at offset 2)"), "{message}");
    assert!(!project.write("doc/a", "é", "append").is_error);
    assert_eq!(fs::read(&file).unwrap(), b"ab\xff\xfe\xc3\xa9");
}

#[test]
fn working_directory_with_an_invalid_name_works() {
    let mut project = Project::new();
    let odd = project.directory.path().join(OsStr::from_bytes(b"w\xff\n\x1b[31m"));
    fs::rename(project.path("work"), &odd).unwrap();
    project.context.root = odd.clone();
    let result = project.write("doc/a", "x", "create");
    assert!(!result.is_error && odd.join("doc/a").exists(), "{}", result.content);
    let message = project.write("other/a", "x", "create").content;
    assert!(!message.contains(['\n', '\x1b']), "{message:?}");
}

#[test]
fn odd_names_are_written_exactly_and_shown_escaped() {
    let project = Project::new();
    for name in ["a\nb", "\x1b[31mred", "\u{202e}txt.exe", "-rf", " ", "日本語", "'\"$(id)", "a\\b"] {
        let path = format!("doc/{name}");
        let result = project.write(&path, "x", "create");
        assert!(!result.is_error, "{}", result.content);
        assert!(project.path("work").join(&path).exists(), "{path:?}");
        let again = project.write(&path, "x", "create").content;
        assert!(again.contains("File already exists"), "{again}");
        assert!(!again.contains(['\n', '\x1b', '\u{202e}']), "{again:?}");
        let outside = project.write(&format!("other/{name}"), "x", "create").content;
        assert!(!outside.contains(['\n', '\x1b', '\u{202e}']), "{outside:?}");
    }
    project.refuses(&format!("doc/{}", "x".repeat(300)));
    project.refuses(&format!("doc/{}x", "x/".repeat(3000)));
}

/// Appends from several threads at once: each is there once, whole.
#[test]
fn concurrent_appends_lose_nothing() {
    let project = Project::new();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let project = &project;
            scope.spawn(move || {
                for n in 0..25 {
                    let result = project.write("doc/log", &format!("{thread} {n}\n"), "append");
                    assert!(!result.is_error, "{}", result.content);
                }
            });
        }
    });
    let mut lines: Vec<String> = project.text("work/doc/log").lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), 100);
}

/// Without write permission for the file or the directory nothing changes. Root has every permission, so the
/// calls are made by a thread that has become another user.
#[test]
fn permissions_of_an_ordinary_user_count() {
    use rustix::process::{Gid, Uid};
    let project = Project::new();
    fs::set_permissions(project.directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(project.path("work/doc"), fs::Permissions::from_mode(0o777)).unwrap();
    fs::create_dir(project.path("work/doc/closed")).unwrap();
    for name in ["work/doc/readonly", "work/doc/closed/a"] {
        fs::write(project.path(name), "old").unwrap();
        fs::set_permissions(project.path(name), fs::Permissions::from_mode(0o444)).unwrap();
    }
    let is_root = rustix::process::geteuid().is_root();
    fs::set_permissions(project.path("work/doc/closed"), fs::Permissions::from_mode(0o555)).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            if is_root {
                let nobody = 65534;
                rustix::thread::set_thread_groups(&[]).unwrap();
                let group = Gid::from_raw(nobody);
                rustix::thread::set_thread_res_gid(group, group, group).unwrap();
                let user = Uid::from_raw(nobody);
                rustix::thread::set_thread_res_uid(user, user, user).unwrap();
            }
            for path in ["doc/readonly", "doc/closed/a", "doc/closed/new"] {
                let result = project.write(path, "new", "overwrite");
                assert!(result.is_error, "{path}: {}", result.content);
            }
            assert!(!project.write("doc/mine", "new", "create").is_error);
        });
    });
    assert_eq!(project.text("work/doc/readonly"), "old");
    assert_eq!(project.text("work/doc/closed/a"), "old");
    assert_eq!(fs::read_dir(project.path("work/doc")).unwrap().count(), 3, "a temporary file is left");
    if is_root {
        assert_eq!(fs::metadata(project.path("work/doc/mine")).unwrap().uid(), 65534);
        // Root keeps the owner of a file that it replaces.
        assert!(!project.write("doc/mine", "root's", "overwrite").is_error);
        assert_eq!(fs::metadata(project.path("work/doc/mine")).unwrap().uid(), 65534);
    }
}

const CHILD: &str = "SEKISHO_TEST_FULL_DISK";

/// Run again by the two tests below, in a process whose disk is full.
#[test]
#[expect(clippy::disallowed_methods, reason = "the directory comes from the test that started this process")]
fn child_on_a_full_disk() {
    let Some(directory) = std::env::var_os(CHILD) else { return };
    let directory = Path::new(&directory);
    let mut project = Project::new();
    project.context.root = directory.into();
    fs::create_dir(directory.join("doc")).unwrap();
    fs::write(directory.join("doc/a"), "old").unwrap();
    let large = "x".repeat(1 << 20);
    for input in [
        json!({ "path": "doc/a", "content": large }),
        json!({ "path": "doc/a", "content": large, "mode": "append" }),
        json!({ "path": "doc/a", "old_text": "old", "new_text": large }),
        json!({ "path": "doc/new", "content": large, "mode": "create" }),
        json!({ "path": "doc/deep/er/new", "content": large }),
    ] {
        let result = project.call(&input);
        assert!(result.is_error);
        let prefix =
            if input["mode"] == "append" { "Failed to append to file: " } else { "Failed to write file: " };
        assert!(result.content.starts_with(prefix), "{}", result.content);
    }
    assert_eq!(fs::read_to_string(directory.join("doc/a")).unwrap(), "old");
    assert_eq!(fs::read_dir(directory.join("doc")).unwrap().count(), 1, "something is left behind");
    File::create(directory.join("done")).unwrap();
}

/// Starts the test above by a shell script that gets the directory as `$1` and the test binary as `$2`.
#[expect(clippy::disallowed_methods, reason = "limits of a process need a process")]
fn on_a_full_disk(program: &[&str], script: &str) -> bool {
    let directory = tempfile::tempdir().unwrap();
    let mut command = Command::new(program[0]);
    command.args(&program[1..]).args(["bash", "-c", script, "bash"]).arg(directory.path());
    command.arg(std::env::current_exe().unwrap()).env(CHILD, directory.path());
    command.output().is_ok_and(|output| {
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(!text.contains("FAILED"), "{text}");
        output.status.success() && text.contains("1 passed")
    })
}

#[test]
fn old_file_stays_whole_above_the_size_limit() {
    let script = "trap '' XFSZ; ulimit -f 64; exec \"$2\" --exact files::child_on_a_full_disk";
    assert!(on_a_full_disk(&["env"], script));
}

#[test]
fn old_file_stays_whole_on_a_full_disk() {
    let script =
        "mount -t tmpfs -o size=256k tmpfs \"$1\" && exec \"$2\" --exact files::child_on_a_full_disk";
    // Where no namespace can be made, the size limit above is the test.
    let _ = on_a_full_disk(&["unshare", "--mount"], script)
        || on_a_full_disk(&["unshare", "--map-root-user", "--mount"], script);
}

/// Git runs programs that a repository's config names.
#[test]
fn making_a_repository_needs_a_human() {
    let mut project = Project::new();
    for path in ["doc/.git", "doc/.GIT", "doc/deep/.git", "doc/bare/HEAD"] {
        let message = project.refuses(path);
        assert!(message.contains("needs the approval of a human"), "{path}: {message}");
    }
    project.approved_by_human = true;
    for path in ["doc/.git", "doc/bare/HEAD"] {
        let result = project.write(path, "gitdir: gd\n", "create");
        assert!(!result.is_error, "{}", result.content);
    }
    project.approved_by_human = false;
    for path in ["doc/bare/config", "doc/bare/hooks/post-checkout"] {
        let message = project.refuses(path);
        assert!(message.contains("needs the approval of a human"), "{path}: {message}");
    }
    assert!(!project.write("doc/config", "x", "create").is_error);
}

/// Git reads or runs them.
#[test]
fn files_that_the_config_names_need_a_human() {
    let mut project = Project::new();
    fs::create_dir(project.path("work/.git")).unwrap();
    let config = "[core]\nhooksPath = doc/scripts\n[include]\npath = ../doc/more\n";
    fs::write(project.path("work/.git/config"), config).unwrap();
    for path in ["doc/scripts/pre-commit", "doc/more"] {
        let message = project.refuses(path);
        assert!(message.contains("named in the config of a repository"), "{path}: {message}");
    }
    assert!(!project.write("doc/other", "x", "create").is_error);
    project.approved_by_human = true;
    assert!(!project.write("doc/scripts/pre-commit", "x", "create").is_error);
}

/// Permissions of the owner, of user 12345, of the group, of the mask and of others, as the kernel takes them.
#[cfg(target_os = "linux")]
fn access_control_list(permissions: [u16; 5]) -> Vec<u8> {
    let entries = [(1_u16, u32::MAX), (2, 12345), (4, u32::MAX), (16, u32::MAX), (32, u32::MAX)];
    let mut list = 2_u32.to_le_bytes().to_vec();
    for ((tag, id), permissions) in entries.into_iter().zip(permissions) {
        list.extend(tag.to_le_bytes());
        list.extend(permissions.to_le_bytes());
        list.extend(id.to_le_bytes());
    }
    list
}

/// A new file gets the list, as from any program. One that is replaced must not.
#[test]
#[cfg(target_os = "linux")]
fn access_control_list_of_the_directory_opens_no_file() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};

    let project = Project::new();
    let path = project.path("work/doc/private");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o660)).unwrap();
    let list = access_control_list([7, 6, 5, 7, 0]);
    let default = "system.posix_acl_default";
    if setxattr(project.path("work/doc"), default, &list, XattrFlags::empty()).is_err() {
        // The file system has no such lists.
        return;
    }
    for input in [
        json!({ "path": "doc/private", "content": "new" }),
        json!({ "path": "doc/private", "content": "er", "mode": "append" }),
        json!({ "path": "doc/private", "old_text": "newer", "new_text": "newest" }),
    ] {
        assert!(!project.call(&input).is_error);
        let mut found = vec![0; 1024];
        assert!(getxattr(&path, "system.posix_acl_access", found.as_mut_slice()).is_err(), "{input}");
        assert_eq!(mode(&path), 0o660, "{input}");
    }
}

/// The group's part of the mode of a file with an access control list is not what the group may do.
#[test]
#[cfg(target_os = "linux")]
fn access_control_list_is_kept() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};

    const NAME: &str = "system.posix_acl_access";
    let project = Project::new();
    let path = project.path("work/doc/shared");
    fs::write(&path, "old").unwrap();
    // `user::rw-, user:12345:rw-, group::---, mask::rw-, other::---`
    let acl = access_control_list([6, 6, 0, 6, 0]);
    if setxattr(&path, NAME, &acl, XattrFlags::empty()).is_err() {
        // The file system has no such lists.
        return;
    }
    for result in
        [project.write("doc/shared", "new", "overwrite"), project.edit("doc/shared", "new", "newer", false)]
    {
        assert!(!result.is_error, "{}", result.content);
        let mut found = vec![0; 1024];
        let length = getxattr(&path, NAME, found.as_mut_slice()).unwrap();
        assert_eq!(&found[..length], acl.as_slice());
    }
    assert_eq!(project.text("work/doc/shared"), "newer");
}
