//! Pushing by settings of git: misspelt subcommands that git corrects, and aliases.

use sekisho_tools::forbidden::ForbiddenCode::{GitPush, RecursiveDelete};
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
    "git config foo.p push; git config --rename-section foo alias; git p o main",
    "git config foo.p '!git push'; git config rename-section foo alias; git p",
    "git push --help --force",
    "git push --dry-run",
    "git push -n",
];

/// Each runs `rm -rf d`.
const REMOVALS: &[&str] = &[
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.editor GIT_CONFIG_VALUE_0='rm -rf d;:' git commit --allow-empty",
    "E='rm -rf d;:' git --config-env=core.editor=E commit --allow-empty",
    "E='rm -rf d;:' git --config-env core.editor=E commit --allow-empty",
    "git config remote.o.uploadpack 'rm -rf d;:'; git fetch o",
    "git config --local remote.o.uploadpack 'rm -rf d;:'; git fetch o",
    "git config set remote.o.uploadpack 'rm -rf d;:'; git fetch o",
];

#[test]
fn settings_of_git_are_followed() {
    let pushes = PUSHES.iter().map(|text| (GitPush, *text));
    let all = pushes.chain(REMOVALS.iter().map(|text| (RecursiveDelete, *text)));
    let missed: Vec<_> = all.filter(|(code, text)| forbidden_command(text) != Some(*code)).collect();
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
        "git config user.name 'Push Bot'; git config user.email push@x.y",
        "git config core.editor 'code --wait'; git commit",
        "git config --get-regexp '^remote.*push$'",
        "git config set user.name x",
        "E=vim git --config-env=core.editor=E commit",
    ] {
        assert_eq!(forbidden_command(text), None, "{text}");
    }
}
