//! Files of variables that an agent takes into its own environment, and so into the shell that starts its hooks. A
//! repository that was cloned may bring one.

use std::path::{Path, PathBuf};

use sekisho_host::AgentSettingsFile;

use super::hook_hazard::HookHazard;

/// Variables by which a shell, or what loads any program, runs something else, first or instead. Set to nothing they do
/// nothing.
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
/// Every program writes about itself before its own output, whatever the variable is set to.
pub(super) const NOISE: &str = "LD_SHOW_AUXV";
/// No program runs, and each ends well, whatever the variable is set to.
const NOTHING_RUNS: &str = "LD_TRACE_LOADED_OBJECTS";

/// What is dangerous in the files on the way from a directory upwards, and in those of a home.
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
    let fix = format!("look at {shown}, and take it out");
    let text = match AgentSettingsFile::read(file) {
        Ok(read) => read.text().unwrap_or_default().to_owned(),
        Err(error) => {
            return vec![HookHazard::caution(
                format!("{error}, so what Gemini CLI takes into its environment from there is not known"),
                "put the file right, or take it away",
            )];
        }
    };
    let mut found = Vec::new();
    if sets(&text, NOTHING_RUNS) {
        found.push(HookHazard::bypass(
            format!("{shown} sets `{NOTHING_RUNS}`: Gemini CLI started below it starts no hook, and goes on"),
            fix.clone(),
        ));
    }
    if sets(&text, NOISE) {
        found.push(HookHazard::caution(
            format!("{shown} sets `{NOISE}`: no answer of a hook can be read then, so every call is blocked"),
            fix.clone(),
        ));
    }
    for name in EMPTIED.into_iter().filter(|name| sets(&text, name)) {
        found.push(HookHazard::caution(
            format!(
                "{shown} sets `{name}`: our hook is kept from it, the commands Gemini CLI runs are not, and so \
                 more may run than was judged"
            ),
            fix.clone(),
        ));
    }
    found
}

/// Whether a text sets a variable, as the reader of such files in Node sees it: `export` may stand before the name, and
/// white space, line breaks too, between it and `=` or `:`.
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
    fn a_variable_that_is_set_is_seen_however_it_is_written() {
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
    fn a_variable_that_is_not_set_is_not_seen() {
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
