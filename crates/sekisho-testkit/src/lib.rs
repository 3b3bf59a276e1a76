//! For tests.
#![forbid(unsafe_code)]
