//! Presets: opt-in lists of rules that are shipped with sekisho. They are layered like the built-in rules, below every rule
//! of a user. An allow of a preset is as narrow as a built-in one: the program table says which options it covers.

use std::sync::OnceLock;

use crate::built_in_layers::shipped;
use crate::config_file;
use crate::layer::{Layer, LayerTrust, Preset};
use crate::rule::{Effect, LayerKind};

/// A text with rules of a preset.
struct PresetText {
    preset: Preset,
    /// Another preset that must be on too.
    with: Option<Preset>,
    /// The name of its layer.
    name: &'static str,
    text: &'static str,
}

const PRESETS: [Preset; 4] = [Preset::Dev, Preset::LocalWork, Preset::NetworkRead, Preset::Strict];

static TEXTS: [PresetText; 5] = [
    PresetText {
        preset: Preset::Dev,
        with: None,
        name: "preset dev",
        text: include_str!("builtin/presets/dev.json"),
    },
    PresetText {
        preset: Preset::LocalWork,
        with: None,
        name: "preset local-work",
        text: include_str!("builtin/presets/local-work.json"),
    },
    // These run the repository's hooks, which are as much the project's code as its build scripts.
    PresetText {
        preset: Preset::LocalWork,
        with: Some(Preset::Dev),
        name: "presets local-work and dev",
        text: include_str!("builtin/presets/local-work-with-dev.json"),
    },
    PresetText {
        preset: Preset::NetworkRead,
        with: None,
        name: "preset network-read",
        text: include_str!("builtin/presets/network-read.json"),
    },
    PresetText {
        preset: Preset::Strict,
        with: None,
        name: "preset strict",
        text: include_str!("builtin/presets/strict.json"),
    },
];

static PARSED: [OnceLock<Option<Layer>>; TEXTS.len()] = [const { OnceLock::new() }; TEXTS.len()];

/// What a preset does, for people.
#[derive(Clone, Debug)]
pub struct PresetSummary {
    /// The preset.
    pub preset: Preset,
    /// Its name in a config file.
    pub name: &'static str,
    /// What it allows or denies.
    pub effect: &'static str,
    /// What somebody who switches it on trusts.
    pub trusts: &'static str,
    /// The commands, tools and paths of its rules, with their effect.
    pub rules: Vec<(Effect, String)>,
}

/// All presets.
pub fn preset_summaries() -> Vec<PresetSummary> {
    let describe = |preset| match preset {
        Preset::Dev => (
            "dev",
            "allows commands that build, test, lint and format the project in the workspace",
            "the project's own code, build scripts and dependencies, which these commands run",
        ),
        Preset::LocalWork => (
            "local-work",
            "allows creating directories in the workspace and `git add`; with `dev` also commits and new branches",
            "what is already in the workspace and its repository; with `dev` also the repository's hooks",
        ),
        Preset::NetworkRead => (
            "network-read",
            "allows commands that read from GitHub, clusters, containers and cloud services, without secrets",
            "the services you are signed in to, with your rights to read",
        ),
        Preset::Strict => (
            "strict",
            "denies recursive deletion, git push, showing the environment, and writing to system directories",
            "nothing: it only denies",
        ),
    };
    let summary = |preset: Preset| {
        let (name, effect, trusts) = describe(preset);
        let texts = parsed().filter(|(text, _)| text.preset == preset);
        let rules = texts.flat_map(|(_, layer)| &layer.rules);
        let rules = rules.map(|rule| (rule.effect, described(&rule.rule))).collect();
        PresetSummary { preset, name, effect, trusts, rules }
    };
    PRESETS.into_iter().map(summary).collect()
}

fn described(rule: &crate::rule::Rule) -> String {
    let about = rule.command_glob.as_ref().or(rule.command.as_ref()).or(rule.path.as_ref());
    let about = about.map(ToString::to_string).unwrap_or_default();
    match rule.tool.as_deref() {
        Some("bash") | None => about,
        Some(tool) => format!("{tool} {about}").trim_end().to_owned(),
    }
}

fn parsed() -> impl Iterator<Item = (&'static PresetText, &'static Layer)> {
    TEXTS.iter().zip(&PARSED).filter_map(|(text, parsed)| {
        let layer = parsed.get_or_init(|| config_file::read(LayerKind::BuiltIn, text.name, text.text).ok());
        Some((text, layer.as_ref()?))
    })
}

/// Whether a layer that names a preset switches it on. Any layer may tighten, and only a trusted one may loosen.
pub fn switches_on(layer: &Layer, preset: Preset) -> bool {
    preset == Preset::Strict || layer.trust == LayerTrust::Full
}

/// The presets that these layers switch on.
pub fn active_presets(layers: &[Layer]) -> Vec<Preset> {
    let chosen = layers.iter().flat_map(|layer| {
        layer.settings.presets.iter().copied().filter(|preset| switches_on(layer, *preset))
    });
    let mut chosen: Vec<Preset> = chosen.collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// The layers of these presets. Tests check their texts, so an error cannot reach a user.
pub(crate) fn shipped_presets<'a>(presets: &[Preset]) -> impl Iterator<Item = &'a Layer> {
    let is_on = move |text: &PresetText| {
        presets.contains(&text.preset) && text.with.is_none_or(|other| presets.contains(&other))
    };
    parsed().filter(move |(text, _)| is_on(text)).map(|(_, layer)| layer)
}

/// The layers that are shipped with sekisho and apply with these layers: the built-in list and the presets that are on.
pub fn shipped_layers(layers: &[Layer]) -> Vec<Layer> {
    let builtin = layers.iter().filter_map(|layer| layer.settings.builtin).max().unwrap_or_default();
    shipped(builtin).chain(shipped_presets(&active_presets(layers))).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_valid_and_their_examples_hold() {
        for PresetText { name, text, .. } in &TEXTS {
            Layer::parse(LayerKind::BuiltIn, name, text).unwrap();
        }
        assert!(preset_summaries().iter().all(|summary| !summary.rules.is_empty()));
    }

    #[test]
    fn commands_that_run_hooks_need_both_presets() {
        let layers = |presets: &[Preset]| shipped_presets(presets).count();
        assert_eq!(layers(&[Preset::LocalWork]), 1);
        assert_eq!(layers(&[Preset::Dev]), 1);
        assert_eq!(layers(&[Preset::Dev, Preset::LocalWork]), 3);
    }

    #[test]
    fn untrusted_files_switch_on_only_what_tightens() {
        let text = r#"{ "version": 1, "presets": ["dev", "strict"] }"#;
        let project = Layer::parse(LayerKind::Project, "p", text).unwrap();
        assert_eq!(active_presets(std::slice::from_ref(&project)), [Preset::Strict]);
        let trusted = Layer { trust: LayerTrust::Full, ..project };
        assert_eq!(active_presets(&[trusted]), [Preset::Dev, Preset::Strict]);
    }
}
