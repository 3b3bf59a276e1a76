//! `npm run x`: the scripts of a `package.json` that the text writes.

use super::fields::is_known;
use super::shell::Shell;

/// Subcommands, and the scripts that they run without being given their names.
const LIFECYCLES: [(&[&str], &[&str]); 4] = [
    (&["t", "tst"], &["pretest", "test", "posttest"]),
    (&["restart"], &["prestop", "stop", "poststop", "prestart", "start", "poststart"]),
    (
        &["install", "i", "in", "ci", "add", "rebuild"],
        &["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"],
    ),
    (&["pack", "publish"], &["prepublishOnly", "prepack", "postpack", "prepare", "publish", "postpublish"]),
];
/// Options whose value is a directory.
const DIRECTORIES: [&str; 4] = ["--prefix", "-C", "--dir", "--cwd"];

impl Shell<'_> {
    /// Follows the scripts that a package manager runs.
    pub(super) fn package_scripts(&mut self, arguments: &[String]) {
        let named = arguments.windows(2).find_map(|pair| match pair {
            [option, directory] if DIRECTORIES.contains(&option.as_str()) => Some(format!("{directory}/")),
            _ => None,
        });
        let path = format!("{}package.json", named.unwrap_or_default());
        let Some(text) = self.known_file(&path) else { return };
        let package: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let Some(scripts) = package.get("scripts").and_then(|scripts| scripts.as_object()) else { return };
        for (name, script) in scripts {
            let Some(script) = script.as_str().filter(|_| runs(arguments, name)) else { continue };
            self.nested(|shell| shell.in_subshell(|shell| shell.run_text(script)));
        }
    }
}

/// Whether a package manager with these arguments runs the script of this name.
fn runs(arguments: &[String], name: &str) -> bool {
    let base = ["pre", "post"].iter().find_map(|before| name.strip_prefix(before)).unwrap_or(name);
    let is_named = |word: &String| word == name || word == base || !is_known(word);
    let runs_alone = |(words, scripts): &(&[&str], &[&str])| {
        scripts.contains(&name) && arguments.iter().any(|word| words.contains(&word.as_str()))
    };
    arguments.iter().any(is_named)
        || LIFECYCLES.iter().any(runs_alone)
        // `yarn` installs.
        || arguments.is_empty() && name.contains("install")
}

#[cfg(test)]
mod tests {
    use super::runs;

    #[test]
    fn scripts_are_run_by_their_names() {
        for (arguments, name, expected) in [
            (&["run", "c"][..], "c", true),
            (&["run", "c"], "prec", true),
            (&["run", "d"], "c", false),
            (&["test"], "test", true),
            (&["t"], "posttest", true),
            (&["ci"], "prepare", true),
            (&["ci"], "clean", false),
            (&[], "postinstall", true),
            (&["run", "\0"], "c", true),
        ] {
            let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
            assert_eq!(runs(&arguments, name), expected, "{arguments:?} {name}");
        }
    }
}
