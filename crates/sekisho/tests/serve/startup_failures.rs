//! A server that cannot start prints one clear line, and has written nothing before.

use std::net::TcpListener;

use super::test_server::TestServer;
use crate::test_home::{CommandOutput, TestHome};

fn serve(place: &TestHome, arguments: &[&str], variables: &[(&str, &str)]) -> CommandOutput {
    let all: Vec<&str> = ["serve"].into_iter().chain(arguments.iter().copied()).collect();
    let command =
        variables.iter().fold(place.command(&all), |command, (name, value)| command.env(name, value));
    let output = place.output(&command.assert());
    assert_eq!(output.out, "", "{arguments:?}");
    output
}

#[track_caller]
fn refused(place: &TestHome, arguments: &[&str], variables: &[(&str, &str)], code: i32, expected: &str) {
    let output = serve(place, arguments, variables);
    assert_eq!((output.code, output.err.as_str()), (code, expected), "{arguments:?} {variables:?}");
    assert!(!place.home().join(".local/state/sekisho/ledger.db").exists());
}

#[test]
fn invalid_variables() {
    let place = TestHome::new();
    for value in ["yes", "0", "FALSE"] {
        let expected = format!(
            "error: `TOOL_APPROVAL_ENABLED`: `{value}` is neither `true` nor `false`; use one of them, or unset it\n"
        );
        refused(&place, &[], &[("TOOL_APPROVAL_ENABLED", value)], 1, &expected);
    }
    refused(
        &place,
        &[],
        &[("SEKISHO_LISTEN", "8787")],
        1,
        "error: `SEKISHO_LISTEN`: `8787` is not a listen address; expected an address with a port, such as `127.0.0.1:8787` or `[::1]:8787`\n",
    );
    refused(
        &place,
        &[],
        &[("SEKISHO_SERVER_CONFIG", "/nowhere/server.json")],
        1,
        "error: /nowhere/server.json: the file named by `SEKISHO_SERVER_CONFIG` does not exist; create it, or unset the variable\n",
    );
    refused(
        &place,
        &["--listen", "127.0.0.1:0"],
        &[("SEKISHO_SECRETS", "NO_SUCH_SECRET")],
        1,
        "error: secret `NO_SUCH_SECRET`: the variable is not set; it is listed under `secrets`, so that its value is never recorded; fix it, or remove it from the list\n",
    );
}

#[test]
fn invalid_flags() {
    let place = TestHome::new();
    refused(
        &place,
        &["--listen", "0.0.0.0:0"],
        &[],
        64,
        "error: `0.0.0.0:0` can be reached from other machines; add `--allow-remote` if you want that, or listen on `127.0.0.1:0`\n",
    );
    refused(
        &place,
        &["--tls-cert", "a.pem"],
        &[],
        64,
        "error: there is a TLS certificate but no key; add `--tls-key`\n",
    );
    refused(
        &place,
        &["--allow-host", "http://a"],
        &[],
        64,
        "error: `http://a` is not a host name; expected a name such as `sekisho.lan` or `sekisho.lan:8787`\n",
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
        let output = serve(&place, arguments, &[]);
        assert_eq!(output.code, 64, "{arguments:?}: {}", output.err);
    }
}

#[test]
fn invalid_config_file() {
    let place = TestHome::new();
    let file = place.home().join(".config/sekisho/server.json");
    for (text, output) in [
        (
            r#"{ "lisen": "127.0.0.1:1" }"#,
            "[PLACE]/home/.config/sekisho/server.json:1:3: lisen: unknown field `lisen`; did you mean `listen`?",
        ),
        (
            "{\n  \"listen\": \"everywhere\"\n}",
            "[PLACE]/home/.config/sekisho/server.json:2:13: listen: `everywhere` is not a listen address; expected an address with a port, such as `127.0.0.1:8787` or `[::1]:8787`",
        ),
        (
            r#"{ "tls_cert": "cert.pem", "tls_key": "key.pem" }"#,
            "TLS: cannot read the certificate `[PLACE]/home/.config/sekisho/cert.pem`: no such file or directory (os error 2)",
        ),
    ] {
        TestHome::write(&file, text);
        refused(&place, &[], &[], 1, &format!("error: {output}\n"));
    }
    // The server's config file concerns every command: it names the database.
    TestHome::write(&file, r#"{ "databse": "postgres://ann:hush@h/app" }"#);
    let output = place.run(&["audit", "search"]);
    assert!(
        output.code == 1 && output.err.contains("did you mean `database`?") && !output.err.contains("hush"),
        "{}",
        output.err
    );
}

#[test]
fn port_in_use() {
    let place = TestHome::new();
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();
    std::thread::spawn(move || other.incoming().for_each(drop));
    let output = serve(&place, &["--listen", &address], &[]);
    assert_eq!(output.code, 1);
    let expected =
        "another program listens there; stop it, or choose another `--listen` (port 0 picks a free port)";
    assert!(output.err.contains(&address) && output.err.contains(expected), "{}", output.err);
    let server = TestServer::start(&place, &[]);
    let output = serve(&TestHome::new(), &["--listen", &format!("127.0.0.1:{}", server.port)], &[]);
    assert!(output.code == 1 && output.err.contains("another sekisho is running there"), "{}", output.err);
    let output = serve(&place, &["--listen", "127.0.0.1:0"], &[]);
    let expected = "sekisho.sock: another server is listening there; stop it, or use another path (choose another `--socket`, or `--socket none`)\n";
    assert!(output.code == 1 && output.err.ends_with(expected), "{}", output.err);
    server.stop();
}

#[test]
fn audit_log_without_its_key() {
    let place = TestHome::new();
    TestServer::start(&place, &[]).stop();
    std::fs::remove_file(place.home().join(".local/state/sekisho/audit.key")).unwrap();
    let output = serve(&place, &["--listen", "127.0.0.1:0"], &[]);
    assert!(output.code == 1 && output.err.contains("the audit key is missing"), "{}", output.err);
}
