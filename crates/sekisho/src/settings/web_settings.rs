//! The settings of the web tools that no request can change: the search API, and which addresses are our own.

use sekisho_tools::web_search::{ApiKey, WebSearch};

use super::server_options::ServerOptions;
use super::{Settings, variable_of};
use crate::failure::Failure;

/// The variable with the key of the search API. Its value is never recorded.
pub(crate) const SEARCH_KEY: &str = "BRAVE_SEARCH_API_KEY";

impl Settings {
    /// The search tool, with the key of the environment and the endpoint of the server's config file.
    pub(crate) fn web_search(&self) -> Result<WebSearch, Failure> {
        let key = variable_of(SEARCH_KEY).map(ApiKey::new);
        let endpoint = self.server_file()?.unwrap_or_default().search_endpoint;
        let search = match &endpoint {
            Some(endpoint) => WebSearch::at_endpoint(endpoint, key),
            None => WebSearch::new(key),
        };
        search.map_err(|error| {
            Failure::new(format!("{}: search_endpoint: {error}", self.server_config_path.display()))
        })
    }

    /// The addresses of the server that `web_fetch` never reads: where it listens, and the names that people open.
    pub(crate) fn own_addresses(&self) -> Result<Vec<String>, Failure> {
        let file = self.server_file()?.unwrap_or_default();
        let options = ServerOptions::from_environment(&variable_of)?.merged_over(file);
        let mut addresses = self.locations.doors.clone();
        addresses.extend(options.listen.map(|listen| listen.0.to_string()));
        addresses.extend(options.public_url.map(|url| url.host));
        addresses.extend(options.allow_hosts.into_iter().flatten());
        Ok(addresses)
    }
}
