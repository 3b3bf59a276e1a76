//! JavaScript programs that show `process.env`.

use super::statements::{Parts, Statements, any_place, is_letter, occurrences};

/// Names of the environment.
const NAMES: [&str; 3] = ["process.env", "Bun.env", "import.meta.env"];
/// Functions that show it without naming it.
const SHOWING: [&str; 3] = ["Deno.env.toObject", "report.getReport", "report.writeReport"];

/// Whether a program shows the whole environment.
pub(super) fn lists(program: &str) -> bool {
    let bare = with_plain_names(program);
    if SHOWING.iter().any(|name| bare.contains(name)) {
        return true;
    }
    if !bare.contains("process") && !bare.contains("env") {
        return false;
    }
    let statements = Statements::new(&bare);
    shows_whole_process(&bare, &statements)
        || shows_taken_environment(&bare, &statements)
        || NAMES.iter().any(|name| shows_environment(&bare, name, &statements))
}

/// The program that shows the value of the last expression of another: `node -p text`.
pub(super) fn with_shown_value(program: &str) -> String {
    let program = program.trim().trim_end_matches(';');
    match program.rfind([';', '\n']).and_then(|end| program.split_at_checked(end + 1)) {
        Some((before, last)) => format!("{before}console.log({last})"),
        None => format!("console.log({program})"),
    }
}

/// The program with one spelling of the names of the environment.
fn with_plain_names(program: &str) -> String {
    let mut bare = program.replace("[\"env\"]", ".env").replace("['env']", ".env");
    if bare.contains("require(") {
        for module in ["\"process\"", "'process'", "\"node:process\"", "'node:process'"] {
            bare = bare.replace(&format!("require({module})"), "process");
        }
    }
    // `const p = process; p.env`, `import("process").then(m => m.env)`
    let aliases: Vec<String> = bare
        .match_indices("process")
        .filter_map(|(at, name)| {
            let (before, after) = (bare.get(..at)?.trim_end(), bare.get(at + name.len()..)?);
            let alias = match before.strip_suffix('=') {
                Some(before) => before.trim_end().rsplit(|c: char| !is_letter(c)).next()?,
                None => after.split_once(".then(")?.1.split("=>").next()?.trim_matches(['(', ')', ' ']),
            };
            let is_whole = !after.starts_with(['.', '[']) && alias.len() < 32 && !alias.is_empty();
            (is_whole && alias.chars().all(is_letter)).then(|| alias.to_owned())
        })
        .take(MOST_ALIASES)
        .collect();
    for alias in aliases {
        bare = bare.replace(&format!("{alias}.env"), "process.env");
    }
    bare
}

/// How many other names of the process are looked at.
const MOST_ALIASES: usize = 4;

fn shows_environment(program: &str, name: &str, statements: &Statements<'_>) -> bool {
    let loops = Parts::new(program, &[';', '\n'], &["for"]);
    let before = |at: usize| program.get(..at).unwrap_or_default().trim_end();
    let uses_whole = |(at, after): &(usize, &str)| {
        let reads_one = after.starts_with(['.', '[']) || after.starts_with("?.");
        // `'A' in process.env`
        let asks = before(*at).ends_with(" in") && !loops.has_before(*at);
        !(reads_one || asks)
    };
    let shows = |(at, _): (usize, &str)| {
        // `const { PORT } = process.env`, `const { ...all } = process.env`
        let pattern = before(at).strip_suffix('=').and_then(|before| before.trim_end().strip_suffix('}'));
        if let Some(pattern) = pattern {
            let fields = pattern.rsplit('{').next().unwrap_or_default();
            return fields.split_once("...").is_some_and(|(_, name)| statements.shows(name.trim()));
        }
        let spread = before(at);
        let start = spread.strip_suffix("...").map_or(at, str::len);
        !statements.is_passed(start, &["env:", "env :"])
            && (program.trim() == name || statements.shows_before(at) || statements.is_kept_and_shown(at))
    };
    any_place(occurrences(program, name).filter(uses_whole), shows)
}

/// `console.log(process)`
fn shows_whole_process(program: &str, statements: &Statements<'_>) -> bool {
    let before = |at: usize| program.get(..at).unwrap_or_default();
    let is_argument = |(at, after): &(usize, &str)| {
        before(*at).trim_end().ends_with(['(', ','])
            && after.trim_start().starts_with([')', ','])
            && statements.shows_before(*at)
    };
    // In a text it is a word like others.
    let is_text =
        |at: usize| ['"', '\'', '`'].into_iter().any(|quote| before(at).matches(quote).count() % 2 == 1);
    any_place(occurrences(program, "process").filter(is_argument), |(at, _)| !is_text(at))
}

/// `const {env} = process; console.log(env)`
fn shows_taken_environment(program: &str, statements: &Statements<'_>) -> bool {
    let ends = program.match_indices('}').map(|(end, _)| end).filter(|end| takes_from_process(program, *end));
    let shows = |end: usize| {
        let Some(name) = taken_environment(program, end) else { return false };
        let is_shown = |(at, after): (usize, &str)| {
            at > end && !after.starts_with(['.', '[', '?', ':']) && statements.shows_before(at)
        };
        !name.is_empty() && occurrences(program, name).any(is_shown)
    };
    any_place(ends, shows)
}

/// Whether `{…}` gets its values from the process, by the place of the closing brace.
fn takes_from_process(program: &str, end: usize) -> bool {
    let rest = program.get(end + 1..).unwrap_or_default().trim_start();
    let Some(source) = rest.strip_prefix('=').or(rest.strip_prefix("from")) else { return false };
    let source = source.trim_start().trim_start_matches("require(").trim_start_matches(['"', '\'']);
    let after = source.trim_start_matches("node:").strip_prefix("process");
    after.is_some_and(|after| !after.starts_with(|c: char| is_letter(c) || ".[".contains(c)))
}

/// The name that the environment gets in `{…}`, by the place of the closing brace.
fn taken_environment(program: &str, end: usize) -> Option<&str> {
    let mut fields = program.get(..end)?.rsplit('{').next()?.split(',');
    fields.find_map(|field| match field.trim().strip_prefix("env")?.trim() {
        "" => Some("env"),
        rest => rest.strip_prefix(':').or(rest.strip_prefix("as ")).map(str::trim),
    })
}
