//! The page, as files that are part of the program.
//!
//! `build/` puts in what Vite made of `ui/`. Where that was not done, there is a plain page that says how to do it. Nothing
//! is read from the disk while the program runs, and a name that is not in the table is no file.

/// A file of the page.
#[derive(Debug)]
pub struct UiFile {
    /// Its name, without a slash in front: `assets/index-Bq0X1aZz.js`.
    pub path: &'static str,
    /// Its content type.
    pub content_type: &'static str,
    /// Its bytes.
    pub plain: &'static [u8],
    /// The same, compressed by Brotli.
    pub brotli: Option<&'static [u8]>,
    /// The same, compressed by gzip.
    pub gzip: Option<&'static [u8]>,
    /// Its `ETag`. A weak one, which is right for it in every coding.
    pub etag: &'static str,
    /// Whether its name has a hash of the content in it, and so never means anything else.
    pub is_immutable: bool,
}

include!(concat!(env!("OUT_DIR"), "/table.rs"));

/// The page itself. It has no name of its own: it is given under the addresses of its views.
pub fn index() -> &'static UiFile {
    &INDEX
}

/// A file the page is made of.
pub fn file(path: &str) -> Option<&'static UiFile> {
    FILES.binary_search_by(|file| file.path.cmp(path)).ok().and_then(|at| FILES.get(at))
}

/// All files the page is made of, by name.
pub fn files() -> &'static [UiFile] {
    FILES
}

/// Whether the page was built before this program was. If not, the plain one is here.
pub fn is_built() -> bool {
    BUILT
}
