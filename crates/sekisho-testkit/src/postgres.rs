//! A PostgreSQL server for tests, in a temporary directory, on loopback only.
//!
//! It refuses to run as root, so then it runs as nobody. It is stopped by its process id when dropped. The
//! server that all tests share lives as long as the process, and a guard process stops it when the tests are
//! gone.

#![expect(clippy::unwrap_used, reason = "a test that has no server fails")]

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Read};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use tempfile::TempDir;
use tokio_postgres::NoTls;

const NOBODY: u32 = 65534;

/// A running server.
pub struct PgServer {
    directory: TempDir,
    bin: PathBuf,
    port: u16,
    extra: Vec<String>,
    running: Mutex<Option<Child>>,
    databases: AtomicU32,
}

impl PgServer {
    /// The server shared by all tests that do not stop it.
    pub fn shared() -> &'static PgServer {
        static SHARED: OnceLock<PgServer> = OnceLock::new();
        SHARED.get_or_init(|| PgServer::start(&[], |_| {}))
    }

    /// Starts another server with settings of its own; `prepare` puts files into its directory before it
    /// starts.
    pub fn start(settings: &[(&str, &str)], prepare: impl FnOnce(&Path)) -> PgServer {
        let bin = binaries();
        let directory = tempfile::Builder::new().prefix("pg").tempdir_in("/tmp").unwrap();
        fs::set_permissions(directory.path(), Permissions::from_mode(0o777)).unwrap();
        let data = directory.path().join("data");
        let made = as_somebody(&bin.join("initdb"))
            .args(["--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "--no-sync", "-D"])
            .arg(&data)
            .output()
            .unwrap();
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        prepare(directory.path());
        let extra = settings.iter().flat_map(|(name, value)| ["-c".into(), format!("{name}={value}")]);
        let server = PgServer {
            port: free_port(),
            bin,
            extra: extra.collect(),
            running: Mutex::new(None),
            databases: AtomicU32::new(0),
            directory,
        };
        server.run();
        server
    }

    /// Starts the server and waits until it reports that it is ready.
    fn run(&self) {
        let (data, sockets) = (self.directory.path().join("data"), self.directory.path());
        let mut server = as_somebody(&self.bin.join("postgres"))
            .arg("-D")
            .arg(&data)
            .args(["-p", &self.port.to_string(), "-c", "listen_addresses=127.0.0.1", "-c"])
            .arg(format!("unix_socket_directories={}", sockets.display()))
            .args(["-c", "max_connections=200", "-c", "log_min_messages=log"])
            .args(&self.extra)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        let mut words = BufReader::new(server.stderr.take().unwrap());
        while !said.contains("ready to accept connections") {
            let read = words.read_line(&mut said).unwrap();
            assert!(read > 0, "the server did not start:\n{said}");
        }
        // Keep reading, or the server would block once the pipe is full.
        std::thread::spawn(move || drop(words.read_to_string(&mut String::new())));
        guard(server.id(), self.directory.path());
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = Some(server);
    }

    /// Kills its processes as a power cut would, and starts it again.
    pub fn crash_and_restart(&self) {
        self.stop("QUIT");
        self.run();
    }

    /// Stops it: `INT` is an orderly shutdown, `QUIT` an immediate one.
    pub fn stop(&self, signal: &str) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut server) = running {
            kill(signal, server.id());
            server.wait().unwrap();
        }
    }

    /// Starts it again.
    pub fn start_again(&self) {
        self.run();
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The URL of a new empty database.
    pub async fn database(&self) -> String {
        let name = format!("case_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let (client, connection) = tokio_postgres::connect(&self.url("postgres"), NoTls).await.unwrap();
        let driver = tokio::spawn(connection);
        client.batch_execute(&format!("CREATE DATABASE {name} STRATEGY file_copy")).await.unwrap();
        drop(client);
        driver.await.unwrap().unwrap();
        self.url(&name)
    }

    /// The URL of a new database restored from a dump of SQL statements.
    pub async fn restored(&self, dump: &str) -> String {
        let url = self.database().await;
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
        let driver = tokio::spawn(connection);
        client.batch_execute(dump).await.unwrap();
        drop(client);
        driver.await.unwrap().unwrap();
        url
    }

    /// The URL of one of its databases.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }
}

impl Drop for PgServer {
    fn drop(&mut self) {
        self.stop("QUIT");
    }
}

/// Statics are not dropped, so a guard process ends the server however the tests end.
fn guard(server: u32, directory: &Path) {
    let tests = std::process::id();
    let wait = format!(
        "while kill -0 {tests} && kill -0 {server}; do sleep 1; done; \
         kill -0 {tests} || {{ kill -QUIT {server}; sleep 1; rm -rf '{}'; }}",
        directory.display()
    );
    #[expect(clippy::zombie_processes, reason = "it outlives whoever could wait for it")]
    let _guard = command("sh")
        .args(["-c", &wait])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
}

fn kill(signal: &str, id: u32) {
    assert!(command("kill").args(["-s", signal, &id.to_string()]).status().unwrap().success());
}

fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port()
}

/// Runs a program as nobody if this process is root: the server refuses to run as root.
fn as_somebody(program: &Path) -> Command {
    let is_root = fs::metadata("/proc/self").is_ok_and(|me| std::os::unix::fs::MetadataExt::uid(&me) == 0);
    if !is_root {
        return command(program);
    }
    let mut somebody = command("setpriv");
    somebody.args([&format!("--reuid={NOBODY}"), &format!("--regid={NOBODY}"), "--clear-groups", "--"]);
    somebody.arg(program);
    somebody
}

#[expect(clippy::disallowed_methods, reason = "the tests start the server they talk to")]
fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir("/");
    command
}

/// The directory of the server's programs: in the path, where `pg_config` says, or where Debian puts them.
fn binaries() -> PathBuf {
    let told = command("pg_config").arg("--bindir").output().ok();
    let told = told.map(|told| PathBuf::from(String::from_utf8_lossy(&told.stdout).trim()));
    #[expect(clippy::disallowed_methods, reason = "finding a program is what the variable is for")]
    let path = std::env::var_os("PATH").unwrap_or_default();
    let debian = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut debian: Vec<PathBuf> = debian.map(|version| version.path().join("bin")).collect();
    debian.sort();
    std::env::split_paths(&path)
        .chain(told)
        .chain(debian.into_iter().rev())
        .find(|directory| ["initdb", "postgres"].iter().all(|program| directory.join(program).is_file()))
        .expect("no PostgreSQL server is installed (initdb, postgres): `make tools` installs it")
}
