//! A gate with `web_fetch`, names that a test makes up, and a policy.

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sekisho_gate::ledger::BoxFuture;
use sekisho_policy::{Layer, LayerKind, Layers, Policy};
use sekisho_tools::sandbox::Isolation;
use sekisho_tools::web::{AddressRules, Resolver, WebClient};
use sekisho_tools::web_fetch::WebFetch;
use sekisho_tools::{ToolError, ToolResult};
use serde_json::{Value, json};

use super::server_double::PUBLIC;
use crate::workshop::Workshop;

/// Answers with the next list of addresses each time a name is looked up; the last one stays.
#[derive(Clone, Default)]
pub(crate) struct MadeUpNames {
    answers: Arc<Mutex<HashMap<String, Vec<Vec<IpAddr>>>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl MadeUpNames {
    pub(crate) fn set(&self, name: &str, answers: &[&[&str]]) {
        let answers =
            answers.iter().map(|list| list.iter().map(|ip| ip.parse().unwrap()).collect()).collect();
        self.answers.lock().unwrap().insert(name.into(), answers);
    }

    /// The names that were looked up.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Resolver for MadeUpNames {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        self.asked.lock().unwrap().push(host.into());
        let mut answers = self.answers.lock().unwrap();
        let found = answers.get_mut(host).map(|lists| match lists.len() {
            0 => Vec::new(),
            1 => lists[0].clone(),
            _ => lists.remove(0),
        });
        Box::pin(async move { found.ok_or_else(|| io::Error::other("No such name")) })
    }
}

/// The most bytes of a page here, so that tests of the limit are quick.
pub(crate) const MAX_BODY: usize = 1 << 20;

/// Only what stands for the public internet may be reached, on any port.
pub(crate) fn test_rules() -> AddressRules {
    AddressRules::with(|address| address == PUBLIC, |_| true)
}

pub(crate) struct WebFixture {
    pub(crate) workshop: Workshop,
    pub(crate) names: MadeUpNames,
}

impl WebFixture {
    /// `web_fetch` is allowed for every host.
    pub(crate) fn new() -> WebFixture {
        WebFixture::with_rules(&json!({ "allow": [{ "tool": "web_fetch" }, { "tool": "web_search" }] }))
    }

    /// `web_fetch` with these rules.
    pub(crate) fn with_rules(permissions: &Value) -> WebFixture {
        let names = MadeUpNames::default();
        let client = WebClient::new(Arc::new(names.clone()), test_rules());
        WebFixture::with_client(permissions, client, names)
    }

    pub(crate) fn with_client(permissions: &Value, client: WebClient, names: MadeUpNames) -> WebFixture {
        let tools: Vec<Box<dyn sekisho_tools::Tool>> =
            vec![Box::new(WebFetch::with_client(client).with_max_body(MAX_BODY))];
        let mut workshop = Workshop::with_tools(permissions, Isolation::None, tools);
        let config = json!({ "version": 1, "permissions": permissions }).to_string();
        let layer = Layer::parse(LayerKind::Global, "config.json", &config).unwrap();
        workshop.ctx.policy = Arc::new(Policy::compile(Layers::from(vec![layer])));
        workshop.ctx.http_timeout = Duration::from_secs(3600);
        WebFixture { workshop, names }
    }

    pub(crate) async fn fetch(&self, url: &str) -> Result<ToolResult, ToolError> {
        self.workshop.run("web_fetch", json!({ "url": url })).await
    }

    /// The result of a fetch that succeeds.
    pub(crate) async fn page(&self, url: &str) -> Value {
        let result = self.fetch(url).await.unwrap();
        assert!(!result.is_error, "{url}: {}", result.content);
        serde_json::from_str(&result.content).unwrap()
    }

    /// The text of a page.
    pub(crate) async fn content(&self, url: &str) -> String {
        self.page(url).await["content"].as_str().unwrap().to_owned()
    }

    /// The message of a fetch that fails, before or while it runs.
    pub(crate) async fn failure(&self, url: &str) -> String {
        match self.fetch(url).await {
            Ok(result) => {
                assert!(result.is_error, "{url}: {}", result.content);
                result.content
            }
            Err(ToolError::Forbidden(why)) => why,
            Err(other) => panic!("{url}: {other:?}"),
        }
    }
}
