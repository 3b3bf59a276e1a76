//! Programs that print names of existing files, or other text that nobody can turn into a protected path, and
//! filters that drop or sort whole lines of it. These are closed lists: with an option that is not listed, a
//! program may print anything.

use sekisho_shell::word::Word;

use super::directory_walks::hidden_of_type;
use super::execution_plan::Step;
use super::git_repository_risks;
use super::output_kind::OutputKind;
use crate::file_search_query::{GitFileFilter, LinkHandling, WalkOptions};

/// One known way to use a program.
struct ListerUsage {
    /// Program and subcommand.
    leading: &'static [&'static str],
    /// If not empty, one of these options is required.
    need: &'static str,
    /// Short options.
    flags: &'static str,
    /// Short options with a value.
    valued: &'static str,
    /// Long options: `name`, `name=` with any value, `name=value` with this one alone.
    long: &'static str,
    operands: Operands,
    prints: OutputKind,
}

/// Which operands it may have.
#[derive(Clone, Copy)]
enum Operands {
    None,
    Any,
    /// A pattern, unless an option gives one.
    Pattern,
    Each(fn(&str) -> bool),
}

const fn filter(
    program: &'static [&'static str],
    flags: &'static str,
    valued: &'static str,
    long: &'static str,
) -> ListerUsage {
    ListerUsage {
        leading: program,
        need: "",
        flags,
        valued,
        long,
        operands: Operands::None,
        prints: OutputKind::Lines,
    }
}

const fn fixed(program: &'static [&'static str], flags: &'static str, operands: Operands) -> ListerUsage {
    ListerUsage {
        leading: program,
        need: "",
        flags,
        valued: "",
        long: "",
        operands,
        prints: OutputKind::Fixed,
    }
}

const fn directory(program: &'static [&'static str], flags: &'static str, operands: Operands) -> ListerUsage {
    ListerUsage { prints: OutputKind::Directory, ..fixed(program, flags, operands) }
}

const fn names(
    leading: &'static [&'static str],
    need: &'static str,
    options: [&'static str; 3],
) -> ListerUsage {
    let [flags, valued, long] = options;
    ListerUsage { leading, need, flags, valued, long, operands: Operands::Any, prints: OutputKind::Names }
}

const fn revisions(
    leading: &'static [&'static str],
    need: &'static str,
    options: [&'static str; 3],
    operands: Operands,
) -> ListerUsage {
    let [flags, valued, long] = options;
    ListerUsage { leading, need, flags, valued, long, operands, prints: OutputKind::Revisions }
}

const GREP: &str = "ignore-case invert-match word-regexp line-regexp extended-regexp fixed-strings perl-regexp \
                    basic-regexp regexp= max-count= no-messages text line-buffered color=never null-data";
const GREP_FILES: &str = "files-with-matches files-without-match recursive include= exclude= exclude-dir= ignore-case \
                          invert-match word-regexp line-regexp extended-regexp fixed-strings perl-regexp regexp= \
                          no-messages null color=never binary-files=";
const RG: &str = "ignore-case smart-case case-sensitive invert-match word-regexp line-regexp fixed-strings pcre2 \
                  regexp= max-count= no-line-number no-messages color=never";
const RG_FILES: &str = "files files-with-matches files-without-match ignore-case smart-case case-sensitive \
                        fixed-strings word-regexp line-regexp invert-match pcre2 multiline regexp= glob= iglob= type= \
                        type-not= max-depth= max-count= null no-ignore no-ignore-vcs no-messages sort= sortr= \
                        color=never no-config";
/// The options of `rg` and `fd` with which they still skip ignored files.
const HEEDS_IGNORE_FILES: &str = "l i s S w x F v P U 0 n N e g t T m j d a p E c \
                        files files-with-matches files-without-match ignore-case smart-case case-sensitive \
                        fixed-strings word-regexp line-regexp invert-match pcre2 multiline regexp glob iglob type \
                        type-not max-depth max-count null no-messages sort sortr color no-config \
                        absolute-path full-path print0 extension min-depth exact-depth exclude size \
                        changed-within changed-before";
const WALK: &str = "format= pretty= name-only no-merges merges first-parent all max-count= since= until= after= before= \
                    author= grep= diff-filter= no-renames follow reverse no-patch relative";

/// `find` is checked by its expression; see [`find_expression`](super::find_expression).
const USAGES: &[ListerUsage] = &[
    names(
        &["ls"],
        "",
        ["1rtSUvXRdcuN", "I", "reverse recursive directory sort= time= group-directories-first color=never"],
    ),
    names(&["git", "ls-files"], "", ["zcmd", "x", "cached modified deleted exclude= deduplicate"]),
    names(
        &["git", "diff"],
        "name-only",
        [
            "zM",
            "",
            "name-only cached staged relative diff-filter= no-renames find-renames merge-base ignore-submodules no-ext-diff",
        ],
    ),
    names(&["git", "diff-tree"], "name-only", ["rz", "", "name-only no-commit-id root diff-filter="]),
    names(&["git", "log"], "name-only", ["z", "n", WALK]),
    names(&["git", "show"], "name-only", ["z", "n", WALK]),
    names(
        &["git", "grep"],
        "l L name-only files-with-matches files-without-match",
        [
            "lLiwvEFPGInz",
            "e",
            "name-only files-with-matches files-without-match ignore-case word-regexp cached",
        ],
    ),
    names(&["rg"], "l files files-with-matches files-without-match", ["lisSwxFvPU0nN", "egtTmjd", RG_FILES]),
    names(&["grep"], "l L files-with-matches files-without-match", ["lLriwxEFPGvsaInHhZ", "em", GREP_FILES]),
    names(
        &["fd"],
        "",
        [
            "isgFap0I",
            "tedEcSj",
            "ignore-case case-sensitive glob fixed-strings absolute-path full-path print0 no-ignore \
          extension= type= max-depth= min-depth= exact-depth= exclude= size= changed-within= changed-before= color=never",
        ],
    ),
    filter(&["head"], "qz", "n", "lines="),
    filter(&["tail"], "qz", "n", "lines="),
    filter(
        &["sort"],
        "bdfghinRruVzs",
        "kt",
        "unique reverse numeric-sort version-sort random-sort zero-terminated key= field-separator=",
    ),
    filter(&["uniq"], "duiz", "", "unique repeated ignore-case zero-terminated"),
    filter(&["tac"], "", "", ""),
    filter(&["shuf"], "z", "n", "head-count= zero-terminated"),
    ListerUsage { operands: Operands::Pattern, ..filter(&["grep"], "viEFPGwxsaz", "em", GREP) },
    ListerUsage { operands: Operands::Pattern, ..filter(&["egrep"], "viwxsaz", "em", GREP) },
    ListerUsage { operands: Operands::Pattern, ..filter(&["fgrep"], "viwxsaz", "em", GREP) },
    ListerUsage { operands: Operands::Pattern, ..filter(&["rg"], "viFPwxsSNa", "em", RG) },
    fixed(&["wc"], "lcwmL", Operands::None),
    fixed(&["seq"], "w", Operands::Each(is_number)),
    fixed(&["date"], "u", Operands::Each(is_plain_date)),
    directory(&["which"], "a", Operands::Each(is_program)),
    ListerUsage { need: "v", ..directory(&["command"], "v", Operands::Each(is_program)) },
    directory(&["pwd"], "PL", Operands::None),
    fixed(&["whoami"], "", Operands::None),
    fixed(&["hostname"], "s", Operands::None),
    fixed(&["uname"], "smrnpi", Operands::None),
    fixed(&["nproc"], "", Operands::None),
    ListerUsage {
        need: "show-toplevel",
        long: "show-toplevel",
        ..directory(&["git", "rev-parse"], "", Operands::None)
    },
    revisions(
        &["git", "rev-parse"],
        "",
        ["q", "", "short short= verify quiet abbrev-ref symbolic-full-name"],
        Operands::Each(is_revision),
    ),
    revisions(
        &["git", "merge-base"],
        "",
        ["a", "", "all octopus independent fork-point"],
        Operands::Each(is_revision),
    ),
    revisions(
        &["git", "describe"],
        "",
        ["", "", "tags all always long abbrev= exact-match first-parent"],
        Operands::Each(is_revision),
    ),
    revisions(&["git", "branch"], "show-current", ["", "", "show-current"], Operands::None),
    revisions(&["git", "symbolic-ref"], "", ["q", "", "short quiet"], Operands::Each(is_revision)),
    revisions(&["git", "tag"], "", ["l", "", "list sort= merged contains= points-at="], Operands::Any),
    revisions(
        &["git", "rev-list"],
        "",
        [
            "",
            "n",
            "count all max-count= no-merges merges first-parent reverse since= until= after= before= author= skip=",
        ],
        Operands::Any,
    ),
    revisions(&["git", "log"], "format pretty", ["s", "n", WALK], Operands::Any),
    revisions(&["git", "show"], "format pretty", ["s", "n", WALK], Operands::Any),
];

/// A command that is on the list.
pub(crate) struct Listing<'w> {
    pub(crate) prints: OutputKind,
    /// The globs by which it selects files.
    pub(crate) globs: Vec<&'w str>,
    /// Its start directories, for a program whose operands the table does not know to be paths.
    pub(crate) starts: Vec<&'w Word>,
    /// Program and subcommand.
    leading: &'static [&'static str],
    /// Whether it searches subdirectories.
    recursive: bool,
    /// Whether it skips ignored files, if it is a program that does.
    heeds_ignore_files: bool,
    /// Whether it is given a name that begins with a dot.
    names_hidden: bool,
    /// Whether its output is separated by zeros.
    pub(crate) zeros: bool,
}

impl Listing<'_> {
    /// Whether it prints paths relative to its directory. Others print names, or paths relative to the
    /// repository root.
    pub(crate) fn prints_paths(&self) -> bool {
        matches!(self.leading, ["rg" | "grep" | "fd"] | ["git", "ls-files"])
    }

    /// The files whose names it may print.
    pub(crate) fn below(&self) -> WalkOptions {
        let hidden =
            !matches!(self.leading, ["ls" | "rg" | "fd"]) || !self.globs.is_empty() || self.names_hidden;
        let git = match self.leading {
            ["git", "ls-files" | "grep"] => GitFileFilter::Tracked,
            ["rg" | "fd"] if self.globs.is_empty() && self.heeds_ignore_files => GitFileFilter::NotIgnored,
            _ => GitFileFilter::All,
        };
        let deep = self.recursive || !matches!(self.leading, ["ls"]);
        let quoted = self.leading.first() == Some(&"git");
        WalkOptions { links: LinkHandling::Open, deep, hidden, git, quoted, ..WalkOptions::everything() }
    }

    /// Whether it prints more than names: `ls` prints directory headings, git a commit before a name, or a
    /// quoted name. Any file next to the listed ones that has such a name then counts too.
    pub(crate) fn adds_to_names(&self) -> bool {
        matches!(self.leading, ["ls"] | ["git", ..])
    }
}

/// Finds a command on the list.
pub(crate) fn listing(step: &Step) -> Option<Listing<'_>> {
    let leading = &step.profile.leading_words;
    if step.profile.location.is_elsewhere() {
        return None;
    }
    let name = match leading.first()?.as_str() {
        "fdfind" => "fd",
        name => name,
    };
    USAGES.iter().find_map(|usage| {
        let (program, subcommand) = usage.leading.split_first()?;
        let sub = subcommand.first();
        let fits = *program == name && sub.is_none_or(|sub| leading.get(1).is_some_and(|word| word == sub));
        // The table has checked the words before the subcommand.
        let from = match sub.filter(|_| fits) {
            Some(_) => git_repository_risks::subcommand(&step.words)? + 1,
            None if fits => 1,
            None => return None,
        };
        usage.read(step.words.get(from..)?)
    })
}

/// The options and operands of a command.
#[derive(Default)]
struct ListerArguments<'w> {
    options: Vec<(String, Option<&'w str>)>,
    operands: Vec<&'w Word>,
    /// The number of operands before `--`.
    before_dashes: usize,
}

impl ListerArguments<'_> {
    /// Whether everything before `--` can only be commits.
    fn shows_commits(&self) -> bool {
        let shown = self.operands.iter().take(self.before_dashes);
        shown.into_iter().all(|word| word.literal().is_some_and(|text| is_commit(&text)))
    }
}

impl ListerUsage {
    fn read<'w>(&self, words: &'w [Word]) -> Option<Listing<'w>> {
        let scan = self.scan(words)?;
        let has = |name: &str| scan.options.iter().any(|(option, _)| option == name);
        if !self.need.is_empty() && !self.need.split(' ').any(has) {
            return None;
        }
        // `git show` prints a tag with its message, and a file with its contents.
        if self.leading == ["git", "show"] && (has("all") || !scan.shows_commits()) {
            return None;
        }
        let pattern = has("e") || has("regexp") || has("files");
        let fits = match self.operands {
            Operands::None => scan.operands.is_empty(),
            Operands::Any => true,
            Operands::Pattern => {
                scan.operands.len() == usize::from(!pattern)
                    && scan.operands.iter().all(|word| word.literal().is_some())
            }
            Operands::Each(fits) => {
                scan.operands.iter().all(|word| word.literal().is_some_and(|text| fits(&text)))
            }
        };
        if !fits || !self.format_fits(&scan) {
            return None;
        }
        let program = self.leading.last().copied().unwrap_or_default();
        let starts =
            if program == "fd" { scan.operands.iter().skip(1).copied().collect() } else { Vec::new() };
        let recursive = has("R") || has("recursive");
        // If it does not search files, it searches its standard input and names it in the output.
        let files = scan.operands.len() > usize::from(!pattern) || recursive || has("r");
        if self.prints == OutputKind::Names && program == "grep" && self.leading.len() == 1 && !files {
            return None;
        }
        let is_hidden = |part: &str| part.starts_with('.') && !matches!(part, "." | "..");
        let names_hidden = scan.operands.iter().any(|word| word.prefix().split('/').any(is_hidden));
        let zeros = ["z", "Z", "0", "null", "null-data", "print0", "zero-terminated"];
        let heeds = |name: &str| HEEDS_IGNORE_FILES.split_whitespace().any(|known| known == name);
        Some(Listing {
            prints: self.prints,
            globs: self.globs(&scan),
            starts,
            leading: self.leading,
            recursive,
            heeds_ignore_files: scan.options.iter().all(|(name, _)| heeds(name)),
            names_hidden,
            zeros: zeros.into_iter().any(has),
        })
    }

    /// With a format, git prints whatever the format specifies: it must be absent, or a commit's name.
    fn format_fits(&self, scan: &ListerArguments<'_>) -> bool {
        if !matches!(self.leading, ["git", "log" | "show"]) {
            return true;
        }
        let mut formats =
            scan.options.iter().filter(|(name, _)| matches!(name.as_str(), "format" | "pretty")).peekable();
        let named = scan.options.iter().any(|(name, _)| name == "name-only");
        let plain = |value: &str| match self.prints {
            OutputKind::Names => matches!(value, "" | "format:" | "tformat:"),
            _ => matches!(value.rsplit(':').next(), Some("%H" | "%h")) && value.len() <= "tformat:%H".len(),
        };
        formats.peek().is_some()
            && named == (self.prints == OutputKind::Names)
            && formats.all(|(_, value)| value.is_some_and(plain))
    }

    fn globs<'w>(&self, scan: &ListerArguments<'w>) -> Vec<&'w str> {
        let by_option = scan.options.iter().filter(|(name, _)| {
            matches!((self.leading, name.as_str()), (["rg"], "g" | "glob" | "iglob") | (["grep"], "include"))
        });
        let types = scan
            .options
            .iter()
            .filter(|(name, _)| self.leading == ["rg"] && matches!(name.as_str(), "t" | "type"));
        let types = types.flat_map(|(_, value)| hidden_of_type(value.unwrap_or_default()).iter().copied());
        let pathspecs = scan.operands.iter().filter(|_| self.leading.first() == Some(&"git"));
        let pathspecs = pathspecs.map(|word| word.prefix()).filter(|text| text.contains(['*', '?', '[']));
        by_option.filter_map(|(_, value)| *value).chain(types).chain(pathspecs).collect()
    }

    /// Parses options by the lists; `None` if one is computed or not on them.
    fn scan<'w>(&self, words: &'w [Word]) -> Option<ListerArguments<'w>> {
        let mut scan = ListerArguments::default();
        let mut words = words.iter();
        let mut dashes = false;
        while let Some(word) = words.next() {
            let text = word.prefix();
            if dashes || !text.starts_with('-') || text == "-" {
                // A magic pathspec is not a path.
                if text.starts_with(':') || (text == "-" && self.prints == OutputKind::Names) {
                    return None;
                }
                scan.operands.push(word);
                scan.before_dashes += usize::from(!dashes);
                continue;
            }
            word.literal()?;
            if text == "--" {
                dashes = true;
            } else if let Some(long) = text.strip_prefix("--") {
                let (name, attached) =
                    long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
                let known = |entry: &str| match (entry.split_once('='), attached) {
                    (None, None) => entry == name,
                    (Some((known, "")), _) => known == name,
                    (Some((known, only)), Some(value)) => known == name && only == value,
                    _ => false,
                };
                let entry = self.long.split_whitespace().find(|entry| known(entry))?;
                let value = match attached {
                    None if entry.ends_with('=') => Some(literal(words.next()?)?),
                    attached => attached,
                };
                scan.options.push((name.to_owned(), value));
            } else if !self.takes_count(text) {
                self.bundle(text, &mut words, &mut scan)?;
            }
        }
        Some(scan)
    }

    /// `head -5`, `git log -3`
    fn takes_count(&self, text: &str) -> bool {
        self.valued.contains('n') && text.chars().skip(1).all(|c| c.is_ascii_digit())
    }

    fn bundle<'w>(
        &self,
        text: &'w str,
        words: &mut std::slice::Iter<'w, Word>,
        scan: &mut ListerArguments<'w>,
    ) -> Option<()> {
        let mut letters = text.chars();
        letters.next();
        while let Some(letter) = letters.next() {
            if self.valued.contains(letter) {
                let rest = letters.as_str();
                let value = if rest.is_empty() { literal(words.next()?)? } else { rest };
                scan.options.push((letter.to_string(), Some(value)));
                return Some(());
            }
            if !self.flags.contains(letter) {
                return None;
            }
            scan.options.push((letter.to_string(), None));
        }
        Some(())
    }
}

fn literal(word: &Word) -> Option<&str> {
    word.literal().map(|_| word.prefix())
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
}

/// A date format of digits and separators.
fn is_plain_date(text: &str) -> bool {
    let mut letters = text.chars();
    // A result that begins with a dash would be an option.
    let format = letters.next() == Some('+') && letters.as_str().starts_with('%');
    let mut letters = letters.as_str().chars();
    while let Some(letter) = letters.next() {
        let fine = match letter {
            '%' => letters.next().is_some_and(|letter| "YmdHMSFTsjyV".contains(letter)),
            letter => "-_:".contains(letter),
        };
        if !fine {
            return false;
        }
    }
    format
}

/// A program name to look up.
fn is_program(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric()) && !text.contains('/')
}

/// The name of a commit, without a path after it.
fn is_revision(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '@')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-/~^@{}.".contains(c))
        && !text.contains("..")
}

/// Text that can only be a commit: `HEAD`, or one relative to another (`main~2`, `v1^`). Other names may be
/// tags or files.
fn is_commit(text: &str) -> bool {
    let counted = text.trim_end_matches(|c: char| c.is_ascii_digit()).ends_with(['~', '^']);
    is_revision(text) && (counted || matches!(text, "HEAD" | "@"))
}

#[cfg(test)]
mod tests {
    use super::is_commit;

    #[test]
    fn only_relative_revisions_are_certainly_commits() {
        for text in ["HEAD", "@", "HEAD~1", "main~", "v1^", "origin/main^2", "v1^0"] {
            assert!(is_commit(text), "{text}");
        }
        for text in [
            "v1",
            "HEAD1",
            "abc123",
            "HEAD:a~1",
            ":/x^",
            "HEAD^{}",
            "HEAD^{tree}",
            "a..b~1",
            "~1",
            "HEAD@{1}",
        ] {
            assert!(!is_commit(text), "{text}");
        }
    }
}
