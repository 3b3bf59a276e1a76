//! A temporary home and project.

use std::path::{Path, PathBuf};

use snapbox::cmd::{Command, OutputAssert, cargo_bin};

pub(crate) struct TestHome {
    directory: tempfile::TempDir,
}

/// The output of the binary, with the directory of the test replaced by `[PLACE]`.
pub(crate) struct CommandOutput {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) code: i32,
}

impl TestHome {
    pub(crate) fn new() -> TestHome {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(directory.path().join("home")).unwrap();
        for name in ["objects", "refs"] {
            std::fs::create_dir_all(directory.path().join("project/.git").join(name)).unwrap();
        }
        std::fs::write(directory.path().join("project/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
        TestHome { directory }
    }

    fn base(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap()
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.base().join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.base().join("project/.sekisho/config.json")
    }

    pub(crate) fn global(&self) -> PathBuf {
        self.base().join("home/.config/sekisho/config.json")
    }

    pub(crate) fn managed(&self) -> PathBuf {
        self.base().join("managed/config.json")
    }

    pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.dressed(Command::new(cargo_bin!("sekisho")).args(arguments))
    }

    /// Runs sekisho in a session without a terminal.
    pub(crate) fn run_without_terminal(&self, arguments: &[&str]) -> CommandOutput {
        let command = Command::new("setsid").arg("--wait").arg(cargo_bin!("sekisho")).args(arguments);
        self.output(&self.dressed(command).assert())
    }

    fn dressed(&self, command: Command) -> Command {
        let base = self.base();
        command
            .env_clear()
            .env("HOME", base.join("home"))
            .env("USER", "tester")
            .current_dir(base.join("project"))
    }

    pub(crate) fn output(&self, assert: &OutputAssert) -> CommandOutput {
        let output = assert.get_output();
        let base = self.base();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(base.to_str().unwrap(), "[PLACE]");
        CommandOutput {
            out: text(&output.stdout),
            err: text(&output.stderr),
            code: output.status.code().unwrap_or(-1),
        }
    }

    /// Runs sekisho in the project.
    pub(crate) fn run(&self, arguments: &[&str]) -> CommandOutput {
        self.output(&self.command(arguments).assert())
    }
}
