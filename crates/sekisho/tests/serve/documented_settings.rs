//! Every setting is documented.

use std::path::Path;

use crate::test_home::TestHome;

fn text(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Every variable that the settings read: an upper-case name in quotes.
fn variables() -> Vec<String> {
    let mut names = Vec::new();
    for file in [
        "src/settings/mod.rs",
        "src/settings/server_options.rs",
        "src/settings/agent_environment.rs",
        "src/settings/model_settings.rs",
    ] {
        for word in text(file).split('"') {
            let named =
                word.contains('_') && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
            // These variables of the user's environment are not settings of sekisho.
            if named && !["USER", "LOGNAME", "HOME"].contains(&word) && !names.contains(&word.to_owned()) {
                names.push(word.to_owned());
            }
        }
    }
    names
}

#[test]
fn every_variable_is_in_the_guide_and_the_example() {
    let (guide, example) = (text("../../docs/guide/settings.md"), text("../../.env.example"));
    let variables = variables();
    assert!(variables.len() >= 20, "{variables:?}");
    for name in variables {
        assert!(guide.contains(&format!("`{name}`")), "{name} is not in the guide");
        assert!(example.contains(&format!("#{name}=")), "{name} is not in .env.example");
    }
}

#[test]
fn every_server_config_field_is_in_the_guide() {
    let guide = text("../../docs/guide/settings.md");
    let place = TestHome::new();
    TestHome::write(&place.home().join(".config/sekisho/server.json"), r#"{ "zzzzzzzzzzzz": 1 }"#);
    let message = place.run(&["serve"]).err;
    let fields = message.trim().split_once("expected one of ").unwrap().1;
    let fields: Vec<&str> =
        fields.split(", ").filter(|field| !["$schema", "version"].contains(field)).collect();
    assert!(fields.len() >= 18, "{fields:?}");
    for field in fields {
        assert!(guide.contains(&format!("`{field}`")), "{field} is not in the guide");
    }
}
