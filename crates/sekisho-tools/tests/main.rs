//! Tests of the tools, against the real sandbox.
