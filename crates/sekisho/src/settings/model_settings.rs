//! The models of agents. Keys come from the environment or from files, never from the database.

use std::path::PathBuf;

use sekisho_agent::Models;
use sekisho_agent::conversation::Provider;
use sekisho_agent::model::providers::{
    ANTHROPIC_KEY_VARIABLE, OPENAI_KEY_VARIABLE, ProviderConfig, SecretKey,
};

use super::{absolute, variable_of};
use crate::failure::Failure;

/// The variables with the path of a file that contains a key.
const KEY_FILES: [(&str, &str); 2] =
    [(ANTHROPIC_KEY_VARIABLE, "ANTHROPIC_API_KEY_FILE"), (OPENAI_KEY_VARIABLE, "OPENAI_API_KEY_FILE")];
/// The directory of scripted models.
const SCRIPTS: &str = "SEKISHO_SCRIPTS";

/// The models, with the keys and addresses of the environment.
pub(crate) fn models() -> Result<Models, Failure> {
    let provider = |provider, key, base_url: &str| -> Result<ProviderConfig, Failure> {
        let key = key_of(key)?.and_then(SecretKey::new);
        Ok(ProviderConfig { key, base_url: variable_of(base_url), ..ProviderConfig::new(provider) })
    };
    let scripts = variable_of(SCRIPTS).map(absolute).transpose()?;
    Ok(Models::new(
        provider(Provider::Anthropic, ANTHROPIC_KEY_VARIABLE, "ANTHROPIC_BASE_URL")?,
        provider(Provider::Openai, OPENAI_KEY_VARIABLE, "OPENAI_BASE_URL")?,
        scripts,
    ))
}

/// Whether the environment says how to reach a provider: it has a key, another address, or scripts.
pub(crate) fn is_configured(provider: Provider) -> Result<bool, Failure> {
    Ok(match provider {
        Provider::Anthropic => key_of(ANTHROPIC_KEY_VARIABLE)?.is_some(),
        Provider::Openai => key_of(OPENAI_KEY_VARIABLE)?.is_some() || has_own_openai_address(),
        Provider::Scripted => variable_of(SCRIPTS).is_some(),
    })
}

/// Whether the models of the provider `openai` are those of another server.
pub(crate) fn has_own_openai_address() -> bool {
    variable_of("OPENAI_BASE_URL").is_some()
}

/// The keys of models, which must never be recorded.
pub(crate) fn model_keys() -> Result<Vec<String>, Failure> {
    let mut keys = Vec::new();
    for (variable, _) in KEY_FILES {
        keys.extend(key_of(variable)?.map(|key| key.trim().to_owned()));
    }
    Ok(keys)
}

/// The files with keys, which no program in the sandbox may read.
pub(crate) fn model_key_files() -> Vec<PathBuf> {
    KEY_FILES.into_iter().filter_map(|(_, file)| variable_of(file)).map(PathBuf::from).collect()
}

/// The key in a variable, or in the file that the other variable names.
fn key_of(variable: &str) -> Result<Option<String>, Failure> {
    if let Some(key) = variable_of(variable) {
        return Ok(Some(key));
    }
    let file = KEY_FILES.into_iter().find(|(of, _)| *of == variable).map(|(_, file)| file);
    let Some((name, path)) = file.and_then(|name| Some((name, variable_of(name)?))) else { return Ok(None) };
    let text = std::fs::read_to_string(&path);
    text.map(Some).map_err(|error| {
        let why = error.to_string().to_lowercase();
        Failure::new(format!("`{name}`: {path}: {why}; name a file with the key, or unset the variable"))
    })
}
