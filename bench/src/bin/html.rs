//! HTML to Markdown: ours beside htmd, on the same pages in turns.
//!
//! The argument is the number of rounds (20). The pages are those of the tests, repeated to a megabyte each, and a generated one.
//! The best round of each counts.

use std::path::Path;
use std::time::{Duration, Instant};

use sekisho_bench::table::Table;
use sekisho_tools::html_markdown::convert;
use url::Url;

/// The size that every page is repeated to.
const PAGE_BYTES: usize = 1 << 20;

fn main() {
    let rounds: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(20);
    let base = Url::parse("https://example.com/").expect("a URL");
    let columns = ["page", "MB", "sekisho MB/s", "htmd MB/s", "ratio"].map(String::from);
    let mut table = Table::new("HTML to Markdown, best of all rounds", columns);
    let mut totals = (0.0, Duration::ZERO, Duration::ZERO);
    for (name, html) in pages() {
        let (mut ours, mut theirs) = (Duration::MAX, Duration::MAX);
        for _ in 0..rounds {
            ours = ours.min(timed(|| convert(&html, &base, &|| false).expect("not stopped").markdown));
            theirs = theirs.min(timed(|| htmd::convert(&html).expect("a page")));
        }
        let bytes = html.len() as f64 / 1e6;
        totals = (totals.0 + bytes, totals.1 + ours, totals.2 + theirs);
        row(&mut table, &name, bytes, ours, theirs);
    }
    row(&mut table, "all", totals.0, totals.1, totals.2);
    table.print();
}

fn row(table: &mut Table, name: &str, megabytes: f64, ours: Duration, theirs: Duration) {
    let rate = |time: Duration| format!("{:.1}", megabytes / time.as_secs_f64());
    let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
    table.row([name.into(), format!("{megabytes:.1}"), rate(ours), rate(theirs), format!("{ratio:.2}")]);
}

/// How long something takes. Its text must not be empty, so that it cannot be left out.
fn timed(convert: impl FnOnce() -> String) -> Duration {
    let start = Instant::now();
    let text = convert();
    let time = start.elapsed();
    assert!(!text.is_empty());
    time
}

/// The pages of the tests, without the one in Shift_JIS, and a generated one.
fn pages() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/sekisho-tools/tests/web/pages");
    let files = std::fs::read_dir(folder).expect("the pages of the tests");
    let mut paths: Vec<_> = files.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    let html = |path: &std::path::PathBuf| path.extension().is_some_and(|end| end == "html");
    let mut pages: Vec<(String, String)> = paths
        .iter()
        .filter(|path| html(path))
        .filter_map(|path| {
            let body = std::fs::read_to_string(path).ok()?;
            let name = path.file_stem()?.to_string_lossy().into_owned();
            Some((name, body.repeat(PAGE_BYTES / body.len() + 1)))
        })
        .collect();
    let paragraph =
        "<h2>Part</h2><p>Plain words of a long article, with <a href='/x'>a link</a> and <b>bold</b> text. ";
    pages.push((
        "generated article".into(),
        format!("<body>{}", paragraph.repeat(PAGE_BYTES / paragraph.len())),
    ));
    pages
}
