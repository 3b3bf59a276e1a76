//! The danger of programs that a command contains: `python3 -c '…'`, `node <<EOF`. Rules judge the command and not
//! the program. What a plain search finds in it is enough to show the call as dangerous, never to call it harmless.

use sekisho_shell::script::RedirectKind;
use sekisho_shell::word::{Span, Word};

use super::executed_code::{ExecutedCode, interprets};
use super::execution_plan::{ExecutionPlan, Step};
use crate::danger::{Danger, DangerSpan};
use crate::verdict::{DangerCode, DangerLevel};

/// Calls that delete. A name is searched as a whole word, and may follow a module or an object.
const DELETING_CALLS: &[&str] = &[
    "removedirs",
    "unlink",
    "unlinkSync",
    "rmdir",
    "rmdirSync",
    "rmtree",
    "rmSync",
    "rimraf",
    "rm_rf",
    "rm_r",
    "remove_tree",
    "remove_dir",
    "truncateSync",
    "deleteMany",
    "delete_many",
    "drop_all",
    "drop_table",
];
/// Calls that delete only as calls of these modules: not `list.remove(x)`.
const DELETING_MODULES: &[&str] = &["os", "fs", "fsp", "promises", "Deno", "FileUtils"];
const DELETING_OF_MODULES: &[&str] = &["remove", "rm", "truncate"];
/// Texts that delete wherever they are: commands and statements in strings.
const DELETING_TEXTS: &[&str] = &[
    "rm -r",
    "rm -f",
    "\"rm\"",
    "'rm'",
    "DROP TABLE",
    "DROP DATABASE",
    "DROP SCHEMA",
    "DELETE FROM",
    "TRUNCATE TABLE",
    "drop table",
    "drop database",
    "delete from",
    "truncate table",
    "File.delete",
    "FileUtils.rm",
    "Dir.delete",
];
/// Texts that send.
const SENDING_TEXTS: &[&str] = &[
    "requests.post",
    "requests.put",
    "requests.patch",
    "requests.delete",
    "httpx.post",
    "httpx.put",
    "session.post",
    "axios.post",
    "axios.put",
    "axios.patch",
    "axios.delete",
    "smtplib",
    "sendmail",
    "sendMail",
    "nodemailer",
    "Net::SMTP",
    "Net::HTTP.post",
    "Net::HTTP::Post",
    "CURLOPT_POST",
    ".sendall",
    "put_object",
    "upload_file",
];
/// Methods that send, if the program uses HTTP at all.
const SENDING_METHODS: &[&str] =
    &["\"POST\"", "'POST'", "\"PUT\"", "'PUT'", "\"PATCH\"", "'PATCH'", "\"DELETE\"", "'DELETE'"];
const HTTP: &[&str] = &["fetch", "http", "Http", "HTTP", "axios", "urlopen", "requests"];
/// More places than this are not marked.
const MAX_SPANS: usize = 40;

/// The danger of the program in a command, with the places of the words that tell it.
pub(super) fn danger_of_inner_program(plan: &ExecutionPlan, step: &Step) -> Option<Danger> {
    if !interprets(step) {
        return None;
    }
    let text = plan.texts.get(step.text)?;
    let (mut deleting, mut sending) = (Vec::new(), Vec::new());
    for span in programs(plan, step) {
        let Some(code) = text.source.get(span.start as usize..span.end as usize) else { continue };
        if !plan.budget.spend(code.len()) {
            return None;
        }
        deleting.extend(deleting_words(code).into_iter().map(|found| place(span, found)));
        sending.extend(sending_words(code).into_iter().map(|found| place(span, found)));
    }
    let (code, mut found) = match (deleting.is_empty(), sending.is_empty()) {
        (false, _) => (DangerCode::RunsDeletingProgram, deleting),
        (true, false) => (DangerCode::RunsSendingProgram, sending),
        (true, true) => return None,
    };
    found.truncate(MAX_SPANS);
    let places = found.into_iter().filter(|_| step.text == 0);
    Some(Danger::new(DangerLevel::Danger, code).at(places))
}

/// The words and here-documents that contain a program.
fn programs(plan: &ExecutionPlan, step: &Step) -> Vec<Span> {
    let executed = ExecutedCode::of(step);
    let mut found: Vec<Span> = executed.words.iter().map(|word| word.span).collect();
    let mut before: Option<&Word> = None;
    for word in step.words.iter().skip(1) {
        let after_option = before.is_some_and(|option| takes_code(option.prefix()));
        if after_option || word.prefix().starts_with("--eval=") {
            found.push(word.span);
        }
        before = Some(word);
    }
    found.sort_unstable();
    found.dedup();
    // A here-document of a wrapper is read by what it runs.
    let mut outer = step;
    while let Some(parent) =
        outer.parent.and_then(|at| plan.steps.get(at)).filter(|one| one.text == step.text)
    {
        outer = parent;
    }
    let script = plan.texts.get(step.text).map(|text| &text.script);
    let command = script.zip(outer.command).and_then(|(script, at)| script.commands.get(at));
    if let Some((script, command)) = script.zip(command).filter(|_| executed.input) {
        let redirects = command.redirects.iter().filter_map(|at| script.redirects.get(*at));
        let documents =
            redirects.filter(|one| matches!(one.kind, RedirectKind::HereDocument | RedirectKind::HereString));
        found.extend(documents.map(|one| one.target.span));
    }
    found
}

/// Whether the word after an option is a program: `-c`, `-ne`, `--eval`.
fn takes_code(option: &str) -> bool {
    match option.strip_prefix("--") {
        Some(long) => matches!(long, "eval" | "print" | "run"),
        None => option.len() > 1 && option.starts_with('-') && option.ends_with(['c', 'e', 'E', 'p', 'r']),
    }
}

fn place(within: Span, (start, len): (usize, usize)) -> DangerSpan {
    let start = within.start.saturating_add(u32::try_from(start).unwrap_or(u32::MAX));
    DangerSpan { start, end: start.saturating_add(u32::try_from(len).unwrap_or(0)).min(within.end) }
}

/// Start and length of each word that deletes.
fn deleting_words(code: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<_> = DELETING_TEXTS.iter().flat_map(|text| places_of(code, text)).collect();
    found.extend(DELETING_CALLS.iter().flat_map(|name| calls_of(code, name, None)));
    found.extend(DELETING_OF_MODULES.iter().flat_map(|name| calls_of(code, name, Some(DELETING_MODULES))));
    found.sort_unstable();
    found.dedup_by_key(|(start, _)| *start);
    found
}

fn sending_words(code: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<_> = SENDING_TEXTS.iter().flat_map(|text| places_of(code, text)).collect();
    if HTTP.iter().any(|name| code.contains(name)) {
        found.extend(SENDING_METHODS.iter().flat_map(|method| places_of(code, method)));
    }
    found.sort_unstable();
    found
}

fn places_of(code: &str, text: &str) -> Vec<(usize, usize)> {
    code.match_indices(text).take(MAX_SPANS).map(|(start, found)| (start, found.len())).collect()
}

/// Calls of a name: `unlink(`, `os.remove (`, in Perl `unlink $file`. With `modules`, only behind one of them.
fn calls_of(code: &str, name: &str, modules: Option<&[&str]>) -> Vec<(usize, usize)> {
    let part_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut found = Vec::new();
    for (start, _) in code.match_indices(name) {
        let (before, after) = (code.get(..start).unwrap_or(""), code.get(start + name.len()..).unwrap_or(""));
        if before.ends_with(part_of_name) || after.starts_with(part_of_name) {
            continue;
        }
        if !after.trim_start_matches([' ', '\t']).starts_with(['(', '$', '"', '\'', '@']) {
            continue;
        }
        let object = before
            .strip_suffix('.')
            .map(|before| before.rsplit(|letter: char| !part_of_name(letter)).next().unwrap_or(""));
        if modules.is_some_and(|modules| object.is_none_or(|object| !modules.contains(&object))) {
            continue;
        }
        let prefix = object.filter(|object| !object.is_empty()).map_or(0, |object| object.len() + 1);
        found.push((start - prefix, name.len() + prefix));
        if found.len() == MAX_SPANS {
            break;
        }
    }
    found
}
