//! What keeps a server from starting is one clear line, and nothing was written before.

use std::net::TcpListener;

use super::test_server::TestServer;
use crate::test_home::{TestHome, CommandOutput};

fn serve(place: &TestHome, arguments: &[&str], variables: &[(&str, &str)]) -> CommandOutput {
    let all: Vec<&str> = ["serve"].into_iter().chain(arguments.iter().copied()).collect();
    let command =
        variables.iter().fold(place.command(&all), |command, (name, value)| command.env(name, value));
    let said = place.output(&command.assert());
    assert_eq!(said.out, "", "{arguments:?}");
    said
}

#[track_caller]
fn refused(place: &TestHome, arguments: &[&str], variables: &[(&str, &str)], code: i32, expected: &str) {
    let said = serve(place, arguments, variables);
    assert_eq!((said.code, said.err.as_str()), (code, expected), "{arguments:?} {variables:?}");
    assert!(!place.home().join(".local/state/sekisho/ledger.db").exists());
}

#[test]
fn variables_that_make_no_sense() {
    let place = TestHome::new();
    for value in ["yes", "0", "FALSE"] {
        let expected = format!(
            "error: `TOOL_APPROVAL_ENABLED`: `{value}` is neither `true` nor `false`; write one of them, or unset it\n"
        );
        refused(&place, &[], &[("TOOL_APPROVAL_ENABLED", value)], 1, &expected);
    }
    refused(
        &place,
        &[],
        &[("SEKISHO_LISTEN", "8787")],
        1,
        "error: `SEKISHO_LISTEN`: `8787` is no address to listen on; write one with a port, such as `127.0.0.1:8787` or `[::1]:8787`\n",
    );
    refused(
        &place,
        &[],
        &[("SEKISHO_SERVER_CONFIG", "/nowhere/server.json")],
        1,
        "error: /nowhere/server.json: the file that `SEKISHO_SERVER_CONFIG` names is not there; create it, or unset it\n",
    );
    refused(
        &place,
        &["--listen", "127.0.0.1:0"],
        &[("SEKISHO_SECRETS", "NO_SUCH_SECRET")],
        1,
        "error: secret `NO_SUCH_SECRET`: there is no such variable: it is named under `secrets`, so that it is never on the record; put it right, or take it off the list\n",
    );
}

#[test]
fn flags_that_make_no_sense() {
    let place = TestHome::new();
    refused(
        &place,
        &["--listen", "0.0.0.0:0"],
        &[],
        64,
        "error: `0.0.0.0:0` can be reached from other machines; give `--allow-remote` too if that is meant, or listen on `127.0.0.1:0`\n",
    );
    refused(
        &place,
        &["--tls-cert", "a.pem"],
        &[],
        64,
        "error: there is a TLS certificate and no key; give `--tls-key` too\n",
    );
    refused(
        &place,
        &["--allow-host", "http://a"],
        &[],
        64,
        "error: `http://a` is no name of a host; write one such as `sekisho.lan` or `sekisho.lan:8787`\n",
    );
    refused(
        &place,
        &["--listen", "127.0.0.1:0", "--project", "/nowhere"],
        &[],
        1,
        "error: /nowhere: there is no such file\n",
    );
    for arguments in [
        &["--listen", "here"][..],
        &["--timeout-s", "0"],
        &["--log", "loud"],
        &["--frob"],
        &["--public-url", "a"],
    ] {
        let said = serve(&place, arguments, &[]);
        assert_eq!(said.code, 64, "{arguments:?}: {}", said.err);
    }
}

#[test]
fn a_file_that_makes_no_sense() {
    let place = TestHome::new();
    let file = place.home().join(".config/sekisho/server.json");
    for (text, said) in [
        (
            r#"{ "lisen": "127.0.0.1:1" }"#,
            "[PLACE]/home/.config/sekisho/server.json:1:3: lisen: unknown field `lisen`; did you mean `listen`?",
        ),
        (
            "{\n  \"listen\": \"everywhere\"\n}",
            "[PLACE]/home/.config/sekisho/server.json:2:13: listen: `everywhere` is no address to listen on; write one with a port, such as `127.0.0.1:8787` or `[::1]:8787`",
        ),
        (
            r#"{ "tls_cert": "cert.pem", "tls_key": "key.pem" }"#,
            "TLS: the certificate `[PLACE]/home/.config/sekisho/cert.pem` cannot be read: no such file or directory (os error 2)",
        ),
    ] {
        TestHome::write(&file, text);
        refused(&place, &[], &[], 1, &format!("error: {said}\n"));
    }
    // It is for every command: they would speak of another database otherwise.
    TestHome::write(&file, r#"{ "databse": "postgres://ann:hush@h/app" }"#);
    let said = place.run(&["audit", "search"]);
    assert!(
        said.code == 1 && said.err.contains("did you mean `database`?") && !said.err.contains("hush"),
        "{}",
        said.err
    );
}

#[test]
fn a_port_that_is_taken() {
    let place = TestHome::new();
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();
    std::thread::spawn(move || other.incoming().for_each(drop));
    let said = serve(&place, &["--listen", &address], &[]);
    assert_eq!(said.code, 1);
    let expected =
        "another program listens there; end it, or give another `--listen` (port 0 picks a free one)";
    assert!(said.err.contains(&address) && said.err.contains(expected), "{}", said.err);
    let server = TestServer::start(&place, &[]);
    let said = serve(&TestHome::new(), &["--listen", &format!("127.0.0.1:{}", server.port)], &[]);
    assert!(said.code == 1 && said.err.contains("another sekisho serves there"), "{}", said.err);
    let said = serve(&place, &["--listen", "127.0.0.1:0"], &[]);
    let expected = "sekisho.sock: another server is listening there; stop it, or use another path (give another `--socket`, or `--socket none`)\n";
    assert!(said.code == 1 && said.err.ends_with(expected), "{}", said.err);
    server.stop();
}

#[test]
fn a_record_without_its_key() {
    let place = TestHome::new();
    TestServer::start(&place, &[]).stop();
    std::fs::remove_file(place.home().join(".local/state/sekisho/audit.key")).unwrap();
    let said = serve(&place, &["--listen", "127.0.0.1:0"], &[]);
    assert!(said.code == 1 && said.err.contains("there is no key"), "{}", said.err);
}
