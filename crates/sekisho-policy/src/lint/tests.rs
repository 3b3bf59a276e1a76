use jiff::Timestamp;

use super::{FindingCode, lint};
use crate::layer::Layer;
use crate::rule::LayerKind;

/// Lints the rules of one file and returns the findings as `code@line`.
fn findings(kind: LayerKind, allow: &str, confirm: &str, deny: &str) -> Vec<(FindingCode, u32)> {
    let text = format!(
        "{{ \"version\": 1, \"permissions\": {{\n\"allow\": [{allow}],\n\"confirm\": [{confirm}],\n\"deny\": [{deny}] }} }}"
    );
    let layer = Layer::parse(kind, "config.json", &text).unwrap();
    let now: Timestamp = "2026-06-01T00:00:00Z".parse().unwrap();
    lint(&[layer], now).into_iter().map(|finding| (finding.code, finding.at.line)).collect()
}

/// Allows are on line 2, confirms on line 3, denies on line 4.
#[track_caller]
fn check(allow: &str, confirm: &str, deny: &str, expected: &[(FindingCode, u32)]) {
    assert_eq!(findings(LayerKind::Global, allow, confirm, deny), expected, "{allow} | {confirm} | {deny}");
}

#[test]
fn rule_that_never_decides_is_reported() {
    use FindingCode::{Redundant, Shadowed};
    check(r#"{"tool":"x"}"#, "", r#"{"tool":"x"}"#, &[(Shadowed, 2)]);
    check(r#"{"tool":"x"}"#, "", r#"{"tool_pattern":"X*"}"#, &[(Shadowed, 2)]);
    check(r#"{"tool":"x"}"#, r#"{"tool":"x"}"#, "", &[(Shadowed, 2)]);
    check(r#"{"tool":"x","priority":1}"#, r#"{"tool":"x"}"#, "", &[(Shadowed, 3)]);
    check(r#"{"tool_pattern":"get_user*"}"#, "", r#"{"tool_pattern":"get_*"}"#, &[(Shadowed, 2)]);
    check(r#"{"tool_pattern":"*_my_x"}"#, "", r#"{"tool_pattern":"*_x"}"#, &[(Shadowed, 2)]);
    check(r#"{"server":"s","tool":"x"}"#, "", r#"{"server":"s"}"#, &[(Shadowed, 2)]);
    check(
        r#"{"tool":"bash","command":"git push"}"#,
        "",
        r#"{"tool":"bash","command":"git"}"#,
        &[(Shadowed, 2)],
    );
    check(r#"{"tool":"read","path":"/a/b"}"#, "", r#"{"tool":"read","path":"/a"}"#, &[(Shadowed, 2)]);
    check(
        r#"{"tool":"web_fetch","host":"a.b.c"}"#,
        "",
        r#"{"tool":"web_fetch","host":"*.b.c"}"#,
        &[(Shadowed, 2)],
    );
    check(
        "",
        "",
        r#"{"tool":"bash","command":"git"},{"tool":"bash","command":"git push"}"#,
        &[(Redundant, 4)],
    );
}

#[test]
fn rule_that_can_decide_is_not_reported() {
    check(r#"{"tool":"x"}"#, "", r#"{"tool":"y"}"#, &[]);
    check(r#"{"tool":"x","priority":1}"#, r#"{"tool":"x","agent":"a"}"#, "", &[(FindingCode::Shadowed, 3)]);
    check(r#"{"tool":"x"}"#, r#"{"tool":"x","agent":"a"}"#, "", &[]);
    check(r#"{"tool":"x"}"#, "", r#"{"tool":"x","server":"s"}"#, &[]);
    check(r#"{"tool_pattern":"get_*"}"#, "", r#"{"tool_pattern":"get_user*"}"#, &[]);
    check(r#"{"tool":"bash","command":"git"}"#, "", r#"{"tool":"bash","command":"git push"}"#, &[]);
    check(r#"{"tool":"bash","command":"gitk"}"#, "", r#"{"tool":"bash","command":"git"}"#, &[]);
    check(r#"{"tool":"read","path":"/ab"}"#, "", r#"{"tool":"read","path":"/a"}"#, &[]);
    check(r#"{"tool":"web_fetch","host":"b.c"}"#, "", r#"{"tool":"web_fetch","host":"*.b.c"}"#, &[]);
    check(r#"{"tool":"x"}"#, "", r#"{"tool":"x","expires_at":"2027-01-01T00:00:00Z"}"#, &[]);
    // Confirm matches broadly, so an allow of the same words does not cover it.
    check(
        r#"{"tool":"bash","command":"git push","priority":9}"#,
        r#"{"tool":"bash","command":"git push"}"#,
        "",
        &[],
    );
    check(r#"{"tool":"read","path":"src/**","priority":9}"#, r#"{"tool":"read","path":"src/**"}"#, "", &[]);
}

#[test]
fn undecidable_coverage_is_reported_as_unknown() {
    let deny = r#"{"tool":"bash","command_glob":"git*push*"}"#;
    check(r#"{"tool":"bash","command":"git push"}"#, "", deny, &[(FindingCode::Unknown, 2)]);
    let deny = r#"{"tool":"read","path":"**/secret/*"}"#;
    check(r#"{"tool":"read","path":"/a/secret/b"}"#, "", deny, &[(FindingCode::Unknown, 2)]);
}

#[test]
fn managed_confirm_yields_only_to_managed_allows() {
    let now = Timestamp::UNIX_EPOCH;
    let parse = |kind, text: &str| Layer::parse(kind, "config.json", text).unwrap();
    let confirm = r#"{ "version": 1, "permissions": { "confirm": [{ "tool": "x" }] } }"#;
    let allow = r#"{ "version": 1, "permissions": { "allow": [{ "tool": "x", "priority": 9 }] } }"#;
    let layers = [parse(LayerKind::Managed, confirm), parse(LayerKind::Global, allow)];
    let found: Vec<_> =
        lint(&layers, now).into_iter().map(|finding| (finding.code, finding.at.layer)).collect();
    assert_eq!(found, [(FindingCode::Shadowed, LayerKind::Global)]);
}

#[test]
fn overbroad_allows_are_reported() {
    for rule in [
        r#"{"tool_pattern":"*"}"#,
        r#"{"server":"s"}"#,
        r#"{"tool":"bash"}"#,
        r#"{"tool":"bash","unrestricted":true}"#,
        r#"{"tool":"bash","command":"python3"}"#,
        r#"{"tool":"bash","command":"/usr/bin/env"}"#,
        r#"{"tool":"bash","command":"sudo"}"#,
        r#"{"tool":"bash","command_glob":"xargs *"}"#,
        r#"{"tool":"bash","command_glob":"* --help"}"#,
        r#"{"tool":"write"}"#,
    ] {
        check(rule, "", "", &[(FindingCode::TooWide, 2)]);
    }
    for rule in [
        r#"{"tool":"bash","command":"python3 -m pytest"}"#,
        r#"{"tool":"bash","command":"git status"}"#,
        r#"{"tool":"bash","command_glob":"npm run *"}"#,
        r#"{"tool":"write","path":"src/**"}"#,
        r#"{"tool":"read"}"#,
    ] {
        check(rule, "", "", &[]);
    }
    // Denying or confirming broadly is not dangerous.
    check("", r#"{"tool":"bash"}"#, r#"{"tool":"bash","command":"python"}"#, &[]);
}

#[test]
fn duplicates_aliases_expiry_and_impossible_names_are_reported() {
    use FindingCode::{Alias, Duplicate, Expired, NeverMatches};
    check(r#"{"tool":"x","note":"a"},{"tool":"x"}"#, "", "", &[(Duplicate, 2)]);
    check("", "", r#"{"tool":"WebFetch"}"#, &[(Alias, 4)]);
    check(r#"{"tool":"x","expires_at":"2026-01-01T00:00:00Z"}"#, "", "", &[(Expired, 2)]);
    check(r#"{"tool":"get_*"}"#, "", "", &[(NeverMatches, 2)]);
    check(r#"{"tool":"read","path":"~/.ssh"}"#, "", "", &[(NeverMatches, 2)]);
}

#[test]
fn ten_thousand_rules_are_linted_without_comparing_all_pairs() {
    let rules: Vec<String> = (0..10_000).map(|n| format!(r#"{{"tool":"t{n}"}}"#)).collect();
    check(&rules.join(","), "", "", &[]);
}
