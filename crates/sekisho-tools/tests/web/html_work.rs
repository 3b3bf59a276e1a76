//! The cost of converting HTML, counted in operations: linear, or cut off with a note.

use sekisho_tools::html_markdown::{Incomplete, Page, convert};
use url::Url;

fn page(html: &str) -> Page {
    convert(html, &Url::parse("https://example.com/dir/").unwrap(), &|| false).unwrap()
}

/// Makes a page of about so many bytes.
type Maker = fn(usize) -> String;

/// Pages that are ordinary but for their size, and pages that are made to cost much.
const MAKERS: &[(&str, Maker)] = &[
    ("paragraphs", |n| "<p>some <b>bold</b> text &amp; <a href=x>link</a></p>".repeat(n / 50)),
    ("nested elements", |n| "<div>".repeat(n / 5)),
    ("nested elements with paragraphs", |n| "<div>".repeat(500) + &"<p>".repeat(n / 3)),
    ("nested lists", |n| "<ul><li>x".repeat(n / 9)),
    ("nested quotations", |n| "<blockquote>x".repeat(n / 13)),
    ("nested tables", |n| "<table><tr><td>x".repeat(n / 16)),
    ("tables next to each other", |n| "<div>".repeat(400) + &"<table><td>a<td>b</table>".repeat(n / 25)),
    ("open formatting", |n| (0..n / 12).map(|i| format!("<b id={i}><p>x")).collect()),
    ("open fonts", |n| (0..n / 20).map(|i| format!("<font size={i}>x</p><p>")).collect()),
    ("adoption", |n| "<a><div>".repeat(n / 12) + &"</a>".repeat(n / 12)),
    ("formatting and blocks", |n| "<b><i><u><s><p>".repeat(n / 20) + &"</b>".repeat(n / 20)),
    ("end tags without start", |n| "<div>".repeat(500) + &"</x>".repeat(n / 4)),
    ("attributes of one tag", |n| {
        format!("<a {}>x</a>", (0..n / 7).map(|i| format!("a{i} ")).collect::<String>())
    }),
    ("attributes with slashes", |n| {
        format!("<a {}>x</a>", (0..n / 7).map(|i| format!("a{i}/")).collect::<String>())
    }),
    ("attributes with brackets", |n| {
        format!("<a {}>x</a>", (0..n / 8).map(|i| format!("<a{i} ")).collect::<String>())
    }),
    ("attributes behind an entity", |n| {
        format!("&amp<a {}>", (0..n / 8).map(|i| format!("<!a{i} ")).collect::<String>())
    }),
    ("many tags with many attributes", |n| {
        let tag: String = (0..900).map(|i| format!("a{i} ")).collect();
        format!("<a {tag}>").repeat(n / tag.len() + 1)
    }),
    ("one long attribute", |n| format!("<a href='{}'>x</a>", "x y/".repeat(n / 4))),
    ("one long style", |n| format!("<a style='{}'>x</a>", "a:b;/*".repeat(n / 6))),
    ("formatting with a long style", |n| {
        let style = "a:'b';".repeat(n / 12);
        format!("<p><b style=\"{style}\">") + &"<p>x".repeat(n / 8)
    }),
    ("variables", |n| (0..n / 30).map(|i| format!("<i style='--v{i}:0;font:var(--v)'>")).collect()),
    ("variables in variables", |n| {
        let values: String =
            (0..9).map(|i| format!("--v{i}:{};", format!("var(--v{})", i + 1).repeat(20))).collect();
        format!("<i style='{values}{}'>x", "left:var(--v0);".repeat(n / 15))
    }),
    ("formulas", |n| format!("<i style='{}'>x", "left:calc(calc(calc(x;".repeat(n / 22))),
    ("functions in variables, in open formatting", |n| {
        let (value, used) = ("abs(".repeat(128), "x:var(--a)var(--a)var(--a);".repeat(n / 54));
        format!("<p><b style='--a:{value};{used}'>") + &"<p>x".repeat(100)
    }),
    ("closed details", |n| "<details>x".repeat(n / 10)),
    ("closed details with many children", |n| format!("<details>{}", "x<b>y</b>".repeat(n / 9))),
    ("hosts of templates", |n| "<div><template shadowrootmode=open><slot></template>x".repeat(n / 53)),
    ("one long comment", |n| format!("<!-- {} -->x", "words and words ".repeat(n / 16))),
    ("one long script", |n| format!("<script>{}</script>x", "if (a <b) { c } ".repeat(n / 16))),
    ("entities", |n| "&amp;&lt;&#x41;&notanentity;".repeat(n / 28)),
    ("open entities", |n| "&amp".repeat(n / 4)),
    ("open brackets", |n| "<".repeat(n)),
    ("empty tags", |n| "<>".repeat(n / 2)),
    ("body tags", |n| (0..n / 20).map(|i| format!("<body class=c{i}>")).collect()),
    ("links with one long base", |n| {
        format!("<base href='/{}/'>", "x".repeat(1500)) + &"<a href=y>z</a>".repeat(n / 15)
    }),
    ("one link with many blocks", |n| format!("<a href='/{}'>", "x".repeat(1900)) + &"<p>y".repeat(n / 4)),
    ("a wide row and many short ones", |n| {
        format!("<table><tr>{}", "<td>x".repeat(n / 10)) + &"<tr><td>y".repeat(n / 18)
    }),
    ("wide cells", |n| "<table>".to_owned() + &"<tr><td colspan=1000>x<td>y".repeat(n / 27)),
    ("hidden elements", |n| "<p hidden>x".repeat(n / 11)),
    ("hidden elements in hidden ones", |n| "<i hidden>x".repeat(n / 11)),
    ("code in code", |n| "<code>`x".repeat(n / 8)),
    ("backticks", |n| format!("<pre>{}</pre>", "`".repeat(n))),
    ("templates", |n| "<template><p>x".repeat(n / 14)),
    ("selects", |n| "<select><option>x".repeat(n / 17)),
    ("svg", |n| "<svg><g>".repeat(n / 8)),
    ("math", |n| "<math><mi><p>x".repeat(n / 14)),
    ("forms", |n| "<form><input><button>x".repeat(n / 22)),
    ("frames and text in tables", |n| "<table>x<tr>y<td>".repeat(n / 17)),
];

/// Pages that reach the budget only when they are large, which takes half a minute.
const LONG_FORM: [&str; 1] = ["formatting with a long style"];

#[test]
#[expect(clippy::disallowed_methods, reason = "an environment variable selects the long form")]
fn work_grows_no_faster_than_the_page() {
    // Some work is cut off at a budget that only larger pages reach.
    let is_long = std::env::var("SEKISHO_PROOF_CASES").is_ok();
    let sizes: &[usize] = if is_long { &[50_000] } else { &[12_000, 25_000, 50_000] };
    let makers = MAKERS.iter().filter(|(name, _)| is_long || !LONG_FORM.contains(name));
    for (name, make) in makers {
        let grows_slowly = sizes.iter().any(|size| grows_no_faster(name, *make, *size));
        assert!(grows_slowly, "{name}: more steps for each byte of a larger page");
    }
}

/// Whether a page costs no more per byte than one of half its size, or is cut off at the budget.
fn grows_no_faster(name: &str, make: Maker, size: usize) -> bool {
    let large = make(size);
    let second = page(&large);
    // What one piece of text costs at most is added to the budget.
    let budget = 4_000_000 + 64 * large.len() as u64;
    assert!(second.work.steps < budget * 3, "{name}: {} steps", second.work.steps);
    assert!(second.markdown.len() <= 17 << 20, "{name}: {} bytes", second.markdown.len());
    if matches!(second.incomplete, Some(Incomplete::Work | Incomplete::Attributes | Incomplete::Size)) {
        return true;
    }
    let small = make(size / 2);
    let per_byte = |page: &Page, html: &str| page.work.steps as f64 / html.len() as f64;
    per_byte(&second, &large) < per_byte(&page(&small), &small) * 1.3 + 2.0
}

#[test]
fn ordinary_pages_are_far_below_the_budget() {
    let html = "<div><ul><li><p>some <b>bold</b> text <a href=x>link</a></p></li></ul></div>".repeat(2000);
    let page = page(&html);
    assert_eq!(page.incomplete, None);
    assert!(page.work.steps < 8 * html.len() as u64, "{} steps for {} bytes", page.work.steps, html.len());
}

#[test]
fn bombs_are_cut_with_a_note() {
    let floods = |count: usize| {
        format!("<p>before<a {}>after", (0..count).map(|i| format!("a{i} ")).collect::<String>())
    };
    for (html, expected, has_text) in [
        ("<div>".repeat(100_000) + "deep", Some(Incomplete::Depth), "deep"),
        ("<b>".repeat(100_000) + "deep", Some(Incomplete::Depth), "deep"),
        (floods(1000), None, "after"),
        (floods(100_000), Some(Incomplete::Attributes), "before"),
        (format!("<a title='{}'>after", "x ".repeat(100_000)), None, "after"),
        (format!("<!-- {} -->after", "x ".repeat(100_000)), None, "after"),
        (format!("{} after", "word ".repeat(100_000)), None, "after"),
    ] {
        let page = page(&html);
        assert_eq!(page.incomplete, expected, "{}", html.get(..40).unwrap());
        assert!(page.markdown.contains(has_text), "{}", html.get(..40).unwrap());
    }
    // A script stays a script at any depth.
    let page = page(&("<div>".repeat(1000) + "<script>evil()</script><style>x{}</style>text"));
    assert_eq!((page.markdown.as_str(), page.incomplete), ("text", Some(Incomplete::Depth)));
}

/// Text that is not shown stays so where tags are ignored because of their depth.
#[test]
fn hidden_text_below_the_deepest_elements_is_left_out() {
    for hidden in [
        "<div hidden>EVIL</div>",
        "<template>EVIL</template>",
        "<dialog>EVIL</dialog>",
        "<svg><text>EVIL</text></svg>",
        "<math><annotation>EVIL</annotation></math>",
        "<object>EVIL</object>",
        "<p style='display:none'>EVIL</p>",
        "<b popover>EVIL</b>",
        "<details>EVIL</details>",
        "<body hidden>EVIL",
    ] {
        let page = page(&format!("{}visible{hidden}", "<div>".repeat(520)));
        assert_eq!(
            (page.markdown.as_str(), page.incomplete),
            ("visible", Some(Incomplete::DeepHiddenText)),
            "{hidden}"
        );
    }
    // The ignored `<div>` must not let `</div>` close the hidden one. Where the limit is counts for nothing.
    for depth in 500..520 {
        let page = page(&format!("{}<div hidden><div><i></div>EVIL</div></div>", "<div>".repeat(depth)));
        let is_marked = page.markdown.starts_with("[hidden: ") || !page.markdown.contains("EVIL");
        assert!(is_marked, "{depth}: {}", page.markdown);
    }
    // Without hidden text, only the tags are lost.
    let page = page(&format!("{}<b>visible</b><p>more", "<div>".repeat(520)));
    assert_eq!((page.markdown.as_str(), page.incomplete), ("visiblemore", Some(Incomplete::Depth)));
}

#[test]
fn conversion_stops_when_told() {
    let base = Url::parse("https://example.com/").unwrap();
    let html = "<p>x".repeat(100_000);
    assert!(convert(&html, &base, &|| true).is_err());
    let left = std::cell::Cell::new(3);
    let stop = || {
        left.set(left.get() - 1);
        left.get() <= 0
    };
    assert!(convert(&html, &base, &stop).is_err());
}

#[test]
fn five_megabytes_are_converted_completely() {
    let row = "<tr><td>cell <b>one</b></td><td><a href='/p?a=1&amp;b=2'>two</a></td></tr>";
    let section = format!(
        "<h2>Section</h2><p>Some text with &eacute;ntities, <code>code</code> and <em>more</em>.</p>\
         <table>{}</table><ul>{}</ul><pre><code class=language-rust>fn main() {{}}\n</code></pre>",
        row.repeat(20),
        "<li>item<ol><li>inner</ol>".repeat(10)
    );
    let count = (5 << 20) / section.len() + 1;
    let html = format!("<html><body>{}</body></html>", section.repeat(count));
    let page = page(&html);
    assert_eq!(page.incomplete, None);
    assert_eq!(page.markdown.matches("## Section\n").count(), count);
    assert_eq!(
        page.markdown.matches("\n| cell **one** | [two](https://example.com/p?a=1&b=2) |").count(),
        count * 20
    );
    assert_eq!(page.markdown.matches("\n```rust\nfn main() {}\n```").count(), count);
    assert!(page.work.steps < 10 * html.len() as u64, "{} steps for {} bytes", page.work.steps, html.len());
}

/// Each paragraph opens all the formatting again, and blanks pay for it.
#[test]
fn number_of_elements_is_limited() {
    let formatting: String = (0..200).map(|i| format!("<b class={i}>")).collect();
    let html = format!("<p>{formatting}{}{}", "<p>x".repeat(6000), " ".repeat(1 << 20));
    assert_eq!(page(&html).incomplete, Some(Incomplete::Work));
}
