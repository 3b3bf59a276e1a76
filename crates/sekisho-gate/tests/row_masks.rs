//! No field of no kind of row lets a secret through.

use std::sync::Arc;

use jiff::Timestamp;
use proptest::prelude::*;
use sekisho_gate::answer::{Approver, By, Role};
use sekisho_gate::audit::{Scribe, WriterId};
use sekisho_gate::record::{Context, Entry, Kind, judged, opened};
use sekisho_policy::{Call, Reason};
use sekisho_testkit::fixtures::{after, asker, call, question, seal};
use serde_json::{Value, json};

const KINDS: [Kind; 9] = [
    Kind::Verdict,
    Kind::Question,
    Kind::Outcome,
    Kind::Claim,
    Kind::Execution,
    Kind::Rules,
    Kind::Trust,
    Kind::Token,
    Kind::Upkeep,
];

/// Where one secret stands that a detector knows by what is beside it.
#[derive(Clone, Copy, Debug)]
enum Known {
    Input,
    Text,
    Body,
}

fn known() -> impl Strategy<Value = Known> {
    prop_oneof![Just(Known::Input), Just(Known::Text), Just(Known::Body)]
}

/// An entry with a secret in each of its fields, alone, and in one with its context.
fn entry(kind: Kind, secret: &str, known: Known) -> Entry {
    let context = format!("deploy --token {secret} now");
    let alone = || Some(format!("x/{secret}"));
    let person = Approver {
        credential: format!("proxy:{secret}"),
        name: format!("n {secret}"),
        role: Role::Admin,
        device: alone(),
        how: format!("by {secret}"),
    };
    let mut body = json!({
        "facts": [[{ "resolve": format!("/w/{secret}") }, { "resolved": format!("/w/\u{202e}{secret}\u{200b}") }]],
        "reasons": [{ "code": "path", "path": format!("/w/{secret}"), "pattern": format!("{secret}*") }],
        "rules": [{ "command": format!("a {secret}"), "nested": { format!("/w/{secret}"): [secret, 1, null] } }],
        "danger": [{ "level": "high", "what": format!("{secret}\u{85}") }],
        "reason": secret,
    });
    if let (Known::Body, Value::Object(fields)) = (known, &mut body) {
        fields.insert("message".into(), context.clone().into());
    }
    Entry {
        tool: alone(),
        server: alone(),
        agent: alone(),
        credential: alone(),
        text: if matches!(known, Known::Text) { context.clone() } else { format!("reads /w/{secret}") },
        context: Context(if matches!(known, Known::Input) {
            json!({ "command": context })
        } else {
            Value::Null
        }),
        ..Entry::plain(kind, Timestamp::UNIX_EPOCH, Some(By::Person(person)), String::new(), body)
    }
}

fn written(entry: &Entry) -> String {
    let writer = WriterId(uuid::Uuid::from_bytes([1; 16]));
    format!("{:?}", Scribe::new(writer, seal()).write(entry).unwrap())
}

proptest! {
    #[test]
    fn a_secret_without_a_shape_is_in_no_field(
        secret in "[a-z]{3}[A-Z0-9]{4,20}[a-z]{2}",
        kind in prop::sample::select(&KINDS),
        known in known(),
    ) {
        let row = written(&entry(kind, &secret, known));
        prop_assert!(!row.contains(&secret), "{row}");
        prop_assert!(!row.contains(['\u{202e}', '\u{200b}', '\u{85}']), "{row}");
    }

    #[test]
    fn a_secret_with_a_shape_is_in_no_field(end in "[A-Za-z0-9]{36}", kind in prop::sample::select(&KINDS)) {
        let secret = format!("{}{end}", ["gh", "p_"].concat());
        let mut entry = entry(kind, &secret, Known::Text);
        entry.text = format!("reads {secret}");
        let row = written(&entry);
        prop_assert!(!row.contains(&secret), "{row}");
    }
}

#[test]
fn what_is_no_secret_stays() {
    let mut entry = entry(Kind::Verdict, "plain-word", Known::Text);
    entry.text = "reads /w/plain-word".into();
    assert!(written(&entry).contains("/w/plain-word"));
}

/// What is a secret in so large a command is not known, so the row has none of its words.
#[test]
fn of_a_command_too_large_to_look_through_only_codes_are_told() {
    let secret = "hunter2-hunter2";
    let command = format!("{}deploy --token {secret}", "echo a; ".repeat(40_000));
    let call = Call { input: json!({ "command": command }), tool: "Bash".into(), ..call("c") };
    let mut asked = question(call.clone(), asker(), after(0), None);
    let reason = Reason::OutsideWorkspace { path: format!("/w/{secret}") };
    let told = Arc::make_mut(&mut asked.asked);
    told.verdict.reasons = [reason].into_iter().collect();
    told.shown.message = format!("run {secret}");
    let rows = [
        opened(&asked).entry,
        judged(after(0), (asked.asked.call_id, &call), &asker(), &asked.asked.verdict, None).entry,
    ];
    for row in rows {
        let row = written(&row);
        assert!(!row.contains("hunter2") && row.contains("outside_workspace"), "{row}");
    }
}
