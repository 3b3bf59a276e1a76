//! Reads the schema version of a database, and formats its URL, without changing anything.

use sekisho_gate::audit::{AuditConfig, KeyRing};
use sekisho_gate::mask::Masks;
use tokio_postgres::{Client, Error};

use super::connector::{ConnectionPurpose, Connector};
use super::database_url::DatabaseUrl;
use super::error_class::one_line_message;
use super::migrate;
use super::options::Options;
use crate::error::StoreError;
use crate::sqlite::Version;

/// A URL for display, without user and password. An invalid URL is an error that does not repeat them either.
pub fn display_url(url: &str) -> Result<String, StoreError> {
    DatabaseUrl::parse(url).map(|address| address.display)
}

/// Reads the schema version at a URL. Opening a store there would update the tables instead.
pub async fn version(url: &str) -> Result<Version, StoreError> {
    let nothing_is_signed = AuditConfig { keys: KeyRing::none().into(), masks: Masks::new([]).into() };
    let place = Connector::new(url, Options::new(nothing_is_signed))?;
    let found = async {
        let (client, _driver) =
            place.open(ConnectionPurpose::Read, tokio::sync::mpsc::unbounded_channel().0).await?;
        found(&client).await
    };
    let found = found.await.map_err(|error| {
        place
            .address
            .unusable(one_line_message(&error), "check its URL, its password and that its server is running")
    })?;
    Ok(Version { found, known: migrate::latest() })
}

async fn found(client: &Client) -> Result<i64, Error> {
    let exists = "SELECT to_regclass('refinery_schema_history') IS NOT NULL";
    if !client.query_one(exists, &[]).await?.try_get::<_, bool>(0)? {
        return Ok(0);
    }
    let latest = "SELECT coalesce(max(version), 0)::bigint FROM refinery_schema_history";
    client.query_one(latest, &[]).await?.try_get(0)
}
