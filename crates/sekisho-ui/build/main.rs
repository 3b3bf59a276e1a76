//! Embeds the built page in the crate, or the plain page if it was not built.
#![expect(clippy::disallowed_methods, reason = "a build script asks cargo where to write")]

mod content_types;
mod dist_files;
mod generated_source;

use std::error::Error;
use std::fs;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    // Read at run time, not at compile time: a target folder may have come from elsewhere.
    let own = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").ok_or("CARGO_MANIFEST_DIR is not set")?);
    let (dist, plain) = (own.join("../../ui/dist"), own.join("src/plain"));
    for path in dist_files::watched(&dist).into_iter().chain([plain.clone(), own.join("build")]) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let built = dist_files::is_built(&dist);
    let entries = dist_files::read(if built { &dist } else { &plain })?;
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    fs::write(out.join("table.rs"), generated_source::text(&entries, built)?)?;
    Ok(())
}
