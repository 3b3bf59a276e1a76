//! The directories a command of a script may run in, after `cd`.

use std::rc::Rc;

use sekisho_shell::programs::CommandProfile;
use sekisho_shell::word::{Piece, Word};
use smallvec::{SmallVec, smallvec};

use crate::paths;

/// More possible directories than this count as unknown.
const MAX_DIRECTORIES: usize = 8;

/// The directories a command may run in. A `cd` may fail, or be in a subshell or in a branch that is not
/// taken, so the directories before it stay possible.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct WorkingDirectories {
    /// Absolute. Normalised, unless the kernel may have to resolve a `..` behind a link.
    possible: Rc<Vec<String>>,
    /// It may also be another directory.
    unknown: bool,
    /// The directories that `cd -` may go to; `None` if they are unknown.
    previous: Option<Rc<Vec<String>>>,
    /// What `pushd` has left on the stack, the directories of each entry; `None` if it is unknown.
    stack: Option<Rc<Vec<Rc<Vec<String>>>>>,
    home: Option<Rc<str>>,
}

/// The paths that one word may refer to; `None` for an unknown one.
pub(super) type PossiblePaths = SmallVec<[Option<String>; 2]>;

impl WorkingDirectories {
    pub(crate) fn new(cwd: Option<&str>, home: Option<&str>) -> WorkingDirectories {
        // An agent may normalise the directory itself or let the kernel do it.
        let start = readings(cwd.map(str::to_owned));
        WorkingDirectories {
            unknown: start.contains(&None),
            possible: Rc::new(start.into_iter().flatten().collect()),
            previous: None,
            stack: Some(Rc::default()),
            home: home_directory(home),
        }
    }

    /// Sets the home directory, which must not have been used so far.
    pub(super) fn set_home(&mut self, home: &Option<Rc<str>>) {
        self.home.clone_from(home);
    }

    /// The possible directories; `None` for an unknown one.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Option<&str>> {
        self.possible.iter().map(|directory| Some(directory.as_str())).chain(self.unknown.then_some(None))
    }

    /// The cost of keeping a copy.
    pub(crate) fn cost(&self) -> usize {
        let stacked = self.stack.as_ref().map_or(0, |stack| stack.len());
        self.possible.iter().map(|directory| 48 + directory.len()).sum::<usize>() + 64 * (1 + stacked)
    }

    /// Whether it is known where `cd -` or `popd` goes.
    pub(crate) fn knows_return(&self, program: &str) -> bool {
        match program {
            "popd" => self.stack.as_ref().is_some_and(|stack| !stack.is_empty()),
            _ => self.previous.is_some(),
        }
    }

    /// Adds the possibility of any directory.
    pub(crate) fn add_unknown(&mut self) {
        self.unknown = true;
    }

    /// The directories of an inner command: unknown if the wrapper goes elsewhere first.
    pub(super) fn of_wrapped(&self, elsewhere: bool) -> WorkingDirectories {
        let mut gone = self.clone();
        if elsewhere {
            gone.set_unknown();
        }
        gone
    }

    /// Makes the directory completely unknown.
    pub(crate) fn set_unknown(&mut self) {
        self.possible = Rc::default();
        self.unknown = true;
    }

    /// Adds everything that is possible in `other`.
    pub(crate) fn merge(&mut self, other: &WorkingDirectories) {
        self.unknown |= other.unknown;
        if self.previous != other.previous {
            self.previous = None;
        }
        if self.stack != other.stack {
            self.stack = None;
        }
        self.extend(other.possible.iter().cloned().map(Some));
    }

    /// Applies a command: `cd` adds its target, or with `certain` replaces the possible directories by it.
    /// Other changes of directory could lead anywhere.
    pub(crate) fn apply_command(&mut self, profile: &CommandProfile, words: &[Word], certain: bool) {
        match profile.program.as_deref() {
            Some("cd") if goes_back(words) => {
                let previous = self.previous.take();
                self.go(previous.map(|places| places.iter().cloned().map(Some).collect()), certain);
            }
            Some("cd") => self.go(cd_target(words).map(|target| self.cd_targets(&target)), certain),
            Some("pushd") => {
                let before = Rc::clone(&self.possible);
                let is_known = !self.unknown;
                self.go(pushed_directory(words).map(|target| self.cd_targets(target)), certain);
                // If it fails, nothing is pushed; a `popd` then fails too and stays here.
                self.stack = self.stack.take().filter(|_| is_known && certain).map(|mut stack| {
                    Rc::make_mut(&mut stack).push(before);
                    stack
                });
            }
            Some("popd") => {
                let mut stack = self.stack.take().filter(|_| words.len() == 1);
                let top = stack.as_mut().and_then(|stack| Rc::make_mut(stack).pop());
                self.go(top.map(|places| places.iter().cloned().map(Some).collect()), certain);
                self.stack = stack.filter(|_| certain);
            }
            _ => {}
        }
    }

    /// Goes to one of these directories, or stays if that is not `certain`.
    fn go(&mut self, targets: Option<PossiblePaths>, certain: bool) {
        let Some(targets) = targets else {
            (self.unknown, self.previous) = (true, None);
            return;
        };
        let before = std::mem::take(&mut self.possible);
        self.extend(targets);
        if !certain || self.unknown {
            self.extend(before.iter().cloned().map(Some));
        }
        self.previous = (certain && !self.unknown).then_some(before);
    }

    /// The directories that `cd` may lead to; `None` for an unknown one. Bash applies `..` to the text first. It
    /// lets the kernel apply it if that fails (`cd link/../file`), or if the shell was started in a linked
    /// directory.
    fn cd_targets(&self, target: &Word) -> PossiblePaths {
        self.iter().flat_map(|base| readings(joined(base, self.home.as_deref(), target))).collect()
    }

    fn extend(&mut self, more: impl IntoIterator<Item = Option<String>>) {
        for directory in more {
            match directory {
                None => self.unknown = true,
                Some(directory) if self.possible.contains(&directory) => {}
                Some(_) if self.possible.len() >= MAX_DIRECTORIES => self.unknown = true,
                Some(directory) => Rc::make_mut(&mut self.possible).push(directory),
            }
        }
    }

    /// The directories of a command that changes directory itself (`git -C d`).
    pub(crate) fn within(&self, changes: &[usize], words: &[Word]) -> WorkingDirectories {
        let mut inside = self.clone();
        for (at, change) in changes.iter().enumerate() {
            // The shell expands `$PWD` before the program goes anywhere.
            if at > 0 && words.get(*change).is_some_and(names_working_directory) {
                inside.set_unknown();
                return inside;
            }
            let home = inside.home.as_deref();
            let moved: Vec<Option<String>> = inside
                .iter()
                .map(|base| words.get(*change).and_then(|word| changed(base, home, word)))
                .collect();
            inside.unknown = moved.iter().any(Option::is_none);
            inside.possible = Rc::new(moved.into_iter().flatten().collect());
        }
        inside
    }

    /// The absolute paths a word may refer to; `None` for an unknown one. If `..` follows a link, the path
    /// leads elsewhere than its text suggests: the path is then also returned unnormalised, to be resolved.
    pub(crate) fn paths_of(&self, word: &Word) -> PossiblePaths {
        let home = self.home.as_deref();
        if word.prefix().starts_with('/') || is_from_home(word) {
            return readings(joined(self.iter().next().flatten(), home, word));
        }
        self.iter().flat_map(|base| readings(joined(base, home, word))).collect()
    }

    /// The absolute paths a known text may refer to.
    pub(crate) fn paths_of_text(&self, text: &str) -> PossiblePaths {
        self.iter().flat_map(|base| readings(paths::join(base, text))).collect()
    }
}

/// Whether a word contains `$PWD` or `~+`.
pub(super) fn names_working_directory(word: &Word) -> bool {
    word.pieces.iter().any(|piece| match piece {
        Piece::Tilde(name) => name == "+",
        Piece::Variable { name, .. } => name == "PWD",
        _ => false,
    })
}

/// A path by its text and, if it contains `..`, unnormalised.
fn readings(path: Option<String>) -> PossiblePaths {
    let Some(path) = path else { return smallvec![None] };
    let lexical = paths::normalise_lexically(&path);
    if paths::climbs(&path) { smallvec![lexical, Some(path)] } else { smallvec![lexical] }
}

/// A home directory as [`WorkingDirectories`] keeps it.
pub(super) fn home_directory(home: Option<&str>) -> Option<Rc<str>> {
    home.and_then(paths::normalise_lexically).map(Rc::from)
}

/// Whether the directories after a command, or those of the command itself, may depend on the home directory.
pub(super) fn may_go_home(profile: &CommandProfile, words: &[Word]) -> bool {
    let is_bare_cd =
        || profile.program.as_deref() == Some("cd") && cd_target(words).as_ref().is_some_and(is_from_home);
    words.iter().any(is_from_home) || is_bare_cd()
}

fn is_from_home(word: &Word) -> bool {
    matches!(word.pieces.first(), Some(Piece::Tilde(name)) if name.is_empty())
}

/// The resulting directory of a program that changes directory itself: it follows links before it applies
/// `..`.
fn changed(base: Option<&str>, home: Option<&str>, word: &Word) -> Option<String> {
    let path = joined(base, home, word)?;
    if paths::climbs(&path) { Some(path) } else { paths::normalise_lexically(&path) }
}

/// Whether the command is `cd -`.
pub(super) fn goes_back(words: &[Word]) -> bool {
    matches!(words, [cd, back] if cd.literal().is_some() && back.literal().as_deref() == Some("-"))
}

/// The operand of `pushd`, if it is a known directory and not a rotation of the stack.
pub(super) fn pushed_directory(words: &[Word]) -> Option<&Word> {
    let [_, target] = words else { return None };
    let is_known = matches!(target.pieces.first(), Some(Piece::Literal(text)) if !text.starts_with(['-', '+']))
        || is_from_home(target);
    (is_known && !target.may_split()).then_some(target)
}

/// The operand of `cd`; a bare `cd` goes to the home directory. `None` for `cd -` and anything not
/// understood, including `-P`, after which `..` no longer leads where the text suggests.
pub(crate) fn cd_target(words: &[Word]) -> Option<Word> {
    let mut operands = words
        .iter()
        .skip(1)
        .skip_while(|word| word.literal().is_some_and(|text| matches!(text.as_ref(), "-L" | "--")));
    match (operands.next(), operands.next()) {
        (None, _) => {
            words.first().map(|cd| Word { span: cd.span, pieces: vec![Piece::Tilde(String::new())] })
        }
        // Zsh takes `+1` from the stack of directories.
        (Some(target), None)
            if !target.may_be_option() && !target.may_split() && !target.prefix().starts_with('+') =>
        {
            Some(target.clone())
        }
        _ => None,
    }
}

/// The absolute path that a word spells.
fn joined(base: Option<&str>, home: Option<&str>, word: &Word) -> Option<String> {
    let (start, rest) = match word.pieces.split_first() {
        Some((Piece::Tilde(name), rest)) if name.is_empty() => (home?.to_owned(), rest),
        Some((Piece::Tilde(name), rest)) if name == "+" => (base?.to_owned(), rest),
        Some((Piece::Literal(text), rest)) => (paths::join(base, text)?, rest),
        None => return None,
        Some(_) => return None,
    };
    match rest {
        [] => Some(start),
        [Piece::Literal(text)] => Some(start + text),
        _ => None,
    }
}
