//! `.env` files that an agent loads into its own environment, and so into the shell that starts its hooks. A
//! cloned repository may contain one.

use std::path::{Path, PathBuf};

use sekisho_host::AgentSettingsFile;

use super::hook_hazard::HookHazard;

/// Variables that make a shell or the dynamic loader run something else, before or instead of a program.
/// Empty values have no effect.
pub(super) const EMPTIED: [&str; 10] = [
    "BASH_ENV",
    "ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "LD_PRELOAD",
    "LD_AUDIT",
    "LD_LIBRARY_PATH",
    "LD_DEBUG",
    "GCONV_PATH",
    "LOCPATH",
];
/// With any value, every program prints about itself before its own output.
pub(super) const NOISE: &str = "LD_SHOW_AUXV";
/// With any value, no program runs, and each exits successfully.
const NOTHING_RUNS: &str = "LD_TRACE_LOADED_OBJECTS";

/// Dangerous variables in the files of a directory and its parents, and in those of a home.
pub(super) fn hazards(from: &Path, settings: &Path) -> Vec<HookHazard> {
    let at = |directory: &Path| [directory.join(".gemini/.env"), directory.join(".env")];
    let mut files: Vec<PathBuf> = from.ancestors().flat_map(at).collect();
    for file in [Some(settings.join(".env")), settings.parent().map(|home| home.join(".env"))] {
        files.extend(file.filter(|file| !files.contains(file)));
    }
    files.iter().flat_map(|file| of_file(file)).collect()
}

fn of_file(file: &Path) -> Vec<HookHazard> {
    let shown = file.display();
    let fix = format!("check {shown}, and remove the variable");
    let text = match AgentSettingsFile::read(file) {
        Ok(read) => read.text().unwrap_or_default().to_owned(),
        Err(error) => {
            return vec![HookHazard::caution(
                format!("{error}, so the variables that Gemini CLI loads from it are unknown"),
                "fix the file, or remove it",
            )];
        }
    };
    let mut found = Vec::new();
    if sets(&text, NOTHING_RUNS) {
        found.push(HookHazard::bypass(
            format!("{shown} sets `{NOTHING_RUNS}`: Gemini CLI started below it runs no hook and continues without it"),
            fix.clone(),
        ));
    }
    if sets(&text, NOISE) {
        found.push(HookHazard::caution(
            format!("{shown} sets `{NOISE}`: hook output becomes unreadable, so every call is blocked"),
            fix.clone(),
        ));
    }
    for name in EMPTIED.into_iter().filter(|name| sets(&text, name)) {
        found.push(HookHazard::caution(
            format!(
                "{shown} sets `{name}`: our hook ignores it, but the commands that Gemini CLI runs do not, so \
                 more may run than was judged"
            ),
            fix.clone(),
        ));
    }
    found
}

/// Whether a text sets a variable, as Node's parser of such files sees it: `export` may precede the name, and
/// white space, including line breaks, may come before `=` or `:`.
fn sets(text: &str, name: &str) -> bool {
    let is_break = |c: char| matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}');
    let is_blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    let mut before = String::new();
    let mut pieces = text.split(name).peekable();
    while let Some(piece) = pieces.next() {
        before.push_str(piece);
        let Some(after) = pieces.peek() else { return false };
        let line = before.rsplit(is_break).next().unwrap_or_default();
        let lead = line.trim_matches(is_blank);
        let begins = lead.is_empty() || (lead == "export" && line.ends_with(is_blank));
        if begins && after.trim_start_matches(is_blank).starts_with(['=', ':']) {
            return true;
        }
        before.push_str(name);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_variable_is_found_in_every_notation() {
        for text in [
            "BASH_ENV=x",
            "A=1\n  BASH_ENV = x\n",
            "A=1\rBASH_ENV=x",
            "\u{feff}export BASH_ENV='x'",
            "export\tBASH_ENV=",
            "BASH_ENV: x",
            "BASH_ENV\n\n=x",
            "# BASH_ENV=no\nMY_BASH_ENV=no\nBASH_ENV=yes",
        ] {
            assert!(sets(text, "BASH_ENV"), "{text:?}");
        }
    }

    #[test]
    fn unset_variable_is_not_found() {
        for text in [
            "",
            "# BASH_ENV=x",
            "MY_BASH_ENV=x",
            "BASH_ENV_2=x",
            "A=BASH_ENV=x",
            "exportBASH_ENV=x",
            "BASH_ENV",
        ] {
            assert!(!sets(text, "BASH_ENV"), "{text:?}");
        }
    }
}
