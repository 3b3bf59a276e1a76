//! In which directories the shell of a session may be.
//!
//! ACP does not say whether an agent starts a shell for each call or keeps one. If it keeps one, `cd .git` in one call
//! changes what `cat config` reads in the next. So the directories to which allowed commands may have led are remembered,
//! and a command is judged in each of them. Texts are only searched for `cd` and `pushd`: what a text does is judged by
//! policy, and a directory too many makes the judgement stricter. What a script does is not seen.

use std::path::Path;

use sekisho_policy::paths::{join, normalise_lexically};

/// How many directories are remembered, and how long each may be, in bytes. After more, the directory is unknown.
const MOST: usize = 64;
/// With more, those that do not exist are forgotten when the next command runs: they were not entered.
const MANY: usize = 8;
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
            () if changes.is_empty() || targets(text).is_empty() => ShellCommand::Text(text.to_owned()),
            () if changes.iter().any(|change| change.matches('\'').count() > 2) => ShellCommand::Unknown,
            () => ShellCommand::Text(changes.concat() + text),
        }
    }
}

/// The directories besides that of the session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ShellDirectories {
    others: Vec<String>,
    is_unknown: bool,
}

impl ShellDirectories {
    /// Where a command may start: the directory of the session, and all others that exist. `None` if that is not known.
    pub(super) fn possible(&self, cwd: &str, command: &str) -> Option<Vec<String>> {
        let mut all = vec![cwd.to_owned()];
        let entered = anchor(command);
        if entered.is_some_and(|target| target.starts_with('/')) {
            return Some(all);
        }
        // Where it cannot go to its own directory first, it does nothing.
        let may_start = |other: &&String| Path::new(other).join(entered.unwrap_or(".")).is_dir();
        all.extend(self.others.iter().filter(may_start).cloned());
        (!self.is_unknown).then_some(all)
    }

    /// All places that a path in this command may name.
    pub(super) fn meanings(&self, cwd: &str, command: &str, path: &str) -> Vec<String> {
        let mut after = self.clone();
        after.run(cwd, &ShellCommand::Text(command.to_owned()));
        let all = std::iter::once(cwd).chain(after.others.iter().map(String::as_str));
        all.filter_map(|directory| normalise_lexically(&join(Some(directory), path)?)).collect()
    }

    /// A command may run.
    pub(super) fn run(&mut self, cwd: &str, command: &ShellCommand) {
        match command {
            ShellCommand::Nothing => {}
            ShellCommand::Unknown => self.is_unknown = true,
            ShellCommand::Text(text) if hides_names(text) => self.is_unknown = true,
            ShellCommand::Text(text) => self.change(cwd, text),
        }
    }

    fn change(&mut self, cwd: &str, text: &str) {
        if self.others.len() > MANY {
            self.others.retain(|other| Path::new(other).is_dir());
        }
        let before: Vec<String> =
            std::iter::once(cwd.to_owned()).chain(self.others.iter().cloned()).collect();
        // In a chain, a change follows only those before it. Elsewhere, any of them may have failed.
        let is_chain = !without_joints(text).contains([';', '|', '&', '\n', '(', ')', '{', '}', '`']);
        let mut last = before;
        for target in targets(text) {
            let Some(target) = target else {
                self.is_unknown = true;
                return;
            };
            let next: Vec<String> = last
                .iter()
                .filter_map(|from| normalise_lexically(&join(Some(from), &target)?))
                .filter(|next| next.len() <= LONGEST)
                .collect();
            self.is_unknown |= next.len() < last.len();
            for directory in &next {
                if directory != cwd && !self.others.contains(directory) {
                    self.others.push(directory.clone());
                }
            }
            if is_chain {
                last = next;
            } else {
                last.extend(next);
                last.sort_unstable();
                last.dedup();
            }
            self.is_unknown |= self.others.len() > MOST;
            if self.is_unknown {
                return self.others.truncate(MOST);
            }
        }
    }
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
        && !target.starts_with('-')
        && !first.contains('\n')
        && !rest.contains("||")
        && !rest.contains([';', '&', '\n']);
    is_first.then_some(target)
}

/// Whether a text spells characters by number, in which a `cd` could hide.
fn hides_names(text: &str) -> bool {
    text.split("$'").skip(1).any(|quoted| {
        let inside = quoted.split('\'').next().unwrap_or_default();
        inside
            .split('\\')
            .skip(1)
            .any(|escape| !escape.starts_with(['n', 'r', 't', '\\', '"']) && !escape.is_empty())
    })
}

/// Whether a path is what it seems to a shell.
fn is_plain(path: &str) -> bool {
    path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-+@:,%=".contains(&byte) || !byte.is_ascii())
}

/// The directories to which a text may go, in its order; `None` for one that it does not tell.
fn targets(text: &str) -> Vec<Option<String>> {
    let mut found = Vec::new();
    let mut waiting: Vec<Vec<Word>> = simple_commands(text);
    waiting.reverse();
    let mut evaluated = 0;
    while let Some(command) = waiting.pop() {
        let mut words = command.iter().peekable();
        let mut is_evaluated = false;
        while let Some(word) = words.next() {
            is_evaluated |= matches!(word.text.as_str(), "eval" | "trap");
            if !matches!(word.text.as_str(), "cd" | "pushd") {
                let mut parts = word.text.split(['{', ',', '}', '=']);
                if parts.any(|part| matches!(part, "cd" | "pushd")) {
                    found.push(None);
                }
                if is_evaluated && word.text.contains(char::is_whitespace) && evaluated < MOST {
                    evaluated += 1;
                    waiting.extend(simple_commands(&word.text).into_iter().rev());
                }
                continue;
            }
            while words.next_if(|word| is_option(&word.text)).is_some() {}
            match words.peek() {
                // Back to one of the directories before.
                Some(target) if target.is_literal && target.text.starts_with(['+', '-']) => {}
                None if word.text == "pushd" => {}
                Some(target) if target.is_literal && !target.text.is_empty() => {
                    found.push(Some(target.text.clone()));
                }
                _ => found.push(None),
            }
        }
    }
    found
}

/// A word without its quotes.
struct Word {
    text: String,
    /// It means nothing else to the shell.
    is_literal: bool,
}

/// The words of a text, by what separates commands. Good enough to find a command of one word.
fn simple_commands(text: &str) -> Vec<Vec<Word>> {
    let (mut commands, mut words) = (Vec::new(), Vec::new());
    let mut word: Option<Word> = None;
    let mut quote = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let is_blank = c.is_whitespace() && c != '\n';
        if quote.is_none() && (is_blank || ";|&\n()`<>".contains(c)) {
            words.extend(word.take());
            if !is_blank {
                commands.push(std::mem::take(&mut words));
            }
            continue;
        }
        if c == '\\' && quote != Some('\'') && chars.next_if_eq(&'\n').is_some() {
            continue;
        }
        let current = word.get_or_insert_with(|| Word { text: String::new(), is_literal: true });
        match (c, quote) {
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('\\', None | Some('"')) => current.text.extend(chars.next()),
            ('$', None) if matches!(chars.peek(), Some('\'' | '"')) => {}
            ('$' | '`', None | Some('"')) | ('*' | '?' | '[', None) => {
                current.is_literal = false;
                current.text.push(c);
            }
            ('~', None) if current.text.is_empty() => {
                current.is_literal = false;
                current.text.push(c);
            }
            (c, _) => current.text.push(c),
        }
    }
    words.extend(word);
    commands.push(words);
    commands
}

fn is_option(word: &str) -> bool {
    matches!(word, "--" | "-L" | "-P" | "-e" | "-@" | "-Pe" | "-n")
}

#[cfg(test)]
mod tests {
    use super::{ShellCommand, ShellDirectories};

    /// Where the shell may be after some commands in `/p`, besides `/p`. `None` if that is not known.
    #[track_caller]
    fn check(commands: &[&str], expected: Option<&[&str]>) {
        let mut shell = ShellDirectories::default();
        for command in commands {
            shell.run("/p", &ShellCommand::Text((*command).to_owned()));
        }
        let expected = expected.map(|all| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>());
        assert_eq!((!shell.is_unknown).then_some(shell.others), expected, "{commands:?}");
    }

    #[test]
    fn changes_of_the_directory_are_found() {
        check(&["ls", "echo $HOME", "git -C /x log", "printf $'a\\n'"], Some(&[]));
        check(&["cd .git"], Some(&["/p/.git"]));
        check(&["cd -P -- '.g'it/", "pwd"], Some(&["/p/.git"]));
        check(&["c\\d /x", "cd y"], Some(&["/x", "/p/y", "/x/y"]));
        check(&["cd sub && cargo test 2>&1 && cd .."], Some(&["/p/sub"]));
        check(&["cd sub; make; cd .."], Some(&["/p/sub", "/"]));
        check(&["(cd sub && make) | tail", "cd -", "pushd +1", "popd"], Some(&["/p/sub"]));
        check(&["builtin cd x", "eval 'cd y'", "git commit -m 'fix cd'"], Some(&["/p/x", "/p/y", "/p/x/y"]));
    }

    #[test]
    fn directories_that_are_not_told_are_unknown() {
        for command in
            ["cd", "cd && ls", "cd ~", "cd $x", "cd \"$(pwd)\"", "cd *", "x=cd; $x y", "$'\\143d' x"]
        {
            check(&[command], None);
        }
        let mut shell = ShellDirectories::default();
        shell.run("/p", &ShellCommand::Unknown);
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
    }

    #[test]
    fn directory_of_the_command_itself_counts() {
        let starting_in =
            |directory: &str, text: &str| ShellCommand::starting_in([directory].into_iter(), text);
        assert_eq!(starting_in("sub", "ls"), ShellCommand::Text("ls".into()));
        assert_eq!(starting_in("it's", "cd x"), ShellCommand::Unknown);
        let mut shell = ShellDirectories::default();
        shell.run("/p", &starting_in("a b", "cd x"));
        assert_eq!(shell.others, ["/p/a b", "/p/x", "/p/a b/x"]);
    }

    #[test]
    fn number_of_directories_is_bounded() {
        let mut shell = ShellDirectories::default();
        for number in 0..100 {
            shell.run("/p", &ShellCommand::Text(format!("cd {number} && ls")));
        }
        assert!(shell.others.len() <= super::MOST);
    }

    #[test]
    fn only_directories_that_exist_count() {
        let place = tempfile::tempdir().unwrap();
        let cwd = place.path().to_str().unwrap();
        std::fs::create_dir(place.path().join("sub")).unwrap();
        let mut shell = ShellDirectories::default();
        shell.run(cwd, &ShellCommand::Text("cd sub; cd none".into()));
        assert_eq!(shell.possible(cwd, "ls"), Some(vec![cwd.to_owned(), format!("{cwd}/sub")]));
    }
}
