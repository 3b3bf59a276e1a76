//! Why a program cannot run in the sandbox.

use std::fmt;
use std::path::PathBuf;

/// Why a program cannot run in the sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SandboxError {
    /// The kernel cannot enforce every limit.
    Level(String),
    /// Only namespaces can limit the network to hosts.
    Network,
    /// Only namespaces can keep a program from following links.
    Links,
    /// A writable directory cannot be used.
    Directory(PathBuf),
    /// A program in this writable directory could replace the helper or this program.
    HelperInside(PathBuf),
    /// A writable directory and a hidden path, one of which contains the other.
    HiddenInside(PathBuf, PathBuf),
    /// A writable directory, and the other one that it leads to through a link.
    Link(PathBuf, PathBuf),
    /// A directory was exchanged for another one.
    Exchanged(PathBuf),
    /// A link in a writable directory, where a file must stay read-only.
    LinkInRepository(PathBuf),
    /// A directory or file below a writable directory cannot be looked at, though a command could make it readable.
    Unreadable(PathBuf),
    /// A config of git below or above a writable directory cannot be understood, so it is unknown which files it names.
    NotUnderstood(PathBuf),
    /// More files in the writable directories must stay read-only than the sandbox can keep.
    TooManyKept {
        /// How many there are.
        count: usize,
        /// How many can be kept.
        most: usize,
        /// One of them.
        example: PathBuf,
    },
    /// The list of mounts cannot be read, so nothing can be hidden for sure.
    Mounts(String),
}

const LINKS: &str = "another program could exchange a directory for a link meanwhile, and preventing that needs user \
    namespaces, which are not available here; set `sandbox` to `degraded` to run without";

impl fmt::Display for SandboxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SandboxError::Level(why) => {
                write!(
                    f,
                    "the sandbox cannot be enforced here: {why}; set `sandbox` to `degraded` to run without"
                )
            }
            SandboxError::Network => {
                write!(f, "network is not available in the sandbox here: it needs user namespaces")
            }
            SandboxError::Links => f.write_str(LINKS),
            SandboxError::Directory(path) => {
                write!(f, "`{}` is not an absolute directory that exists", path.display())
            }
            SandboxError::HelperInside(path) => write!(
                f,
                "`{}` contains sekisho or the program of the sandbox, which must not be writable; install them elsewhere",
                path.display()
            ),
            SandboxError::HiddenInside(dir, hidden) => write!(
                f,
                "`{}` cannot be writable, because `{}` must not be read",
                dir.display(),
                hidden.display()
            ),
            SandboxError::Link(dir, real) => write!(
                f,
                "`{}` is or contains a link and leads to `{}`; name that directory instead",
                dir.display(),
                real.display()
            ),
            SandboxError::Exchanged(dir) => {
                write!(f, "`{}` was exchanged for another directory; try again", dir.display())
            }
            SandboxError::LinkInRepository(path) => write!(
                f,
                "`{}` is a link, which a command could replace; make only directories writable that do not contain it",
                path.display()
            ),
            SandboxError::Unreadable(path) => write!(
                f,
                "`{}` cannot be read, so it is unknown which files in it must stay as they are; make it readable for you",
                path.display()
            ),
            SandboxError::NotUnderstood(path) => write!(
                f,
                "`{}` is not a config that git accepts, or it is too large, so it is unknown which files it names; \
                correct or remove it",
                path.display()
            ),
            SandboxError::TooManyKept { count, most, example } => write!(
                f,
                "{count} files in the writable directories must stay as they are (settings of git, editors and \
                agents, such as `{}`), and at most {most} can be kept; make only directories writable that contain \
                fewer of them, or remove those that you do not need",
                example.display()
            ),
            SandboxError::Mounts(why) => write!(f, "the list of mounts cannot be read: {why}"),
        }
    }
}

impl std::error::Error for SandboxError {}
