//! The result of matching a condition: yes, no, or unknown because a fact is missing.

/// The result of one condition of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MatchResult {
    /// It does not hold.
    No,
    /// Unknown.
    Unknown,
    /// It holds.
    Yes,
}

impl MatchResult {
    pub(crate) fn of(holds: bool) -> MatchResult {
        if holds { MatchResult::Yes } else { MatchResult::No }
    }

    /// Both must hold.
    pub(crate) fn and(self, other: MatchResult) -> MatchResult {
        match (self, other) {
            (MatchResult::No, _) | (_, MatchResult::No) => MatchResult::No,
            (MatchResult::Unknown, _) | (_, MatchResult::Unknown) => MatchResult::Unknown,
            (MatchResult::Yes, MatchResult::Yes) => MatchResult::Yes,
        }
    }

    /// Either suffices.
    pub(crate) fn or(self, other: MatchResult) -> MatchResult {
        match (self, other) {
            (MatchResult::Yes, _) | (_, MatchResult::Yes) => MatchResult::Yes,
            (MatchResult::Unknown, _) | (_, MatchResult::Unknown) => MatchResult::Unknown,
            (MatchResult::No, MatchResult::No) => MatchResult::No,
        }
    }

    /// A deny or confirm needs any target to match, an allow needs all.
    pub(crate) fn all_or_any(wide: bool, fits: impl Iterator<Item = MatchResult>) -> MatchResult {
        if wide { MatchResult::any(fits) } else { MatchResult::all(fits) }
    }

    /// For an allow: every target must match, and there must be at least one.
    pub(crate) fn all(fits: impl Iterator<Item = MatchResult>) -> MatchResult {
        let mut fits = fits.peekable();
        if fits.peek().is_none() {
            MatchResult::Unknown
        } else {
            fits.fold(MatchResult::Yes, MatchResult::and)
        }
    }

    /// For a deny or confirm: any target suffices. Without targets the result is unknown.
    pub(crate) fn any(fits: impl Iterator<Item = MatchResult>) -> MatchResult {
        let mut fits = fits.peekable();
        if fits.peek().is_none() { MatchResult::Unknown } else { fits.fold(MatchResult::No, MatchResult::or) }
    }
}
