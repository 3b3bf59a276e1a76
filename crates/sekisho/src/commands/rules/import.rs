use std::io::Write;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use sekisho_adapters::foreign_rules::{self, DocumentScope, ImportSource, ImportedEntry, SourceDocument};
use sekisho_host::config_rule_edit::{self, one_line};
use sekisho_host::{HostError, change_config, diff};
use sekisho_policy::{Effect, Layer, LayerKind, Rule};
use serde_json::{Value, json};

use super::rule_target::LoadedConfig;
use super::transfer_report::{self, TransferEntry};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::{self, StyledStdout, shorten_path, style};

/// Import the rules that another agent keeps in its own files
///
/// An imported rule never allows more than the original. If a rule has no exact equivalent, an allow becomes
/// narrower, and a deny or ask (the agents' word for confirm) becomes wider. Where that is not possible, the
/// rule becomes a confirm rule or is left out. Every entry is listed with its result. The agent's files are
/// only read. User rules go to your own config, project rules to the project's.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// claude-code, codex, gemini-cli, opencode or codelia
    #[arg(value_name = "AGENT")]
    source: ImportSource,
    /// Read this file instead of the agent's own files
    file: Option<PathBuf>,
    /// Without FILE: import only your own rules of the agent. With FILE: import it into your own config
    #[arg(long, conflicts_with = "project")]
    global: bool,
    /// Without FILE: import only the project's rules. With FILE: import it into the config of this project
    /// (the default)
    #[arg(long)]
    project: bool,
    /// Only show what would be written
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho rules import claude-code --dry-run
  sekisho rules import codex --global
  sekisho rules import gemini-cli team.toml --project --yes
  sekisho rules import opencode --dry-run --json | jq '.entries[] | select(.how != \"exact\")'";

/// Maximum file size in bytes. No agent reads more of its settings.
const LARGEST: u64 = 4 << 20;

/// The rules to add to one config file.
struct ConfigChange {
    kind: LayerKind,
    path: PathBuf,
    rules: Vec<(Effect, Rule)>,
    diff: String,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let config = LoadedConfig::read()?;
    let documents = documents(args, &config)?;
    let entries = foreign_rules::import(args.source, &documents).map_err(|unread| {
        let name = documents.get(unread.document).map_or("?", |document| document.name.as_str());
        let line = if unread.line > 0 { format!(":{}", unread.line) } else { String::new() };
        Failure::new(format!("{name}{line}: {}; nothing was imported", unread.message))
    })?;
    let shares = shares(&config, &documents, &entries)?;
    let mut out = terminal::stdout();
    if !args.json {
        show(&mut out, &config, &documents, &entries, &shares)?;
    }
    let new = shares.iter().any(|share| !share.rules.is_empty());
    let agreed = new
        && !args.dry_run
        && (args.yes
            || terminal::prompt_yes_no(&mut out, "Write it?", "check with `--dry-run`, then pass `--yes`")?);
    if agreed {
        for share in shares.iter().filter(|share| !share.rules.is_empty()) {
            let settings = &config.settings;
            let now = Timestamp::now();
            change_config(&settings.locations, share.kind, &share.path, &settings.user, now, |text| {
                Ok(added(share.kind, &share.path, text, &share.rules)?.0)
            })?;
        }
    }
    if args.json {
        serde_json::to_writer_pretty(&mut out, &report(&documents, &entries, &shares, agreed))?;
        writeln!(out)?;
    } else if agreed {
        let strong = style::STRONG;
        writeln!(out, "{strong}written{strong:#}")?;
    } else if new && !args.dry_run {
        writeln!(out, "nothing was written")?;
        return Ok(Exit::Failure);
    }
    Ok(Exit::Ok)
}

/// The files to read: the given file, or those that the agent itself reads, the user's first.
fn documents(args: &Args, config: &LoadedConfig) -> Result<Vec<SourceDocument>, Failure> {
    let scope = if args.global { DocumentScope::User } else { DocumentScope::Project };
    let places: Vec<(DocumentScope, PathBuf)> = match &args.file {
        Some(file) => vec![(scope, file.clone())],
        None => {
            let home = config.home().map(Path::to_path_buf);
            let user = home.into_iter().flat_map(|home| places(args.source, DocumentScope::User, &home));
            let project = places(args.source, DocumentScope::Project, &config.workspace.root);
            user.filter(|_| !args.project).chain(project.into_iter().filter(|_| !args.global)).collect()
        }
    };
    let mut documents = Vec::new();
    for (scope, path) in &places {
        for file in files(path, args.file.is_some())? {
            let name = shorten_path(&file.to_string_lossy(), config.home());
            let size = std::fs::metadata(&file).map(|metadata| metadata.len()).unwrap_or(0);
            if size > LARGEST {
                return Err(Failure::new(format!(
                    "{name}: the file has {size} bytes; the limit is {LARGEST}"
                )));
            }
            let text = std::fs::read_to_string(&file)
                .map_err(|error| Failure::new(format!("{name}: {}", error.to_string().to_lowercase())))?;
            documents.push(SourceDocument { name, text, scope: *scope });
        }
    }
    if documents.is_empty() {
        let looked: Vec<String> =
            places.iter().map(|(_, path)| shorten_path(&path.to_string_lossy(), config.home())).collect();
        return Err(Failure::new(format!(
            "nothing to import: none of {} exists; give a file",
            looked.join(", ")
        )));
    }
    Ok(documents)
}

/// Where an agent keeps its rules, below a home or a project directory.
fn places(source: ImportSource, scope: DocumentScope, base: &Path) -> Vec<(DocumentScope, PathBuf)> {
    let names: &[&str] = match (source, scope) {
        (ImportSource::ClaudeCode, DocumentScope::User) => &[".claude/settings.json"],
        (ImportSource::ClaudeCode, DocumentScope::Project) => {
            &[".claude/settings.json", ".claude/settings.local.json"]
        }
        (ImportSource::Codex, _) => &[".codex/rules/*.rules"],
        // Gemini CLI reads no policies from a project.
        (ImportSource::GeminiCli, DocumentScope::User) => &[".gemini/policies/*.toml"],
        (ImportSource::GeminiCli, DocumentScope::Project) => &[],
        (ImportSource::OpenCode, DocumentScope::User) => {
            &[".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"]
        }
        (ImportSource::OpenCode, DocumentScope::Project) => &["opencode.json", "opencode.jsonc"],
        (ImportSource::Codelia, _) => &[".codelia/config.json"],
    };
    names.iter().map(|name| (scope, base.join(name))).collect()
}

/// A file, or all files of a directory that have one extension, sorted by name.
fn files(path: &Path, named: bool) -> Result<Vec<PathBuf>, Failure> {
    let ending = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_prefix('*'));
    let Some((ending, directory)) = ending.zip(path.parent()).filter(|_| !named) else {
        return Ok(if named || path.is_file() { vec![path.into()] } else { Vec::new() });
    };
    if !directory.is_dir() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in directory.read_dir()? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(ending) && path.is_file() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The rules that each config file does not have yet.
fn shares(
    config: &LoadedConfig,
    documents: &[SourceDocument],
    entries: &[ImportedEntry],
) -> Result<Vec<ConfigChange>, Failure> {
    let targets = [
        (DocumentScope::User, LayerKind::Global, config.settings.locations.global.clone()),
        (DocumentScope::Project, LayerKind::Project, config.workspace.config()),
    ];
    let mut shares = Vec::new();
    for (scope, kind, path) in targets {
        let own = entries
            .iter()
            .filter(|entry| documents.get(entry.document).is_some_and(|document| document.scope == scope));
        let rules: Vec<(Effect, Rule)> = own.flat_map(|entry| entry.rules.iter().cloned()).collect();
        if rules.is_empty() {
            continue;
        }
        let before = match std::fs::read_to_string(&path) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(error.into()),
        };
        let (after, rules) = added(kind, &path, before.as_deref(), &rules)?;
        let diff = diff(before.as_deref().unwrap_or(""), &after);
        shares.push(ConfigChange { kind, path, rules, diff });
    }
    Ok(shares)
}

/// The text with the missing rules added, and those rules.
fn added(
    kind: LayerKind,
    path: &Path,
    text: Option<&str>,
    rules: &[(Effect, Rule)],
) -> Result<(String, Vec<(Effect, Rule)>), HostError> {
    let mut there: Vec<(Effect, Rule)> = match text {
        Some(text) => {
            let layer = Layer::parse(kind, &path.to_string_lossy(), text)?;
            layer
                .rules
                .into_iter()
                .map(|layer_rule| (layer_rule.effect, without_comments(&layer_rule.rule)))
                .collect()
        }
        None => Vec::new(),
    };
    let mut after = text.map(str::to_owned);
    let mut new = Vec::new();
    for (effect, rule) in rules {
        let bare = (*effect, without_comments(rule));
        if there.contains(&bare) {
            continue;
        }
        there.push(bare);
        after = Some(config_rule_edit::add(after.as_deref(), *effect, rule)?);
        new.push((*effect, rule.clone()));
    }
    Ok((after.unwrap_or_default(), new))
}

/// A rule without id, note and examples, for comparison.
fn without_comments(rule: &Rule) -> Rule {
    Rule { id: None, note: None, examples: None, ..rule.clone() }
}

fn became(entry: &ImportedEntry) -> Vec<String> {
    let shown = |rule: &Rule| one_line(&Rule { note: None, examples: None, ..rule.clone() });
    entry.rules.iter().map(|(effect, rule)| format!("{effect} {}", shown(rule))).collect()
}

fn show(
    out: &mut StyledStdout,
    config: &LoadedConfig,
    documents: &[SourceDocument],
    entries: &[ImportedEntry],
    shares: &[ConfigChange],
) -> Result<(), Failure> {
    let name =
        |entry: &ImportedEntry| documents.get(entry.document).map_or("", |document| document.name.as_str());
    let lines: Vec<TransferEntry<'_>> = entries
        .iter()
        .map(|entry| TransferEntry {
            how: entry.exactness,
            lost: false,
            at: format!("{}:{}", name(entry), entry.line),
            source_text: &entry.source_text,
            results: became(entry),
            why: &entry.why,
        })
        .collect();
    transfer_report::write(out, &lines)?;
    let strong = style::STRONG;
    match lines.len() {
        0 => writeln!(out, "no rules found")?,
        all => writeln!(out, "{strong}{all} entries{strong:#}: {}", transfer_report::summary(&lines))?,
    }
    for share in shares {
        let path = shorten_path(&share.path.to_string_lossy(), config.home());
        writeln!(out)?;
        if share.rules.is_empty() {
            writeln!(out, "{strong}{path}{strong:#} already has all of these rules")?;
        } else {
            writeln!(out, "{strong}{path}{strong:#}")?;
            terminal::diff(out, &share.diff)?;
        }
    }
    Ok(())
}

fn report(
    documents: &[SourceDocument],
    entries: &[ImportedEntry],
    shares: &[ConfigChange],
    written: bool,
) -> Value {
    let entries = entries.iter().map(|entry| {
        let rules: Vec<Value> =
            entry.rules.iter().map(|(effect, rule)| json!({ "effect": effect, "rule": rule })).collect();
        json!({
            "file": documents.get(entry.document).map(|document| &document.name),
            "line": entry.line,
            "said": entry.source_text,
            "how": entry.exactness.name(),
            "why": entry.why,
            "rules": rules,
        })
    });
    let files = shares.iter().map(|share| {
        json!({ "layer": share.kind, "file": share.path.to_string_lossy(), "added": share.rules.len(), "diff": share.diff })
    });
    json!({
        "entries": entries.collect::<Vec<_>>(),
        "files": files.collect::<Vec<_>>(),
        "written": written,
    })
}
