//! Ids of what the gate creates. UUID version 7, so they sort by creation time.

use std::fmt;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl $name {
            /// A new id for the given time.
            pub fn new(at: Timestamp) -> $name {
                $name(v7(at))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<$name, uuid::Error> {
                text.parse().map($name)
            }
        }
    };
}

id! {
    /// An approval.
    ApprovalId
}
id! {
    /// A call as submitted, with its raw input.
    CallId
}
id! {
    /// One run of one tool.
    ExecutionId
}
id! {
    /// A credential.
    TokenId
}
id! {
    /// One running gate. Several can share a ledger. Each start gets a new id.
    ReplicaId
}

pub(crate) fn v7(at: Timestamp) -> Uuid {
    let seconds = u64::try_from(at.as_second()).unwrap_or(0);
    let nanos = u32::try_from(at.subsec_nanosecond()).unwrap_or(0);
    Uuid::new_v7(uuid::Timestamp::from_unix(uuid::NoContext, seconds, nanos))
}
