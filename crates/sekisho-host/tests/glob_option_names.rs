//! Globs that expand to options.

use std::fs;

use sekisho_host::look_up;
use sekisho_policy::{Fact, FactQuery, Layers, Policy};

#[test]
fn globs_that_expand_to_options_are_found() {
    let temp = tempfile::tempdir().unwrap();
    let gives = |pattern: &str| {
        let need = FactQuery::GlobOption {
            directory: temp.path().to_str().unwrap().into(),
            pattern: pattern.into(),
        };
        let policy = Policy::compile(Layers::default());
        look_up(&policy, std::slice::from_ref(&need), None, None).iter().next().map(|(_, fact)| fact.clone())
    };
    fs::write(temp.path().join("a.txt"), "").unwrap();
    assert_eq!(gives("*"), Some(Fact::GlobOption(false)));
    fs::write(temp.path().join("--pre=sh"), "").unwrap();
    assert_eq!(gives("*"), Some(Fact::GlobOption(true)));
    assert_eq!(gives("*.txt"), Some(Fact::GlobOption(false)));
    assert_eq!(gives("[!a]*"), Some(Fact::GlobOption(true)));
}
