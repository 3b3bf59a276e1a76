//! What kind of output a command prints.

/// What kind of output a command prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputKind {
    /// Names of files below the directories it is given.
    Names,
    /// Names of commits, branches and tags.
    Revisions,
    /// A number, a date, a directory of the user: nothing that the text chooses.
    Fixed,
    /// Some of the lines it reads.
    Lines,
}
