//! In which directories the shell of a session may be.
//!
//! ACP does not say whether an agent starts a shell for each call or keeps one. If it keeps one, `cd .git` in one call
//! changes what `cat config` reads in the next. So the directories to which allowed commands may have led are remembered,
//! and a command is judged in each of them. Policy tells where a text may lead. What a script does is not seen.

use std::path::Path;

use sekisho_policy::paths::normalise_lexically;
use sekisho_policy::{ShellPlaces, shell_places};

/// How many directories are remembered, and how long each may be, in bytes. Then those that do not exist are forgotten, the
/// oldest first. With more that exist, the directory is unknown.
const MOST: usize = 48;
const LONGEST: usize = 1024;

/// What a call may run in the shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ShellCommand {
    Nothing,
    Text(String),
    /// A command that the call does not tell.
    Unknown,
}

impl ShellCommand {
    /// A command that may start in other directories than that of the session.
    pub(super) fn starting_in<'a>(directories: impl Iterator<Item = &'a str>, text: &str) -> ShellCommand {
        let changes: Vec<String> = directories.map(|directory| format!("cd '{directory}'\n")).collect();
        match () {
            () if changes.is_empty() => ShellCommand::Text(text.to_owned()),
            () if changes.iter().any(|change| change.matches('\'').count() > 2) => ShellCommand::Unknown,
            () => ShellCommand::Text(changes.concat() + text),
        }
    }
}

/// How much is known about a shell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Knowledge {
    #[default]
    Places,
    /// It may be anywhere.
    Nothing,
    /// It may be anywhere, and its `cd` may do something else.
    NotEvenCd,
}

/// The directories besides that of the session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ShellDirectories {
    others: Vec<String>,
    knowledge: Knowledge,
}

impl ShellDirectories {
    /// Where a command may start: the directory of the session, and the others. `None` if that is not known.
    pub(super) fn possible(&self, cwd: &str, command: &str) -> Option<Vec<String>> {
        if !self.knows_cd() {
            return None;
        }
        let mut all = vec![cwd.to_owned()];
        all.extend(self.starts(command).cloned());
        (self.knowledge == Knowledge::Places || names_its_place(command)).then_some(all)
    }

    /// Whether `cd` still does what it says.
    pub(super) fn knows_cd(&self) -> bool {
        self.knowledge != Knowledge::NotEvenCd
    }

    /// In which of the other directories a command may start. Where it cannot go to its own directory first, it does nothing.
    fn starts(&self, command: &str) -> impl Iterator<Item = &String> {
        let entered = anchor(command);
        let is_free = self.knows_cd();
        self.others.iter().filter(move |other| {
            Path::new(other.as_str()).is_dir()
                && entered.is_none_or(|target| {
                    !(is_free && target.starts_with('/')) && can_enter(other.as_str(), target)
                })
        })
    }

    /// The directories in which a path in this command may lie.
    pub(super) fn within(&self, cwd: &str, command: &str) -> Vec<String> {
        let mut all = self.clone();
        all.include(&self.added_by(cwd, &ShellCommand::Text(command.to_owned())));
        std::iter::once(cwd.to_owned()).chain(all.others).collect()
    }

    /// Where the shell may be besides, after a command.
    pub(super) fn added_by(&self, cwd: &str, command: &ShellCommand) -> ShellDirectories {
        let mut added = ShellDirectories::default();
        match command {
            ShellCommand::Nothing => {}
            ShellCommand::Unknown => added.know(Knowledge::Nothing),
            ShellCommand::Text(text) => self.follow(cwd, text, &mut added),
        }
        added
    }

    fn follow(&self, cwd: &str, text: &str, added: &mut ShellDirectories) {
        let starts: Vec<String> = std::iter::once(cwd.to_owned()).chain(self.starts(text).cloned()).collect();
        let home = std::env::home_dir().filter(|home| home.is_absolute());
        match shell_places(text, &starts, home.as_deref().and_then(Path::to_str)) {
            ShellPlaces::Known(places) => {
                places.into_iter().flat_map(meanings).for_each(|place| added.add(cwd, place));
            }
            ShellPlaces::Unknown => added.know(Knowledge::Nothing),
            ShellPlaces::Changed => added.know(Knowledge::NotEvenCd),
        }
    }

    /// The shell may also be where this one may be.
    pub(super) fn extend(&mut self, cwd: &str, other: &ShellDirectories) {
        other.others.iter().for_each(|place| self.add(cwd, place.clone()));
        self.know(other.knowledge);
    }

    /// Like [`extend`](Self::extend), and nothing is forgotten.
    pub(super) fn include(&mut self, other: &ShellDirectories) {
        for place in &other.others {
            if !self.others.contains(place) {
                self.others.push(place.clone());
            }
        }
        self.know(other.knowledge);
    }

    /// Whether this shell may be wherever the other may be.
    pub(super) fn covers(&self, cwd: &str, other: &ShellDirectories) -> bool {
        let knows = |place: &String| place == cwd || self.others.contains(place);
        self.knowledge >= other.knowledge
            && (self.knowledge >= Knowledge::Nothing || other.others.iter().all(knows))
    }

    /// The shell may be in this directory.
    pub(super) fn add(&mut self, cwd: &str, place: String) {
        if place == cwd || self.others.contains(&place) {
            return;
        }
        if self.others.len() >= MOST
            && let Some(missing) = self.others.iter().position(|other| !Path::new(other).is_dir())
        {
            self.others.remove(missing);
        }
        if self.others.len() < MOST && place.len() <= LONGEST {
            self.others.push(place);
        } else {
            self.know(Knowledge::Nothing);
        }
    }

    fn know(&mut self, knowledge: Knowledge) {
        self.knowledge = self.knowledge.max(knowledge);
    }
}

/// Whether a shell in a directory may enter another: it takes `..` and the word before it away, also if that is a link.
fn can_enter(directory: &str, target: &str) -> bool {
    let path = Path::new(directory).join(target);
    let plain = || normalise_lexically(path.to_str()?);
    path.is_dir() || plain().is_some_and(|plain| Path::new(&plain).is_dir())
}

/// Whether a command runs where it says, wherever the shell is.
fn names_its_place(command: &str) -> bool {
    anchor(command).is_some_and(|target| target.starts_with('/'))
}

/// The directories that a path with `..` may mean: a shell takes the word before it away, also if that is a link.
fn meanings(path: String) -> Vec<String> {
    if !path.split('/').any(|part| part == "..") {
        return vec![path];
    }
    let real = |path: &str| std::fs::canonicalize(path).ok()?.to_str().map(str::to_owned);
    let Some(plain) = normalise_lexically(&path) else { return vec![path] };
    let linked = real(&path).filter(|linked| real(&plain).as_ref() != Some(linked));
    std::iter::once(plain).chain(linked).collect()
}

/// A text without what joins the commands of a chain, and without copies of a stream.
fn without_joints(text: &str) -> String {
    text.replace("&&", " ").replace(">&", " ")
}

/// The directory that a text enters first, if everything else in it runs only after that.
fn anchor(text: &str) -> Option<&str> {
    let (first, rest) = text.split_once("&&")?;
    let mut words = first.split_whitespace();
    let (Some("cd"), Some(target), None) = (words.next(), words.next(), words.next()) else { return None };
    let rest = without_joints(rest);
    let is_first = is_plain(target)
        && !target.starts_with(['-', '+'])
        && !first.contains('\n')
        && !rest.contains("||")
        && !rest.contains([';', '&', '\n'])
        && !goes_back(&rest);
    is_first.then_some(target)
}

/// Whether a text may lead to where the shell was before.
fn goes_back(text: &str) -> bool {
    const NAMES: [&str; 7] = ["OLDPWD", "DIRSTACK", "dirs", "popd", "prevd", "pushd", "nextd"];
    let plain = text.replace(['\'', '"', '\\'], "");
    let mut words = plain.split(|c: char| c.is_whitespace() || "(){}<>|`".contains(c));
    let is_place = |word: &str| matches!(word.as_bytes(), [b'~', b'-' | b'+' | b'0'..=b'9', ..]);
    NAMES.iter().any(|name| plain.contains(name)) || words.any(|word| word == "-" || is_place(word))
}

/// Whether a path is what it seems to a shell.
fn is_plain(path: &str) -> bool {
    path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-+@:,%=".contains(&byte) || !byte.is_ascii())
}

#[cfg(test)]
mod tests {
    use super::{Knowledge, ShellCommand, ShellDirectories};

    fn text(text: &str) -> ShellCommand {
        ShellCommand::Text(text.to_owned())
    }

    fn run(shell: &mut ShellDirectories, cwd: &str, command: &ShellCommand) -> bool {
        let added = shell.added_by(cwd, command);
        let moves = !shell.covers(cwd, &added);
        shell.extend(cwd, &added);
        moves
    }

    /// Where the shell may be after some commands in `/p`, besides `/p`.
    #[track_caller]
    fn check(commands: &[&str], expected: &[&str]) {
        let mut shell = ShellDirectories::default();
        for command in commands {
            run(&mut shell, "/p", &text(command));
        }
        assert_eq!(shell.knowledge, Knowledge::Places, "{commands:?}");
        assert_eq!(shell.others, expected, "{commands:?}");
    }

    #[test]
    fn changes_of_the_directory_are_found() {
        check(&["ls", "echo $HOME", "grep -rn autocd ."], &[]);
        check(&["cd .git"], &["/p/.git"]);
        check(&["c\\d /x", "cd y"], &["/x", "/p/y"]);
        check(&["cd src && cargo test 2>&1", "ls"], &["/p/src"]);
        check(&["cd src && cd .. && ls", "cd src/../docs"], &["/p/src", "/p/docs"]);
        check(&["# don't\ncd x", "ls # 5\" disk\ncd x"], &["/p/x"]);
    }

    #[test]
    fn whatever_follows_a_way_back_is_found() {
        for command in [
            "cd src && cd - && cd .git",
            "pushd src && popd && cd .git",
            "! cd none && cd .git",
            "cd src && ls && cd - && cd .git && ls",
            "eval $'cd none\\ncd .git'",
            "cd {.git,}",
            "cd {,.git}",
        ] {
            let mut shell = ShellDirectories::default();
            run(&mut shell, "/p", &text(command));
            let is_found = shell.others.contains(&"/p/.git".to_owned());
            assert!(is_found || shell.possible("/p", "ls").is_none(), "{command}: {shell:?}");
        }
    }

    #[test]
    fn directories_that_are_not_told_are_unknown() {
        for command in
            ["cd $x", "cd \"$(pwd)\"", "cd *", "shopt -s autocd; .git", "for i in 1 2; do cd ..; done"]
        {
            let mut shell = ShellDirectories::default();
            assert!(run(&mut shell, "/p", &text(command)), "{command}");
            assert_eq!(shell.possible("/p", "ls"), None, "{command}");
        }
        let mut shell = ShellDirectories::default();
        run(&mut shell, "/p", &ShellCommand::Unknown);
        assert_eq!(shell.possible("/p", "ls"), None);
        // A command that begins with its own directory runs there, or not at all.
        assert_eq!(shell.possible("/p", "cd /p/x && make 2>&1 | tail"), Some(vec!["/p".to_owned()]));
        for command in [
            "cd x && make",
            "cd /x; make",
            "cd /x && a || b",
            "cd /x && a; b",
            "cd /x >y && a",
            "cd /x\na && b",
        ] {
            assert_eq!(shell.possible("/p", command), None, "{command}");
        }
        // Unless `cd` may be something else.
        run(&mut shell, "/p", &text("cd() { :; }"));
        assert_eq!(shell.possible("/p", "cd /p/x && make"), None);
    }

    #[test]
    fn directory_of_the_command_itself_counts() {
        let starting_in =
            |directory: &str, text: &str| ShellCommand::starting_in([directory].into_iter(), text);
        assert_eq!(starting_in("it's", "cd x"), ShellCommand::Unknown);
        let mut shell = ShellDirectories::default();
        run(&mut shell, "/p", &starting_in("a b", "cd x"));
        assert_eq!(shell.others, ["/p/a b", "/p/a b/x", "/p/x"]);
    }

    #[test]
    fn missing_directories_are_forgotten_first_and_not_judged() {
        let place = tempfile::tempdir().unwrap();
        let cwd = place.path().to_str().unwrap();
        let mut shell = ShellDirectories::default();
        for number in 0..10 {
            std::fs::create_dir(place.path().join(format!("p{number}"))).unwrap();
            run(&mut shell, cwd, &text(&format!("cd p{number} && ls")));
        }
        assert_eq!(shell.possible(cwd, "ls").map(|all| all.len()), Some(11));
        for number in 0..100 {
            run(&mut shell, cwd, &text(&format!("cd {cwd}/none{number}")));
        }
        assert_eq!(shell.possible(cwd, "ls").map(|all| all.len()), Some(11));
        // In none of the others is there a directory of this name.
        assert_eq!(shell.possible(cwd, "cd p3 && ls"), Some(vec![cwd.to_owned()]));
        for number in 0..100 {
            std::fs::create_dir(place.path().join(format!("q{number}"))).unwrap();
            run(&mut shell, cwd, &text(&format!("cd {cwd}/q{number}")));
        }
        assert_eq!(shell.possible(cwd, "ls"), None);
        assert!(shell.others.len() <= super::MOST);
    }

    #[test]
    fn shell_that_includes_another_covers_it() {
        let mut many = ShellDirectories::default();
        for number in 0..100 {
            many.include(&ShellDirectories { others: vec![format!("/none{number}")], ..Default::default() });
        }
        let mut shell =
            ShellDirectories { others: vec!["/p".to_owned(), "/none".to_owned()], ..Default::default() };
        shell.include(&many);
        assert!(shell.covers("/p", &many) && many.others.len() == 100);
        // Where the session begins, its shell may be anyway.
        let begin = ShellDirectories { others: vec!["/p".to_owned()], ..Default::default() };
        assert!(many.covers("/p", &begin) && !many.covers("/q", &begin));
        let unknown = ShellDirectories { knowledge: Knowledge::Nothing, ..Default::default() };
        assert!(unknown.covers("/p", &many) && !many.covers("/p", &unknown));
        // A place where the shell may already be is one to which a command may lead.
        assert_eq!(begin.added_by("/q", &text("cd /p && ls")).others, ["/p"]);
        assert_eq!(begin.added_by("/q", &text("ls")).others, [""; 0]);
    }

    #[test]
    fn commands_that_go_back_name_no_place() {
        for (rest, is_named) in [
            ("ls", true),
            ("cat a | tail", true),
            ("cd - && cat x", false),
            ("c\\d '-' && cat x", false),
            ("echo $(cd - && cat x)", false),
            ("cd ~-", false),
            ("cd ~1/x", false),
            ("cd \"$OLDPWD\"", false),
            ("po\"p\"d", false),
        ] {
            assert_eq!(super::names_its_place(&format!("cd /p && {rest}")), is_named, "{rest}");
        }
        assert!(!super::names_its_place("cd +1 && ls"));
    }

    #[test]
    fn way_up_from_a_link_leads_to_both_sides() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("p")).unwrap();
        std::fs::create_dir_all(root.join("far/away")).unwrap();
        std::os::unix::fs::symlink(root.join("far/away"), root.join("p/link")).unwrap();
        let (root, mut shell) = (root.to_str().unwrap(), ShellDirectories::default());
        run(&mut shell, &format!("{root}/p"), &text("cd link/.."));
        assert_eq!(shell.others, [format!("{root}/far")]);
    }
}
