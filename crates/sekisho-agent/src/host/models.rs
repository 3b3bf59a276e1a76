//! The models that runs can use: one client for each provider, and scripts in a directory.

use std::path::PathBuf;
use std::sync::Arc;

use crate::conversation::Provider;
use crate::model::providers::{ProviderConfig, build};
use crate::model::scripted::ScriptedModel;
use crate::model::{Model, ModelError, ModelErrorCode};

/// The models that runs can use.
#[derive(Clone)]
pub struct Models {
    anthropic: Result<Arc<dyn Model>, ModelError>,
    openai: Result<Arc<dyn Model>, ModelError>,
    scripts: Option<PathBuf>,
}

impl Models {
    /// The clients of both providers. A provider that cannot be used, such as one without a key, fails only the runs
    /// that need it. `scripts` is the directory of the scripted models: the model `x` is the file `x.json`.
    pub fn new(anthropic: ProviderConfig, openai: ProviderConfig, scripts: Option<PathBuf>) -> Models {
        Models { anthropic: build(anthropic), openai: build(openai), scripts }
    }

    /// The model with this name.
    pub fn get(&self, provider: Provider, name: &str) -> Result<Arc<dyn Model>, ModelError> {
        match provider {
            Provider::Anthropic => self.anthropic.clone(),
            Provider::Openai => self.openai.clone(),
            Provider::Scripted => self.scripted(name),
        }
    }

    /// A script is read every time, so that it can be edited.
    fn scripted(&self, name: &str) -> Result<Arc<dyn Model>, ModelError> {
        let Some(directory) = &self.scripts else {
            return Err(unusable(
                "There are no scripted models. Set SEKISHO_SCRIPTS to their directory.".into(),
            ));
        };
        let is_name =
            !name.is_empty() && name.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_'));
        if !is_name {
            return Err(unusable(format!(
                "`{name}` is not the name of a script. A name has letters, digits, `-` and `_` only."
            )));
        }
        match ScriptedModel::from_file(&directory.join(format!("{name}.json"))) {
            Ok(model) => Ok(Arc::new(model)),
            Err(error) => Err(unusable(error.to_string())),
        }
    }
}

fn unusable(message: String) -> ModelError {
    ModelError { code: ModelErrorCode::BadRequest, message, request_id: None, retry_after: None }
}
