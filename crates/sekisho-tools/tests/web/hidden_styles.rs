//! Styles, and whether the text that has them is marked. `pages/styles.txt` has the table.

use sekisho_tools::html_markdown::convert;
use url::Url;

fn verdict(style: &str) -> &'static str {
    let style = style.replace('&', "&amp;").replace('"', "&quot;");
    let html = format!("<!doctype html><body><div><div style=\"{style}\">TEXT</div></div>");
    let page = convert(&html, &Url::parse("https://example.com/").unwrap(), &|| false).unwrap();
    match &*page.markdown {
        "TEXT" => "shown",
        "[hidden: TEXT]" => "hidden",
        "[possibly hidden: TEXT]" => "possibly",
        other => panic!("{style}: {other}"),
    }
}

/// The styles of one section.
fn styles(section: &str) -> Vec<&'static str> {
    let table = include_str!("pages/styles.txt");
    let (_, rest) = table.split_once(&format!("[{section}]\n")).unwrap();
    rest.lines().take_while(|line| !line.is_empty()).collect()
}

#[track_caller]
fn check(section: &str, at_least: usize, expected: &str) {
    let styles = styles(section);
    assert!(styles.len() >= at_least, "only {} styles", styles.len());
    let wrong: Vec<String> = styles
        .into_iter()
        .filter_map(|style| {
            Some(verdict(style)).filter(|found| *found != expected).map(|found| format!("{found}: {style}"))
        })
        .collect();
    assert!(wrong.is_empty(), "not {expected}, but:\n{}", wrong.join("\n"));
}

#[test]
fn styles_that_hide_text_are_marked() {
    check("hidden", 150, "hidden");
}

#[test]
fn styles_that_possibly_hide_text_are_marked() {
    check("possibly", 20, "possibly");
}

#[test]
fn styles_that_only_look_like_hiding_are_not_marked() {
    check("shown", 15, "shown");
}

#[test]
fn everyday_styles_are_not_marked() {
    check("everyday", 100, "shown");
}
