use std::os::unix::fs::symlink;
use std::path::Path;

use sekisho_policy::{FactQuery, Facts, Layers, Policy};

fn look_up(queries: &[FactQuery], home: Option<&Path>) -> Facts {
    sekisho_host::look_up(&Policy::compile(Layers::default()), queries, None, home)
}

#[test]
fn paths_resolve_by_the_kernels_rules_or_not_at_all() {
    let directory = tempfile::tempdir().unwrap();
    let base = directory.path().canonicalize().unwrap();
    std::fs::create_dir_all(base.join("real/deep")).unwrap();
    std::fs::write(base.join("real/file"), "").unwrap();
    symlink(base.join("real"), base.join("link")).unwrap();
    symlink("deep", base.join("real/relative")).unwrap();
    symlink("/nowhere/at/all", base.join("dangling")).unwrap();
    symlink("loop", base.join("loop")).unwrap();
    let base = base.to_str().unwrap();
    let long = format!("{}/x", "/a".repeat(3000));
    let cases = [
        ("/real/file", Some("/real/file")),
        ("/link/file", Some("/real/file")),
        ("/link/relative", Some("/real/deep")),
        ("/link/relative/../file", Some("/real/file")),
        ("/link/new/file", Some("/real/new/file")),
        ("/link/.", Some("/real")),
        ("/link//new", Some("/real/new")),
        ("/link/new/../file", None),
        ("/dangling", None),
        ("/dangling/x", None),
        ("/loop", None),
        ("/loop/x", None),
        ("/real/file/x", None),
        ("/a\0b", None),
        (long.as_str(), None),
    ];
    for (path, expected) in cases {
        let path = format!("{base}{path}");
        let facts = look_up(&[FactQuery::Resolve(path.clone())], None);
        let expected = expected.map(|expected| format!("{base}{expected}"));
        assert_eq!(facts.resolved(&path), expected.as_deref(), "{path}");
    }
    let facts =
        look_up(&[FactQuery::Resolve("relative".into()), FactQuery::Resolve("~other/x".into())], None);
    assert!(facts.is_empty());
    let home = std::path::Path::new(base);
    for (path, expected) in [("~", ""), ("~/link/new", "/real/new"), ("~/", "")] {
        let facts = look_up(&[FactQuery::Resolve(path.into())], Some(home));
        assert_eq!(facts.resolved(path), Some(format!("{base}{expected}").as_str()), "{path}");
        assert!(look_up(&[FactQuery::Resolve(path.into())], None).is_empty());
    }
}

/// Calls are judged on threads with small stacks: the depth of a path must not be the depth of the recursion.
/// A path with more components than anybody uses is unknown.
#[test]
fn long_path_needs_no_deep_stack() {
    let walk = || {
        [200, 2040].map(|names| {
            let path = "/a".repeat(names);
            let facts = look_up(&[FactQuery::Resolve(path.clone())], None);
            facts.resolved(&path).map(str::len)
        })
    };
    let walked = std::thread::Builder::new().stack_size(256 << 10).spawn(walk).unwrap();
    assert_eq!(walked.join().unwrap(), [Some(400), None]);
}
