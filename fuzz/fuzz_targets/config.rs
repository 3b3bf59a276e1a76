//! Any bytes as a config text: either a layer that compiles and judges, or one line that says what is wrong.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sekisho_policy::{Call, JudgeContext, Layer, LayerKind, Layers, Policy, judge};
use serde_json::json;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Layer::parse(LayerKind::Global, "fuzzed", text) {
        Ok(layer) => {
            for rule in &layer.rules {
                let (start, end) = rule.range;
                assert!(text.get(start as usize..end as usize).is_some(), "a rule stands outside its text");
            }
            let policy = Policy::compile(Layers::from(vec![layer]));
            let context = JudgeContext::at(jiff::Timestamp::UNIX_EPOCH);
            for tool in ["read", "Bash", "web_fetch", "x"] {
                let input = json!({ "path": "/w/x", "command": "ls", "url": "https://example.com/" });
                let verdict = judge(&policy, &Call::new(tool, input), &context);
                assert!(!verdict.reasons.is_empty());
                assert!(!verdict.sentence().is_empty());
            }
        }
        Err(error) => assert!(!error.to_string().contains('\n'), "more than one line: {error}"),
    }
});
