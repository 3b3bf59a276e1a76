//! What a search finds on disk, and where its limit ends it.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use sekisho_host::{FactResolver, SearchLimit};
use sekisho_policy::{
    Fact, FactQuery, FileSearch, FileSearchOutcome, FileSecrecy, GitFileFilter, Layers, LinkHandling,
    NestedRepositories, Policy, WalkOptions,
};

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn look_up(
    base: &Path,
    entries: usize,
    pattern: Option<&str>,
    below: Option<WalkOptions>,
) -> Option<FileSearchOutcome> {
    let search = FileSearch {
        directory: base.to_str().unwrap().into(),
        pattern: pattern.map(Into::into),
        below,
        ..FileSearch::default()
    };
    let bound = SearchLimit { entries, time: Duration::from_secs(600) };
    let policy = Policy::compile(Layers::default());
    let facts = FactResolver::new(None).with_limit(bound).look_up(&policy, &[FactQuery::Files(search)], None);
    facts.iter().next().map(|(_, fact)| match fact {
        Fact::Files(found) => found.clone(),
        other => panic!("{other:?}"),
    })
}

/// The paths found, without the searched directory.
#[track_caller]
fn check(base: &Path, pattern: Option<&str>, below: Option<WalkOptions>, expected: &[&str]) {
    let Some(FileSearchOutcome::Protected(found)) = look_up(base, 10_000, pattern, below) else {
        panic!("too many")
    };
    let mut paths: Vec<&str> =
        found.iter().map(|file| file.path.strip_prefix(base.to_str().unwrap()).unwrap()).collect();
    paths.sort_unstable();
    assert_eq!(paths, expected);
}

#[test]
fn search_finds_secrets_by_name_contents_and_link() {
    let temp = tempfile::tempdir().unwrap();
    let base = temp.path().canonicalize().unwrap();
    put(&base.join("w/src/main.rs"), "");
    check(&base.join("w"), None, Some(WalkOptions::everything()), &[]);
    put(&base.join("w/src/.env"), "");
    put(&base.join("w/.env.example"), "");
    put(&base.join("w/.git/config"), "[remote]\n\turl = git@example.org:x\n");
    put(&base.join("w/.vscode/settings.json"), "");
    put(&base.join("w/cert.pem"), "-----BEGIN CERTIFICATE-----\n");
    put(&base.join("w/.npmrc"), "engine-strict=true\n");
    check(&base.join("w"), None, Some(WalkOptions::everything()), &["/src/.env"]);
    let bare = |change: fn(&mut WalkOptions)| {
        let mut below = WalkOptions::everything();
        change(&mut below);
        Some(below)
    };
    check(&base.join("w"), None, bare(|below| below.hidden = false), &[]);
    check(&base.join("w"), None, bare(|below| below.deep = false), &[]);
    check(&base.join("w"), None, bare(|below| below.except = vec![".env".into()]), &[]);
    check(&base.join("w"), None, bare(|below| below.except = vec![".ENV".into()]), &["/src/.env"]);
    check(&base.join("w"), None, bare(|below| below.except_directories = vec!["s*".into()]), &[]);
    check(&base.join("w"), None, bare(|below| below.only = vec!["*.rs".into()]), &[]);
    put(&base.join("w/key.pem"), "-----BEGIN PRIVATE KEY-----\n");
    put(&base.join("w/.git/config"), "[remote]\n\turl = https://u:p@example.org/x\n");
    put(&base.join("w/.npmrc"), "//r/:_authToken=x\n");
    check(
        &base.join("w"),
        None,
        Some(WalkOptions::everything()),
        &["/.git/config", "/.npmrc", "/key.pem", "/src/.env"],
    );

    put(&base.join("out/.ssh/config"), "");
    put(&base.join("v/a.txt"), "");
    symlink("../out/.ssh/config", base.join("v/k1")).unwrap();
    symlink("../out", base.join("v/k2")).unwrap();
    symlink("..", base.join("v/k3")).unwrap();
    check(&base.join("v"), None, Some(WalkOptions::everything()), &[]);
    check(&base.join("v"), None, bare(|below| below.links = LinkHandling::Open), &["/k1"]);
    let Some(FileSearchOutcome::Protected(found)) =
        look_up(&base.join("v"), 10_000, None, bare(|b| b.links = LinkHandling::Follow))
    else {
        panic!("too many")
    };
    assert!(found.iter().any(|file| file.path.contains("/.ssh/")), "{found:?}");
    check(&base.join("v"), Some("k*"), None, &["/k1"]);
    check(&base.join("v"), Some("*/.ssh"), None, &["/k2/.ssh/"]);
    check(&base.join("v"), Some("a*"), None, &[]);
    check(&base.join("w"), Some(".*"), None, &["/.npmrc", "/.vscode/"]);
}

#[test]
fn repositories_in_a_directory_are_found() {
    let temp = tempfile::tempdir().unwrap();
    let base = temp.path().canonicalize().unwrap();
    let finding = |nested| Some(WalkOptions { repositories: Some(nested), ..WalkOptions::everything() });
    put(&base.join(".git/HEAD"), "");
    put(&base.join("src/a.rs"), "");
    // Only a directory that cannot be listed may be one although it looks empty.
    fs::create_dir(base.join("empty")).unwrap();
    check(&base, None, finding(NestedRepositories::Below), &[]);
    check(&base, None, finding(NestedRepositories::Here), &[""]);
    put(&base.join("sub/x/.GIT"), "gitdir: /r\n");
    check(&base, None, finding(NestedRepositories::Below), &["/sub/x"]);
    check(&base.join("sub"), None, finding(NestedRepositories::Here), &["/x"]);
    check(&base, None, Some(WalkOptions::everything()), &[]);
}

#[test]
fn files_that_git_ignores_are_skipped_if_certain() {
    let temp = tempfile::tempdir().unwrap();
    let base = temp.path().canonicalize().unwrap();
    let ignoring = || Some(WalkOptions { git: GitFileFilter::NotIgnored, ..WalkOptions::everything() });
    put(&base.join("a/.env"), "");
    put(&base.join(".gitignore"), ".env\n");
    check(&base, None, ignoring(), &["/a/.env"]);
    fs::create_dir(base.join(".git")).unwrap();
    check(&base, None, ignoring(), &[]);
    check(&base, None, Some(WalkOptions::everything()), &["/a/.env"]);
    for (text, ignored) in [
        ("*.log\n.env*\n!.env.example\n", true),
        (".env\n!.env\n", false),
        ("/.env\n", false),
        ("a/\n", true),
        ("/a\n", true),
        ("a/.env\n", true),
        (".en[v]\n", false),
        (".env\n!\\.env\n", false),
        (&format!("{}\n", base.file_name().unwrap().to_str().unwrap()), false),
    ] {
        put(&base.join(".gitignore"), text);
        check(&base, None, ignoring(), if ignored { &[] } else { &["/a/.env"] });
    }
    put(&base.join(".gitignore"), ".env\n");
    put(&base.join(".ignore"), "!.env\n");
    check(&base, None, ignoring(), &["/a/.env"]);
    fs::remove_file(base.join(".ignore")).unwrap();
    fs::write(base.join(".git/index"), b"DIRC\0\0\0\x02....a/.env\0\0").unwrap();
    check(&base, None, ignoring(), &["/a/.env"]);
    fs::write(base.join(".git/index"), b"DIRC\0\0\0\x04").unwrap();
    check(&base, None, ignoring(), &["/a/.env"]);
}

#[test]
fn named_directory_is_searched_although_it_is_ignored() {
    let temp = tempfile::tempdir().unwrap();
    let base = temp.path().canonicalize().unwrap();
    let ignoring = || Some(WalkOptions { git: GitFileFilter::NotIgnored, ..WalkOptions::everything() });
    fs::create_dir(base.join(".git")).unwrap();
    put(&base.join("keys/sub/.env"), "");
    for (text, ignored) in [
        ("keys\n", [true, false, false]),
        ("keys/sub\n", [true, false, false]),
        (".env\n", [true, true, true]),
        ("sub/\n", [true, true, false]),
        (".env/\n", [false, false, false]),
        ("/keys/sub/.env\n", [true, false, false]),
    ] {
        put(&base.join(".gitignore"), text);
        for (start, ignored) in ["", "/keys", "/keys/sub"].iter().zip(ignored) {
            let found = format!("{}/.env", "/keys/sub".strip_prefix(start).unwrap());
            let expected: &[&str] = if ignored { &[] } else { &[&found] };
            let start = base.join(start.trim_start_matches('/')).components().collect::<std::path::PathBuf>();
            check(&start, None, ignoring(), expected);
        }
    }
    // Some programs stop reading at bytes that are not UTF-8.
    fs::write(base.join(".gitignore"), b"# caf\xe9\n.env\n").unwrap();
    check(&base, None, ignoring(), &["/keys/sub/.env"]);
    put(&base.join(".gitignore"), ".env\n");
    check(&base, None, ignoring(), &[]);
    // For some programs another kind of repository begins here.
    put(&base.join("keys/.jj"), "");
    check(&base, None, ignoring(), &["/keys/sub/.env"]);
}

#[test]
fn search_past_its_limit_is_reported() {
    let temp = tempfile::tempdir().unwrap();
    for at in 0..20 {
        put(&temp.path().join(format!("d/{at}")), "");
    }
    assert_eq!(
        look_up(temp.path(), 10, None, Some(WalkOptions::everything())),
        Some(FileSearchOutcome::TooMany)
    );
    assert_eq!(look_up(temp.path(), 10, Some("*/*"), None), Some(FileSearchOutcome::TooMany));
    assert_eq!(
        look_up(temp.path(), 100, None, Some(WalkOptions::everything())),
        Some(FileSearchOutcome::Protected(Vec::new()))
    );
    // A known protected file is the better answer.
    put(&temp.path().join("d/.env"), "");
    put(&temp.path().join("d/z/1"), "");
    assert!(
        matches!(look_up(temp.path(), 27, None, Some(WalkOptions::everything())), Some(FileSearchOutcome::Protected(found)) if found.len() == 1)
    );
}

#[test]
fn directory_with_a_non_utf8_name_is_not_skipped() {
    let temp = tempfile::tempdir().unwrap();
    put(&temp.path().join(std::ffi::OsStr::from_bytes(b"\xff")).join(".env"), "");
    assert_eq!(
        look_up(temp.path(), 100, None, Some(WalkOptions::everything())),
        Some(FileSearchOutcome::TooMany)
    );
}

#[test]
fn non_utf8_path_is_not_skipped() {
    let temp = tempfile::tempdir().unwrap();
    let base = temp.path().canonicalize().unwrap();
    let odd = base.join(std::ffi::OsStr::from_bytes(b"q\xff"));
    put(&odd.join("d/.env"), "");
    put(&base.join("w/a.txt"), "");
    symlink(&odd, base.join("link")).unwrap();
    symlink(odd.join("d"), base.join("deep")).unwrap();
    symlink(odd.join("d/.env"), base.join("w/b.txt")).unwrap();
    for start in ["link", "deep", "link/d"] {
        let found = look_up(&base.join(start), 100, None, Some(WalkOptions::everything()));
        assert_eq!(found, Some(FileSearchOutcome::TooMany), "{start}");
    }
    let open = WalkOptions { links: LinkHandling::Open, ..WalkOptions::everything() };
    assert_eq!(look_up(&base.join("w"), 100, None, Some(open)), Some(FileSearchOutcome::TooMany));
    assert_eq!(look_up(&base.join("w"), 100, Some("b*"), None), Some(FileSearchOutcome::TooMany));
    check(&base.join("w"), None, Some(WalkOptions::everything()), &[]);
    fs::remove_file(base.join("w/b.txt")).unwrap();
    // An ignore file can name the replacement of the bytes that are not UTF-8.
    fs::write(base.join("w").join(std::ffi::OsStr::from_bytes(b"\xff.env")), "").unwrap();
    put(&base.join("w/.gitignore"), "\u{fffd}.env\n");
    fs::create_dir(base.join("w/.git")).unwrap();
    let ignoring = WalkOptions { git: GitFileFilter::NotIgnored, ..WalkOptions::everything() };
    assert_eq!(look_up(&base.join("w"), 100, None, Some(ignoring)), Some(FileSearchOutcome::TooMany));
}

/// `rg` looks for ignore files above the target of a link, not above the link.
#[test]
fn ignore_files_apply_where_a_link_leads() {
    let temp = tempfile::tempdir().unwrap();
    let base = temp.path().canonicalize().unwrap();
    let ignoring = || Some(WalkOptions { git: GitFileFilter::NotIgnored, ..WalkOptions::everything() });
    fs::create_dir_all(base.join("w/.git")).unwrap();
    put(&base.join("w/.gitignore"), "*.env\n");
    put(&base.join("w/src/prod.env"), "");
    put(&base.join("outside/sub/prod.env"), "");
    put(&base.join("w/nested/src/prod.env"), "");
    fs::create_dir(base.join("w/nested/.git")).unwrap();
    for (link, target) in [("in", "src"), ("out", "../outside/sub"), ("ns", "nested/src")] {
        symlink(target, base.join("w").join(link)).unwrap();
    }
    check(&base.join("w/in"), None, ignoring(), &[]);
    check(&base.join("w/out"), None, ignoring(), &["/prod.env"]);
    check(&base.join("w/ns"), None, ignoring(), &["/prod.env"]);
    // Ignored at its real path, but not by the path as it is written.
    put(&base.join("w/.gitignore"), "");
    put(&base.join("w/nested/.gitignore"), "*.env\n");
    check(&base.join("w/nested/src"), None, ignoring(), &[]);
    check(&base.join("w/ns"), None, ignoring(), &["/prod.env"]);
    // An ignored name that leads to a file that is not ignored.
    symlink("prod.env", base.join("w/src/other.env")).unwrap();
    put(&base.join("w/.gitignore"), "other.env\n");
    let opening = WalkOptions {
        links: LinkHandling::Open,
        git: GitFileFilter::NotIgnored,
        ..WalkOptions::everything()
    };
    check(&base.join("w/src"), None, Some(opening), &["/other.env", "/prod.env"]);
}

#[test]
fn pattern_with_an_empty_segment_ignores_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let base = temp.path().canonicalize().unwrap();
    let ignoring = || Some(WalkOptions { git: GitFileFilter::NotIgnored, ..WalkOptions::everything() });
    fs::create_dir(base.join(".git")).unwrap();
    put(&base.join("sub/prod.env"), "");
    for (text, ignored) in [
        ("sub/\n", true),
        ("sub//\n", false),
        ("//sub\n", false),
        ("sub//prod.env\n", false),
        ("/\n", false),
        ("//\n", false),
        ("*.env\n!sub//\n", false),
        ("\u{feff}*.env\n", true),
        // `rg` removes any trailing blank.
        ("*.env\n!prod.env\u{3000}\n", false),
    ] {
        put(&base.join(".gitignore"), text);
        check(&base, None, ignoring(), if ignored { &[] } else { &["/sub/prod.env"] });
    }
    put(&base.join(".gitignore"), "*.env\n");
    put(&base.join("sub/.gitignore"), "\u{feff}!*.env\n");
    check(&base, None, ignoring(), &["/sub/prod.env"]);
}

#[test]
fn ignore_files_beyond_the_limit_skip_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let base = temp.path().canonicalize().unwrap();
    let ignoring =
        |hidden| Some(WalkOptions { git: GitFileFilter::NotIgnored, hidden, ..WalkOptions::everything() });
    fs::create_dir(base.join(".git")).unwrap();
    for number in 0..200 {
        put(&base.join(format!("d/{number}.env")), "");
    }
    put(&base.join(".gitignore"), &format!("{}*.env\n", "*.log\n".repeat(100)));
    check(&base, None, ignoring(true), &[]);
    let asks = |hidden| match look_up(&base, 10_000, None, ignoring(hidden)) {
        Some(FileSearchOutcome::Protected(found)) => !found.is_empty(),
        other => panic!("{other:?}"),
    };
    // Too many lines for so many files; too many lines; one line that is too long.
    for line in ["*.log\n".repeat(10_000), "a\n".repeat(20_000), format!("{}\n", "*a".repeat(900_000))] {
        put(&base.join(".gitignore"), &format!("{line}*.env\n"));
        assert!(asks(true), "{} bytes", line.len());
    }
    // Lines that are tried at every byte of a long name count for more than one.
    for number in 0..200 {
        put(&base.join(format!("d/{}{number}.env", "a".repeat(230))), "");
    }
    put(&base.join(".gitignore"), &format!("*.env\n{}", "a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b\n".repeat(1_000)));
    assert!(asks(true));
    for number in 0..200 {
        fs::remove_file(base.join(format!("d/{}{number}.env", "a".repeat(230)))).unwrap();
    }
    check(&base, None, ignoring(true), &[]);
    // A large index is searched for some files, not for all.
    put(&base.join(".gitignore"), "*.env\n");
    let mut index = b"DIRC\0\0\0\x02".to_vec();
    index.resize(4 << 20, b'x');
    fs::write(base.join(".git/index"), &index).unwrap();
    assert!(asks(true));
    index.truncate(100);
    fs::write(base.join(".git/index"), &index).unwrap();
    check(&base, None, ignoring(true), &[]);
    // Too many negated patterns bring back anything.
    put(&base.join("e/.env"), "");
    check(&base, None, ignoring(false), &[]);
    put(&base.join("e/.gitignore"), &"!a\n".repeat(100));
    check(&base, None, ignoring(false), &[]);
    put(&base.join("e/.gitignore"), &"!a\n".repeat(1_000));
    put(&base.join(".gitignore"), "/d\n");
    check(&base, None, ignoring(false), &["/e/.env"]);
}

#[test]
fn keys_are_distinguished_from_certificates() {
    let temp = tempfile::tempdir().unwrap();
    let holds = |name: &str, text: Option<&str>| {
        let path = temp.path().join(name);
        if let Some(text) = text {
            put(&path, text);
        }
        let need = FactQuery::Contents(path.to_str().unwrap().into());
        let facts = FactResolver::new(None).look_up(&Policy::compile(Layers::default()), &[need], None);
        facts.iter().next().map(|(_, fact)| fact.clone())
    };
    let secret =
        |secret: bool| Some(Fact::Contents(if secret { FileSecrecy::Secret } else { FileSecrecy::NoSecret }));
    assert_eq!(holds("a.pem", Some("-----BEGIN CERTIFICATE-----\n")), secret(false));
    assert_eq!(holds("b.pem", Some("-----BEGIN PRIVATE KEY-----\n")), secret(true));
    assert_eq!(holds("c.key", Some("0123456789abcdef")), secret(true));
    assert_eq!(holds("none.pem", None), secret(true));
    assert_eq!(holds(".yarnrc.yml", Some("nodeLinker: pnp\n")), secret(false));
    assert_eq!(holds(".yarnrc.yml", Some("npmAuthToken: x\n")), secret(true));
}

/// `/proc/self` is another directory for the program that searches it.
#[test]
fn search_through_a_link_of_the_kernel_is_unknown() {
    let temp = tempfile::tempdir().unwrap();
    let base = temp.path().canonicalize().unwrap();
    put(&base.join("w/a.txt"), "");
    symlink("/proc/self", base.join("w/l")).unwrap();
    let is_unknown = |directory: &Path, pattern: Option<&str>, links: LinkHandling| {
        let below = WalkOptions { links, ..WalkOptions::everything() };
        look_up(directory, 10_000, pattern, Some(below)).is_none()
    };
    for directory in ["/proc/self", "/proc/self/", "//proc/thread-self/.", "/proc/1/../self"] {
        assert!(is_unknown(Path::new(directory), None, LinkHandling::Skip), "{directory}");
    }
    assert!(is_unknown(&base.join("w/l"), None, LinkHandling::Skip));
    assert!(is_unknown(&base.join("w"), Some("l*"), LinkHandling::Skip));
    assert!(is_unknown(&base.join("w"), None, LinkHandling::Follow));
    assert!(!is_unknown(&base.join("w"), None, LinkHandling::Skip));
}

/// A link can name a process that the command itself will start.
#[test]
fn link_to_a_process_that_does_not_run_yet_is_not_passed_over() {
    for (target, pattern) in [
        ("/proc/4194305/environ", "l*"),
        ("/proc/4194305", "l*/environ"),
        ("/proc/4194305/cwd", "*/s/*"),
        ("/proc/4194305/root", "l?/etc/shadow"),
    ] {
        let temp = tempfile::tempdir().unwrap();
        let base = temp.path().canonicalize().unwrap();
        symlink(target, base.join("l1")).unwrap();
        let is_passed_over = |pattern: Option<&str>, below: Option<WalkOptions>| {
            let found = look_up(&base, 10_000, pattern, below);
            found == Some(FileSearchOutcome::Protected(Vec::new()))
        };
        assert!(!is_passed_over(Some(pattern), None), "{target}");
        let walk = WalkOptions { links: LinkHandling::Open, ..WalkOptions::everything() };
        assert!(!is_passed_over(None, Some(walk)), "{target}");
    }
}
