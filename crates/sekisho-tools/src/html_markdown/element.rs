//! What an element means for the text.

/// What an element means for the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    /// A part of a line.
    Inline,
    /// A block of its own, with nothing special about it.
    Block,
    /// Never shown: scripts, styles, embedded objects.
    Dropped,
    Heading(usize),
    Paragraph,
    Quote,
    Preformatted,
    Code,
    Strong,
    Emphasis,
    Deleted,
    /// A quotation inside a line.
    ShortQuote,
    /// How the characters before it are read.
    Reading,
    Link,
    Image,
    LineBreak,
    Rule,
    List {
        is_ordered: bool,
    },
    Item,
    Term,
    Description,
    Table,
    Row,
    Cell,
    Caption,
    Summary,
    /// One of several choices, on a line of its own.
    Choice,
    /// Shown only if it has the attribute `open`.
    Dialog,
    Title,
    Base,
}

impl Element {
    pub(super) fn of(name: &str, is_html: bool) -> Element {
        if !is_html {
            return match name {
                "svg" | "annotation" | "annotation-xml" | "mphantom" => Element::Dropped,
                _ => Element::Inline,
            };
        }
        match name {
            "p" => Element::Paragraph,
            "h1" => Element::Heading(1),
            "h2" => Element::Heading(2),
            "h3" => Element::Heading(3),
            "h4" => Element::Heading(4),
            "h5" => Element::Heading(5),
            "h6" => Element::Heading(6),
            "a" => Element::Link,
            "img" => Element::Image,
            "br" => Element::LineBreak,
            "hr" => Element::Rule,
            "b" | "strong" => Element::Strong,
            "i" | "em" | "cite" | "dfn" | "var" => Element::Emphasis,
            "del" | "s" | "strike" => Element::Deleted,
            "q" => Element::ShortQuote,
            "rt" => Element::Reading,
            "code" | "kbd" | "samp" | "tt" => Element::Code,
            "pre" | "listing" | "xmp" | "plaintext" => Element::Preformatted,
            "ul" | "menu" | "dir" => Element::List { is_ordered: false },
            "ol" => Element::List { is_ordered: true },
            "li" => Element::Item,
            "dt" => Element::Term,
            "dd" => Element::Description,
            "blockquote" => Element::Quote,
            "table" => Element::Table,
            "tr" => Element::Row,
            "td" | "th" => Element::Cell,
            "caption" => Element::Caption,
            "summary" => Element::Summary,
            "dialog" => Element::Dialog,
            "title" => Element::Title,
            "base" => Element::Base,
            "script" | "style" | "noscript" | "template" | "iframe" | "noembed" | "noframes" | "object"
            | "embed" | "applet" | "canvas" | "audio" | "video" | "rp" | "datalist" | "frameset"
            | "progress" | "meter" | "fencedframe" => Element::Dropped,
            "address" | "article" | "aside" | "body" | "center" | "details" | "div" | "dl" | "fieldset"
            | "figcaption" | "figure" | "footer" | "form" | "head" | "header" | "hgroup" | "html"
            | "legend" | "main" | "nav" | "search" | "section" | "tbody" | "textarea" | "tfoot" | "thead" => {
                Element::Block
            }
            "optgroup" | "option" => Element::Choice,
            _ => Element::Inline,
        }
    }
}

/// The attributes that are kept. The others are dropped before the tree is built.
pub(super) fn is_kept(attribute: &str) -> bool {
    is_for_text(attribute) || is_for_building(attribute)
}

fn is_for_text(attribute: &str) -> bool {
    matches!(
        attribute,
        "href"
            | "src"
            | "alt"
            | "class"
            | "style"
            | "hidden"
            | "aria-hidden"
            | "popover"
            | "start"
            | "colspan"
            | "open"
            | "name"
            | "slot"
            | "shadowrootmode"
    )
}

/// The tree depends on these.
fn is_for_building(attribute: &str) -> bool {
    matches!(attribute, "type" | "encoding" | "color" | "face" | "size")
}
