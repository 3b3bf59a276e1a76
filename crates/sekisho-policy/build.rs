//! Makes a number of the crate's sources, the shipped rules included: it goes into every policy that is turned into bytes.
#![expect(clippy::disallowed_methods, reason = "a build script reads files; the crate it builds does not")]

#[path = "../sekisho-shell/build/source_fingerprint.rs"]
mod source_fingerprint;

fn main() -> std::io::Result<()> {
    // Asked when it runs: the target folder may have been copied from another checkout.
    let own = std::path::PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    source_fingerprint::emit_fingerprint("SEKISHO_POLICY_FINGERPRINT", &[&own.join("src")])
}
