//! Whether people see a text, and how it is marked if they do not.

/// Whether a browser would show an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Visibility {
    #[default]
    Shown,
    /// That depends on what is not known here, such as the value of a variable.
    Unsure,
    Hidden,
}

impl Visibility {
    /// What the text of such an element begins with. None if it is shown.
    pub(super) fn mark(self) -> Option<&'static str> {
        match self {
            Visibility::Shown => None,
            Visibility::Unsure => Some("[possibly hidden: "),
            Visibility::Hidden => Some("[hidden: "),
        }
    }
}
