//! Where a server keeps its things, and the server itself: the real binary, or the broker.

use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::Failure;
use sekisho_bench::spread::Spread;

/// A directory of a run.
pub struct Place {
    base: Option<PathBuf>,
}

impl Place {
    /// On this machine's disk.
    pub fn disk() -> Result<Place, Failure> {
        Ok(Place { base: None })
    }

    /// In memory, where a sync costs nothing.
    pub fn memory() -> Result<Place, Failure> {
        let base = PathBuf::from("/dev/shm");
        if base.is_dir() { Ok(Place { base: Some(base) }) } else { Err("there is no /dev/shm".into()) }
    }

    pub fn name(&self) -> &'static str {
        if self.base.is_some() { "a database in memory" } else { "a database on disk" }
    }

    fn directory(&self) -> Result<tempfile::TempDir, Failure> {
        Ok(match &self.base {
            Some(base) => tempfile::tempdir_in(base)?,
            None => tempfile::tempdir()?,
        })
    }

    /// What it costs to write a few bytes for good.
    pub fn sync(&self) -> Result<Duration, Failure> {
        let directory = self.directory()?;
        let mut file = std::fs::File::create(directory.path().join("sync"))?;
        let mut times = Vec::new();
        for _ in 0..100 {
            let start = Instant::now();
            file.write_all(&[7; 512])?;
            file.sync_data()?;
            times.push(start.elapsed());
        }
        Ok(Spread::of(times).at(0.5))
    }
}

/// The names and roles of the tokens: several that ask, then one that answers.
const TOKENS: [(&str, &str); 5] = [
    ("agent", "agent"),
    ("second", "agent"),
    ("third", "agent"),
    ("fourth", "agent"),
    ("approver", "approver"),
];

/// A server in a process of its own.
pub struct Server {
    /// `host:port`.
    pub address: String,
    /// A token that asks.
    pub agent: String,
    /// Tokens that ask, the one above among them.
    pub agents: Vec<String>,
    /// A token that answers.
    pub approver: String,
    child: Child,
    _place: Option<tempfile::TempDir>,
}

impl Server {
    /// The real binary with an empty database.
    pub async fn sekisho(place: &Place) -> Result<Server, Failure> {
        let binary = std::env::var_os("SEKISHO_BIN").unwrap_or_else(|| "../target/release/sekisho".into());
        let directory = place.directory()?;
        let home = directory.path();
        let command = |arguments: &[&str]| {
            let mut command = Command::new(&binary);
            command.args(arguments).env_clear().env("HOME", home).kill_on_drop(true);
            command.env("XDG_CONFIG_HOME", home.join("config")).env("XDG_STATE_HOME", home.join("state"));
            // One token plays thousands of callers here.
            command.env("SEKISHO_MAX_PENDING", "100000").env("SEKISHO_MAX_RATE", "1000000");
            command
        };
        let mut tokens = Vec::new();
        for (name, role) in TOKENS {
            let made =
                command(&["token", "create", "--name", name, "--role", role, "--json"]).output().await?;
            if !made.status.success() {
                return Err(format!("token create: {}", String::from_utf8_lossy(&made.stderr)).into());
            }
            let made: Value = serde_json::from_slice(&made.stdout)?;
            tokens.push(made["token"].as_str().ok_or("no token")?.to_owned());
        }
        let mut serve =
            command(&["serve", "--listen", "127.0.0.1:0", "--socket", "none", "--log-format", "json"]);
        let mut child = serve.stderr(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        let mut lines = BufReader::new(child.stderr.take().ok_or("no stderr")?).lines();
        let mut said = String::new();
        let address = loop {
            let line = lines.next_line().await?.ok_or_else(|| format!("sekisho did not start: {said}"))?;
            if let Some(rest) = line.split("http://127.0.0.1:").nth(1) {
                let port: String = rest.chars().take_while(char::is_ascii_digit).collect();
                break format!("127.0.0.1:{port}");
            }
            said.push_str(&line);
        };
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let approver = tokens.pop().ok_or("no token")?;
        let agent = tokens.first().ok_or("no token")?.clone();
        let server = Server { address, agent, agents: tokens, approver, child, _place: Some(directory) };
        server.answers().await?;
        Ok(server)
    }

    /// The broker that records nothing.
    pub async fn broker() -> Result<Server, Failure> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("broker")
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let mut lines = BufReader::new(child.stdout.take().ok_or("no stdout")?).lines();
        let address = lines.next_line().await?.ok_or("the broker did not start")?;
        let (agent, approver) = ("agent".to_owned(), "approver".into());
        Ok(Server { address, agents: vec![agent.clone()], agent, approver, child, _place: None })
    }

    async fn answers(&self) -> Result<(), Failure> {
        for _ in 0..100 {
            if tokio::net::TcpStream::connect(&self.address).await.is_ok() {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Err("sekisho does not answer".into())
    }

    /// Bytes of memory the process holds.
    pub fn resident(&self) -> Result<f64, Failure> {
        self.memory("VmRSS:")
    }

    /// Bytes of memory it held at most since [`Server::forget_peak`].
    pub fn peak(&self) -> Result<f64, Failure> {
        self.memory("VmHWM:")
    }

    /// Has the kernel forget the most memory it ever held.
    pub fn forget_peak(&self) -> Result<(), Failure> {
        Ok(std::fs::write(format!("/proc/{}/clear_refs", self.id()?), "5")?)
    }

    fn memory(&self, what: &str) -> Result<f64, Failure> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id()?))?;
        let line = status.lines().find_map(|line| line.strip_prefix(what)).ok_or("no such memory")?;
        let kilobytes: f64 = line.trim().trim_end_matches(" kB").trim().parse()?;
        Ok(kilobytes * 1024.0)
    }

    fn id(&self) -> Result<u32, Failure> {
        self.child.id().ok_or_else(|| "the server has ended".into())
    }

    /// Ends the process.
    pub async fn stop(mut self) -> Result<(), Failure> {
        self.child.kill().await?;
        Ok(())
    }
}
