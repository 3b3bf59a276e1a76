//! Forbidden commands that other programs print, that are copies, or that builtins set; and scripts of everyday systems.

use sekisho_tools::forbidden::ForbiddenCode::{
    self, EnvironmentFile, EnvironmentProgram, ExportVariable, GitPush, ListVariables, RecursiveDelete,
    RemoveDirectory,
};
use sekisho_tools::forbidden::forbidden_command;

/// Bash ran every one of them.
const CASES: &[(ForbiddenCode, &str)] = &[
    (RecursiveDelete, "date '+rm -rf doc/x' | sh"),
    (RecursiveDelete, "$(date +rm) -rf doc/x"),
    (RecursiveDelete, "$(yes rm | head -n1) -rf doc/x"),
    (RecursiveDelete, "c=$(shuf -n1 -e rm); $c -rf doc/x"),
    (RecursiveDelete, "$(awk 'BEGIN{print \"rm\"}') -rf doc/x"),
    (RecursiveDelete, "$(perl -e 'print \"rm\"') -rf doc/x"),
    (RecursiveDelete, "$(python3 -c 'print(\"rm\")') -rf doc/x"),
    (RecursiveDelete, "c=$(python3 -c \"print('r'+'m')\"); $c -rf doc/x"),
    (RecursiveDelete, "$(basename -s .sh rm.sh) -rf doc/x"),
    (RecursiveDelete, "$(dirname rm/x) -rf doc/x"),
    (RecursiveDelete, "compgen -W 'rm' r | { read c; $c -rf doc/x; }"),
    (RecursiveDelete, "stat -c 'rm -rf %n' doc/x | sh"),
    (RecursiveDelete, "rm_f() { ${FUNCNAME%_f} -rf doc/x; }; rm_f"),
    (RecursiveDelete, "f() { ${FUNCNAME[1]%_} -rf doc/x; }; rm_() { f; }; rm_"),
    (RecursiveDelete, "[[ 'x rm y' =~ (r.) ]]; ${BASH_REMATCH[1]} -rf doc/x"),
    (RecursiveDelete, "[[ xrm =~ x(.*) ]] && ${BASH_REMATCH[1]} -rf doc/x"),
    (RecursiveDelete, "printf -v c '%(rm)T'; $c -rf doc/x"),
    (RecursiveDelete, "$(printf '%(rm -rf doc/x)T')"),
    (RecursiveDelete, "cat $(which rm) > doc/z; chmod +x doc/z; doc/z -rf doc/x"),
    (RecursiveDelete, "hash -p \"$(command -v rm)\" z; z -rf doc/x"),
    (RecursiveDelete, "ln -sf $(type -P rm) doc/q; doc/q -r -f doc/x"),
    (RemoveDirectory, "$(date +rmdir) doc/e"),
    (GitPush, "git $(date +push) o"),
    (GitPush, "cp $(which git) doc/g; doc/g push o"),
    (GitPush, "printf '[alias]\\nx = push o\\n' >> .git/config; git x"),
    (GitPush, "printf '[alias]\\nx = !git push o\\n' > doc/c; GIT_CONFIG_GLOBAL=$PWD/doc/c git x"),
    (EnvironmentProgram, "$(date +env)"),
    (EnvironmentProgram, "printenv_() { ${FUNCNAME%_}; }; printenv_"),
    (ExportVariable, "c=tropxe; eval \"$(rev <<< $c) A=1\""),
    (ExportVariable, "export_() { ${FUNCNAME%_} A=1; }; export_"),
    (ExportVariable, "eval \"$(rev <<< 'x- eralced') A=1\""),
    (ExportVariable, "set -$(date +a); A=1"),
    (ListVariables, "set_() { ${FUNCNAME%_}; }; set_"),
    (ListVariables, "eval \"$(rev <<< eralced)\""),
    (EnvironmentFile, "cat /proc/thread-self/../../environ"),
];

#[test]
fn what_other_programs_print_is_searched() {
    let missed: Vec<_> = CASES
        .iter()
        .map(|(code, text)| (text, code, forbidden_command(text)))
        .filter(|(_, code, found)| *found != Some(**code))
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

/// They were refused once, most of them as too large to check.
#[test]
fn ordinary_scripts_are_not_forbidden() {
    let wrong: Vec<_> = SCRIPTS.iter().filter_map(|text| Some((text, forbidden_command(text)?))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

const SCRIPTS: &[&str] = &[
    ". \"$HOME/.cargo/env\" && cargo --version",
    "source venv/bin/env; python3 -V",
    "awk -F= '$1 == \"env\" { print $2 }' settings; \"$EDITOR\" settings",
    "env_file=$(date +%F).env; cat \"$env_file\"; $VIEWER \"$env_file\"",
    "cp /usr/bin/git-shell tools/; tools/git-shell --help",
    "cat > .cargo/aliases <<'E'\n[alias]\nlint = \"clippy --all-targets\"\nE",
    // A package's script: settings, a helper that may be missing, an expansion with a default.
    "#!/bin/sh\nset -e\nif [ \"$1\" = configure ]; then\n    mkdir -p /var/lib/thing\n    thing-ids --ensure\nfi\n\
     if [ \"$1\" = \"configure\" ] || [ \"$1\" = \"undo-upgrade\" ] || [ \"$1\" = \"undo-remove\" ] ; then\n\
     \tif [ -x \"$(command -v make-files)\" ]; then\n\t\tmake-files ${ROOT:+--root=\"$ROOT\"} --create thing.conf >/dev/null || true\n\
     \tfi\nfi\nexit 0\n",
    // Functions that run their arguments, one after the other.
    "#!/bin/sh\nret=\"$?\"\np=\"$(command -v \"$0\")\"\n[ -n \"$EDITOR\" ] && [ \"$(command -v \"$EDITOR\" || true)\" = \"$p\" ] && EDITOR=\n\
     is_error() {\n\t[ \"$1\" -ne 126 ] && [ $1 -ne 127 ]\n}\nrun() {\n\t\"$@\"\n\tret=$?\n\tis_error \"$ret\"\n}\n\
     small() {\n    if [ -z \"$TERM\" ]; then\n\treturn 126\n    else\n\tcommand small \"$@\"\n    fi\n}\n\
     if [ -n \"$VISUAL\" ]; then\n\trun \"$VISUAL\" \"$@\" && exit \"$ret\"\nfi\n\
     if [ -r ~/.chosen ]; then\n\t. ~/.chosen 2>/dev/null || true\nelif [ -z \"$EDITOR\" ] && [ -t 0 ]; then\n\tchoose && . ~/.chosen || true\nfi\n\
     run ${EDITOR:-${CHOSEN:-editor}} \"$@\" ||\nrun small \"$@\" ||\nrun tiny \"$@\" ||\nrun vi \"$@\" ||\n\
     {\n\techo \"Couldn't find an editor!\" 1>&2\n\texit 1;\n}\nexit \"$ret\"\n",
    // Options of a program that describes an installation.
    "prefix=/usr\nlibs=no\nusage() {\n\tcat <<E\nUsage: thing-config [OPTIONS]\n\t[--prefix[=DIR]]\nE\n\texit $1\n}\n\
     if test $# -eq 0; then usage 1 1>&2; fi\nwhile test $# -gt 0; do\n    case \"$1\" in\n\
     \t-*=*) optarg=`echo \"$1\" | sed 's/[-_a-zA-Z0-9]*=//'` ;;\n\t*) optarg= ;;\n    esac\n    case $1 in\n\
     \t--prefix=*) prefix=$optarg ;;\n\t--prefix) output=\"$output $prefix\" ;;\n\t--version) echo \"1.0\"; exit 0 ;;\n\
     \t--libs) libs=yes ;;\n\t*) usage 1 1>&2 ;;\n    esac\n    shift\ndone\n\
     if test \"$libs\" = yes; then output=\"$output -lthing\"; fi\necho $output\n",
];
