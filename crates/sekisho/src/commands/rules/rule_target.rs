//! The config file that a `rules` command changes, and the rule in it.

use std::io::Write;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use sekisho_host::config_rule_edit::{Position, rule_at_line, rule_with_id};
use sekisho_host::{ChangedConfig, HostError, LoadedLayers, Workspace, change_config, diff, load_layers};
use sekisho_policy::{Layer, LayerKind, LayerRule, lint};
use uuid::Uuid;

use super::lint_output;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal::{self, shorten_path, style};

/// The config of this machine, loaded for a `rules` command.
pub(super) struct LoadedConfig {
    pub(super) settings: Settings,
    pub(super) workspace: Workspace,
    pub(super) loaded: LoadedLayers,
}

impl LoadedConfig {
    pub(super) fn read() -> Result<LoadedConfig, Failure> {
        let settings = Settings::load()?;
        let workspace = settings.workspace(None)?;
        let loaded = load_layers(&settings.locations, &workspace);
        Ok(LoadedConfig { settings, workspace, loaded })
    }

    pub(super) fn home(&self) -> Option<&Path> {
        self.settings.locations.home.as_deref()
    }

    /// Changes a file and prints the change.
    pub(super) fn change(
        &self,
        kind: LayerKind,
        path: &Path,
        edit: impl FnOnce(Option<&str>) -> Result<String, HostError>,
    ) -> Result<(), Failure> {
        let settings = &self.settings;
        let changed = change_config(&settings.locations, kind, path, &settings.user, Timestamp::now(), edit)?;
        self.show(kind, &changed)
    }

    fn show(&self, kind: LayerKind, changed: &ChangedConfig) -> Result<(), Failure> {
        let mut out = terminal::stdout();
        let strong = style::STRONG;
        writeln!(out, "{strong}{}{strong:#}", shorten_path(&changed.path.to_string_lossy(), self.home()))?;
        terminal::diff(&mut out, &diff(&changed.before, &changed.after))?;
        self.warn(&mut out, kind, changed)
    }

    /// Prints the lint findings about new lines.
    fn warn(&self, out: &mut impl Write, kind: LayerKind, changed: &ChangedConfig) -> Result<(), Failure> {
        let name = changed.path.to_string_lossy();
        let Ok(layer) = Layer::parse(kind, &name, &changed.after) else { return Ok(()) };
        for finding in lint::lint(&[layer], Timestamp::now()) {
            let is_new = !changed.before.contains(&finding.at.rule);
            if is_new && finding.level > lint::FindingLevel::Info {
                lint_output::write_finding(out, &finding, self.home())?;
            }
        }
        Ok(())
    }
}

/// A rule named on the command line.
pub(super) struct RuleTarget {
    pub(super) kind: LayerKind,
    pub(super) path: PathBuf,
    by: RuleLocator,
    layer_rule: LayerRule,
}

#[derive(Clone, Copy)]
enum RuleLocator {
    Line(u32),
    Id(Uuid),
}

impl RuleLocator {
    fn find(self, layer: &Layer) -> Option<(Position, &LayerRule)> {
        match self {
            RuleLocator::Line(line) => rule_at_line(layer, line),
            RuleLocator::Id(id) => rule_with_id(layer, id),
        }
    }
}

impl RuleTarget {
    /// Finds a rule by `FILE:LINE`, by `global:LINE` or `project:LINE`, or by its id.
    pub(super) fn find(config: &LoadedConfig, named: &str) -> Result<RuleTarget, Failure> {
        let missing =
            || Failure::new(format!("no rule at `{named}`; `sekisho rules list` shows where rules are"));
        let (layers, by): (Vec<&Layer>, RuleLocator) = match (named.parse::<Uuid>(), named.rsplit_once(':')) {
            (Ok(id), _) => (config.loaded.layers.loaded.iter().collect(), RuleLocator::Id(id)),
            (Err(_), Some((file, line))) => {
                let line = line.parse().map_err(|_| missing())?;
                let path = config.path_of(file);
                if let Some(broken) =
                    config.loaded.layers.broken.iter().find(|broken| Path::new(&broken.name) == path)
                {
                    return Err(Failure::new(broken.error.clone()));
                }
                let layers = config.loaded.layers.loaded.iter();
                (layers.filter(|layer| Path::new(&*layer.name) == path).collect(), RuleLocator::Line(line))
            }
            (Err(_), None) => {
                return Err(Failure::usage(format!("`{named}` is neither FILE:LINE nor a rule id")));
            }
        };
        layers
            .into_iter()
            .filter(|layer| layer.kind != LayerKind::BuiltIn)
            .find_map(|layer| {
                let (_, layer_rule) = by.find(layer)?;
                let path = PathBuf::from(&*layer.name);
                Some(RuleTarget { kind: layer.kind, path, by, layer_rule: layer_rule.clone() })
            })
            .ok_or_else(missing)
    }

    /// Changes the file that holds the rule. `edit` receives the rule's current position, under the lock.
    pub(super) fn change(
        &self,
        config: &LoadedConfig,
        edit: impl FnOnce(&str, Position) -> Result<String, HostError>,
    ) -> Result<(), Failure> {
        config.change(self.kind, &self.path, |text| {
            let text = text.unwrap_or("");
            let layer = Layer::parse(self.kind, &self.path.to_string_lossy(), text)?;
            let same = |(_, layer_rule): &(Position, &LayerRule)| {
                layer_rule.rule == self.layer_rule.rule && layer_rule.effect == self.layer_rule.effect
            };
            let (position, _) = self.by.find(&layer).filter(same).ok_or_else(|| HostError::File {
                path: self.path.clone(),
                fault: "the file has just changed; try again".into(),
            })?;
            edit(text, position)
        })
    }
}

impl LoadedConfig {
    /// The file that a name refers to.
    fn path_of(&self, file: &str) -> PathBuf {
        match file {
            "global" => self.settings.locations.global.clone(),
            "project" => self.workspace.config(),
            "managed" => self.settings.locations.managed.clone(),
            file => {
                let path = std::path::absolute(file).unwrap_or_else(|_| file.into());
                // Resolve links in the directory, as the loaded file names do.
                let parent = path.parent().and_then(|parent| parent.canonicalize().ok());
                let known = |path: &PathBuf| self.loaded.sources.iter().any(|source| source.path == *path);
                let resolved = parent.zip(path.file_name()).map(|(parent, name)| parent.join(name));
                resolved.filter(known).unwrap_or(path)
            }
        }
    }
}
