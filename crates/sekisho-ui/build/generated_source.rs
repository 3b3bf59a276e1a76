//! The files as Rust source, which the crate includes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::dist_files::{Entry, INDEX};

/// A table of the files sorted by name, and the page itself separately.
pub(crate) fn text(entries: &[Entry], built: bool) -> Result<String, String> {
    let (mut index, mut files) = (None, String::new());
    for entry in entries {
        match file(entry)? {
            text if entry.name == INDEX => index = Some(text),
            text => writeln!(files, "    {text},").map_err(|error| error.to_string())?,
        }
    }
    let index = index.ok_or("there is no page")?;
    Ok(format!(
        "static BUILT: bool = {built};\nstatic INDEX: UiFile = {index};\nstatic FILES: &[UiFile] = &[\n{files}];\n"
    ))
}

fn file(entry: &Entry) -> Result<String, String> {
    let compressed = |path: &Option<PathBuf>| match path {
        Some(path) => Ok::<_, String>(format!("Some({})", include(path)?)),
        None => Ok("None".to_owned()),
    };
    Ok(format!(
        "UiFile {{ path: {:?}, content_type: {:?}, plain: {}, brotli: {}, gzip: {}, etag: {:?}, is_immutable: {} }}",
        entry.name,
        entry.kind,
        include(&entry.plain)?,
        compressed(&entry.brotli)?,
        compressed(&entry.gzip)?,
        entry.tag,
        entry.lasting,
    ))
}

fn include(path: &Path) -> Result<String, String> {
    // Rust source is text, and a path need not be.
    let text = path.to_str().ok_or_else(|| format!("{} is not UTF-8", path.display()))?;
    Ok(format!("include_bytes!({text:?})"))
}
