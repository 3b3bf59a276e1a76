//! The parser of git's config files, compared with git itself.

use sekisho_policy::git_config::{MalformedConfig, settings};

fn read(text: &[u8]) -> Result<Vec<String>, MalformedConfig> {
    let mut found = Vec::new();
    settings(text, |name, value| {
        let value = value.map(|value| format!("={}", String::from_utf8_lossy(value)));
        found.push(format!("{}{}", name.text(), value.unwrap_or_default()));
    })?;
    Ok(found)
}

/// The settings git itself finds in a file, each as it would be written on a line.
#[expect(clippy::disallowed_methods, reason = "compared with git")]
fn read_by_git(file: &std::path::Path) -> Option<Vec<String>> {
    let output = std::process::Command::new("git")
        .args(["config", "--no-includes", "-z", "--list", "-f"])
        .arg(file)
        .output()
        .unwrap();
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    let settings = listed.split_terminator('\0').map(|setting| setting.replacen('\n', "=", 1));
    output.status.success().then(|| settings.collect())
}

/// The pieces of the random texts.
const PIECES: &[&str] = &[
    "[a]",
    "[A.b]",
    "[a \"B\"]",
    "[a.b \"c\\\"d\"]",
    "[a \"\"]",
    "[a.]",
    "[",
    "]",
    "k",
    "Key-1",
    "=",
    " = ",
    "v",
    "\"",
    "\\",
    "\\n",
    "\\\n",
    "\\\r\n",
    "\n",
    "\n",
    "\n",
    "\r\n",
    "\r",
    " ",
    "\t",
    "#",
    ";",
    "x y",
    "é",
    "\u{feff}",
    "1",
    "-",
    ".",
    "\u{b}",
    "\\\\",
    "\\t",
    "path=~/x",
];

#[test]
fn random_texts_parse_as_in_git() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("config");
    let mut state: u64 = 3;
    let mut next = |end: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % end
    };
    let (mut same, mut refused) = (0, 0);
    for _ in 0..600 {
        // Half of them begin with a valid section, so that enough of them parse.
        let mut text = if next(2) == 0 { "[s]\n\tk = ".to_owned() } else { "[s]".to_owned() };
        for _ in 0..next(9) {
            text.push_str(PIECES[next(PIECES.len())]);
        }
        std::fs::write(&file, &text).unwrap();
        let (ours, gits) = (read(text.as_bytes()).ok(), read_by_git(&file));
        // Older versions turn each unquoted blank into a space.
        let spaced = |list: &Option<Vec<String>>| {
            list.as_ref()
                .map(|list| list.iter().map(|line| line.replace(['\t', '\r'], " ")).collect::<Vec<_>>())
        };
        assert_eq!(spaced(&ours), spaced(&gits), "{text:?}");
        if ours.is_some() { same += 1 } else { refused += 1 }
    }
    assert!(same > 150 && refused > 100, "{same} read, {refused} refused");
}
