//! Pushing by settings of git: misspelt subcommands that git corrects, and aliases.

use sekisho_tools::forbidden::ForbiddenCode::GitPush;
use sekisho_tools::forbidden::forbidden_command;

/// Each runs `git push`.
const PUSHES: &[&str] = &[
    "git -c help.autocorrect=immediate psuh",
    "git -c help.autocorrect=1 psuh origin main",
    "git -c help.autoCorrect=immediate puhs",
    "git -c help.autocorrect=-1 pus",
    "git -chelp.autocorrect=1 psuh",
    "git config help.autocorrect immediate; git psuh",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=help.autocorrect GIT_CONFIG_VALUE_0=1 git psuh",
    "V=immediate git --config-env=help.autocorrect=V psuh",
    "V=immediate git --config-env help.autocorrect=V upsh",
    "git -c help.autocorrect=1 send-pakc x",
    "s=psuh; git -c help.autocorrect=1 $s",
    "git -c help.autocorrect=1 $(rev <<< hsup)",
    "git -c help.autocorrect=1 $(rev <<< husp)",
    "V=push git --config-env alias.z=V z",
    "V='!git push' git --config-env alias.z=V z",
    "V=$(rev <<< hsup) git --config-env alias.z=V z",
    "V=$(rev <<< hsup) git --config-env=alias.z=V z",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.z GIT_CONFIG_VALUE_0=$(rev <<< hsup) git z",
    "git -c alias.z=$(rev <<< hsup) z",
    "git config alias.z $(rev <<< hsup); git z",
    r#"git -c alias.z="!$(rev <<< 'hsup tig')" z"#,
    "GIT_CONFIG_PARAMETERS=\"'alias.p'='push'\" git p",
    "GIT_CONFIG_PARAMETERS=\"'alias.p'='!git' 'a.b'='c'\" git p push o",
    "git --shallow-file '' --shallow-file '' push o",
    "git -c alias.a='!git' -c alias.b='a push x' b",
    "git -c alias.a='!git' -c alias.b='a push' -c alias.c='b x' c",
    "printf '[ALIAS]p=push' >> .git/config; git p",
    r"printf '[alias]\n\tp = pu\\\nsh\n' >> .git/config; git p",
    "cat >> .git/config <<'E'\n[alias]\np = pu\\\nsh\nE\ngit p",
    r"printf '[alias]\n\ta = !git\n' >> .git/config; git a push",
    "exec -a git-push git",
    "(exec -a /x/git-push git o)",
    "exec -a git-send-pack git o",
    "exec -a git-subtree git push x",
    "exec -a git-push $(which git) o",
    "command exec -a git-push git o",
    "/lib64/ld-linux-x86-64.so.2 --argv0 git-push $(which git) o",
    "git push --help --force",
    "git push --dry-run",
    "git push -n",
];

#[test]
fn settings_of_git_are_followed() {
    let missed: Vec<_> = PUSHES.iter().filter(|text| forbidden_command(text) != Some(GitPush)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn other_misspelt_subcommands_are_not_forbidden() {
    for text in [
        "git -c help.autocorrect=1 stauts",
        "git -c help.autocorrect=prompt comit -m x",
        "git config help.autocorrect 1",
        "git pull",
        "git psuh",
    ] {
        assert_eq!(forbidden_command(text), None, "{text}");
    }
}
