//! Records which project files a human has read and trusted.
//!
//! A project file may loosen only while it is, byte for byte, what a human trusted. The records are outside
//! every project: `trust.json` in the state directory, and next to it the trusted texts, so that changes can
//! be shown.
//!
//! A record names a file by its resolved root and the fixed name below it. The file itself is not resolved: a
//! link planted in one project must not borrow the trust of another. Records that cannot be read, or that
//! others may write, trust nothing.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use sekisho_policy::{Layer, LayerKind, MAX_CONFIG_BYTES};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::HostError;
use crate::file_io;
use crate::hex::hex;
use crate::locations::Workspace;
use crate::lock::Lock;

/// The trust records of one user.
#[derive(Clone, Debug)]
pub struct TrustStore {
    state: PathBuf,
}

/// A record of trust in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustRecord {
    /// SHA-256 of the bytes that were trusted.
    pub sha256: String,
    /// When it was trusted.
    pub at: Timestamp,
    /// Who trusted it.
    pub by: String,
}

/// How a file compares with what was trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrustState {
    /// It is as it was trusted.
    Trusted(TrustRecord),
    /// It changed since it was trusted.
    Changed(TrustRecord),
    /// It was never trusted.
    Never,
}

/// A project file, read once, as it would be trusted.
#[derive(Clone, Debug)]
pub struct TrustCandidate {
    /// The path of the file.
    pub path: PathBuf,
    /// Its content. Trusting it trusts these bytes, even if the file has changed since.
    pub layer: Layer,
    /// How it compares with what was trusted.
    pub state: TrustState,
    /// The text that was last trusted, if it is still stored.
    pub last: Option<String>,
}

impl TrustCandidate {
    /// SHA-256 of the bytes that would be trusted, in hexadecimal.
    pub fn sha256(&self) -> String {
        sha256(&self.layer.text)
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrustRecords {
    version: u32,
    files: BTreeMap<String, TrustRecord>,
}

impl TrustRecords {
    /// The record of a file, whatever the file contains now.
    pub(crate) fn of(&self, path: &Path) -> Option<&TrustRecord> {
        self.files.get(path.to_str()?)
    }

    /// Whether a text is what was trusted for a file.
    pub(crate) fn covers(&self, path: &Path, text: &str) -> bool {
        self.of(path).is_some_and(|trusted| trusted.sha256 == sha256(text))
    }
}

/// SHA-256 of a text, in hexadecimal.
pub(crate) fn sha256(text: &str) -> String {
    hex(Sha256::digest(text.as_bytes()))
}

impl TrustStore {
    /// The trust records in a state directory.
    pub fn at(state: &Path) -> TrustStore {
        TrustStore { state: state.to_path_buf() }
    }

    fn file(&self) -> PathBuf {
        self.state.join("trust.json")
    }

    fn text_path(&self, sha256: &str) -> PathBuf {
        self.state.join("trusted").join(format!("{sha256}.json"))
    }

    /// Reads the records.
    pub(crate) fn records(&self) -> Result<TrustRecords, HostError> {
        let path = self.file();
        let Some((_, metadata)) = file_io::open(&path)? else {
            return Ok(TrustRecords { version: 1, ..TrustRecords::default() });
        };
        let me = rustix::process::geteuid().as_raw();
        if metadata.mode() & 0o022 != 0 || (metadata.uid() != me && metadata.uid() != 0) {
            return Err(HostError::file(
                path,
                "others may write the file, so it cannot be trusted; remove it and trust your projects again",
            ));
        }
        let text = file_io::read(&path, MAX_CONFIG_BYTES)?.unwrap_or_default();
        let records: TrustRecords = serde_json::from_str(&text).map_err(|error| {
            HostError::file(
                &path,
                format!(
                    "the trust records are damaged ({error}); remove the file and trust your projects again"
                ),
            )
        })?;
        if records.version != 1 {
            let fault = format!("unknown version {}; this sekisho supports version 1", records.version);
            return Err(HostError::file(path, fault));
        }
        Ok(records)
    }

    /// Reads a workspace's project file once, for a human to read. A missing file is an error.
    pub fn propose(&self, workspace: &Workspace) -> Result<TrustCandidate, HostError> {
        let path = workspace.config();
        self.find(workspace)?.ok_or_else(|| HostError::file(path, "there is no project file to trust"))
    }

    /// The same; `None` if there is no file.
    pub fn find(&self, workspace: &Workspace) -> Result<Option<TrustCandidate>, HostError> {
        let path = workspace.config();
        let Some(text) = file_io::read(&path, MAX_CONFIG_BYTES)? else { return Ok(None) };
        let layer = Layer::parse(LayerKind::Project, &path.to_string_lossy(), &text)?;
        let records = self.records()?;
        let state = match records.of(&path) {
            Some(trusted) if records.covers(&path, &text) => TrustState::Trusted(trusted.clone()),
            Some(trusted) => TrustState::Changed(trusted.clone()),
            None => TrustState::Never,
        };
        let last = self.last(&records, &path);
        Ok(Some(TrustCandidate { path, layer, state, last }))
    }

    /// The text that was last trusted for a file. `None` if the stored text does not match the record.
    pub(crate) fn last(&self, records: &TrustRecords, path: &Path) -> Option<String> {
        let trusted = records.of(path)?;
        let text = file_io::read(&self.text_path(&trusted.sha256), MAX_CONFIG_BYTES).ok()??;
        (sha256(&text) == trusted.sha256).then_some(text)
    }

    /// Trusts a candidate: the bytes that were shown, even if the file has changed since.
    pub fn accept(&self, candidate: &TrustCandidate, by: &str, at: Timestamp) -> Result<(), HostError> {
        let lock = Lock::take(&self.state)?;
        self.record(&lock, &candidate.path, &candidate.layer.text, by, at)
    }

    /// Withdraws trust. Returns `false` if there was none.
    pub fn revoke(&self, path: &Path) -> Result<bool, HostError> {
        let _lock = Lock::take(&self.state)?;
        let mut records = self.records()?;
        let Some(gone) = path.to_str().and_then(|path| records.files.remove(path)) else { return Ok(false) };
        self.write(&records)?;
        self.forget(&records, &gone);
        Ok(true)
    }

    /// Records trust in a text. The caller holds the lock.
    pub(crate) fn record(
        &self,
        _lock: &Lock,
        path: &Path,
        text: &str,
        by: &str,
        at: Timestamp,
    ) -> Result<(), HostError> {
        let name = path.to_str().ok_or_else(|| HostError::file(path, "its name is not UTF-8; rename it"))?;
        let mut records = self.records()?;
        let sha256 = sha256(text);
        file_io::replace(&self.text_path(&sha256), text, 0o600, 0o700)?;
        let before = records.files.insert(name.into(), TrustRecord { sha256, at, by: by.into() });
        self.write(&records)?;
        if let Some(before) = before {
            self.forget(&records, &before);
        }
        Ok(())
    }

    fn write(&self, records: &TrustRecords) -> Result<(), HostError> {
        let path = self.file();
        let mut text = serde_json::to_string_pretty(records)
            .map_err(|error| HostError::file(&path, error.to_string()))?;
        text.push('\n');
        file_io::replace(&path, &text, 0o600, 0o700)
    }

    /// Removes a stored text that no record refers to any more.
    fn forget(&self, records: &TrustRecords, gone: &TrustRecord) {
        if !records.files.values().any(|trusted| trusted.sha256 == gone.sha256) {
            // A leftover text does no harm: only its digest in a record counts.
            let _ = std::fs::remove_file(self.text_path(&gone.sha256));
        }
    }
}
