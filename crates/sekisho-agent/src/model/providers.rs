//! Builds the client of a model from its configuration.

use std::sync::Arc;

use serde_json::Value;
use tokio_rustls::rustls::RootCertStore;

pub use super::http::Timeouts;
pub use super::openai::MaxTokensField;
pub use super::secret_key::SecretKey;

use super::anthropic::{self, Anthropic};
use super::failure::Failure;
use super::http::{BaseUrl, HttpClient};
use super::openai::{self, OpenAi};
use super::retry::RetryPolicy;
use super::scripted::ScriptedModel;
use super::streaming_client::StreamingClient;
use super::{Model, ModelError, ModelErrorCode};
use crate::conversation::Provider;

/// The variable that users put Anthropic's key into. Named in errors; only the binary reads it.
pub const ANTHROPIC_KEY_VARIABLE: &str = "ANTHROPIC_API_KEY";
/// The variable that users put OpenAI's key, or that of a compatible provider, into.
pub const OPENAI_KEY_VARIABLE: &str = "OPENAI_API_KEY";

/// How to reach a model.
#[derive(Clone, Debug)]
pub struct ProviderConfig {
    /// Which interface it has.
    pub provider: Provider,
    /// Where it is, with or without `/v1`. None for the provider's own address.
    pub base_url: Option<String>,
    /// The key. Only OpenAI-compatible servers on this machine may go without.
    pub key: Option<SecretKey>,
    /// Sends the key also without encryption to other machines.
    pub allow_insecure: bool,
    /// The field of the most tokens, for OpenAI-compatible servers. None to choose it by the host.
    pub max_tokens_field: Option<MaxTokensField>,
    /// How long the provider may take.
    pub timeouts: Timeouts,
    /// When to try again.
    pub retry: RetryPolicy,
    /// The script of a scripted model.
    pub script: Option<Value>,
    /// The certificates that https trusts. None for those of the system.
    pub roots: Option<RootCertStore>,
}

impl ProviderConfig {
    /// A provider at its own address, without a key.
    pub fn new(provider: Provider) -> ProviderConfig {
        ProviderConfig {
            provider,
            base_url: None,
            key: None,
            allow_insecure: false,
            max_tokens_field: None,
            timeouts: Timeouts::default(),
            retry: RetryPolicy::default(),
            script: None,
            roots: None,
        }
    }
}

/// The client of a model. It can be used for many requests at once and keeps its connections, so it should be
/// built once for each provider.
pub fn build(config: ProviderConfig) -> Result<Arc<dyn Model>, ModelError> {
    match config.provider {
        Provider::Anthropic => {
            let (base, key) = base_and_key(&config, anthropic::BASE_URL, ANTHROPIC_KEY_VARIABLE)?;
            let Some(key) = key else { return Err(missing_key(&base, ANTHROPIC_KEY_VARIABLE)) };
            let wire = Anthropic::new(&base, &key).map_err(|failure| failure.error)?;
            let http = HttpClient::new(base, config.timeouts, config.roots);
            Ok(Arc::new(StreamingClient::new(wire, http, Some(key), config.retry)))
        }
        Provider::Openai => {
            let (base, key) = base_and_key(&config, openai::BASE_URL, OPENAI_KEY_VARIABLE)?;
            if key.is_none() && !base.is_loopback() {
                return Err(missing_key(&base, OPENAI_KEY_VARIABLE));
            }
            let wire = OpenAi::new(&base, key.as_ref(), config.max_tokens_field);
            let wire = wire.map_err(|failure| failure.error)?;
            let http = HttpClient::new(base, config.timeouts, config.roots);
            Ok(Arc::new(StreamingClient::new(wire, http, key, config.retry)))
        }
        Provider::Scripted => {
            let script = config.script.ok_or_else(|| bad_config("The scripted model has no script."))?;
            let model = ScriptedModel::from_value(script);
            Ok(Arc::new(model.map_err(|error| bad_config(error.to_string()))?))
        }
    }
}

/// The base URL, and the key if it may be sent there.
fn base_and_key(
    config: &ProviderConfig,
    default: &str,
    variable: &str,
) -> Result<(BaseUrl, Option<SecretKey>), ModelError> {
    let base = BaseUrl::parse(config.base_url.as_deref().unwrap_or(default)).map_err(bad_config)?;
    let is_safe = base.is_encrypted() || base.is_loopback() || config.allow_insecure;
    if config.key.is_some() && !is_safe {
        return Err(bad_config(format!(
            "The key in {variable} is not sent to {} over plain http. Use https, or set `allow_insecure`.",
            base.host()
        )));
    }
    Ok((base, config.key.clone()))
}

fn missing_key(base: &BaseUrl, variable: &str) -> ModelError {
    let message = format!("There is no key for {}. Set {variable}.", base.host());
    Failure::permanent(ModelErrorCode::Unauthorized, message).error
}

fn bad_config(message: impl Into<String>) -> ModelError {
    Failure::permanent(ModelErrorCode::BadRequest, message).error
}
