//! The integration tests of the policy: one binary, one module a subject.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod corpus;
