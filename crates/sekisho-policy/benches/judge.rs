//! Benchmarks for everyday work on this crate: `cargo bench -p sekisho-policy`. The comparison with other
//! engines is in `bench/`.

#![expect(clippy::expect_used, reason = "a benchmark has nothing to recover")]

use divan::{Bencher, black_box};
use sekisho_policy::{
    Call, Fact, FactQuery, JudgeContext, Layer, LayerKind, Layers, Policy, judge, required_facts,
};
use serde_json::{Value, json};

fn main() {
    divan::main();
}

const SIZES: [usize; 4] = [10, 100, 1_000, 100_000];

/// Of every ten rules, six have names and four patterns; half are bound to a server, one in ten is a deny.
fn config(rules: usize) -> String {
    let rule = |index: usize| {
        let selector = match index % 10 {
            6 | 7 => format!("\"tool_pattern\": \"get_issue_{index}*\""),
            8 => format!("\"tool_pattern\": \"*_label_{index}\""),
            9 => format!("\"tool_pattern\": \"send_*_to_{index}\""),
            _ => format!("\"tool\": \"create_page_{index}\""),
        };
        let server = if index.is_multiple_of(2) {
            format!(", \"server\": \"s{}\"", index % 20)
        } else {
            String::new()
        };
        format!("{{ {selector}{server}, \"priority\": {} }}", index % 100)
    };
    let list = |deny: bool| {
        let kept = (0..rules).filter(|index| (index % 10 == 5) == deny).map(rule);
        kept.collect::<Vec<_>>().join(",\n")
    };
    format!(
        r#"{{ "version": 1, "permissions": {{ "allow": [{}], "deny": [{}] }} }}"#,
        list(false),
        list(true)
    )
}

fn load(text: &str) -> Policy {
    let layer = Layer::parse(LayerKind::Global, "bench.json", text).expect("the text is a config");
    Policy::compile(Layers::from(vec![layer]))
}

fn context() -> JudgeContext {
    JudgeContext { root: Some("/w".into()), ..JudgeContext::at(jiff::Timestamp::UNIX_EPOCH) }
}

fn judged(bencher: Bencher<'_, '_>, rules: usize, call: &Call) {
    let policy = load(&config(rules));
    let mut context = context();
    for query in required_facts(&policy, call) {
        if let FactQuery::Resolve(path) = &query {
            let fact = Fact::Resolved(path.clone());
            context.facts.insert(query, fact);
        }
    }
    bencher.bench(|| judge(&policy, black_box(call), &context));
}

#[divan::bench(args = SIZES)]
fn exact_name(bencher: Bencher<'_, '_>, rules: usize) {
    judged(bencher, rules, &Call::new("create_page_1", Value::Null));
}

#[divan::bench(args = SIZES)]
fn prefix_on_a_server(bencher: Bencher<'_, '_>, rules: usize) {
    judged(bencher, rules, &Call::new("get_issue_6_comments", Value::Null).on_server("s6"));
}

#[divan::bench(args = SIZES)]
fn no_rule(bencher: Bencher<'_, '_>, rules: usize) {
    judged(bencher, rules, &Call::new("transfer_funds_abroad", Value::Null));
}

#[divan::bench]
fn file_in_the_workspace(bencher: Bencher<'_, '_>) {
    judged(bencher, 10, &Call::new("Read", json!({ "file_path": "/w/src/main.rs" })).in_directory("/w"));
}

#[divan::bench]
fn name_that_is_not_ascii(bencher: Bencher<'_, '_>) {
    judged(bencher, 1_000, &Call::new("Überweisung_Ändern", Value::Null));
}

#[divan::bench(args = SIZES, sample_count = 10)]
fn load_from_text(bencher: Bencher<'_, '_>, rules: usize) {
    let text = config(rules);
    bencher.bench(|| load(black_box(&text)));
}
