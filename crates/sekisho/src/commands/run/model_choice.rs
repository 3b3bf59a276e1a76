//! Which model the default agent uses.

use sekisho_agent::conversation::Provider;

use crate::failure::Failure;
use crate::settings;

/// The models of the providers, unless the user names one.
const ANTHROPIC_MODEL: &str = "claude-sonnet-4-5";
const OPENAI_MODEL: &str = "gpt-4.1";

/// A model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ModelChoice {
    pub(super) provider: Provider,
    pub(super) model: String,
}

/// What the environment says about models.
#[derive(Clone, Copy, Debug)]
pub(super) struct Configured {
    anthropic: bool,
    openai: bool,
    /// The models of the provider `openai` are those of another server, whose names are not known.
    is_other_openai: bool,
    scripted: bool,
}

impl Configured {
    pub(super) fn load() -> Result<Configured, Failure> {
        Ok(Configured {
            anthropic: settings::is_configured(Provider::Anthropic)?,
            openai: settings::is_configured(Provider::Openai)?,
            is_other_openai: settings::has_own_openai_address(),
            scripted: settings::is_configured(Provider::Scripted)?,
        })
    }

    fn has(self, provider: Provider) -> bool {
        match provider {
            Provider::Anthropic => self.anthropic,
            Provider::Openai => self.openai,
            Provider::Scripted => self.scripted,
        }
    }
}

/// Chooses a model. `known` is the model of the last run, for a server that was started with keys of its own;
/// `needs_key` says that this process asks the model.
pub(super) fn choose(
    provider: Option<Provider>,
    model: Option<&str>,
    configured: Configured,
    known: Option<ModelChoice>,
    needs_key: bool,
) -> Result<ModelChoice, Failure> {
    let known = known.filter(|_| !needs_key);
    let Some(provider) = provider.or_else(|| usual(model, configured)) else {
        let known =
            known.map(|known| ModelChoice { model: model.unwrap_or(&known.model).to_owned(), ..known });
        return known.ok_or_else(no_key);
    };
    if needs_key && !configured.has(provider) {
        return Err(missing(provider));
    }
    let model = match (model, provider) {
        (Some(model), _) => model,
        (None, Provider::Anthropic) => ANTHROPIC_MODEL,
        (None, Provider::Openai) if !configured.is_other_openai => OPENAI_MODEL,
        (None, Provider::Openai) => {
            return Err(Failure::usage(
                "`OPENAI_BASE_URL` is set, so the model has no default; add `--model`",
            ));
        }
        (None, Provider::Scripted) => {
            return Err(Failure::usage("a scripted model needs `--model`, the name of a script"));
        }
    };
    Ok(ModelChoice { provider, model: model.to_owned() })
}

/// The provider that has a key. If both have one, the name of the model decides.
fn usual(model: Option<&str>, configured: Configured) -> Option<Provider> {
    let is_openai = model.is_some_and(|model| model.starts_with("gpt-"));
    match (configured.anthropic, configured.openai) {
        (true, true) if is_openai => Some(Provider::Openai),
        (true, _) => Some(Provider::Anthropic),
        (false, true) => Some(Provider::Openai),
        (false, false) => None,
    }
}

fn no_key() -> Failure {
    Failure::new(
        "no model key is set\n\
         set `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, or `OPENAI_BASE_URL` for a server of your own such as Ollama\n\
         without a key, `--provider scripted --model NAME` follows the script `NAME.json` in the directory `SEKISHO_SCRIPTS`",
    )
}

fn missing(provider: Provider) -> Failure {
    Failure::new(match provider {
        Provider::Anthropic => "there is no key for Anthropic; set `ANTHROPIC_API_KEY`",
        Provider::Openai => {
            "there is no key for OpenAI; set `OPENAI_API_KEY`, or `OPENAI_BASE_URL` for a server of your own"
        }
        Provider::Scripted => "there are no scripts; set `SEKISHO_SCRIPTS` to their directory",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Configured =
        Configured { anthropic: false, openai: false, is_other_openai: false, scripted: false };

    fn name(choice: Result<ModelChoice, Failure>) -> String {
        match choice {
            Ok(choice) => format!("{:?} {}", choice.provider, choice.model),
            Err(failure) => failure.message,
        }
    }

    #[test]
    fn key_decides_unless_a_flag_does() {
        let both = Configured { anthropic: true, openai: true, ..NONE };
        let openai = Configured { openai: true, ..NONE };
        let other = Configured { is_other_openai: true, ..openai };
        let check = |provider, model: Option<&str>, configured, expected: &str| {
            let found = name(choose(provider, model, configured, None, true));
            assert!(found.contains(expected), "{found}");
        };
        check(None, None, both, "Anthropic claude-sonnet-4-5");
        check(None, Some("gpt-5"), both, "Openai gpt-5");
        check(None, Some("claude-opus-4-1"), both, "Anthropic claude-opus-4-1");
        check(None, None, openai, "Openai gpt-4.1");
        check(None, Some("llama3.3"), other, "Openai llama3.3");
        check(None, None, other, "add `--model`");
        check(None, None, NONE, "set `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`");
        check(Some(Provider::Anthropic), None, openai, "set `ANTHROPIC_API_KEY`");
        check(Some(Provider::Scripted), Some("x"), NONE, "set `SEKISHO_SCRIPTS`");
        check(Some(Provider::Scripted), None, Configured { scripted: true, ..NONE }, "needs `--model`");
    }

    #[test]
    fn server_with_its_own_keys_keeps_its_model() {
        let known = ModelChoice { provider: Provider::Openai, model: "m".into() };
        assert_eq!(name(choose(None, None, NONE, Some(known.clone()), false)), "Openai m");
        assert!(choose(None, None, NONE, Some(known), true).is_err());
        assert_eq!(
            name(choose(Some(Provider::Anthropic), None, NONE, None, false)),
            "Anthropic claude-sonnet-4-5"
        );
    }
}
