//! Audit records written by hooks while no server runs.
//!
//! A hook has no database. It appends each decision here, one line under a lock, before it answers; a server
//! imports the lines into the audit log later. A spool is a file with a unique name, and a line's number in
//! it is its position in the chain that the log makes of it, so a line that is imported twice is recorded
//! once. A spool is removed once it is imported entirely and is long or old; the next line then starts a new
//! spool.
//!
//! It survives a crash of the process, but not a power loss: nothing is synced.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use uuid::Uuid;

use crate::error::HostError;
use crate::file_io::make_directory;
use crate::lock::lock_file;

/// A spool larger than this, in bytes, is followed by a new one.
const LONG: u64 = 1 << 20;
/// The longest line that is read, in bytes; a longer one counts as unreadable.
const LONGEST_LINE: u64 = 16 << 20;
/// A spool older than this, in seconds, is followed by a new one.
const LASTS_S: i64 = 86_400;
/// How long to wait for another writer.
const LOCK_TIMEOUT: Duration = Duration::from_millis(500);
const ENDING: &str = "spool";

/// The spools of one user.
#[derive(Clone, Debug)]
pub struct Spools {
    directory: PathBuf,
}

/// One spool.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spool {
    /// The id of its chain.
    pub id: Uuid,
    path: PathBuf,
}

impl Spools {
    /// The spools in a state directory.
    pub fn at(state: &Path) -> Spools {
        Spools { directory: state.join("spool") }
    }

    /// Appends a line. When this returns, a crash of this process does not lose it.
    pub fn append(&self, line: &str, fresh: Uuid) -> Result<(), HostError> {
        if line.contains(['\n', '\r']) {
            return Err(HostError::file(
                &self.directory,
                "a spool line contains a line break; write it as JSON",
            ));
        }
        make_directory(&self.directory, 0o700)?;
        let mut others = Vec::new();
        loop {
            // A new spool always gets an unused name: the line numbers of an imported and removed spool are
            // taken.
            let current =
                self.all()?.into_iter().rfind(|spool| !spool.is_long() && !others.contains(&spool.id));
            let written = match current {
                // A spool that is locked by another process is left to it.
                Some(spool) => match spool.write(line, false) {
                    Err(HostError::Busy { .. }) => {
                        others.push(spool.id);
                        continue;
                    }
                    written => written?,
                },
                None => Spool { id: fresh, path: self.path(fresh) }.write(line, true)?,
            };
            if written {
                return Ok(());
            }
        }
    }

    /// All spools, oldest first.
    pub fn all(&self) -> Result<Vec<Spool>, HostError> {
        let entries = match self.directory.read_dir() {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(HostError::io(&self.directory, &error)),
        };
        let mut spools = Vec::new();
        for entry in entries {
            let path = entry.map_err(|error| HostError::io(&self.directory, &error))?.path();
            let id = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse().ok());
            if let (Some(id), true) = (id, path.extension().is_some_and(|ending| ending == ENDING)) {
                spools.push(Spool { id, path });
            }
        }
        spools.sort();
        Ok(spools)
    }

    fn path(&self, id: Uuid) -> PathBuf {
        self.directory.join(format!("{id}.{ENDING}"))
    }
}

impl Spool {
    fn is_long(&self) -> bool {
        self.path.metadata().is_ok_and(|metadata| metadata.len() > LONG)
    }

    fn io(&self, error: &std::io::Error) -> HostError {
        HostError::io(&self.path, error)
    }

    /// Appends under the lock. Returns `false` if the file was removed in the meantime.
    fn write(&self, line: &str, new: bool) -> Result<bool, HostError> {
        let mut options = OpenOptions::new();
        let no_links = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or(0);
        options.read(true).append(true).create_new(new).mode(0o600).custom_flags(no_links);
        let mut file = match options.open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound && !new => return Ok(false),
            Err(error) => return Err(self.io(&error)),
        };
        lock_file(&file, &self.path, LOCK_TIMEOUT)?;
        if !self.is_still(&file) {
            return Ok(false);
        }
        // A crash in the middle of a line leaves it without an end. It becomes an unreadable line, not the
        // beginning of this one.
        let torn = ends_in_the_middle(&mut file).map_err(|error| self.io(&error))?;
        let text = format!("{}{line}\n", if torn { "\n" } else { "" });
        file.write_all(text.as_bytes()).map_err(|error| self.io(&error))?;
        Ok(true)
    }

    /// Whether the open file is still the one with this name.
    fn is_still(&self, file: &File) -> bool {
        let same = |one: &std::fs::Metadata, other: &std::fs::Metadata| {
            (one.dev(), one.ino()) == (other.dev(), other.ino())
        };
        match (file.metadata(), self.path.symlink_metadata()) {
            (Ok(open), Ok(named)) => same(&open, &named),
            _ => false,
        }
    }

    /// Complete lines after the first `after`, at most `limit`. A line that is not UTF-8 is returned as an
    /// empty line.
    pub fn lines(&self, after: u64, limit: usize) -> Result<Vec<String>, HostError> {
        let file = match File::open(&self.path) {
            Ok(file) => file,
            // Another process has imported it.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(self.io(&error)),
        };
        let mut reader = BufReader::new(file);
        let mut lines = Vec::new();
        let mut number = 0_u64;
        while lines.len() < limit {
            let mut line = Vec::new();
            let read = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
            if read.map_err(|error| self.io(&error))? == 0 {
                break;
            }
            if line.pop() != Some(b'\n') {
                if line.len() as u64 + 1 < LONGEST_LINE {
                    // Still being written.
                    break;
                }
                line.clear();
                reader.skip_until(b'\n').map_err(|error| self.io(&error))?;
            }
            number += 1;
            if number > after {
                lines.push(String::from_utf8(line).unwrap_or_default());
            }
        }
        Ok(lines)
    }

    /// Whether to start a new spool: each is a chain of its own in the log, so there should be few.
    pub fn is_due_for_rotation(&self, now: Timestamp) -> bool {
        let started = self.id.get_timestamp().map_or(0, |started| started.to_unix().0);
        let age = now.as_second().saturating_sub(i64::try_from(started).unwrap_or(0));
        self.is_long() || age > LASTS_S
    }

    /// Removes the spool if `taken` lines are all it has. Returns `false` if there are more by now.
    pub fn remove_if_imported(&self, taken: u64) -> Result<bool, HostError> {
        let file =
            OpenOptions::new().read(true).append(true).open(&self.path).map_err(|error| self.io(&error))?;
        file.lock().map_err(|error| self.io(&error))?;
        if !self.is_still(&file) || !self.lines(taken, 1)?.is_empty() {
            return Ok(false);
        }
        std::fs::remove_file(&self.path).map_err(|error| self.io(&error))?;
        Ok(true)
    }
}

fn ends_in_the_middle(file: &mut File) -> std::io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != [b'\n'])
}
