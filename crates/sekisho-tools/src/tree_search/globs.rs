//! Globs of a call: checked before they are compiled, since a short one can mean a very large expression.

use std::path::Path;

use ignore::overrides::{Override, OverrideBuilder};

use crate::input_fields::shown;

/// The longest glob, in bytes.
const MAX_LENGTH: usize = 1024;
/// The most braces in one glob.
pub(super) const MAX_BRACES: usize = 16;

/// Says why a glob is not used.
pub(crate) fn check_glob(field: &str, glob: &str) -> Result<(), String> {
    let braces = glob.matches('{').count();
    if glob.is_empty() {
        return Err(format!("Parameter '{field}' is empty; '*' matches every name"));
    }
    if glob.len() > MAX_LENGTH {
        return Err(format!("Parameter '{field}' is too long: {} bytes, at most {MAX_LENGTH}", glob.len()));
    }
    if glob.contains('\0') {
        return Err(format!("Parameter '{field}' contains a NUL character"));
    }
    if braces > MAX_BRACES {
        return Err(format!("Parameter '{field}' has {braces} '{{', at most {MAX_BRACES}"));
    }
    if glob.split('/').any(|name| name == "..") {
        return Err(format!("Parameter '{field}' contains '..'; name the directory by 'path' instead"));
    }
    Ok(())
}

/// Whether a glob spells out the dot of a hidden name: then hidden files are searched.
pub(crate) fn names_hidden(glob: &str) -> bool {
    glob.split(['/', '{', ',']).any(|part| part.starts_with('.') && part.len() > 1)
}

/// The globs of a field that select files, separated by blanks or commas; `!` before one excludes.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split_whitespace();
    let split =
        words.flat_map(|word| if word.contains('{') { vec![word] } else { word.split(',').collect() });
    split.filter(|piece| !piece.is_empty())
}

/// Selects files by globs, as lines of an ignore file do.
pub(crate) struct FileFilter {
    globs: Override,
    names_hidden: bool,
}

impl FileFilter {
    /// The filter of a field. Paths are relative to the directory that is searched.
    pub(crate) fn new(field: &str, text: Option<&str>) -> Result<FileFilter, String> {
        let Some(text) = text else {
            return Ok(FileFilter { globs: Override::empty(), names_hidden: false });
        };
        check_glob(field, text)?;
        let wrong = |error: ignore::Error| {
            format!("Parameter '{field}' is not a glob: {}", shown(&error.to_string()))
        };
        let mut builder = OverrideBuilder::new("");
        let mut hidden = false;
        for piece in pieces(text) {
            builder.add(piece).map_err(wrong)?;
            hidden |= !piece.starts_with('!') && names_hidden(piece);
        }
        Ok(FileFilter { globs: builder.build().map_err(wrong)?, names_hidden: hidden })
    }

    /// Whether it names hidden files, which are then searched.
    pub(crate) fn names_hidden(&self) -> bool {
        self.names_hidden
    }

    /// Whether a file or directory is left out. `path` is relative to the directory that is searched.
    pub(crate) fn leaves_out(&self, path: &Path, is_directory: bool) -> bool {
        self.globs.matched(path, is_directory).is_ignore()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_select_files() {
        let check = |globs: &str, path: &str, taken: bool| {
            let filter = FileFilter::new("glob", Some(globs)).unwrap();
            assert_eq!(!filter.leaves_out(Path::new(path), false), taken, "{globs} {path}");
        };
        check("*.rs", "a.rs", true);
        check("*.rs", "src/deep/a.rs", true);
        check("*.rs", "a.c", false);
        check("src/*.rs", "src/a.rs", true);
        check("src/*.rs", "src/deep/a.rs", false);
        check("*.{rs,toml}", "Cargo.toml", true);
        check("*.rs,*.toml", "Cargo.toml", true);
        check("*.rs !test*", "test_a.rs", false);
        check("!*.md", "a.rs", true);
        check("!*.md", "a.md", false);
        check(".e*", ".env", true);
    }

    #[test]
    fn hidden_names_are_noticed() {
        for glob in [".env", "**/.env", ".github/**", "{a,.b}", "src/{.x,y}"] {
            assert!(names_hidden(glob), "{glob}");
        }
        for glob in ["*.rs", "**/*", "src/a.b", "./", "a,b.c"] {
            assert!(!names_hidden(glob), "{glob}");
        }
    }

    #[test]
    fn unusable_globs_are_named() {
        let check = |glob: &str, message: &str| {
            let found = FileFilter::new("glob", Some(glob)).map(drop);
            let found = found.unwrap_err();
            assert!(found.contains(message), "{found}");
        };
        check("", "'glob' is empty");
        check(&"a".repeat(2000), "too long: 2000 bytes");
        check(&"{a,b}".repeat(20), "has 20 '{'");
        check("../*", "contains '..'");
        check("[a", "is not a glob");
        check("{a", "is not a glob");
    }
}
