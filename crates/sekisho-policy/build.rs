//! Makes a number of the crate's sources, the shipped rules included: it goes into every policy that is turned into bytes.
#![expect(clippy::disallowed_methods, reason = "a build script reads files; the crate it builds does not")]

#[path = "../sekisho-shell/build/sources.rs"]
mod sources;

fn main() -> std::io::Result<()> {
    sources::tell(
        "SEKISHO_POLICY_FINGERPRINT",
        &[&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src")],
    )
}
