//! Repositories on disk, made by git.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory with a home in it. Workspaces are made below `w`.
pub(crate) struct TestDisk {
    directory: tempfile::TempDir,
}

impl TestDisk {
    pub(crate) fn new() -> TestDisk {
        let disk = TestDisk { directory: tempfile::tempdir().unwrap() };
        // Readable by others: traced commands run without privileges.
        executable(disk.directory.path());
        fs::create_dir_all(disk.home()).unwrap();
        fs::create_dir_all(disk.path("w")).unwrap();
        let config = "[user]\n\tname = a\n\temail = a@example.org\n[init]\n\tdefaultBranch = main\n\
                      [protocol \"file\"]\n\tallow = always\n";
        fs::write(disk.home().join(".gitconfig"), config).unwrap();
        disk
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.path("home")
    }

    /// An ordinary repository at `w/NAME`, with a file that differs from its commit.
    pub(crate) fn repository(&self, name: &str) -> PathBuf {
        self.repository_with(name, &[])
    }

    pub(crate) fn repository_with(&self, name: &str, options: &[&str]) -> PathBuf {
        let repo = self.path("w").join(name);
        fs::create_dir_all(repo.join("src")).unwrap();
        self.git(&repo, &[&["init", "-q"], options].concat());
        fs::write(repo.join("a.txt"), "one\n").unwrap();
        fs::write(repo.join("src/b.u"), "two\n").unwrap();
        self.git(&repo, &["add", "."]);
        self.git(&repo, &["commit", "-qm", "first"]);
        fs::write(repo.join("a.txt"), "one\nmore\n").unwrap();
        self.git(&repo, &["commit", "-qam", "second"]);
        self.git(&repo, &["tag", "v1"]);
        fs::write(repo.join("src/b.u"), "two\nchanged\n").unwrap();
        repo
    }

    /// Runs a program and returns its output.
    #[expect(clippy::disallowed_methods, reason = "a real repository is made by git")]
    pub(crate) fn run(&self, directory: &Path, program: &str, arguments: &[&str]) -> Output {
        Command::new(program)
            .args(arguments)
            .current_dir(directory)
            .env("HOME", self.home())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env_remove("XDG_CONFIG_HOME")
            .env("GIT_TERMINAL_PROMPT", "0")
            .output()
            .unwrap()
    }

    /// Runs git, which must succeed, and returns its output.
    #[track_caller]
    pub(crate) fn git(&self, directory: &Path, arguments: &[&str]) -> String {
        let done = self.run(directory, "git", arguments);
        assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    }

    /// A program that leaves a mark, and prints `MARK` where git reads its output.
    pub(crate) fn program(&self) -> String {
        let path = self.path("program.sh");
        let mark = self.path("mark");
        self.script(&path, &format!("#!/bin/sh\ntouch {}\necho MARK\n", mark.display()));
        path.to_str().unwrap().to_owned()
    }

    /// Writes a script that can be executed at once. Another process writes it: a file that this process has
    /// open for writing is also open in any process that another thread starts at that moment, and cannot be
    /// executed until then.
    pub(crate) fn script(&self, path: &Path, text: &str) {
        let write = "printf %s \"$1\" > \"$0\" && chmod 755 \"$0\"";
        let done = self.run(&self.path("w"), "sh", &["-c", write, path.to_str().unwrap(), text]);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    /// Whether the program ran.
    pub(crate) fn is_marked(&self) -> bool {
        self.path("mark").exists()
    }
}

pub(crate) fn executable(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Appends to a file, which may not exist yet.
pub(crate) fn append(path: &Path, text: &str) {
    let before = fs::read(path).unwrap_or_default();
    fs::write(path, [&before, text.as_bytes()].concat()).unwrap();
}

/// Copies everything below a directory, links as links.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (kind, target) = (entry.file_type().unwrap(), to.join(entry.file_name()));
        if kind.is_dir() {
            copy(&entry.path(), &target);
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(entry.path()).unwrap(), target).unwrap();
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
