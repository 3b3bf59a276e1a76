//! The result of a conversion.

use std::fmt;

/// A page as Markdown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The title, on one line.
    pub title: Option<String>,
    /// The text.
    pub markdown: String,
    /// Set if something is missing or simplified: why.
    pub incomplete: Option<Incomplete>,
    /// What the conversion cost.
    pub work: Work,
}

/// What a conversion cost, in operations. It does not depend on the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// The nodes of the tree.
    pub nodes: u64,
    /// The steps of the parser and the converter.
    pub steps: u64,
}

/// Why a page is not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incomplete {
    /// Elements are nested too deeply; the innermost tags were ignored.
    Depth,
    /// The same, and some of them may hide text; the page ends there.
    DeepHiddenText,
    /// A tag has too many attributes; the page ends before it.
    Attributes,
    /// The markup costs too much to parse; the page ends there.
    Work,
    /// The Markdown became too large; it ends there.
    Size,
}

impl fmt::Display for Incomplete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Incomplete::Depth => "the page is nested too deeply; its innermost tags were ignored",
            Incomplete::DeepHiddenText => {
                "the page is nested too deeply, with text that may be hidden; what follows was left out"
            }
            Incomplete::Attributes => "a tag has too many attributes; what follows was left out",
            Incomplete::Work => "the page is too complex; what follows was left out",
            Incomplete::Size => "the page is too large; what follows was left out",
        })
    }
}

/// The conversion was stopped from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;
