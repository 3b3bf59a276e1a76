//! Parses the words of a git command the way git does: options, operands and what follows `--`.
//!
//! The tables are closed. A word that is not in them makes the whole command unknown: it may take the next
//! word as its value, even `--`, or cancel another option.

use sekisho_shell::word::Word;

use super::execution_plan::Step;

/// Options before the subcommand that do not change the meaning of the words after it.
const BEFORE: &[&str] = &[
    "-P",
    "--no-pager",
    "-p",
    "--paginate",
    "--no-optional-locks",
    "--no-replace-objects",
    "--no-lazy-fetch",
    "--no-advice",
];

/// How a subcommand parses its words. Lists of long options are separated by blanks.
struct Table {
    subcommands: &'static [&'static str],
    kind: Kind,
    /// Letters without a value.
    letters: &'static str,
    /// Letters with an optional value in the same word.
    letters_with_attached: &'static str,
    /// Letters with a value, in the same word or the next.
    letters_with_value: &'static str,
    /// Long options without a value.
    flags: &'static str,
    /// Long options with an optional value after `=`.
    with_attached: &'static str,
    /// Long options with a value, after `=` or in the next word.
    with_value: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The first word `--` is the separator, whatever comes before it. Letters are not bundled.
    Revisions,
    /// Options end at the first operand, which is the pattern unless an option gives one.
    Grep,
    /// Every operand is a pathspec.
    Pathspecs,
}

const TABLES: &[Table] = &[
    Table {
        subcommands: &["grep"],
        kind: Kind::Grep,
        letters: "0123456789hHiInlLcowvaEGFPpqWzr",
        letters_with_attached: "",
        letters_with_value: "efmABC",
        flags: "cached exclude-standard invert-match ignore-case word-regexp text recursive no-recursive \
                extended-regexp basic-regexp fixed-strings perl-regexp line-number column full-name no-full-name \
                files-with-matches name-only files-without-match null only-matching count no-color break heading \
                no-break no-heading show-function function-context and or not quiet all-match no-textconv",
        with_attached: "color",
        with_value: "max-depth context before-context after-context threads max-count",
    },
    Table {
        subcommands: &["diff", "diff-files", "diff-index"],
        kind: Kind::Revisions,
        letters: "puRabwWczrsD0123",
        letters_with_attached: "UMCB",
        letters_with_value: "SGI",
        flags: "patch no-patch raw patch-with-raw patch-with-stat numstat shortstat summary compact-summary name-only \
                name-status quiet binary check cc function-context cached staged merge-base base ours theirs exit-code \
                full-index no-color no-abbrev no-prefix default-prefix find-copies-harder no-renames minimal \
                ignore-all-space ignore-space-change ignore-space-at-eol ignore-cr-at-eol ignore-blank-lines \
                indent-heuristic no-indent-heuristic patience histogram no-color-moved text no-ext-diff no-textconv \
                pickaxe-all pickaxe-regex no-relative",
        with_attached: "unified stat dirstat color color-moved color-words word-diff abbrev find-renames find-copies \
                        break-rewrites ignore-submodules relative",
        with_value: "diff-filter diff-algorithm src-prefix dst-prefix line-prefix inter-hunk-context anchored \
                     ignore-matching-lines word-diff-regex ws-error-highlight stat-width stat-name-width \
                     stat-graph-width stat-count",
    },
    Table {
        subcommands: &["log", "show", "diff-tree"],
        kind: Kind::Revisions,
        letters: "zrs0123456789",
        letters_with_attached: "",
        letters_with_value: "n",
        flags: "name-only no-merges merges first-parent all no-renames follow reverse no-patch no-commit-id root",
        with_attached: "format pretty relative",
        with_value: "max-count since until after before author grep diff-filter",
    },
    Table {
        subcommands: &["ls-files"],
        kind: Kind::Pathspecs,
        letters: "zcmd",
        letters_with_attached: "",
        letters_with_value: "x",
        flags: "cached modified deleted deduplicate",
        with_attached: "",
        with_value: "exclude",
    },
];

/// Options of a diff that show only names and numbers.
const NAMES: &str =
    "s no-patch stat shortstat numstat dirstat summary compact-summary name-only name-status quiet raw";
/// Options of a diff that show lines, whatever other options there are.
const CONTENTS: &str = "p u U W c patch unified patch-with-raw patch-with-stat binary check cc function-context color-words \
                        word-diff word-diff-regex";

/// The words after a subcommand.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Arguments<'w> {
    /// Names of options, without dashes.
    options: Vec<&'w str>,
    /// Pathspecs, if a `--` or the subcommand distinguishes them from revisions.
    pub(super) pathspecs: Option<&'w [Word]>,
    /// Other pathspecs, before `--`.
    pub(super) operands: Vec<&'w Word>,
    /// Revisions, or words that may be revisions.
    pub(super) revisions: Vec<&'w Word>,
    /// Whether a `--` separates the pathspecs from the other words.
    pub(super) is_divided: bool,
}

impl<'w> Arguments<'w> {
    /// Parses the words of a git command. `None` if one of them is unknown.
    pub(super) fn read(step: &'w Step) -> Option<Arguments<'w>> {
        let name = step.profile.leading_words.get(1)?;
        let table = TABLES.iter().find(|table| table.subcommands.contains(&name.as_str()))?;
        let words = behind_subcommand(&step.words, name)?;
        match table.kind {
            Kind::Grep => table.read_grep(words),
            Kind::Revisions => table.read_revisions(words),
            Kind::Pathspecs => table.read_pathspecs(words),
        }
    }

    /// Whether a diff shows only names and numbers.
    pub(super) fn tell_names(&self) -> bool {
        let has = |list: &str| self.options.iter().any(|option| holds(list, option));
        has(NAMES) && !has(CONTENTS)
    }

    /// Whether a diff compares a commit with the work tree. Files that are identical to the index may then
    /// still show a difference.
    pub(super) fn compares_with_commit(&self) -> bool {
        let is_range = |word: &&Word| word.literal().is_some_and(|text| text.contains(".."));
        let between_commits = match self.revisions.as_slice() {
            [] => true,
            [one] => is_range(one),
            [_, _] => self.is_divided,
            _ => false,
        };
        let in_index = self.options.iter().any(|option| holds("cached staged", option));
        !between_commits && !in_index
    }

    /// Whether a revision names a subtree, which pathspecs may be relative to.
    fn names_tree(&self) -> bool {
        self.revisions.iter().any(|word| word.literal().is_none_or(|text| text.contains(':')))
    }

    /// These arguments, but without pathspecs if it is unknown what they are relative to.
    fn settled(mut self) -> Arguments<'w> {
        if self.names_tree() {
            self.pathspecs = None;
        }
        self
    }
}

/// The words after the subcommand. `None` if an option before it is unknown.
fn behind_subcommand<'w>(words: &'w [Word], name: &str) -> Option<&'w [Word]> {
    let mut at = 1;
    loop {
        match words.get(at)?.literal()?.as_ref() {
            "-c" | "-C" if !words.get(at + 1)?.may_split() => at += 2,
            option if BEFORE.contains(&option) => at += 1,
            word if word == name => return words.get(at + 1..),
            _ => return None,
        }
    }
}

/// The role of a word at a position where options are parsed.
enum Item {
    Dashes,
    Operand,
    /// It consumes this many words.
    Option(usize),
}

impl Table {
    fn read_grep<'w>(&self, words: &'w [Word]) -> Option<Arguments<'w>> {
        let mut found = Arguments::default();
        let mut rest = words;
        while let Some(word) = rest.first() {
            let taken = match self.item(rest, &mut found.options)? {
                // Parentheses are options without dashes, before or after a pattern.
                Item::Operand if word.literal().is_some_and(|text| matches!(text.as_ref(), "(" | ")")) => 1,
                Item::Dashes | Item::Operand => break,
                Item::Option(taken) => taken,
            };
            rest = rest.get(taken..)?;
        }
        let is_dashes = |word: &Word| word.literal().is_some_and(|text| text == "--");
        if !found.options.iter().any(|option| holds("e f", option)) {
            // Before any pattern a `--` separates nothing.
            rest = rest.get(usize::from(rest.first().is_some_and(is_dashes))..)?;
            let (pattern, behind) = rest.split_first()?;
            if !is_value(pattern) {
                return None;
            }
            rest = behind;
        }
        match rest.iter().position(is_dashes) {
            Some(at) if rest.iter().take(at).all(is_one) => {
                found.revisions.extend(rest.iter().take(at));
                found.pathspecs = rest.get(at + 1..);
                found.is_divided = true;
            }
            Some(_) => return None,
            None if rest.iter().any(|word| !is_one(word)) => return None,
            None => {}
        }
        Some(found.settled())
    }

    fn read_revisions<'w>(&self, words: &'w [Word]) -> Option<Arguments<'w>> {
        let mut found = Arguments::default();
        let mut rest = words;
        while !rest.is_empty() {
            let taken = match self.item(rest, &mut found.options)? {
                Item::Dashes => {
                    found.pathspecs = rest.get(1..);
                    found.is_divided = true;
                    break;
                }
                Item::Operand => {
                    found.revisions.extend(rest.first());
                    1
                }
                Item::Option(taken) => taken,
            };
            rest = rest.get(taken..)?;
        }
        Some(found.settled())
    }

    fn read_pathspecs<'w>(&self, words: &'w [Word]) -> Option<Arguments<'w>> {
        let mut found = Arguments { pathspecs: Some(&[]), ..Arguments::default() };
        let mut rest = words;
        while let Some(word) = rest.first() {
            let taken = match self.item(rest, &mut found.options)? {
                Item::Dashes => {
                    found.pathspecs = rest.get(1..);
                    found.is_divided = true;
                    break;
                }
                Item::Operand => {
                    found.operands.push(word);
                    1
                }
                Item::Option(taken) => taken,
            };
            rest = rest.get(taken..)?;
        }
        Some(found)
    }

    /// What the first word is; the names of its options are added.
    fn item<'w>(&self, words: &'w [Word], options: &mut Vec<&'w str>) -> Option<Item> {
        let (word, next) = (words.first()?, words.get(1));
        let text = word.prefix();
        if !text.starts_with('-') || (text == "-" && word.literal().is_some()) {
            return is_one(word).then_some(Item::Operand);
        }
        // A value in the same word as its option may be computed.
        if word.may_split() || (word.literal().is_none() && !text.contains('=')) {
            return None;
        }
        let Some(long) = text.strip_prefix("--") else { return self.letters(text, next, options) };
        if long.is_empty() {
            return Some(Item::Dashes);
        }
        let (name, attached) = long.split_once('=').map_or((long, false), |(name, _)| (name, true));
        options.push(name);
        if holds(self.with_value, name) {
            // A value in the next word must look like a value to every version of git.
            let is_plain = |word: &Word| !matches!(word.prefix(), "") && !word.prefix().starts_with('-');
            return match attached {
                true => Some(Item::Option(1)),
                false => next.is_some_and(|word| is_value(word) && is_plain(word)).then_some(Item::Option(2)),
            };
        }
        let known = holds(self.with_attached, name) || (holds(self.flags, name) && !attached);
        known.then_some(Item::Option(1))
    }

    fn letters<'w>(&self, text: &'w str, next: Option<&Word>, options: &mut Vec<&'w str>) -> Option<Item> {
        let bundles = self.kind != Kind::Revisions || text.bytes().skip(1).all(|byte| byte.is_ascii_digit());
        for (at, letter) in text.char_indices().skip(1) {
            let end = at + letter.len_utf8();
            options.push(text.get(at..end)?);
            let is_last = end == text.len();
            if self.letters_with_value.contains(letter) {
                if !is_last {
                    return Some(Item::Option(1));
                }
                // If `--` separates at any position, it is not a value.
                let divides = |word: &Word| self.kind == Kind::Revisions && word.prefix() == "--";
                return next.is_some_and(|word| is_value(word) && !divides(word)).then_some(Item::Option(2));
            }
            if self.letters_with_attached.contains(letter) {
                return Some(Item::Option(1));
            }
            if !self.letters.contains(letter) || !(is_last || bundles) {
                return None;
            }
        }
        Some(Item::Option(1))
    }
}

/// Whether a word stays one word, and is certainly neither an option nor `--`.
fn is_one(word: &Word) -> bool {
    !word.may_split() && (word.literal().is_some() || !matches!(word.prefix(), "" | "-" | "--"))
}

/// Whether a word can be the value of an option: it stays one word, with any text.
fn is_value(word: &Word) -> bool {
    !word.may_split()
}

fn holds(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|item| item == name)
}

#[cfg(test)]
mod tests {
    use super::super::execution_plan::ExecutionPlan;
    use super::*;

    /// The options, and the pathspecs after `--`; `None` if the command is unknown.
    fn read(text: &str) -> Option<(String, Option<String>)> {
        let plan = ExecutionPlan::new(text, Some("/w"), None);
        let found = Arguments::read(&plan.steps[0])?;
        let text = |words: Vec<&Word>| words.iter().map(|word| word.prefix()).collect::<Vec<_>>().join(" ");
        let pathspecs = found.pathspecs.map(|words| text(words.iter().collect()));
        Some((found.options.join(" "), pathspecs.map(|behind| format!("{}{behind}", text(found.operands)))))
    }

    #[test]
    fn dashes_separate_where_git_does() {
        for (command, pathspecs) in [
            ("git grep foo", None),
            ("git grep -n foo -- src", Some("src")),
            ("git grep foo HEAD -- src a", Some("src a")),
            ("git grep -- foo", None),
            ("git grep -- foo -- src", Some("src")),
            ("git grep -- -- src", None),
            ("git grep -e a -e -- -e src", None),
            ("git grep -e a -e -- -- src", Some("src")),
            ("git grep -e a --and -e b -- src", Some("src")),
            ("git grep \\( -e a --or -e b \\) -- src", Some("src")),
            ("git grep foo HEAD:sub -- src", None),
            ("git diff HEAD:sub -- src", None),
            ("git grep \\( -e a:b --or -e c \\) -- src", Some("src")),
            ("git grep -rn foo -- src", Some("src")),
            ("git --no-pager -P diff -- x", Some("x")),
            ("git diff --diff-filter M -- src", Some("src")),
            ("git diff \"a$x\" -- src", None),
            ("git -C -- diff", None),
            ("git -c a.b=-- diff -- x", Some("x")),
            ("git diff HEAD~1 -- src", Some("src")),
            ("git diff --stat -U5 main...HEAD -- a b", Some("a b")),
            ("git diff -S foo -M90% -- src", Some("src")),
            ("git log -3 --format= --name-only -- a", Some("a")),
            ("git ls-files '*.rs'", Some("*.rs")),
            ("git ls-files -x -- -x src", Some("")),
            ("git ls-files -- -z", Some("-z")),
            ("git ls-files", Some("")),
        ] {
            let found = read(command).unwrap_or_else(|| panic!("{command}"));
            assert_eq!(found.1.as_deref(), pathspecs, "{command}");
        }
    }

    #[test]
    fn unknown_word_makes_everything_unknown() {
        for command in [
            "git --literal-pathspecs grep x -- src",
            "git --icase-pathspecs ls-files src",
            "git --git-dir diff diff -- src",
            "git grep --untracked x -- src",
            "git grep --reg x -- src",
            "git -C $x diff -- src",
            "git -c $x diff -- src",
            "git grep x $y -- src",
            "git grep x $y",
            "git grep $y -- src",
            "git grep -e $y -- src",
            "git grep",
            "git diff --no-quiet -- src",
            "git diff --line-prefix --stat -- src",
            "git diff --sta",
            "git diff -S -- src",
            "git diff -wp",
            "git diff --end-of-options --stat",
            "git diff --stat=$x",
            "git diff \"--stat$x\"",
            "git diff $x --stat",
            "git diff \"$x\"",
            "git ls-files --full-name",
            "git ls-files -o",
        ] {
            assert_eq!(read(command), None, "{command}");
        }
    }

    #[test]
    fn a_commit_is_compared_with_the_work_tree_unless_there_are_two() {
        let compares = |text: &str| {
            let plan = ExecutionPlan::new(text, Some("/w"), None);
            Arguments::read(&plan.steps[0]).unwrap().compares_with_commit()
        };
        for command in ["git diff HEAD", "git diff HEAD -- src", "git diff a b", "git diff-index a -- b"] {
            assert!(compares(command), "{command}");
        }
        for command in [
            "git diff",
            "git diff -- src",
            "git diff a..b",
            "git diff main...HEAD -- src",
            "git diff a b -- src",
            "git diff --cached HEAD",
            "git diff --staged",
        ] {
            assert!(!compares(command), "{command}");
        }
    }

    #[test]
    fn names_only_if_no_option_shows_contents() {
        let tells = |text: &str| {
            let plan = ExecutionPlan::new(text, Some("/w"), None);
            Arguments::read(&plan.steps[0]).is_some_and(|arguments| arguments.tell_names())
        };
        for command in [
            "git diff --stat",
            "git diff --stat=80 HEAD -- src",
            "git diff --cached --name-only",
            "git diff HEAD --name-status -M",
            "git diff-index -s HEAD",
            "git diff --quiet --exit-code",
        ] {
            assert!(tells(command), "{command}");
        }
        for command in [
            "git diff",
            "git diff -- . --stat",
            "git diff --stat -p",
            "git diff -U3 --stat",
            "git diff --quiet --no-quiet",
            "git diff --stat --no-stat",
            "git diff -S --stat",
            "git diff --src-prefix=--stat",
        ] {
            assert!(!tells(command), "{command}");
        }
    }
}
