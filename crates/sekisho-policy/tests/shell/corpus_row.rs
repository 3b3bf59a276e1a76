//! Rows of the shell corpus. The format is described next to them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

/// One command and its expected verdict.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    pub(crate) command: String,
    #[serde(default = "allow")]
    pub(crate) expected: String,
    #[serde(default)]
    pub(crate) why: String,
    /// Rows of `everyday`: how much a judge must understand to see that it is harmless.
    #[serde(default = "first")]
    pub(crate) tier: u8,
    /// Rules in addition to the built-in ones.
    #[serde(default)]
    pub(crate) given: Vec<RowRule>,
    /// Settings of the config other than rules.
    #[serde(default)]
    pub(crate) settings: Map<String, Value>,
    #[serde(default)]
    pub(crate) surroundings: RowContext,
    /// File and line.
    #[serde(skip)]
    pub(crate) place: String,
}

/// A rule of the config; the tool is `bash` by default.
#[derive(Debug, Deserialize)]
pub(crate) struct RowRule {
    pub(crate) decision: String,
    #[serde(flatten)]
    pub(crate) rule: Map<String, Value>,
}

/// How the context differs from a tidy one. Paths are absolute, or relative to the workspace.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RowContext {
    /// Directories in a repository whose config names programs.
    pub(crate) hostile_repositories: Vec<String>,
    /// Directories in a repository where something is not known to be harmless: the problem, and the setting
    /// if it is one.
    pub(crate) unproven_repositories: BTreeMap<String, String>,
    /// Directories in a work tree with tracked files behind a link.
    pub(crate) tracked_links: Vec<String>,
    /// Directories that contain files named like options.
    pub(crate) option_files: Vec<String>,
    /// Files that exist, in addition to those that no check needs.
    pub(crate) files: Vec<String>,
    /// Links and their targets.
    pub(crate) links: BTreeMap<String, String>,
    /// More files than the search limit.
    pub(crate) too_many_files: bool,
    /// Nobody can answer.
    pub(crate) nobody: bool,
}

impl Row {
    /// The command on one line of plain characters.
    pub(crate) fn shown(&self) -> String {
        let shown = |c: char| match c {
            '\n' => "\\n".to_owned(),
            '\r' => "\\r".to_owned(),
            '\t' => "\\t".to_owned(),
            c if c.is_ascii() => c.to_string(),
            c => format!("\\u{:04x}", u32::from(c)),
        };
        self.command.chars().map(shown).collect()
    }
}

fn allow() -> String {
    "allow".into()
}

fn first() -> u8 {
    1
}

/// The text of `docs/bypasses.md`.
pub(crate) fn bypass_page() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/bypasses.md")).unwrap()
}

/// All rows of a directory of the corpus, in the order of file names.
pub(crate) fn shelf(name: &str) -> Vec<Row> {
    let shelf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/corpus/shell").join(name);
    let mut files: Vec<_> = fs::read_dir(shelf).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().flat_map(|file| read(name, file)).collect()
}

fn read(shelf: &str, file: &Path) -> Vec<Row> {
    let text = fs::read_to_string(file).unwrap();
    let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(at, line)| {
            let place = format!("{shelf}/{}:{}", file.file_name().unwrap().display(), at + 1);
            let row: Row = serde_json::from_str(line).unwrap_or_else(|error| panic!("{place}: {error}"));
            assert!(
                matches!(row.expected.as_str(), "allow" | "confirm" | "deny"),
                "{place}: {}",
                row.expected
            );
            Row { place, ..row }
        })
        .collect()
}
