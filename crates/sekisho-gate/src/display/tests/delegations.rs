//! Calls that make or start a sub-agent.

use sekisho_policy::{Call, Descriptor, DescriptorKind, SourcedDescriptor, UncheckedDescriptor};
use serde_json::{Value, json};

use super::super::{DelegationItem, Form};
use super::shown;

fn input() -> Value {
    json!({
        "name": "r", "system_prompt": "Review.\u{202e}",
        "delegation": {
            "sub_agent": { "name": "builder/r", "system_prompt": "Review.\u{202e}", "model": "small", "workspace": "/w",
                "tools": { "file_write": { "allowed_dirs": ["doc/a"] } }, "limits": { "max_iterations": 5 } },
            "parent": { "name": "builder", "model": "large", "workspace": "/w",
                "tools": { "file_write": { "allowed_dirs": ["doc"] }, "read": {} }, "limits": { "max_iterations": 5 } },
        },
    })
}

fn described(call: Call, by_registry: bool) -> Call {
    let written = UncheckedDescriptor { kind: DescriptorKind::SubAgents, ..UncheckedDescriptor::default() };
    let descriptor = Descriptor::try_from(written).unwrap();
    match by_registry {
        true => call.with_descriptor(SourcedDescriptor::by_registry(descriptor)),
        false => call.with_descriptor(SourcedDescriptor::claimed(descriptor)),
    }
}

#[test]
fn sub_agent_is_shown_beside_its_parent() {
    let view = shown(described(Call::new("create_sub_agent", input()), true), &[]);
    let Form::Delegation { agent, parent, prompt, task, rows } = &view.form else {
        panic!("{:?}", view.form)
    };
    assert_eq!((agent.as_str(), parent.as_str(), task), ("builder/r", "builder", &None));
    assert_eq!(prompt, "Review.\\u{202e}");
    let row = |item: DelegationItem, name: &str| {
        let row = rows.iter().find(|row| row.item == item && row.name == name).unwrap();
        (row.agent.as_deref(), row.parent.as_deref())
    };
    assert_eq!(row(DelegationItem::Model, ""), (Some("small"), Some("large")));
    assert_eq!(
        row(DelegationItem::Tool, "file_write"),
        (Some("allowed_dirs: doc/a"), Some("allowed_dirs: doc"))
    );
    assert_eq!(row(DelegationItem::Tool, "read"), (None, Some("")));
    assert_eq!(row(DelegationItem::Limit, "max_iterations"), (Some("5"), Some("5")));
    assert!(view.besides.is_empty());
}

#[test]
fn only_our_own_registry_describes_a_delegation() {
    for call in [
        Call::new("create_sub_agent", input()),
        described(Call::new("create_sub_agent", input()), false),
        described(Call::new("create_sub_agent", input()), true).on_server("other"),
    ] {
        assert_eq!(shown(call, &[]).form, Form::Json);
    }
}
