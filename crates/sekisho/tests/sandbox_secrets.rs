//! Sekisho's own files and the sandbox.

use crate::test_home::TestHome;

#[test]
fn state_directory_is_not_read_in_the_sandbox() {
    let home = TestHome::new();
    let state = home.home().join(".local/state/sekisho");
    TestHome::write(&state.join("key"), "swordfish");
    TestHome::write(&home.home().join(".config/sekisho/server.json"), r#"{ "database": "swordfish" }"#);
    TestHome::write(&home.home().join("notes"), "notes");
    let text = "cat ~/.local/state/sekisho/key ~/.config/sekisho/server.json; cat ~/notes";
    let output = home.run(&["sandbox", "--", "bash", "-c", text]);
    assert_eq!((output.code, output.out.as_str()), (0, "notes"), "{}", output.err);
}

#[test]
fn private_key_of_the_server_is_not_read_in_the_sandbox() {
    let home = TestHome::new();
    let tls = r#"{ "tls_cert": "/etc/hostname", "tls_key": "../../keys/tls.pem" }"#;
    TestHome::write(&home.home().join(".config/sekisho/server.json"), tls);
    TestHome::write(&home.home().join("keys/tls.pem"), "swordfish");
    TestHome::write(&home.home().join("keys/notes"), "notes");
    let output = home.run(&["sandbox", "--", "bash", "-c", "cat ~/keys/tls.pem; cat ~/keys/notes"]);
    assert_eq!((output.code, output.out.as_str()), (0, "notes"), "{}", output.err);
}

#[test]
fn state_directory_is_not_writable_in_the_sandbox() {
    let home = TestHome::new();
    let whole = home.home();
    let output = home.run(&["sandbox", "--write", whole.to_str().unwrap(), "--", "true"]);
    assert_eq!(output.code, 125, "{}", output.err);
    assert!(output.err.contains("`[PLACE]/home` cannot be writable"), "{}", output.err);
}

#[test]
fn temporary_directory_is_removed_after_the_command() {
    let home = TestHome::new();
    let text = "mkdir -p $TMPDIR/a/b; chmod 0 $TMPDIR/a; echo $TMPDIR";
    let output = home.run(&["sandbox", "--", "bash", "-c", text]);
    let path = std::path::Path::new(output.out.trim());
    assert!(path.is_absolute() && !path.exists(), "{}{}", output.out, output.err);
}
