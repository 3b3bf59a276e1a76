//! Where attacks are run: a directory with a writable and a forbidden part, a user, and an isolation.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use sekisho_tools::sandbox::{HelperPlan, Isolation};

/// An ordinary user.
const NOBODY: u32 = 65534;

/// Programs that every user can start: the helper and the attacker.
pub(crate) struct Programs {
    pub(crate) helper: PathBuf,
    pub(crate) attacker: PathBuf,
}

pub(crate) fn programs() -> &'static Programs {
    static PROGRAMS: OnceLock<Programs> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let dir = tempfile::Builder::new().prefix("sekisho-programs-").tempdir().unwrap().keep();
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).unwrap();
        // Tests are in `deps`, beside `examples`.
        let examples = std::env::current_exe().unwrap().parent().unwrap().join("../examples");
        let (helper, attacker) = (examples.join("sekisho-sandbox"), examples.join("attacker"));
        Programs {
            helper: copy_program(&helper, &dir.join("sekisho-sandbox")),
            attacker: copy_program(&attacker, &dir.join("attacker")),
        }
    })
}

/// Copies a program by another process: a child that another test starts would inherit a file that this process
/// has open for writing, and until its exec the system refuses to execute the file.
#[expect(clippy::disallowed_methods, reason = "tests start programs")]
pub(crate) fn copy_program(program: &Path, there: &Path) -> PathBuf {
    let copied = Command::new("cp").args([program, there]).status().unwrap();
    assert!(copied.success(), "{} cannot be copied", program.display());
    there.to_owned()
}

/// The users that attacks run as: root and nobody, or only the user of the tests.
pub(crate) fn users() -> Vec<Option<u32>> {
    if rustix::process::geteuid().is_root() { vec![None, Some(NOBODY)] } else { vec![None] }
}

/// Every isolation that works here. Landlock and seccomp always do, or the tests fail.
pub(crate) fn isolations() -> Vec<Isolation> {
    static FOUND: OnceLock<Vec<Isolation>> = OnceLock::new();
    FOUND
        .get_or_init(|| {
            let mut found = vec![Isolation::None];
            let bubblewrap = Path::new("/usr/bin/bwrap");
            let more = [Isolation::Namespaces, Isolation::Bubblewrap(bubblewrap.into())];
            for isolation in
                more.into_iter().filter(|kind| *kind == Isolation::Namespaces || bubblewrap.is_file())
            {
                let works = users().into_iter().all(|user| {
                    let arena = Arena::new(user, isolation.clone());
                    arena.run(&["true".into()]).status.success()
                });
                match works {
                    true => found.push(isolation),
                    false => eprintln!("{isolation:?} does not work here"),
                }
            }
            found
        })
        .clone()
}

/// All arenas.
pub(crate) fn arenas() -> Vec<Arena> {
    let all = users().into_iter().flat_map(|user| isolations().into_iter().map(move |kind| (user, kind)));
    all.map(|(user, isolation)| Arena::new(user, isolation)).collect()
}

pub(crate) struct Arena {
    pub(crate) user: Option<u32>,
    pub(crate) isolation: Isolation,
    dir: tempfile::TempDir,
}

impl Arena {
    pub(crate) fn new(user: Option<u32>, isolation: Isolation) -> Arena {
        let dir = tempfile::Builder::new().prefix("sekisho-arena-").tempdir().unwrap();
        let arena = Arena { user, isolation, dir };
        fs::set_permissions(arena.dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        arena.reset();
        arena
    }

    /// Puts all files back.
    pub(crate) fn reset(&self) {
        for name in ["inside", "outside"] {
            let dir = self.dir.path().join(name);
            let _ = fs::remove_dir_all(&dir);
            fs::create_dir_all(dir.join("empty")).unwrap();
            fs::write(dir.join("file"), name).unwrap();
            for path in [dir.clone(), dir.join("empty"), dir.join("file")] {
                chown(path, self.user, self.user).unwrap();
            }
        }
    }

    pub(crate) fn inside(&self) -> PathBuf {
        self.dir.path().join("inside").canonicalize().unwrap()
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.dir.path().join("outside").canonicalize().unwrap()
    }

    /// Whether processes and mounts are its own.
    pub(crate) fn is_isolated(&self) -> bool {
        self.isolation != Isolation::None
    }

    /// For messages.
    pub(crate) fn name(&self) -> String {
        format!("user {:?}, {:?}", self.user, self.isolation)
    }

    pub(crate) fn plan(&self, command: &[OsString]) -> HelperPlan {
        HelperPlan {
            writable: vec![self.inside().into()],
            working_dir: Some(self.inside()),
            isolation: self.isolation.clone(),
            processes: Some(4096),
            command: command.to_vec(),
            ..HelperPlan::default()
        }
    }

    /// A program of this user.
    #[expect(clippy::disallowed_methods, reason = "tests start programs")]
    pub(crate) fn program(&self, program: &Path, arguments: &[OsString]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir("/").stdin(Stdio::null());
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        command
    }

    /// Runs a program in the sandbox.
    pub(crate) fn run(&self, command: &[OsString]) -> Output {
        let arguments = self.plan(command).to_arguments();
        self.program(&programs().helper, &arguments).output().unwrap()
    }

    /// Runs a bash text in the sandbox.
    pub(crate) fn bash(&self, text: &str) -> Output {
        self.run(&["bash".into(), "-c".into(), text.into()])
    }

    /// What the attacker says in the sandbox: `done` or `denied …`, or how it ended. `I` at the start of an
    /// argument is the writable directory, `O` the forbidden one.
    pub(crate) fn attack(&self, words: &[&str]) -> String {
        let mut command = vec![programs().attacker.clone().into_os_string()];
        command.extend(self.arguments(words));
        said(&self.run(&command))
    }

    /// The same without a sandbox, to see that the attack is real.
    pub(crate) fn attack_freely(&self, words: &[&str]) -> String {
        said(&self.program(&programs().attacker, &self.arguments(words)).output().unwrap())
    }

    fn arguments(&self, words: &[&str]) -> Vec<OsString> {
        let full = |word: &&str| match (word.strip_prefix("I/"), word.strip_prefix("O/")) {
            (Some(rest), _) => self.inside().join(rest).into_os_string(),
            (_, Some(rest)) => self.outside().join(rest).into_os_string(),
            (None, None) => OsString::from(word),
        };
        words.iter().map(full).collect()
    }

    /// A process of the same user outside the sandbox, with a secret in its environment.
    pub(crate) fn victim(&self) -> Victim {
        let mut command = self.program(Path::new("sleep"), &["60".into()]);
        let child = command.env("SECRET", "swordfish").stdout(Stdio::null()).spawn().unwrap();
        let victim = Victim(child);
        // Until `exec`, the environment is that of the tests.
        wait_until("the victim runs", || {
            let path = format!("/proc/{}/environ", victim.pid());
            fs::read(path).is_ok_and(|bytes| bytes.windows(6).any(|window| window == b"SECRET"))
        });
        victim
    }
}

/// What a finished attacker said.
fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    if text.is_empty() { format!("{} {}", output.status, errors.trim()) } else { text }
}

pub(crate) struct Victim(Child);

impl Victim {
    pub(crate) fn pid(&self) -> String {
        self.0.id().to_string()
    }

    pub(crate) fn is_alive(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits for a condition. The limit only ends a test that hangs.
pub(crate) fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}: it never happened");
        std::thread::sleep(Duration::from_millis(5));
    }
}
