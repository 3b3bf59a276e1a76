//! Real servers on one database.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::http::Caller;
use crate::{Failure, scripts};

/// How often to try to reach a database that is starting, a tenth of a second apart.
const TRIES: usize = 200;

/// Servers that stop on drop.
pub(crate) struct Servers {
    running: Vec<(Child, String)>,
    admin: String,
    _directory: tempfile::TempDir,
}

impl Servers {
    /// Starts this many servers on an empty database.
    pub(crate) fn start(count: usize, database: &str) -> Result<Servers, Failure> {
        let directory = tempfile::tempdir()?;
        for (name, script) in scripts() {
            std::fs::create_dir_all(directory.path().join("scripts"))?;
            std::fs::write(directory.path().join(format!("scripts/{name}.json")), script.to_string())?;
        }
        let home = |number: usize| directory.path().join(format!("home{number}"));
        std::fs::create_dir_all(home(0))?;
        let mut tries = 0;
        while !command(&home(0), database, &["db", "migrate"]).output()?.status.success() {
            tries += 1;
            if tries > TRIES {
                return Err("the database did not start".into());
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        let words = ["token", "create", "--name", "admin", "--role", "admin", "--json"];
        let made = command(&home(0), database, &words).output()?;
        let made: Value = serde_json::from_slice(&made.stdout)?;
        let admin = made["token"].as_str().ok_or("no token")?.to_owned();
        let mut servers = Servers { running: Vec::new(), admin, _directory: directory };
        let base = servers._directory.path().to_owned();
        for number in 0..count {
            let home = base.join(format!("home{number}"));
            if number > 0 {
                copy_key(&base.join("home0"), &home)?;
            }
            let words = ["serve", "--listen", "127.0.0.1:0", "--socket", "none", "--log-format", "json"];
            let mut serve = command(&home, database, &words);
            serve.env("SEKISHO_SCRIPTS", base.join("scripts")).env("SEKISHO_MAX_RUNS", "100000");
            let mut child = serve.stderr(Stdio::piped()).stdout(Stdio::null()).spawn()?;
            let address = address(&mut child)?;
            servers.running.push((child, address));
        }
        Ok(servers)
    }

    /// A caller of a server.
    pub(crate) fn caller(&self, number: usize) -> Caller {
        Caller { address: self.running[number].1.clone(), token: self.admin.clone() }
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        for (child, _) in &mut self.running {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// All servers sign the audit log with the same key.
fn copy_key(from: &Path, to: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt;
    let state = |home: &Path| home.join(".local/state/sekisho");
    std::fs::create_dir_all(state(to))?;
    std::fs::set_permissions(state(to), std::fs::Permissions::from_mode(0o700))?;
    std::fs::copy(state(from).join("audit.key"), state(to).join("audit.key"))?;
    Ok(())
}

fn command(home: &Path, database: &str, arguments: &[&str]) -> Command {
    let binary = std::env::var_os("SEKISHO_BIN").unwrap_or_else(|| "../target/release/sekisho".into());
    let mut command = Command::new(binary);
    command.args(arguments).env_clear().env("HOME", home).env("USER", "bench").env("DATABASE_URL", database);
    command.env("SEKISHO_MAX_RATE", "1000000").env("SEKISHO_MAX_PENDING", "100000");
    command
}

/// Where a server listens, from its log.
fn address(child: &mut Child) -> Result<String, Failure> {
    let mut lines = BufReader::new(child.stderr.take().ok_or("no stderr")?).lines();
    let mut output = String::new();
    loop {
        let line = lines.next().ok_or_else(|| format!("sekisho did not start: {output}"))??;
        if let Some(rest) = line.split("http://127.0.0.1:").nth(1) {
            let port: String = rest.chars().take_while(char::is_ascii_digit).collect();
            // Keep reading, or a full pipe would block the server.
            std::thread::spawn(move || lines.for_each(drop));
            return Ok(format!("127.0.0.1:{port}"));
        }
        output.push_str(&line);
    }
}
