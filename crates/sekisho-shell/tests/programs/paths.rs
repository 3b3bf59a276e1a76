//! The paths among a command's arguments, including those it names only indirectly.

use sekisho_shell::programs::PathUseKind;

use crate::support::profile;

#[test]
fn paths_named_indirectly() {
    let named = |command: &str, expected: &str, access: PathUseKind| {
        let paths = profile(command).paths;
        let found = paths.iter().any(|path| path.text.as_deref() == Some(expected) && path.access == access);
        assert!(found, "{command}: {paths:?}");
    };
    for command in [
        "grep -r --include=.env x .",
        "grep -r --include .env x .",
        "rg -g .env x",
        "rg -g '**/.env' x",
        "rg --glob='{.env,a}' x",
        "rg --iglob '.env*' x",
        "git grep x -- ':(top).env'",
        "git grep x -- ':/.env'",
        "git log -L1,5:.env",
        "git show :0:.env",
        "git show 'HEAD^{/a:b}:.env'",
        "curl -d @.env x",
        "curl --data-binary=@.env x",
        "curl -F 'a=@.env;type=text/plain' x",
        "dd if=.env",
    ] {
        named(command, ".env", PathUseKind::Read);
    }
    named("dd if=a of=.env", ".env", PathUseKind::Write);
    named("curl file:///etc/shadow", "/etc/shadow", PathUseKind::Read);
    assert!(profile("rg -g '!.env' x").paths.is_empty());
    assert!(profile("git grep x -- ':!.env'").paths.iter().all(|path| path.text.is_none()));
    let plain = |command: &str, word: usize| {
        let paths = profile(command).paths;
        assert!(paths.iter().any(|path| path.word == word), "{command}: {paths:?}");
    };
    plain("du -X .env .", 2);
    plain("wget --post-file .env x", 2);
    plain("jq -f .env a", 2);
    plain("openssl enc -in .env -out x", 3);
    plain("git add .env", 2);
    plain("git hash-object .env", 2);
    plain("install -t .env a", 2);
    plain("make -f .env", 2);
    plain("nano -c .env", 2);
    assert_eq!(profile("env -C d ls").directories, [2]);
    assert!(profile("cp -r a b").walks_directories && !profile("cp a b").walks_directories);
}

#[test]
fn paths() {
    let paths = |command: &str| {
        profile(command).paths.into_iter().map(|path| (path.word, path.text, path.access)).collect::<Vec<_>>()
    };
    let read = |word: usize| (word, None, PathUseKind::Read);
    let write = |word: usize| (word, None, PathUseKind::Write);
    assert_eq!(paths("cat a b"), [read(1), read(2)]);
    assert_eq!(paths("grep foo a"), [read(2)]);
    assert_eq!(paths("grep -e foo a"), [read(3)]);
    assert_eq!(paths("grep -f pats a"), [read(3), read(2)]);
    assert_eq!(paths("grep --file=pats a"), [read(2), (1, Some("pats".to_owned()), PathUseKind::Read)]);
    assert_eq!(paths("cp a b"), [read(1), write(2)]);
    assert_eq!(paths("rm -rf a"), [write(2)]);
    assert_eq!(paths("git show HEAD:.env"), [read(2), (2, Some(".env".to_owned()), PathUseKind::Read)]);
    assert_eq!(paths("tee x"), [write(1)]);
}
