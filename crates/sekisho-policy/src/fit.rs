//! Whether a condition holds, when part of the world may be unknown.

/// The answer of one condition of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// It does not hold.
    No,
    /// It cannot be told.
    Unknown,
    /// It holds.
    Yes,
}

impl Fit {
    pub(crate) fn of(holds: bool) -> Fit {
        if holds { Fit::Yes } else { Fit::No }
    }

    /// Both must hold.
    pub(crate) fn and(self, other: Fit) -> Fit {
        match (self, other) {
            (Fit::No, _) | (_, Fit::No) => Fit::No,
            (Fit::Unknown, _) | (_, Fit::Unknown) => Fit::Unknown,
            (Fit::Yes, Fit::Yes) => Fit::Yes,
        }
    }

    /// Either suffices.
    pub(crate) fn or(self, other: Fit) -> Fit {
        match (self, other) {
            (Fit::Yes, _) | (_, Fit::Yes) => Fit::Yes,
            (Fit::Unknown, _) | (_, Fit::Unknown) => Fit::Unknown,
            (Fit::No, Fit::No) => Fit::No,
        }
    }

    /// A deny or confirm wants any target to fit, an allow every one.
    pub(crate) fn over(wide: bool, fits: impl Iterator<Item = Fit>) -> Fit {
        if wide { Fit::any(fits) } else { Fit::all(fits) }
    }

    /// An allow wants every target to fit; there must be one.
    pub(crate) fn all(fits: impl Iterator<Item = Fit>) -> Fit {
        let mut fits = fits.peekable();
        if fits.peek().is_none() { Fit::Unknown } else { fits.fold(Fit::Yes, Fit::and) }
    }

    /// A deny or confirm is content with any target; with none, nothing can be told.
    pub(crate) fn any(fits: impl Iterator<Item = Fit>) -> Fit {
        let mut fits = fits.peekable();
        if fits.peek().is_none() { Fit::Unknown } else { fits.fold(Fit::No, Fit::or) }
    }
}
