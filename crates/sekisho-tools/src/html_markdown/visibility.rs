//! Whether people see a text, and how it is marked if they do not.

/// How sure a value is in which variables were replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Doubt {
    #[default]
    Sure,
    /// A fallback stands for a variable that may be set elsewhere.
    Fallback,
    /// A variable is used that has a value which could hide, in this page.
    CouldHide,
    /// The same, and the value could also move an element far away.
    CouldMove,
}

/// Whether a browser would show an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Visibility {
    #[default]
    Shown,
    /// A person sees it after opening what contains it.
    Collapsed,
    /// That depends on what is not known here, such as the value of a variable.
    Unsure,
    Hidden,
}

impl Visibility {
    /// What the text of such an element begins with. None if it is shown.
    pub(super) fn mark(self) -> Option<&'static str> {
        match self {
            Visibility::Shown => None,
            Visibility::Collapsed => Some("[collapsed: "),
            Visibility::Unsure => Some("[possibly hidden: "),
            Visibility::Hidden => Some("[hidden: "),
        }
    }

    pub(super) fn hidden_if(is_hidden: bool) -> Visibility {
        if is_hidden { Visibility::Hidden } else { Visibility::Shown }
    }

    /// The same if the value that it was found in is not sure.
    pub(super) fn with(self, doubt: Doubt) -> Visibility {
        match doubt {
            Doubt::Sure => self,
            Doubt::Fallback => self.min(Visibility::Unsure),
            Doubt::CouldHide | Doubt::CouldMove => Visibility::Unsure,
        }
    }

    /// The same for values where only a large one hides.
    pub(super) fn with_large(self, doubt: Doubt) -> Visibility {
        self.with(if doubt == Doubt::CouldHide { Doubt::Fallback } else { doubt })
    }
}
