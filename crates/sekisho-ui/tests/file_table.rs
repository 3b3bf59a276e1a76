//! Tests of the files in this build, whichever page it contains.

use std::path::Path;

use crate::{dist_files, generated_source};

#[test]
fn files_are_found_by_their_names_only() {
    for file in sekisho_ui::files() {
        assert!(std::ptr::eq(sekisho_ui::file(file.path).unwrap(), file), "{}", file.path);
        assert!(!file.plain.is_empty() && file.etag.starts_with("W/\""), "{}", file.path);
    }
    for name in ["", "/", "index.html", "assets", "assets/", "/assets/plain.css", "../Cargo.toml", "nothing"]
    {
        assert!(sekisho_ui::file(name).is_none(), "`{name}`");
    }
    assert!(sekisho_ui::files().is_sorted_by(|one, other| one.path < other.path));
}

#[test]
fn page_uses_existing_files_and_no_inline_scripts() {
    let page = str::from_utf8(sekisho_ui::index().plain).unwrap();
    assert_eq!(sekisho_ui::index().content_type, "text/html; charset=utf-8");
    let named: Vec<&str> = page.split('"').filter_map(|quoted| quoted.strip_prefix("/assets/")).collect();
    assert!(!named.is_empty());
    for name in named {
        assert!(sekisho_ui::file(&format!("assets/{name}")).is_some(), "{name}");
    }
    for script in page.split("<script").skip(1) {
        assert!(script.contains("src=\"/assets/") && script.contains("></script>"), "{script}");
    }
    assert!(!page.contains("<style") && !page.contains(" style=") && !page.contains(" onclick="));
}

#[test]
fn plain_page_says_what_to_do_and_has_no_script() {
    let plain = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/plain");
    let page = std::fs::read_to_string(plain.join("index.html")).unwrap();
    for command in ["make ui", "make run", "sekisho approvals watch"] {
        assert!(page.contains(command), "{command}");
    }
    // Without a script nothing reads the link, so it stays valid.
    assert!(!page.contains("<script"));
    let entries = dist_files::read(&plain).unwrap();
    let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["assets/plain.css", "index.html"]);
    let text = generated_source::text(&entries, false).unwrap();
    assert!(text.starts_with("static BUILT: bool = false;") && text.contains("plain.css"));
}
