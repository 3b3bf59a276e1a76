//! `git` with settings that run commands: aliases in options, in variables and in the config that the text writes.

use super::super::git_config_text::{settings_in_config, settings_in_parameters};
use super::super::unresolved_words::is_dangerous;
use super::fields::{Field, command_text, readable};
use super::shell::{Shell, here};

/// Before the name of a setting that `git config` has stored.
const STORED: &str = "git setting ";
/// How many settings in numbered variables are read.
const MAX_SETTINGS: usize = 32;
/// Variables that name config files.
const CONFIG_FILES: [&str; 2] = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"];
/// Sections of settings that hold no command.
const PLAIN_SECTIONS: [&str; 3] = ["alias", "user", "author"];
/// Global options whose value is the next word.
const VALUED: [&str; 7] =
    ["-C", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--attr-source", "--shallow-file"];

impl Shell<'_> {
    /// Follows an alias. False if the subcommand is none.
    pub(super) fn git(&mut self, arguments: &[String]) -> bool {
        for name in CONFIG_FILES {
            let path = self.variables().text(name).map(str::to_owned);
            let text = path.and_then(|path| self.known_file(&path).or_else(|| self.known_file(here(&path)?)));
            text.into_iter().for_each(|text| self.note_settings(&text));
        }
        let mut settings = self.settings_in_variables();
        let mut words = arguments.iter();
        let mut subcommand = None;
        while let Some(word) = words.next() {
            let setting = match word.as_str() {
                "-c" => words.next().and_then(|setting| setting.split_once('=')).map(owned),
                "--config-env" => words.next().and_then(|setting| self.setting_from(setting)),
                option if VALUED.contains(&option) => {
                    words.next();
                    None
                }
                option if option.starts_with('-') => {
                    option.strip_prefix("--config-env=").and_then(|setting| self.setting_from(setting))
                }
                name => {
                    subcommand = Some(name.to_owned());
                    break;
                }
            };
            settings.extend(setting);
        }
        let Some(subcommand) = subcommand else { return false };
        let rest: Vec<String> = words.cloned().collect();
        if subcommand == "config" {
            self.keep_setting(&rest);
            return false;
        }
        let name = format!("alias.{subcommand}");
        let given = settings.iter().rev().find(|(key, _)| key.eq_ignore_ascii_case(&name));
        let stored = || self.variables().text(&format!("{STORED}{}", name.to_lowercase())).map(str::to_owned);
        let Some(alias) = given.map(|(_, value)| value.clone()).or_else(stored) else { return false };
        // Git does not follow an alias of itself, nor one that is named like its own subcommands.
        if alias.split_whitespace().next() == Some(subcommand.as_str()) {
            return false;
        }
        let rest = command_text(&rest.iter().map(Field::new).collect::<Vec<_>>());
        let text = match alias.strip_prefix('!') {
            Some(command) => format!("{command} {rest}"),
            None => format!("git {} {alias} {rest}", options_for(&settings, &name)),
        };
        self.nested(|shell| shell.in_subshell(|shell| shell.run_text(&text)));
        true
    }

    /// Shows the values in a config file of git to the search: any of them may be a command.
    pub(super) fn note_settings(&mut self, text: &str) {
        if !self.spend(text.len() / 4) {
            return;
        }
        let is_plain = |section: &str| PLAIN_SECTIONS.iter().any(|plain| section.starts_with(plain));
        for (section, _, value) in settings_in_config(text) {
            if !is_plain(&section) && is_dangerous(&value) {
                (self.note)(&readable(&value));
            }
        }
    }

    /// Keeps an alias of a config file that the text writes.
    pub(super) fn keep_alias(&mut self, name: &str, value: String) {
        self.variables_mut().set(&format!("{STORED}alias.{name}"), value);
    }

    /// `name=VARIABLE`: the value of the variable.
    fn setting_from(&self, setting: &str) -> Option<(String, String)> {
        let (name, variable) = setting.rsplit_once('=')?;
        Some((name.to_owned(), self.variables().text(variable)?.to_owned()))
    }

    /// `GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=push`
    fn settings_in_variables(&self) -> Vec<(String, String)> {
        let text = |name: String| self.variables().text(&name).map(str::to_owned);
        let numbered = |at: usize| {
            Some((text(format!("GIT_CONFIG_KEY_{at}"))?, text(format!("GIT_CONFIG_VALUE_{at}"))?))
        };
        let parameters = text("GIT_CONFIG_PARAMETERS".to_owned()).unwrap_or_default();
        let numbered = (0..MAX_SETTINGS).map_while(numbered);
        numbered.chain(settings_in_parameters(&parameters)).collect()
    }

    /// `git config alias.p push`
    fn keep_setting(&mut self, words: &[String]) {
        let mut operands = words.iter().filter(|word| !word.starts_with('-') && *word != "set");
        if let (Some(name), Some(value)) = (operands.next(), operands.next()) {
            self.variables_mut().set(&format!("{STORED}{}", name.to_lowercase()), value.clone());
        }
    }
}

/// The settings as options for an alias that calls another one, without the alias that was followed.
fn options_for(settings: &[(String, String)], followed: &str) -> String {
    let others = settings.iter().filter(|(name, _)| !name.eq_ignore_ascii_case(followed));
    let words = others.flat_map(|(name, value)| [Field::new("-c"), Field::new(format!("{name}={value}"))]);
    command_text(&words.collect::<Vec<_>>())
}

fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}
