//! The worst that rules and names can do to a decision.
//!
//! Each case has 100 000 rules made to defeat the index, and the names that cost most under them. Past the
//! work limit a call needs confirmation, while denies are searched to the end: those are the longest times.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use sekisho_policy::{Call, JudgeContext, Policy, Reason, judge};

use crate::engines::{Failure, load};
use crate::table::{Table, format_duration, format_number};
use crate::workload::SeededRng;

const RULES: usize = 100_000;

/// Rules and names that are made to be slow.
struct Case {
    name: &'static str,
    effect: &'static str,
    /// More fields for each rule, such as a condition that never holds.
    extra: &'static str,
    pattern: fn(usize, &mut SeededRng) -> String,
    names: Vec<String>,
}

/// Runs every case, prints the table, and returns the longest time for one decision.
pub fn print() -> Result<Duration, Failure> {
    let columns = ["100 000 rules", "worst", "name", "load", "decision", "reason"];
    let mut table = Table::new(
        "worst case: the slowest decision found in each set (best of several tries)",
        columns.map(String::from),
    );
    let mut longest = Duration::ZERO;
    for case in cases() {
        eprintln!("{} ({}) ...", case.name, case.effect);
        let start = Instant::now();
        let policy = load(&config(&case))?;
        let load_time = start.elapsed();
        let worst = case.names.iter().map(|name| (slowest(&policy, name), name)).max();
        let Some((time, name)) = worst else { continue };
        longest = longest.max(time);
        let verdict = judge(&policy, &Call::new(name.clone(), serde_json::Value::Null), &judge_context());
        let reason = match verdict.reasons.first() {
            Some(Reason::WorkLimit) => "work limit",
            Some(Reason::Rule { .. }) => "a rule",
            Some(Reason::NoRule) => "no rule",
            _ => "another",
        };
        table.row([
            format!("{} ({})", case.name, case.effect),
            format_duration(time),
            format!("{} bytes", format_number(name.len() as f64)),
            format_duration(load_time),
            verdict.decision.to_string(),
            reason.into(),
        ]);
    }
    table.print();
    Ok(longest)
}

fn judge_context() -> JudgeContext {
    JudgeContext::at(jiff::Timestamp::UNIX_EPOCH)
}

/// The best of several tries on one name, to remove noise of the machine.
fn slowest(policy: &Policy, name: &str) -> Duration {
    let (call, context) = (Call::new(name, serde_json::Value::Null), judge_context());
    let once = || {
        let start = Instant::now();
        let _ = black_box(judge(policy, black_box(&call), &context));
        start.elapsed()
    };
    let begin = Instant::now();
    let mut best = once();
    for _ in 0..20 {
        if begin.elapsed() > Duration::from_millis(500) {
            break;
        }
        best = best.min(once());
    }
    best
}

fn config(case: &Case) -> String {
    let mut rng = SeededRng(7);
    let mut text = format!("{{ \"version\": 1, \"permissions\": {{ \"{}\": [\n", case.effect);
    for index in 0..RULES {
        let comma = if index + 1 < RULES { "," } else { "" };
        let pattern = (case.pattern)(index, &mut rng);
        let _ = writeln!(text, "{{ \"tool_pattern\": \"{pattern}\"{} }}{comma}", case.extra);
    }
    text.push_str("] } }\n");
    text
}

fn cases() -> Vec<Case> {
    let case = |name, effect, extra, pattern: fn(usize, &mut SeededRng) -> String, names: &[String]| Case {
        name,
        effect,
        extra,
        pattern,
        names: names.to_vec(),
    };
    let a = |length: usize| "a".repeat(length);
    let alphabet: String = ('a'..='z').collect();
    let words = ["ab".repeat(20), alphabet.repeat(2), alphabet.repeat(158)];
    let never = ", \"agent\": \"nobody\"";
    let nested = |index: usize, _: &mut SeededRng| format!("{}*", "a".repeat(index % 400 + 1));
    let endings = |index: usize, _: &mut SeededRng| format!("*{}", "a".repeat(index % 400 + 1));
    let between = |index: usize, _: &mut SeededRng| {
        format!("{}*{}*{}", "a".repeat(index % 40 + 1), index, "a".repeat(index % 37 + 1))
    };
    let inside = |index: usize, _: &mut SeededRng| format!("*{}*", "a".repeat(index % 400 + 1));
    let abc = |_: usize, rng: &mut SeededRng| {
        let mut letter = || char::from(b'a' + rng.below(26) as u8);
        format!("*{}*{}*{}*", letter(), letter(), letter())
    };
    let same = |index: usize, _: &mut SeededRng| format!("*a*b*c*{}", "*".repeat(index % 2));
    let foreign = |index: usize, _: &mut SeededRng| {
        format!("*é{}*ж*日{}*", ["à", "ö", "ü"][index % 3], ["本", "語", "関"][index / 3 % 3])
    };
    let pairs = |_: usize, rng: &mut SeededRng| {
        let mut letter = || if rng.below(2) == 0 { 'a' } else { 'b' };
        format!("*{}*", (0..17).map(|_| letter()).collect::<String>())
    };
    let mut rng = SeededRng(3);
    let binary: String = (0..4096).map(|_| if rng.below(2) == 0 { 'a' } else { 'b' }).collect();
    let foreign_name = "ÉÀö日語Ж関éüж日本".repeat(4);
    vec![
        case("shared prefixes `aaa…*`", "allow", "", nested, &[a(40), a(400), a(4096)]),
        case("shared prefixes, none holds", "allow", never, nested, &[a(40), a(400), a(4096)]),
        case("shared prefixes, none holds", "deny", never, nested, &[a(40), a(400), a(4096)]),
        case("shared suffixes, none holds", "deny", never, endings, &[a(40), a(400), a(4096)]),
        case("`aa…*N*aa…`, ends shared", "allow", "", between, &[a(40), a(100), a(4096)]),
        case("`aa…*N*aa…`, ends shared", "deny", "", between, &[a(40), a(100), a(4096)]),
        case("`*aaa…*`, none holds", "deny", never, inside, &[a(40), a(400), a(4096)]),
        case("`*a*b*c*`, 26 letters", "allow", "", abc, &words),
        case("`*a*b*c*`, 26 letters, none holds", "allow", never, abc, &words),
        case("`*a*b*c*`, 26 letters, none holds", "deny", never, abc, &words),
        case("`*a*b*c*`, all the same, no c", "deny", "", same, &["ab".repeat(20), "ab".repeat(2048)]),
        case("`*abaab…*`, 17 of 2 letters", "deny", "", pairs, &["ab".repeat(20), binary.clone()]),
        case("not ASCII", "deny", never, foreign, &[foreign_name.clone(), foreign_name.repeat(20)]),
        case("one name, never the agent", "deny", never, |_, _| "tool".into(), &["tool".into()]),
        case(
            "exact-looking, 4 KB name",
            "allow",
            "",
            |i, _| format!("tool_{i}*"),
            &[format!("tool_7{}", a(4090))],
        ),
        case("`*abaab…*`, 1 MB name", "deny", "", pairs, &[binary.repeat(256)]),
    ]
}
