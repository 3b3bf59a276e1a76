//! The published schema is the one the types give, and it knows good configs from bad ones.

use std::path::PathBuf;

use sekisho_policy::{config_schema, corpus};
use serde_json::Value;

use crate::corpus::{files, read};

#[test]
#[expect(clippy::disallowed_methods, reason = "the committed schema is compared, and renewed when asked")]
fn the_committed_schema_is_up_to_date() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../spec/config.schema.json");
    let schema = serde_json::to_string_pretty(&config_schema()).unwrap() + "\n";
    if std::env::var_os("SEKISHO_UPDATE").is_some() {
        std::fs::write(&path, &schema).unwrap();
    }
    let renew = "spec/config.schema.json is stale; renew it by: SEKISHO_UPDATE=1 cargo test -p sekisho-policy --test main schema";
    assert!(path.exists() && read(&path) == schema, "{renew}");
}
