//! The web page, as files embedded in the program.
//!
//! `build/` embeds the output of Vite in `ui/`. If the page was not built, there is a plain page that says
//! how to build it. Nothing is read from disk at run time, and a name that is not in the table does not
//! exist.

/// A file of the page.
#[derive(Debug)]
pub struct UiFile {
    /// Its name, without a leading slash: `assets/index-Bq0X1aZz.js`.
    pub path: &'static str,
    /// Its content type.
    pub content_type: &'static str,
    /// Its bytes.
    pub plain: &'static [u8],
    /// The same, compressed with Brotli.
    pub brotli: Option<&'static [u8]>,
    /// The same, compressed with gzip.
    pub gzip: Option<&'static [u8]>,
    /// Its `ETag`. It is weak, so that it is valid for every coding.
    pub etag: &'static str,
    /// Whether its name contains a hash of the content, so that the file never changes.
    pub is_immutable: bool,
}

include!(concat!(env!("OUT_DIR"), "/table.rs"));

/// The page itself. It has no name of its own: it is served at the addresses of its views.
pub fn index() -> &'static UiFile {
    &INDEX
}

/// A file of the page, by name.
pub fn file(path: &str) -> Option<&'static UiFile> {
    FILES.binary_search_by(|file| file.path.cmp(path)).ok().and_then(|at| FILES.get(at))
}

/// All files of the page, by name.
pub fn files() -> &'static [UiFile] {
    FILES
}

/// Whether the page was built before this program was. If not, this is the plain page.
pub fn is_built() -> bool {
    BUILT
}
