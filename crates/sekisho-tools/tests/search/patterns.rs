//! Patterns and globs that are made to cost much.

use serde_json::json;

use super::search_project::{SearchProject, fields};

#[test]
fn nested_repetitions_take_linear_time() {
    let project = SearchProject::new();
    project.write("f", format!("{}b\n", "a".repeat(100_000)));
    for pattern in
        ["(a+)+$", "(a|aa)+$", "(a*)*c", "^(([a-z])+.)+[A-Z]([a-z])+$", "(x+x+)+y", "(.*){1,30}[bc]d"]
    {
        let found = fields(project.grep(&json!({ "pattern": pattern })));
        assert_eq!(found["total"], json!(0), "{pattern}");
    }
}

#[test]
fn unusable_patterns_are_refused() {
    let project = SearchProject::with_files(&["f"]);
    let check = |pattern: &str, expected: &str| {
        let result = project.grep(&json!({ "pattern": pattern }));
        assert!(result.is_error && result.content.contains(expected), "{}", result.content);
        assert!(result.content.len() < 1000, "{}", result.content.len());
    };
    check(&"a".repeat(1_000_000), "too long: 1000000 bytes, at most 4096");
    check("(((\\w{100}){100}){100})", "is not a regular expression");
    check("\\w{4000}{4000}", "is not a regular expression");
    check(&"(".repeat(4000), "is not a regular expression");
    check(&format!("{}{}", "(".repeat(1000), ")".repeat(1000)), "is not a regular expression");
    check("(?=x)", "is not a regular expression");
    check("(a)\\1", "is not a regular expression");
    check("a\\nb", "is not a regular expression");
    check("[z-a]", "is not a regular expression");
}

#[test]
fn globs_that_multiply_are_refused() {
    let project = SearchProject::with_files(&["f"]);
    let check = |glob: String, expected: &str| {
        for result in [
            project.glob(&json!({ "pattern": glob })),
            project.grep(&json!({ "pattern": "x", "glob": glob })),
        ] {
            assert!(result.is_error && result.content.contains(expected), "{}", result.content);
            assert!(result.content.len() < 1500, "{}", result.content.len());
        }
    };
    check("{a,b}".repeat(40), "has 40 '{', at most 16");
    check(format!("{}a{}", "{".repeat(300), "}".repeat(300)), "has 300 '{', at most 16");
    check("{".into(), "is not a glob");
    check("[".into(), "is not a glob");
    check("a".repeat(1_000_000), "too long: 1000000 bytes");
}

#[test]
fn many_wildcards_take_linear_time() {
    let name = "a".repeat(200);
    let project = SearchProject::with_files(&[&name]);
    for pattern in [
        format!("{}b", "*a".repeat(100)),
        format!("{}b", "a*".repeat(400)),
        "**/".repeat(300) + "b",
        format!("{}b", "{a,aa}".repeat(16)),
        "{a,b,c,d}".repeat(16),
    ] {
        assert_eq!(project.names(&pattern), Vec::<String>::new(), "{pattern}");
    }
    assert_eq!(project.names(&"*a".repeat(100)), [name]);
}
