use snapbox::{assert_data_eq, str};

use crate::test_home::TestHome;

const ALLOW: &str = r#"{
  "version": 1,
  "permissions": { "allow": [{ "tool": "deploy" }] }
}
"#;

#[test]
fn project_allows_count_while_the_file_is_trusted() {
    let place = TestHome::new();
    TestHome::write(&place.project(), ALLOW);
    let deploy = || place.run(&["check", "deploy"]).code;
    assert_eq!(deploy(), 3);
    let output = place.run(&["trust", "--yes"]);
    assert_eq!(output.code, 0, "{}", output.err);
    assert_data_eq!(
        output.out,
        str![[r#"
[PLACE]/project/.sekisho/config.json
never trusted

     3  allow { "tool": "deploy" }

trusted, as shown

"#]]
    );
    assert_eq!(deploy(), 0);
    TestHome::write(&place.project(), ALLOW.replace("deploy", "destroy"));
    assert_eq!((deploy(), place.run(&["check", "destroy"]).code), (3, 3));
    let output = place.run(&["trust", "--show"]);
    assert_eq!(output.code, 0);
    assert_data_eq!(
        output.out,
        str![[r#"
[PLACE]/project/.sekisho/config.json
changed since tester trusted it at [..]

  {
    "version": 1,
-   "permissions": { "allow": [{ "tool": "deploy" }] }
+   "permissions": { "allow": [{ "tool": "destroy" }] }
  }

     3  allow { "tool": "destroy" }


"#]]
    );
    TestHome::write(&place.project(), ALLOW);
    assert_eq!(deploy(), 0);
    assert_eq!(
        place.run(&["trust", "--revoke", "."]).out,
        "[PLACE]/project/.sekisho/config.json is no longer trusted\n"
    );
    assert_eq!(deploy(), 3);
}

#[test]
fn planted_allow_is_shown_and_not_trusted() {
    let place = TestHome::new();
    assert_eq!(place.run(&["rules", "add", "allow", "--tool", "get"]).code, 0);
    assert_eq!(place.run(&["check", "get"]).code, 0);
    let planted = std::fs::read_to_string(place.project()).unwrap().replace("\"get\"", "\"evil\"");
    TestHome::write(&place.project(), &planted);
    let output = place.run(&["rules", "add", "allow", "--tool", "list_users"]);
    assert_eq!((output.code, output.out.as_str()), (1, ""));
    assert!(output.err.contains("+       { \"tool\": \"evil\" }"), "{}", output.err);
    assert!(output.err.contains("read it, then run `sekisho trust`"), "{}", output.err);
    assert_eq!(std::fs::read_to_string(place.project()).unwrap(), planted);
    assert_eq!((place.run(&["check", "evil"]).code, place.run(&["check", "list_users"]).code), (3, 3));
}

#[test]
fn without_a_terminal_nothing_is_trusted() {
    let place = TestHome::new();
    let output = place.run(&["trust"]);
    assert_eq!(
        (output.code, output.err.contains("there is no project file to trust")),
        (1, true),
        "{}",
        output.err
    );
    TestHome::write(&place.project(), "{");
    assert_eq!(place.run(&["trust", "--yes"]).code, 1);
}
