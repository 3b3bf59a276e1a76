//! Programs that the text gives another name: `hash -p`, `BASH_CMDS`, `BASH_ALIASES`, aliases, links and copies.

use std::collections::BTreeSet;

use sekisho_policy::PlannedCommands;
use sekisho_shell::word::Word;

use super::budget::Budget;
use super::git_push::joined;
use super::program_text::{is_interpreter, quoted_texts};
use super::resolved_arguments::Argument;

/// Programs that make a file with the contents of another.
const COPIERS: [&str; 7] = ["ln", "cp", "mv", "install", "link", "rsync", "scp"];
/// Programs that do so by their input, output or operands.
const STREAM_COPIERS: [&str; 4] = ["cat", "dd", "tee", "sponge"];
/// How many files of such a copy are paired with each other.
const MAX_FILES: usize = 16;
/// Programs whose copies are looked for among the files of such a copy.
const COPIED: [&str; 10] =
    ["rm", "rmdir", "git", "env", "printenv", "busybox", "toybox", "bash", "dash", "sh"];

/// Gives the commands that use another name of a program to `note`, with the program itself.
pub(super) fn find(
    plan: &PlannedCommands,
    commands: &[Vec<Argument>],
    budget: &Budget,
    note: &mut dyn FnMut(&str),
) {
    for (name, program) in names(plan, commands, budget) {
        for arguments in commands.iter().take_while(|_| budget.spend(1)) {
            if let Some((used, words)) = arguments.split_first()
                && name.as_deref().is_none_or(|name| file_name(&used.text) == file_name(name))
            {
                note(&format!("{program} {}", joined(words)));
            }
        }
    }
}

/// A name, and the program that it stands for. Without a name, any command may be meant.
fn names(
    plan: &PlannedCommands,
    commands: &[Vec<Argument>],
    budget: &Budget,
) -> Vec<(Option<String>, String)> {
    let mut found = Vec::new();
    for (name, value) in &plan.assignments {
        if name.starts_with("BASH_CMDS") || name.starts_with("BASH_ALIASES") {
            found.push((None, value.literal().unwrap_or_default().into_owned()));
        }
    }
    for arguments in commands.iter().take_while(|_| !budget.is_spent()) {
        let Some((program, rest)) = arguments.split_first() else { continue };
        if program.text == "hash" {
            found.extend(hashed(rest));
        }
        if COPIERS.iter().any(|name| program.runs(name)) {
            found.extend(copied(rest, budget));
        }
        if STREAM_COPIERS.iter().any(|name| program.runs(name)) {
            found.extend(streamed(rest, plan, budget));
        }
        // `python3 -c 'shutil.copy("/bin/rm", "y")'`
        if is_interpreter(program) {
            found.extend(rest.iter().flat_map(|word| copied_by(&word.text)));
        }
        // The names of what it writes can be changed in any way.
        let renames = |word: &Argument| word.text.starts_with("--trans") || word.text.starts_with("--xf");
        if ["tar", "bsdtar", "gtar"].iter().any(|name| program.runs(name)) && rest.iter().any(renames) {
            let files = rest.iter().filter(|word| !word.text.starts_with('-'));
            found.extend(files.take(MAX_FILES).map(|word| (None, word.text.clone())));
        }
    }
    found
}

/// A program in another language that names a program and other files may copy one to the other.
fn copied_by(text: &str) -> Vec<(Option<String>, String)> {
    let named: Vec<&str> = quoted_texts(text).filter(|text| !text.contains(' ')).take(MAX_FILES).collect();
    let is_program =
        |path: &&&str| ["/rm", "/rmdir", "/git", "/env", "/printenv"].iter().any(|name| path.ends_with(name));
    let programs: Vec<&str> = named.iter().filter(is_program).copied().collect();
    let pairs = programs.iter().flat_map(|program| named.iter().map(move |name| (name, program)));
    let pairs = pairs.filter(|(name, program)| name != program && !name.is_empty());
    pairs.map(|(name, program)| (Some((*name).to_owned()), (*program).to_owned())).collect()
}

/// `hash -p /bin/rm foo`, also in one word and with other options.
fn hashed(words: &[Argument]) -> Vec<(Option<String>, String)> {
    let Some(at) = words.iter().position(|word| word.text.contains('/')) else { return Vec::new() };
    let path = words.get(at).map(|word| word.text.as_str()).unwrap_or_default();
    let path = path.find('/').and_then(|from| path.get(from..)).unwrap_or_default();
    let names = words.iter().skip(at + 1).filter(|word| !word.text.starts_with('-'));
    names.map(|name| (Some(name.text.clone()), path.to_owned())).collect()
}

/// `cp /bin/rm doc/z`, also with values of options before the files.
fn copied(words: &[Argument], budget: &Budget) -> Vec<(Option<String>, String)> {
    let files = words.iter().filter(|word| !word.text.starts_with('-'));
    let files: Vec<&str> = files.map(|word| word.text.as_str()).collect();
    let Some((name, programs)) = files.split_last() else { return Vec::new() };
    let programs = programs.iter().rev().take(MAX_FILES).take_while(|_| budget.spend(1));
    programs.map(|program| (Some((*name).to_owned()), (*program).to_owned())).collect()
}

/// `cat /bin/rm > doc/z`, `dd if=/bin/rm of=doc/z`, `tee doc/z < /bin/rm`: any of the files may be copied to any other.
fn streamed(words: &[Argument], plan: &PlannedCommands, budget: &Budget) -> Vec<(Option<String>, String)> {
    let named = words.iter().map(|word| word.text.as_str());
    let named = named.map(|text| text.strip_prefix("if=").or(text.strip_prefix("of=")).unwrap_or(text));
    let redirected = plan.redirect_targets.iter().filter_map(Word::literal);
    let files = named.map(str::to_owned).chain(redirected.map(|text| text.into_owned()));
    // Here-documents are among them.
    let is_file = |file: &String| !file.starts_with('-') && file.len() < LONGEST_PATH && !file.contains('\n');
    let files: Vec<String> = files.filter(is_file).take(MAX_FILES).collect();
    let pairs = files.iter().flat_map(|name| files.iter().map(move |program| (name, program)));
    let is_copy =
        |name: &str, program: &str| name != program && (may_be_copied(name) || may_be_copied(program));
    let pairs = pairs.filter(|(name, program)| is_copy(name, program));
    let pairs = pairs.take_while(|(name, program)| budget.spend(name.len() + program.len()));
    pairs.map(|(name, program)| (Some(name.clone()), program.clone())).collect()
}

/// Whether a path may be that of a program whose copy is forbidden. What is not known is `*`.
fn may_be_copied(path: &str) -> bool {
    let name = file_name(path);
    COPIED.contains(&name) || name.starts_with("git-") || name.contains(['*', '?', '['])
}

/// Whether the text itself writes the file that a command is run from: `echo … > doc/s; doc/s`.
pub(super) fn runs_written_file(plan: &PlannedCommands, commands: &[Vec<Argument>]) -> bool {
    let targets = plan.redirect_targets.iter().filter_map(Word::literal).map(|text| text.into_owned());
    let written = commands.iter().filter(|arguments| {
        let program = arguments.first().map(|program| program.text.as_str());
        program.is_some_and(|name| matches!(name, "tee" | "dd" | "cp" | "mv" | "install" | "chmod"))
    });
    let named = written.flatten().map(|word| word.text.trim_start_matches("of=").to_owned());
    let paths = targets.chain(named).filter(|path| path.len() < LONGEST_PATH);
    let written: BTreeSet<String> = paths.map(|path| file_name(&path).to_owned()).collect();
    let runs = |program: &Argument| program.text.contains('/') && written.contains(file_name(&program.text));
    commands.iter().filter_map(|arguments| arguments.first()).any(runs)
}

/// The files that a text writes, by their names without directories.
pub(super) struct WrittenFiles(BTreeSet<String>);

impl WrittenFiles {
    /// The targets of redirects, and the operands of the programs in `commands` that write files.
    pub(super) fn new(plan: &PlannedCommands, commands: impl Iterator<Item = Vec<Argument>>) -> WrittenFiles {
        let targets = plan.redirect_targets.iter().filter_map(Word::literal).map(|text| text.into_owned());
        let writes = |arguments: &Vec<Argument>| {
            arguments.first().is_some_and(|program| WRITERS.iter().any(|name| program.runs(name)))
        };
        let named = commands.filter(writes).flat_map(|arguments| arguments.into_iter().skip(1));
        let named = named.map(|word| word.text).filter(|text| !text.starts_with('-'));
        let paths = targets.chain(named);
        let paths = paths.filter(|path| path.len() < LONGEST_PATH && !path.starts_with("/dev/"));
        WrittenFiles(paths.map(|path| file_name(&path).to_owned()).collect())
    }

    /// Whether a word may name one of them: its path, or the name of a module.
    pub(super) fn may_be(&self, word: &str) -> bool {
        if word.len() >= LONGEST_PATH || word.is_empty() {
            return false;
        }
        let name = file_name(word);
        let has_ending = name.contains('.');
        self.0.contains(name)
            || !has_ending && ENDINGS.iter().any(|ending| self.0.contains(&format!("{name}.{ending}")))
    }
}

/// Programs that write the files that they are given.
const WRITERS: [&str; 5] = ["cp", "install", "mv", "sponge", "tee"];
/// The endings of scripts that may be left out.
const ENDINGS: [&str; 6] = ["cjs", "js", "mjs", "py", "rb", "ts"];
/// Longer targets are here-documents.
const LONGEST_PATH: usize = 4096;

/// The last name of a path. The directory may be written in many ways, and another command may have entered it.
pub(super) fn file_name(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}
