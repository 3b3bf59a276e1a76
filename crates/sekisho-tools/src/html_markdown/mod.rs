//! HTML to Markdown, for reading.
//!
//! html5ever parses the page as a browser would; `parser.rs` bounds what that may cost. `converter.rs` walks the
//! tree without recursion and writes Markdown in time linear in the size of the page. Text that a browser would
//! not show is marked as hidden and never looks like the rest of the page.

mod attribute_count;
mod box_styles;
mod code_text;
mod converter;
mod css_backgrounds;
mod css_colour_names;
mod css_colours;
mod css_math;
mod css_shapes;
mod css_tokens;
mod css_transforms;
mod css_values;
mod css_variables;
mod element;
mod element_visibility;
mod link_target;
mod markdown_escape;
mod markdown_writer;
mod page;
mod parser;
mod partly_shown;
mod style_visibility;
mod table;
mod table_shapes;
mod text_sizes;
mod text_styles;
mod tree;
mod tree_nodes;
mod visibility;

use url::Url;

use converter::Converter;
pub use page::{Incomplete, Page, Stopped, Work};
use parser::parse;

/// Converts a page. Links are resolved against `base` and the page's own `<base>`. `should_stop` is asked every
/// few kilobytes.
pub fn convert(html: &str, base: &Url, should_stop: &dyn Fn() -> bool) -> Result<Page, Stopped> {
    let parsed = parse(html, should_stop)?;
    let mut page = Converter::new(&parsed.tree, base).run(should_stop)?;
    page.incomplete = parsed.incomplete.or(page.incomplete);
    page.work = Work { nodes: parsed.tree.len() as u64, steps: parsed.steps + page.work.steps };
    Ok(page)
}

/// The text of a fragment of HTML, without markup and with white space collapsed. Hidden text is marked.
pub fn plain_text(html: &str) -> String {
    match parse(html, &|| false) {
        Ok(parsed) => code_text::flat_text(&parsed.tree, parsed.tree.root(), usize::MAX),
        Err(Stopped) => String::new(),
    }
}
