//! Checks the program table and compiles it into the form that is built into the crate (read by
//! `src/programs/embedded_table.rs`).
#![expect(clippy::disallowed_methods, reason = "a build script reads files; the crate it builds does not")]

mod source_fingerprint;

#[path = "../src/programs/code_enum_macro.rs"]
mod code_enum_macro;
#[path = "../src/programs/danger_code.rs"]
#[expect(unreachable_pub, dead_code, reason = "public in the crate")]
mod danger_code;
#[path = "../src/programs/program_entry.rs"]
#[expect(dead_code, reason = "only the crate looks things up")]
mod program_entry;
#[path = "../src/programs/shared_enums.rs"]
#[expect(unreachable_pub, reason = "public in the crate")]
mod shared_enums;
#[path = "../src/programs/table.rs"]
#[expect(unreachable_pub, dead_code, reason = "public in the crate")]
mod table;
#[path = "../src/programs/table_schema.rs"]
mod table_schema;
#[path = "../src/programs/value_check.rs"]
mod value_check;

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use table::ProgramTable;

fn main() -> Result<(), Box<dyn Error>> {
    // Read at run time, because the target folder may have been copied from another checkout.
    let own =
        PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").ok_or("cargo names no CARGO_MANIFEST_DIR")?);
    source_fingerprint::emit_fingerprint(
        "SEKISHO_SHELL_FINGERPRINT",
        &[&own.join("src"), &own.join("programs")],
    )?;
    println!("cargo::rerun-if-changed=build");

    let mut files = Vec::new();
    for path in source_fingerprint::files_below(&own.join("programs"))? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.push((name, fs::read_to_string(&path)?, path));
    }
    let mut readers = Vec::new();
    for (name, text, _) in &files {
        let reader = toml::Deserializer::parse(text).map_err(|error| format!("{name}: {error}"))?;
        readers.push((name.as_str(), reader));
    }
    let table = ProgramTable::parse(readers)?;
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("cargo names no OUT_DIR")?);
    write(&table, &files, &out)
}

/// Writes the entries one after another, and the Rust source with the offset of each.
fn write(
    table: &ProgramTable,
    files: &[(String, String, PathBuf)],
    out: &Path,
) -> Result<(), Box<dyn Error>> {
    let (mut entries, mut starts) = (Vec::new(), String::new());
    for entry in &table.entries {
        write!(starts, "{}, ", entries.len())?;
        entries.extend(postcard::to_allocvec(entry)?);
    }
    let (mut names, mut index) = (String::new(), String::new());
    for ((of, name), entry) in &table.numbers {
        let start = u16::try_from(names.len())?;
        names.push_str(name);
        let end = u16::try_from(names.len())?;
        writeln!(index, "    IndexedName {{ of: {of}, text: ({start}, {end}), entry: {entry} }},")?;
    }
    let mut made_from = String::new();
    for (name, _, path) in files {
        writeln!(made_from, "    ({name:?}, include_str!({:?})),", path.display().to_string())?;
    }
    let source = format!(
        "static NAMES: &str = {names:?};\n\
         static INDEX: [IndexedName; {}] = [\n{index}];\n\
         static STARTS: [u32; {}] = [{starts}{}];\n\
         static ENTRIES: &[u8] = include_bytes!(concat!(env!(\"OUT_DIR\"), \"/entries.bin\"));\n\
         static FILES: &[(&str, &str)] = &[\n{made_from}];\n",
        table.numbers.len(),
        table.entries.len() + 1,
        entries.len(),
    );
    fs::write(out.join("entries.bin"), entries)?;
    fs::write(out.join("table.rs"), source)?;
    Ok(())
}
