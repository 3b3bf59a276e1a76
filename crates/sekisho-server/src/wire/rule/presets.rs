//! Presets on the wire. What each allows and trusts is said by its name; the page has the sentences.

use schemars::JsonSchema;
use sekisho_policy::{Effect, Layer, Preset, PresetSummary, switches_on};
use serde::Serialize;

/// A preset, and where it is on.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PresetItem")]
pub struct PresetItem {
    /// Its name in a config file.
    pub name: Preset,
    /// Whether a file switches it on.
    pub on: bool,
    /// The files that switch it on.
    pub files: Vec<String>,
    /// Project files that name it without effect, because they may only tighten as long as they are not trusted.
    pub ignored_in: Vec<String>,
    /// What its rules match.
    pub rules: Vec<PresetRule>,
}

/// A rule of a preset, in a few words.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PresetRule {
    /// Its effect.
    pub effect: Effect,
    /// The command, or the tool and the path.
    pub about: String,
}

impl PresetItem {
    /// A preset, and which of these layers switch it on.
    pub(crate) fn new(summary: PresetSummary, layers: &[Layer]) -> PresetItem {
        let named = layers.iter().filter(|layer| layer.settings.presets.contains(&summary.preset));
        let (on, ignored): (Vec<&Layer>, Vec<&Layer>) =
            named.partition(|layer| switches_on(layer, summary.preset));
        let names = |layers: Vec<&Layer>| layers.iter().map(|layer| layer.name.to_string()).collect();
        let rule = |(effect, about)| PresetRule { effect, about };
        PresetItem {
            name: summary.preset,
            on: !on.is_empty(),
            files: names(on),
            ignored_in: names(ignored),
            rules: summary.rules.into_iter().map(rule).collect(),
        }
    }
}
