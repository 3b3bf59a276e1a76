//! Which paths the list protects.

use super::{COMPUTED, ListedPattern, MAX_SEGMENTS, ProtectedList, TOO_LONG};
use crate::default_protected_paths::protected_patterns;
use crate::match_result::MatchResult;
use crate::paths::PathGlob;
use proptest::prelude::*;

fn shipped() -> ProtectedList {
    ProtectedList::with_changes(&[], std::iter::empty())
}

#[test]
fn shipped_list_is_well_formed_and_needs_no_anchor() {
    for entry in protected_patterns() {
        PathGlob::new(entry, true).unwrap();
        assert!(entry.starts_with('/') || entry.starts_with("**/") || !entry.contains('/'), "{entry}");
    }
}

#[test]
fn protected_names_match_in_every_directory_and_case() {
    let list = shipped();
    for path in [
        "/home/u/.ssh/id_ed25519",
        "/w/.ENV",
        "/w/sub/.env.local",
        "/w/.git/hooks/pre-commit",
        "/w/.Git/Config",
        "/proc/self/environ",
        "/etc/shadow",
        "/w/a/.claude/settings.json",
        "/root/.config/sekisho/config.json",
    ] {
        assert!(list.protecting_pattern(path, None, None).is_some(), "{path}");
    }
    for path in ["/w/src/main.rs", "/w/.git/HEAD", "/w/environment.ts", "/etc/hosts", "/w/ssh/config"] {
        assert_eq!(list.protecting_pattern(path, None, None), None, "{path}");
    }
}

#[test]
fn patterns_with_several_segments_match_by_all_of_them() {
    let added = ["/srv/{a}/key", "**/c/d", "/opt/x/*/secret", "/opt/y/z/**", "**/Keys/*.bin"];
    let list = ProtectedList::with_changes(&[], added.into_iter());
    for path in [
        "/srv/{a}/key",
        "/srv/{A}/key/below",
        "/w/c/d",
        "/opt/x/1/secret",
        "/opt/x/1/secret/below",
        "/opt/y/z/file",
        "/w/keys/a.bin",
    ] {
        assert!(list.protecting_pattern(path, None, None).is_some(), "{path}");
    }
    for path in ["/srv/a/key", "/w/c", "/opt/x/secret", "/opt/other/1/secret", "/opt/z/file", "/w/keys/a.txt"]
    {
        assert_eq!(list.protecting_pattern(path, None, None), None, "{path}");
    }
}

#[test]
fn glob_targets_the_names_it_spells_out() {
    let list = shipped();
    let meant = |base: &str, rest: &str| {
        let rest: Vec<String> = rest.split('/').map(Into::into).collect();
        list.pattern_for_wildcards(base, &rest, Some("/w"), Some("/home/u"))
    };
    for (base, rest) in [
        ("/w", ".env.*"),
        ("/w", ".*local"),
        ("/w", ".e[n]v"),
        ("/w/keys", "id_r*"),
        ("/home/u/.cargo", "*.toml"),
        ("/etc", "shadow?"),
        ("/dev", "sd?"),
        ("/w", "*/.env"),
        ("/w", "*/.ssh/x"),
        ("/w", "*/../.env"),
        ("/home/u", ".s*/config"),
        ("/home/u/.ssh", "*"),
        ("/w/.git", "conf*"),
        ("/w", "opencode.js?n"),
    ] {
        assert!(meant(base, rest).is_some(), "{base}/{rest}");
    }
    for (base, rest) in [
        ("/w", "*"),
        ("/w", "*.txt"),
        ("/w", "*.json"),
        ("/w", "*.toml"),
        ("/w", "*.pem"),
        ("/w", "i*"),
        ("/w", "*/*"),
        ("/etc", "*-release"),
        ("/etc", "s*"),
        ("/w", ".github/*"),
        ("/w", ".eslintrc*"),
        ("/w", "src/../*"),
        ("/w", ".ssh/../*.rs"),
    ] {
        assert_eq!(meant(base, rest), None, "{base}/{rest}");
    }
}

#[test]
fn name_glob_targets_the_secrets_it_may_name() {
    let list = shipped();
    assert_eq!(list.secret_pattern_for_name_glob("*"), Some("*"));
    assert_eq!(list.secret_pattern_for_name_glob("config"), Some("**/.git/config"));
    for name in ["*.local", "*env", "*.env", "*.tfstate", "*.kdbx", "auth.*", "*_rsa", "*.json"] {
        assert!(list.secret_pattern_for_name_glob(name).is_some(), "{name}");
    }
    for name in ["*.rs", "*.txt", "*.toml", "*.sh", "*.md"] {
        assert_eq!(list.secret_pattern_for_name_glob(name), None, "{name}");
    }
}

#[test]
fn exceptions_match_the_last_name_and_not_added_patterns() {
    let list = shipped();
    let protected = |list: &ProtectedList, path: &str| list.protecting_pattern(path, None, None).is_some();
    for path in ["/w/.env.example", "/w/.ENV.Sample", "/home/u/.ssh/id_rsa.pub", "/w/id_rsa.pub"] {
        assert!(!protected(&list, path), "{path}");
    }
    for path in
        ["/w/.env.example/x", "/w/.env.examples", "/w/.ssh/id_rsa", "/w/.aws/x.pub", "/w/.env.example/.env"]
    {
        assert!(protected(&list, path), "{path}");
    }
    let added = ProtectedList::with_changes(&[], [".env*", ".ssh"].into_iter());
    assert!(protected(&added, "/w/.env.example") && protected(&added, "/w/.ssh/id_rsa.pub"));
    let removed = ProtectedList::with_changes(&[".env*"], std::iter::empty());
    assert!(!protected(&removed, "/w/.env.local") && protected(&removed, "/w/.envrc"));
}

fn list_of(patterns: &[&str]) -> ProtectedList {
    ProtectedList::new(patterns.iter().map(|pattern| ListedPattern { pattern, group: None }))
}

#[test]
fn every_protected_name_of_a_path_counts_once() {
    let list = list_of(&["a", "b"]);
    let found = |path: &str| list.protections(path, None, None).map(|one| one.pattern).collect::<Vec<_>>();
    assert_eq!(found("/w/a/b"), ["a", "b"]);
    assert_eq!(found("/w/a/a"), ["a"]);
}

#[test]
fn home_itself_can_be_protected() {
    let list = list_of(&["~/"]);
    assert_eq!(list.protecting_pattern("/home/u/x", None, Some("/home/u")), Some("~/"));
    assert_eq!(list.protecting_pattern("/srv/x", None, Some("/home/u")), None);
}

#[test]
fn path_with_too_many_components_is_protected() {
    let list = shipped();
    let wild = |count: usize| vec!["*".to_owned(); count];
    let base = format!("/{}", "a".repeat(100));
    assert_eq!(list.pattern_for_wildcards(&base, &wild(MAX_SEGMENTS), None, None), None);
    assert_eq!(list.pattern_for_wildcards(&base, &wild(MAX_SEGMENTS + 1), None, None), Some(TOO_LONG));
    let computed = |count: usize| "/a".repeat(count - 2) + "/" + &COMPUTED.to_string();
    assert_eq!(list.pattern_for_computed(&computed(MAX_SEGMENTS), None, None), None);
    assert_eq!(list.pattern_for_computed(&computed(MAX_SEGMENTS + 1), None, None), Some(TOO_LONG));
}

proptest! {
    #[test]
    fn indexing_by_segment_loses_no_path(
        entry in r"(\*\*/|/|~/|)([ab.*?]{1,3}|\*\*|\[!?a/?b\]|\\a)(/([ab.*?]{1,3}|\*\*|a\[!?a/b\]b)){0,2}/?",
        path in "(/[abAB.]{1,3}){1,4}",
        root in proptest::option::of(Just("/a")),
    ) {
        // Invalid globs are refused when a layer is parsed.
        let glob = PathGlob::new(&entry, true).ok();
        let expected = glob.as_ref().is_some_and(|glob| glob.fit(&path, root, root) != MatchResult::No);
        let list = ProtectedList::new(glob.iter().map(|_| ListedPattern { pattern: &entry, group: None }));
        prop_assert_eq!(list.protecting_pattern(&path, root, root).is_some(), expected);
    }
}
