//! Tests of the build script on various folders.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::dist_files::{Entry, is_built, read, watched};
use crate::{content_types, generated_source};

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        put(folder.path(), name, text);
    }
    folder
}

fn put(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn named<'a>(entries: &'a [Entry], name: &str) -> &'a Entry {
    entries.iter().find(|entry| entry.name == name).unwrap()
}

#[test]
fn built_page_is_embedded_completely() {
    let dist = folder(&[
        ("index.html", "<!doctype html><p>a page</p>"),
        ("index.html.br", "br"),
        ("favicon.svg", "<svg/>"),
        ("assets/index-Bq0X1aZz.js", "let long = 'long enough';"),
        ("assets/index-Bq0X1aZz.js.br", "small"),
        ("assets/index-Bq0X1aZz.js.gz", "smaller"),
        ("assets/inter-C38fXH4l.woff2", "font"),
    ]);
    assert!(is_built(dist.path()));
    let entries = read(dist.path()).unwrap();
    let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(
        names,
        ["assets/index-Bq0X1aZz.js", "assets/inter-C38fXH4l.woff2", "favicon.svg", "index.html"]
    );
    let script = named(&entries, "assets/index-Bq0X1aZz.js");
    assert!(script.lasting && script.brotli.is_some() && script.gzip.is_some());
    assert_eq!(script.kind, "text/javascript; charset=utf-8");
    let page = named(&entries, "index.html");
    assert!(!page.lasting && page.brotli.is_some() && page.gzip.is_none());
    assert!(!named(&entries, "favicon.svg").lasting);
    let text = generated_source::text(&entries, true).unwrap();
    assert!(
        text.starts_with("static BUILT: bool = true;\nstatic INDEX: UiFile = UiFile { path: \"index.html\"")
    );
    assert_eq!(text.matches("include_bytes!(").count(), 7);
}

#[test]
fn etag_depends_on_the_content() {
    let (one, other) = (folder(&[("index.html", "one")]), folder(&[("index.html", "other")]));
    let tag = |folder: &TempDir| read(folder.path()).unwrap().remove(0).tag;
    assert_ne!(tag(&one), tag(&other));
    put(one.path(), "index.html", "other");
    assert_eq!(tag(&one), tag(&other));
}

#[test]
fn folder_without_an_index_is_not_built() {
    let dist = folder(&[("assets/index-Bq0X1aZz.js", "1")]);
    assert!(!is_built(dist.path()));
    assert!(read(dist.path()).unwrap_err().ends_with("has no index.html"));
    assert!(!is_built(&dist.path().join("not there")));
    // A link leads elsewhere, and a folder is not a page.
    std::os::unix::fs::symlink(dist.path().join("assets/index-Bq0X1aZz.js"), dist.path().join("index.html"))
        .unwrap();
    assert!(!is_built(dist.path()));
    assert!(!is_built(folder(&[("index.html/x", "")]).path()));
}

#[test]
fn links_dot_files_and_orphan_compressed_files_are_skipped() {
    let dist = folder(&[
        ("index.html", "page"),
        (".vite/manifest.json", "{}"),
        (".DS_Store", "x"),
        ("assets/.hidden.js", "x"),
        ("assets/gone.js.br", "x"),
        ("favicon.svg", "svg"),
        ("favicon.svg.br", "not smaller"),
        ("favicon.svg.gz", ""),
    ]);
    std::os::unix::fs::symlink("/etc/passwd", dist.path().join("passwd.txt")).unwrap();
    std::os::unix::fs::symlink("/etc", dist.path().join("etc")).unwrap();
    let entries = read(dist.path()).unwrap();
    let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["favicon.svg", "index.html"]);
    let icon = named(&entries, "favicon.svg");
    assert!(icon.brotli.is_none() && icon.gzip.is_none());
}

#[test]
fn files_that_cannot_be_served_stop_the_build() {
    for (odd, why) in [
        ("fonts/a.woff2", "no other folder is served"),
        ("assets/deep/a.js", "no other folder is served"),
        ("assets/a b.js", "rename it"),
        ("ä.svg", "rename it"),
        ("a\"b.svg", "rename it"),
    ] {
        let dist = folder(&[("index.html", "page"), (odd, "x")]);
        let error = read(dist.path()).unwrap_err();
        assert!(error.contains(why) && error.contains(dist.path().to_str().unwrap()), "{odd}: {error}");
    }
}

#[test]
fn only_names_with_a_hash_are_immutable() {
    for name in
        ["assets/index-Bq0X1aZz.js", "assets/inter-latin-400-C3-_XH4l.woff2", "assets/a.b-D0000000.css"]
    {
        assert!(content_types::has_content_hash(name), "{name}");
    }
    for name in [
        "index-Bq0X1aZz.js",
        "assets/plain.css",
        "assets/on-standard.css",
        "assets/my-dark-red.svg",
        "assets/-Bq0X1aZz.js",
        "assets/Bq0X1aZz.js",
        "assets/index-Bq0X1a.js",
        "assets/index-Bq0X1aZz",
        "assets/ääää-ä.js",
        "",
    ] {
        assert!(!content_types::has_content_hash(name), "{name}");
    }
}

#[test]
fn unknown_extension_is_octet_stream() {
    assert_eq!(content_types::content_type("manifest.webmanifest"), "application/manifest+json");
    assert_eq!(content_types::content_type("icon-192.png"), "image/png");
    for name in ["a.exe", "a", "a.", "html"] {
        assert_eq!(content_types::content_type(name), "application/octet-stream", "{name}");
    }
}

#[test]
fn later_build_is_noticed() {
    let ui = folder(&[("package.json", "{}")]);
    let dist = ui.path().join("dist");
    assert_eq!(watched(&dist), [ui.path()], "where it will appear");
    let nowhere = ui.path().join("not there/dist");
    assert_eq!(watched(&nowhere), [nowhere.as_path()]);
    put(&dist, "index.html", "page");
    put(&dist, "assets/index-Bq0X1aZz.js.br", "x");
    let paths = watched(&dist);
    for path in [dist.clone(), dist.join("index.html"), dist.join("assets/index-Bq0X1aZz.js.br")] {
        assert!(paths.contains(&path), "{}", path.display());
    }
}
