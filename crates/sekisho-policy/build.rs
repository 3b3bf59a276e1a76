//! Hashes the crate's sources, including the shipped rules. The hash is part of every policy that is stored
//! as bytes.
#![expect(clippy::disallowed_methods, reason = "a build script reads files; the crate it builds does not")]

#[path = "../sekisho-shell/build/source_fingerprint.rs"]
mod source_fingerprint;

fn main() -> std::io::Result<()> {
    // Read at run time, because the target folder may have been copied from another checkout.
    let own = std::path::PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    source_fingerprint::emit_fingerprint("SEKISHO_POLICY_FINGERPRINT", &[&own.join("src")])
}
