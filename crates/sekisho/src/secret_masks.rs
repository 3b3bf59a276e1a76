//! Masks for the secrets that the user lists.

use sekisho_gate::mask::Masks;

use crate::failure::Failure;
use crate::settings;

/// A value that is shorter is no key, and masking it would make records unreadable.
const SHORTEST_KEY: usize = 8;

/// The masks for what must never be recorded: the values of the variables and files listed under `secrets`, and
/// the keys of models and of the search API.
pub(crate) fn masks(secrets: &[String]) -> Result<Masks, Failure> {
    let mut values = Vec::new();
    for secret in secrets {
        let value = if secret.contains('/') {
            std::fs::read_to_string(secret).map_err(|error| error.to_string().to_lowercase())
        } else {
            settings::secret_variable(secret).ok_or_else(|| "the variable is not set".to_owned())
        };
        let way_out = "it is listed under `secrets`, so that its value is never recorded; fix it, or remove it from the list";
        let value = value.map_err(|error| Failure::new(format!("secret `{secret}`: {error}; {way_out}")))?;
        values.push(value.trim_end_matches(['\r', '\n']).to_owned());
    }
    let mut keys = settings::model_keys()?;
    keys.extend(settings::secret_variable(settings::SEARCH_KEY));
    values.extend(keys.into_iter().filter(|key| key.len() >= SHORTEST_KEY));
    Ok(Masks::new(values))
}
