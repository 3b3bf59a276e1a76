//! What a command prints, as far as that is known of its kind.

/// What a command prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputKind {
    /// Names of files below the directories it is given.
    Names,
    /// Names of commits, branches and tags.
    Revisions,
    /// A number, a date, a directory of the user's: nothing that the text chooses.
    Fixed,
    /// Some of the lines it reads.
    Lines,
}
