//! Pages as they are on the web, and the Markdown that they become. `pages/*.html` has the pages, `pages/*.md` the
//! Markdown; `SNAPSHOTS=overwrite` writes it.

use std::path::{Path, PathBuf};

use sekisho_tools::html_markdown::convert;
use snapbox::data::DataFormat;
use snapbox::{Assert, Data};
use url::Url;

fn pages() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/web/pages");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|end| end == "html")).collect();
    pages.sort();
    pages
}

#[test]
fn pages_become_markdown() {
    let base = Url::parse("https://example.com/docs/page.html").unwrap();
    let pages = pages();
    assert!(pages.len() >= 10, "only {} pages", pages.len());
    for path in pages {
        let bytes = std::fs::read(&path).unwrap();
        let is_shift_jis = path.to_str().unwrap().contains("shift_jis");
        let encoding = if is_shift_jis { encoding_rs::SHIFT_JIS } else { encoding_rs::UTF_8 };
        let (html, _, has_errors) = encoding.decode(&bytes);
        assert!(!has_errors, "{}", path.display());
        let page = convert(&html, &base, &|| false).unwrap();
        assert_eq!(page.incomplete, None, "{}", path.display());
        let text = format!("title: {}\n\n{}\n", page.title.unwrap_or_default(), page.markdown);
        Assert::new()
            .action_env(snapbox::assert::DEFAULT_ACTION_ENV)
            .eq(text, Data::read_from(&path.with_extension("md"), Some(DataFormat::Text)).raw());
    }
}
