//! What hooks remember between starts in one agent session: where it began, and earlier decisions.
//!
//! The workspace root is fixed when a session begins; an agent that enters another project does not get that
//! project's rules. Some agents send no call ids: their equal calls are numbered. Some agents ask twice about
//! one call: the second time they get the same decision. A session is one file, to which lines are appended
//! under a lock.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::HostError;
use crate::file_io::make_directory;
use crate::hex::hex;
use crate::locations::Workspace;
use crate::lock::lock_file;

/// A session without calls for this long is removed.
const SESSION_LIFETIME: Duration = Duration::from_secs(30 * 86_400);
/// How long to wait for the lock.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);
/// How many bytes of the file are read; later lines are ignored.
const LARGEST: u64 = 16 << 20;

/// One agent's session.
#[derive(Clone, Debug)]
pub struct HookSession {
    path: PathBuf,
}

/// A line of the session file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    /// The root the session began in.
    Root(PathBuf),
    /// A call was counted, by its digest.
    Counted(String),
    /// A call was left to the agent's own prompt: its digest, and the time in seconds.
    HandedBack(String, i64),
    /// A human allowed a call: its digest, and the time in seconds.
    LetThrough(String, i64),
    /// A call that the server allowed: its id, and that of its execution.
    Running(String, String),
}

impl HookSession {
    /// The session of an agent.
    pub fn of(state: &Path, agent: &str, session: &str) -> HookSession {
        let mut hash = Sha256::new();
        hash.update((agent.len() as u64).to_be_bytes());
        hash.update(agent);
        hash.update(session);
        let name = hex(hash.finalize().into_iter().take(16));
        HookSession { path: state.join("sessions").join(format!("{name}.jsonl")) }
    }

    /// The workspace of a call made in a directory. The first call of a session fixes the root. It is the
    /// root of `began`, the agent's own directory, in which it starts its hook, and not of `cwd`, which the
    /// model may have chosen.
    pub fn workspace(&self, began: &Path, cwd: &Path) -> Result<Workspace, HostError> {
        if let Some(root) = self.root() {
            return Workspace { root, cwd: cwd.to_path_buf() }.at(cwd);
        }
        let found = Workspace::find(None, None, began)?;
        self.forget_old();
        let root = self.change(|lines| {
            let there = lines.iter().find_map(|line| match line {
                Line::Root(root) => Some(root.clone()),
                _ => None,
            });
            match there {
                Some(root) => (root, None),
                None => (found.root.clone(), Some(Line::Root(found.root.clone()))),
            }
        })?;
        Workspace { root, cwd: found.cwd }.at(cwd)
    }

    /// The number of this call among the equal calls of the session, from 1.
    pub fn ordinal(&self, digest: &str) -> Result<u64, HostError> {
        let counted = Line::Counted(digest.to_owned());
        self.change(|lines| {
            let before = lines.iter().filter(|line| **line == counted).count() as u64;
            (before + 1, Some(counted.clone()))
        })
    }

    /// How many equal calls were counted so far.
    pub fn count_of(&self, digest: &str) -> u64 {
        let counted = Line::Counted(digest.to_owned());
        self.lines().iter().filter(|line| **line == counted).count() as u64
    }

    /// Records that a call was left to the agent's own prompt.
    pub fn record_agent_prompt(&self, digest: &str, second: i64) -> Result<(), HostError> {
        self.change(|_| ((), Some(Line::HandedBack(digest.to_owned(), second))))
    }

    /// Records that a human allowed a call, with its execution on the server.
    pub fn record_allow(&self, digest: &str, second: i64, call_id: &str, run: &str) -> Result<(), HostError> {
        self.change(|_| ((), Some(Line::LetThrough(digest.to_owned(), second))))?;
        self.change(|_| ((), Some(Line::Running(call_id.to_owned(), run.to_owned()))))
    }

    /// The last decision about a call at or after `since` (a Unix time in seconds).
    pub fn earlier_decision(&self, digest: &str, since: i64) -> Option<EarlierDecision> {
        self.lines().iter().rev().find_map(|line| match line {
            Line::HandedBack(of, at) if of == digest && *at >= since => Some(EarlierDecision::HandedBack),
            Line::LetThrough(of, at) if of == digest && *at >= since => Some(EarlierDecision::LetThrough),
            _ => None,
        })
    }

    /// The execution of a call that the server allowed.
    pub fn execution_of(&self, call_id: &str) -> Option<String> {
        self.lines().into_iter().rev().find_map(|line| match line {
            Line::Running(id, run) if id == call_id => Some(run),
            _ => None,
        })
    }

    /// The root, which is the first line of the file.
    fn root(&self) -> Option<PathBuf> {
        let mut file = File::open(&self.path).ok()?;
        let mut start = [0; 4608];
        let read = file.read(&mut start).ok()?;
        let line = start.get(..read)?.split(|byte| *byte == b'\n').next()?;
        match serde_json::from_slice(line).ok()? {
            Line::Root(root) => Some(root),
            _ => None,
        }
    }

    fn lines(&self) -> Vec<Line> {
        let Ok(mut file) = File::open(&self.path) else { return Vec::new() };
        read_lines(&mut file)
    }

    /// Reads the lines under the lock and appends one that depends on them.
    fn change<T>(&self, with: impl FnOnce(&[Line]) -> (T, Option<Line>)) -> Result<T, HostError> {
        let io = |error: std::io::Error| HostError::io(&self.path, &error);
        make_directory(self.path.parent().unwrap_or(&self.path), 0o700)?;
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true).mode(0o600);
        let mut file = options.open(&self.path).map_err(io)?;
        lock_file(&file, &self.path, LOCK_TIMEOUT)?;
        let lines = read_lines(&mut file);
        let (result, line) = with(&lines);
        if let Some(line) = line {
            let text = serde_json::to_string(&line)
                .map_err(|error| HostError::file(&self.path, error.to_string()))?;
            file.write_all(format!("{text}\n").as_bytes()).map_err(io)?;
        }
        Ok(result)
    }

    /// Removes the files of old sessions. If that fails, only disk space is lost.
    fn forget_old(&self) {
        let Some(entries) = self.path.parent().and_then(|directory| directory.read_dir().ok()) else {
            return;
        };
        let old = SystemTime::now().checked_sub(SESSION_LIFETIME).unwrap_or(SystemTime::UNIX_EPOCH);
        for entry in entries.flatten() {
            let modified = entry.metadata().and_then(|metadata| metadata.modified());
            if modified.is_ok_and(|modified| modified < old) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

/// An earlier decision about an equal call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlierDecision {
    /// The call was left to the agent's own prompt.
    HandedBack,
    /// A human allowed it.
    LetThrough,
}

/// The lines of a file, from its beginning. Unreadable lines are skipped: at worst a question is asked again.
fn read_lines(file: &mut File) -> Vec<Line> {
    let mut text = String::new();
    if file.seek(SeekFrom::Start(0)).is_err()
        || Read::by_ref(file).take(LARGEST).read_to_string(&mut text).is_err()
    {
        return Vec::new();
    }
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}
