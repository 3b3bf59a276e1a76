//! The models that runs can use: one client for each provider, and scripts in a directory.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::conversation::Provider;
use crate::model::providers::{ProviderConfig, build};
use crate::model::scripted::ScriptedModel;
use crate::model::{Model, ModelError, ModelErrorCode};
use crate::spending::{ModelPrice, ModelPrices};

/// The models that runs can use.
#[derive(Clone)]
pub struct Models {
    anthropic: Result<Arc<dyn Model>, ModelError>,
    openai: Result<Arc<dyn Model>, ModelError>,
    scripts: Option<PathBuf>,
    prices: ModelPrices,
    built_in: BTreeMap<String, Arc<ScriptedModel>>,
}

impl Models {
    /// The clients of both providers. A provider that cannot be used, such as one without a key, fails only the runs
    /// that need it. `scripts` is the directory of the scripted models: the model `x` is the file `x.json`.
    pub fn new(anthropic: ProviderConfig, openai: ProviderConfig, scripts: Option<PathBuf>) -> Models {
        Models {
            anthropic: build(anthropic),
            openai: build(openai),
            scripts,
            prices: ModelPrices::default(),
            built_in: BTreeMap::new(),
        }
    }

    /// The same with prices.
    #[must_use]
    pub fn with_prices(self, prices: ModelPrices) -> Models {
        Models { prices, ..self }
    }

    /// The price of a model. None if none is set.
    pub fn price(&self, provider: Provider, name: &str) -> Option<ModelPrice> {
        self.prices.get(provider, name)
    }

    /// Adds a scripted model that needs no file. It takes precedence over a file with the same name.
    #[must_use]
    pub fn with_script(mut self, name: &str, script: ScriptedModel) -> Models {
        self.built_in.insert(name.to_owned(), Arc::new(script));
        self
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
        if let Some(script) = self.built_in.get(name) {
            return Ok(Arc::clone(script) as _);
        }
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
