//! What kind of output a command prints.

/// What kind of output a command prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputKind {
    /// Names of files below the directories it is given.
    Names,
    /// Names of commits, branches and tags.
    Revisions,
    /// A number, a date, a name: nothing that the text chooses, and no slash.
    Fixed,
    /// An absolute path that the text does not choose: of the working directory, of a repository, of a program.
    Directory,
    /// Some of the lines it reads.
    Lines,
}
