//! Hostile policies: past the work limit the verdict is confirm, and denies are still found.

use sekisho_policy::{
    Call, Decision, Effect, JudgeContext, Layer, LayerKind, Layers, Part, Policy, Reason, Rule, Verdict,
    judge, judge_and_trace,
};
use serde_json::Value;

const PATTERNS: usize = 10_000;

fn pattern(pattern: String) -> Rule {
    Rule { tool_pattern: Some(pattern), ..Rule::default() }
}

fn policy(rules: Vec<(Effect, Rule)>) -> Policy {
    Policy::compile(Layers::from(vec![Layer::from_rules(LayerKind::Global, "hostile", rules).unwrap()]))
}

/// The words of the long name, none of which is a prefix of another.
fn word(at: usize) -> String {
    format!("<é{at:03}>")
}

fn long_name() -> String {
    (0..500).map(word).collect()
}

/// Patterns whose literals all occur in the long name, but in another order: each nearly matches, and none
/// does.
fn near_matches(effect: Effect) -> Vec<(Effect, Rule)> {
    let pairs = (0..500).flat_map(|late| (0..late).map(move |early| (late, early)));
    let shapes = pairs.enumerate().map(|(at, (late, early))| match at % 3 {
        0 => format!("*{}*{}*", word(late), word(early)),
        1 => format!("{}*{}*{}*", word(0), word(late), word(early)),
        _ => format!("*{}*{}*{}", word(late), word(early), word(499)),
    });
    shapes.take(PATTERNS).map(|shape| (effect, pattern(shape))).collect()
}

#[track_caller]
fn check(rules: Vec<(Effect, Rule)>, name: &str, expected: Decision) -> Vec<Reason> {
    let policy = policy(rules);
    let (call, context) = (Call::new(name, Value::Null), JudgeContext::at(jiff::Timestamp::UNIX_EPOCH));
    let verdict = judge(&policy, &call, &context);
    assert_eq!(verdict.decision, expected, "{:?}", verdict.reasons);
    assert_eq!(judge_and_trace(&policy, &call, &context).0, verdict);
    verdict.reasons.to_vec()
}

#[test]
fn past_the_limit_allow_becomes_confirm() {
    let mut rules = near_matches(Effect::Confirm);
    rules.push((Effect::Allow, Rule { priority: -1, ..pattern("*".into()) }));
    assert_eq!(check(rules, &long_name(), Decision::Confirm), [Reason::WorkLimit]);
}

#[test]
fn past_the_limit_deny_is_found() {
    let mut rules = near_matches(Effect::Confirm);
    rules.extend(near_matches(Effect::Deny));
    rules.push((Effect::Deny, pattern("*é*é*z".into())));
    assert_eq!(check(rules, &format!("{}z", long_name()), Decision::Deny), [Reason::Rule { rule: 0 }]);
}

#[test]
fn many_denies_alone_never_turn_an_allow_into_a_deny() {
    let mut rules = near_matches(Effect::Deny);
    rules.push((Effect::Allow, pattern("*".into())));
    assert_eq!(check(rules, &long_name(), Decision::Confirm), [Reason::WorkLimit]);
}

#[test]
fn common_call_is_far_from_the_limit() {
    let mut rules = near_matches(Effect::Deny);
    rules.push((Effect::Allow, pattern("git_*".into())));
    assert_eq!(check(rules, "git_status", Decision::Allow), [Reason::Rule { rule: 0 }]);
}

#[test]
fn tracing_many_rules_does_not_reach_the_limit() {
    let rules = (0..100_000).map(|_| (Effect::Allow, pattern("*".into()))).collect();
    assert_eq!(check(rules, "anything", Decision::Allow), [Reason::Rule { rule: 0 }]);
}

/// Judges a command under a rule that allows all of bash and one that denies `rm`.
fn judged(command: &str) -> Verdict {
    let allow = Rule { tool: Some("bash".into()), ..Rule::default() };
    let deny = Rule { command: Some("rm".into()), ..allow.clone() };
    let policy = policy(vec![(Effect::Allow, allow), (Effect::Deny, deny)]);
    let call = Call::new("bash", serde_json::json!({ "command": command }));
    judge(&policy, &call, &JudgeContext::at(jiff::Timestamp::UNIX_EPOCH))
}

fn parts(verdict: &Verdict) -> (usize, usize) {
    fn count(parts: &[Part]) -> (usize, usize) {
        parts.iter().fold((0, 0), |(many, bytes), part| {
            let (inner, inside) = count(&part.parts);
            (many + 1 + inner, bytes + part.text.len() + inside)
        })
    }
    count(&verdict.parts)
}

/// If the options of a wrapper are unknown, its inner command may begin at any word. With nested wrappers,
/// that is any combination of words.
#[test]
fn nested_wrappers_are_followed_once_per_position() {
    for few in [1, 2, 5, 12] {
        let verdict = judged(&format!("{}rm x", "sudo -x ".repeat(few)));
        assert_eq!(verdict.decision, Decision::Deny, "{few}");
        assert!(parts(&verdict).0 <= 4 * few * few, "{few}: {:?}", parts(&verdict));
    }
    for many in [100, 2_000, 30_000] {
        let verdict = judged(&format!("{}ls", "sudo -x ".repeat(many)));
        assert_eq!(verdict.decision, Decision::Confirm, "{many}");
        let (parts, bytes) = parts(&verdict);
        assert!(parts < 20_000 && bytes < 8 << 20, "{many}: {parts} parts, {bytes} bytes");
    }
}

#[test]
fn deny_is_found_wherever_an_inner_command_may_begin() {
    for before in [1, 7, 8, 9, 40, 200] {
        let command = format!("sudo {}rm x {}", "-x y ".repeat(before), "z ".repeat(100));
        assert_eq!(judged(&command).decision, Decision::Deny, "{before}");
    }
    let far = format!("sudo {}rm x", "-x y ".repeat(5_000));
    assert_eq!(judged(&far).decision, Decision::Deny);
    let harmless = format!("sudo {}ls x", "-x y ".repeat(5_000));
    assert_eq!(judged(&harmless).reasons.as_slice(), [Reason::TooMuch], "past the limit it is a question");
}

/// It is unknown which of the fields counts, so none of them hides another.
#[test]
fn costly_command_does_not_hide_a_deny() {
    let deny = Rule { tool: Some("bash".into()), command: Some("rm".into()), ..Rule::default() };
    let policy = policy(vec![(Effect::Deny, deny)]);
    let context = JudgeContext::at(jiff::Timestamp::UNIX_EPOCH);
    let costly = "sudo -x ".repeat(5_000);
    for input in [
        serde_json::json!({ "command": costly, "cmd": "$'\\x72m' x" }),
        serde_json::json!({ "command": "$'\\x72m' x", "cmd": costly }),
        serde_json::json!({ "command": costly, "cmd": format!("{costly} rm x") }),
    ] {
        let verdict = judge(&policy, &Call::new("bash", input), &context);
        assert_eq!(verdict.decision, Decision::Deny, "{:?}", verdict.reasons);
    }
    let harmless = serde_json::json!({ "command": costly, "cmd": "ls" });
    let verdict = judge(&policy, &Call::new("bash", harmless), &context);
    assert_eq!(verdict.reasons.as_slice(), [Reason::ShellUnread]);
}
