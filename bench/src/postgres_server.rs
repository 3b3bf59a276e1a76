//! A PostgreSQL server for one run: in a temporary directory, on loopback, with default disk syncing.

use std::fs::{self, File, Permissions};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// PostgreSQL refuses to run as root; this user runs it instead.
const NOBODY: u32 = 65534;

/// A server that stops on drop.
pub struct PostgresServer {
    running: Child,
    /// The URL of its database.
    pub url: String,
    _directory: tempfile::TempDir,
}

impl PostgresServer {
    /// `None` if PostgreSQL is not installed.
    pub fn start() -> Result<Option<PostgresServer>, Failure> {
        let Some(bin) = binaries() else { return Ok(None) };
        let directory = tempfile::tempdir()?;
        fs::set_permissions(directory.path(), Permissions::from_mode(0o777))?;
        let data = directory.path().join("data");
        let made = unprivileged(&bin.join("initdb"))?
            .args(["--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "-D"])
            .arg(&data)
            .output()?;
        if !made.status.success() {
            return Err(format!("initdb: {}", String::from_utf8_lossy(&made.stderr)).into());
        }
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let running = unprivileged(&bin.join("postgres"))?
            .arg("-D")
            .arg(&data)
            .args(["-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1", "-c"])
            .arg(format!("unix_socket_directories={}", directory.path().display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(directory.path().join("log"))?)
            .spawn()?;
        let url = format!("postgres://postgres@127.0.0.1:{port}/postgres");
        Ok(Some(PostgresServer { running, url, _directory: directory }))
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        let signalled = Command::new("kill").args(["-s", "QUIT", &self.running.id().to_string()]).status();
        if signalled.is_ok_and(|status| status.success()) {
            let _ended = self.running.wait();
        }
    }
}

fn unprivileged(program: &Path) -> Result<Command, Failure> {
    let mut command = if fs::metadata("/proc/self")?.uid() == 0 {
        let mut command = Command::new("setpriv");
        command.args([&format!("--reuid={NOBODY}"), &format!("--regid={NOBODY}"), "--clear-groups", "--"]);
        command.arg(program);
        command
    } else {
        Command::new(program)
    };
    command.current_dir("/");
    Ok(command)
}

/// The directory of the server programs: in the path, or where Debian puts them.
fn binaries() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let debian = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut debian: Vec<PathBuf> = debian.map(|version| version.path().join("bin")).collect();
    debian.sort();
    std::env::split_paths(&path)
        .chain(debian.into_iter().rev())
        .find(|directory| ["initdb", "postgres"].iter().all(|program| directory.join(program).is_file()))
}
