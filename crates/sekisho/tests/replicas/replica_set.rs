//! Servers that can be killed and restarted on the same address.

use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::caller_client::LONG;
use crate::http::Endpoint;

/// A directory with a home for each server, all with the same audit key.
pub(crate) struct ReplicaSet {
    directory: tempfile::TempDir,
    database: Option<String>,
    /// Variables of the environment of each server.
    variables: Vec<(&'static str, String)>,
}

pub(crate) struct Replica {
    home: PathBuf,
    database: Option<String>,
    variables: Vec<(&'static str, String)>,
    address: SocketAddr,
    running: Mutex<Option<Child>>,
}

impl ReplicaSet {
    /// On SQLite, or on the PostgreSQL database at a URL.
    pub(crate) fn new(database: Option<String>) -> ReplicaSet {
        let (directory, variables) = (tempfile::tempdir().unwrap(), Vec::new());
        let replicas = ReplicaSet { directory, database, variables };
        let home = replicas.home(0);
        // Creates the tables and the key.
        let migrated = replicas.command(&home, &["db", "migrate"]).output().unwrap();
        assert!(migrated.status.success(), "{}", String::from_utf8_lossy(&migrated.stderr));
        replicas
    }

    /// The same, with agents that follow scripts and work in one project. `rules` is the config file of each server.
    pub(crate) fn with_agents(database: String, rules: &Value) -> ReplicaSet {
        let mut replicas = ReplicaSet::new(Some(database));
        for name in ["scripts", "project"] {
            std::fs::create_dir_all(replicas.path(name)).unwrap();
        }
        std::fs::write(replicas.path("rules.json"), rules.to_string()).unwrap();
        let text = |name: &str| replicas.path(name).to_str().unwrap().to_owned();
        let runs = ("SEKISHO_MAX_RUNS", "5000".to_owned());
        replicas.variables =
            vec![("SEKISHO_SCRIPTS", text("scripts")), ("SEKISHO_PROJECT_ROOT", text("project")), runs];
        replicas
    }

    /// A file or directory that all servers share.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    fn home(&self, number: usize) -> PathBuf {
        let home = self.directory.path().join(format!("home{number}"));
        std::fs::create_dir_all(&home).unwrap();
        if number > 0 {
            let (from, to) = (self.directory.path().join("home0"), home.join(".local/state/sekisho"));
            std::fs::create_dir_all(&to).unwrap();
            set_private(&to);
            let key = from.join(".local/state/sekisho/audit.key");
            std::fs::copy(key, to.join("audit.key")).unwrap();
        }
        home
    }

    fn command(&self, home: &Path, arguments: &[&str]) -> Command {
        command(home, self.database.as_deref(), arguments)
    }

    /// A token, created in the database directly.
    pub(crate) fn token(&self, role: &str) -> String {
        let arguments = ["token", "create", "--name", role, "--role", role, "--json"];
        let made = self.command(&self.directory.path().join("home0"), &arguments).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let made: Value = serde_json::from_slice(&made.stdout).unwrap();
        made["token"].as_str().unwrap().to_owned()
    }

    /// Starts a server.
    pub(crate) fn server(&self, number: usize) -> Replica {
        let home = if number == 0 { self.directory.path().join("home0") } else { self.home(number) };
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let (database, variables) = (self.database.clone(), self.variables.clone());
        let rules = self.path("rules.json");
        if rules.exists() {
            std::fs::create_dir_all(home.join(".config/sekisho")).unwrap();
            std::fs::copy(rules, home.join(".config/sekisho/config.json")).unwrap();
        }
        let server = Replica { home, database, variables, address, running: Mutex::new(None) };
        server.start();
        server
    }

    /// Verifies the audit log.
    pub(crate) fn verifies(&self) {
        let output =
            self.command(&self.directory.path().join("home0"), &["audit", "verify"]).output().unwrap();
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{out}{err}");
    }
}

fn set_private(directory: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(directory, std::fs::Permissions::from_mode(0o700)).unwrap();
}

#[expect(clippy::disallowed_methods, reason = "the tests start the binary under test")]
fn command(home: &Path, database: Option<&str>, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sekisho"));
    command.args(arguments).env_clear().env("HOME", home).env("USER", "tester").current_dir(home);
    // One token stands for a thousand callers here.
    command.env("SEKISHO_MAX_PENDING", "5000").env("SEKISHO_MAX_RATE", "100000");
    if let Some(database) = database {
        command.env("DATABASE_URL", database);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

impl Replica {
    /// Starts the server and waits until it answers.
    pub(crate) fn start(&self) {
        let listen = self.address.to_string();
        let arguments = ["serve", "--listen", &listen, "--socket", "none"];
        let mut command = command(&self.home, self.database.as_deref(), &arguments);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        let mut child = command.spawn().unwrap();
        let words = BufReader::new(child.stderr.take().unwrap());
        let output = std::sync::Arc::new(Mutex::new(String::new()));
        let keep = std::sync::Arc::clone(&output);
        std::thread::spawn(move || {
            for line in words.lines().map_while(Result::ok) {
                let mut output = keep.lock().unwrap();
                if output.len() < 100_000 {
                    output.push_str(&line);
                    output.push('\n');
                }
            }
        });
        let start = Instant::now();
        while TcpStream::connect_timeout(&self.address, LONG).is_err() {
            let ended = child.try_wait().unwrap();
            let late = start.elapsed() > LONG;
            assert!(ended.is_none() && !late, "it did not start ({ended:?}):\n{}", output.lock().unwrap());
            std::thread::sleep(Duration::from_millis(20));
        }
        *self.running.lock().unwrap() = Some(child);
    }

    /// Kills the server without warning.
    pub(crate) fn kill(&self) {
        if let Some(mut child) = self.running.lock().unwrap().take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    pub(crate) fn door(&self, token: &str) -> Endpoint {
        Endpoint { address: self.address, token: token.to_owned() }
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        self.kill();
    }
}
