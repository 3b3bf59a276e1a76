//! Forbidden commands that the history puts together.

use sekisho_tools::forbidden::ForbiddenCode::{RecursiveDelete, TooLargeToCheck};
use sekisho_tools::forbidden::forbidden_command;

/// Every one of them ran `rm -rf d` in bash.
const REMOVALS: &[&str] = &[
    r"bash --norc -i <<< $'echo rm -rf d\n`!!`'",
    r"bash --norc -i <<< $'x rm -rf d\n!*'",
    r"bash --norc -i <<< $'x rm -rf d\n!!:1*'",
    r"bash --norc -i <<< $'echo rm -rf d\n^echo ^^'",
    r"bash --norc -i <<< $'rx -rf d\n^x^m'",
    r"bash --norc -i <<< $'xm -rf d\n!!:s/x/r/'",
    r"bash --norc -i <<< $'echo m -rf d\nr!!:*'",
    r"bash --norc -i <<< $'echo -rf\nrm !$ d'",
    r"set -o history
echo rm -rf d
fc -s echo= -1",
    r"set -o history
xm -rf d
fc -s x=r",
    r"set -o history -o histexpand
xm -rf d
^x^r",
    r"set -o history; set -H
xm -rf d
!!:s/x/r/",
    r"set -o history; set -H
echo rm -rf d
!!:1*",
    "HISTFILE=h; echo 'rm -rf d' > h; set -o history; history -r h; fc -s rm",
    r"bash --norc -i <<< $'echo mr\n$(rev <<< !$) -rf d'",
    r"set -o history; set -H
xxm -rf d
!!:gs/xx/r/",
];

#[test]
fn history_is_expanded() {
    let missed: Vec<_> =
        REMOVALS.iter().filter(|text| forbidden_command(text) != Some(RecursiveDelete)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Only the first lines are kept.
#[test]
fn expansions_in_late_lines_are_refused() {
    let lines = ":\n".repeat(70);
    let text = format!("set -o history; set -H\n{lines}echo -rf x\nrm !*");
    assert_eq!(forbidden_command(&text), Some(TooLargeToCheck));
    assert!(forbidden_command(&format!("bash --norc -i <<'E'\n{lines}echo -rf x\nrm !*\nE")).is_some());
    assert_eq!(forbidden_command(&format!("set -e\n{lines}echo hi!; [ a != b ]")), None);
}
