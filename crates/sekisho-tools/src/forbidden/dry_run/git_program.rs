//! `git` with settings that run commands: aliases in options, in variables and in the config that the text writes.

use super::fields::Field;
use super::shell::Shell;

/// Before the name of a setting that `git config` has stored.
const STORED: &str = "git setting ";
/// How many settings in numbered variables are read.
const MAX_SETTINGS: usize = 32;
/// Global options whose value is the next word.
const VALUED: [&str; 6] =
    ["-C", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--attr-source"];

impl Shell<'_> {
    /// Follows an alias. False if the subcommand is none.
    pub(super) fn git(&mut self, arguments: &[String]) -> bool {
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
        let stored = || self.variables().text(&format!("{STORED}{name}")).map(str::to_owned);
        let Some(alias) = given.map(|(_, value)| value.clone()).or_else(stored) else { return false };
        let fields: Vec<Field> = rest.iter().map(Field::new).collect();
        let rest = super::fields::command_text(&fields);
        let text = match alias.strip_prefix('!') {
            Some(command) => format!("{command} {rest}"),
            None => format!("git {alias} {rest}"),
        };
        self.nested(|shell| shell.in_subshell(|shell| shell.run_text(&text)));
        true
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
        (0..MAX_SETTINGS).map_while(numbered).collect()
    }

    /// `git config alias.p push`
    fn keep_setting(&mut self, words: &[String]) {
        let mut operands = words.iter().filter(|word| !word.starts_with('-') && *word != "set");
        if let (Some(name), Some(value)) = (operands.next(), operands.next()) {
            self.variables_mut().set(&format!("{STORED}{}", name.to_lowercase()), value.clone());
        }
    }
}

fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}
