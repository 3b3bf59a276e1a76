//! Secrets of commands are masked, also beside programs that run text.

use jiff::Timestamp;
use sekisho_gate::audit::{ChainWriter, WriterId};
use sekisho_gate::record::{AuditEntry, RecordKind, SecretContext};
use sekisho_testkit::fixtures::{audit_config, masked};
use serde_json::{Value, json};

fn written(entry: &AuditEntry) -> String {
    let writer = WriterId(uuid::Uuid::from_bytes([1; 16]));
    format!("{:?}", ChainWriter::new(writer, audit_config().keys).write(&masked(entry.clone())).unwrap())
}

/// Nothing of `hidden` may be in the row of a command, for which the policy lists these programs.
#[track_caller]
fn check_command(command: &str, listed: &[&str], hidden: &str) {
    let body = json!({ "message": format!("bash: {command}"), "commands": listed });
    let entry = AuditEntry {
        context: SecretContext(json!({ "command": command })),
        ..AuditEntry::without_call(RecordKind::Question, Timestamp::UNIX_EPOCH, None, "asks".into(), body)
    };
    assert!(!written(&entry).contains(hidden), "{command}: {}", written(&entry));
}

#[test]
fn password_in_a_here_document_is_masked_beside_a_runner() {
    for command in [
        "sudo -S apt-get update <<E\n§\nE",
        "sudo -S make install <<E\n§\nE",
        "ssh h passwd --stdin me <<E\n§\nE",
        "ssh h sudo -S ls <<E\n§\nE",
        "docker login --password-stdin <<E\n§\nE\ngit pull",
        "gh auth login --with-token <<E\n§\nE\ngit pull",
        "vault login - <<E\n§\nE\ngit pull",
        "passwd me <<E\n§\n§\nE\ngit pull",
        "openssl enc -pass stdin <<E\n§\nE\ngit pull",
        "cryptsetup open /dev/x y <<E\n§\nE\nssh h",
    ] {
        for secret in ["Tr0ub4dor3xyzQ", "summerrain7"] {
            check_command(&command.replace('§', secret), &[], secret);
        }
    }
    let secret = "Tr0ub4dor3xyzQ";
    check_command("telnet h <<E\nme\nTr0ub4dor3xyzQ\nE\ngit pull", &[], secret);
    let manifest = "kubectl apply -f - <<E\nkind: Secret\nstringData:\n  b: |\n    Tr0ub4dor3xyzQ\nE\nssh h";
    check_command(manifest, &[], secret);
}

#[test]
fn password_with_shell_signs_is_masked_beside_a_runner() {
    for sign in ["&", ";", "|", "(", ">", "<", " "] {
        for command in [
            "sshpass -p '§' ssh h",
            "PASSWORD='§' git push",
            "SSHPASS='§' sshpass -e ssh h",
            "make PASSWORD='§'",
            "zip -P '§' a b",
            "docker run -e 'PASSWORD=§' i sh",
            "awk -v password='§' 1 f",
            "curl -d 'password=§' h | python3 -m json.tool",
        ] {
            check_command(&command.replace('§', &format!("Tr0ub{sign}4dor3xyzQ")), &[], "4dor3xyzQ");
        }
    }
    for command in [
        "git clone 'https://u:Tr0ub&4dor3xyzQ@h/r'",
        "echo 'Tr0ub&4dor3xyzQ' | sudo -S apt-get update",
        "cat > .env <<E\nA=1\nPASSWORD=Tr0ub;4dor3xyzQ\nE\ngit add .env",
        "curl -H 'Cookie: sid=Aa1Bb2Cc3Dd4; t=4dor3xyzQ' h | python3",
        "curl -b 'a=Aa1Bb2Cc3Dd4; b=4dor3xyzQ' h | sh",
        "curl -H 'Authorization: Digest username=\"u\", response=\"Tr0ub4dor3xyzQ99\"' h | sh",
    ] {
        check_command(command, &[], "4dor3xyzQ");
    }
    for command in [
        "sshpass -p 'Reed Grass 6' ssh h uptime",
        "curl -u 'me:Reed Grass 6' \"$URL\"",
        "mysql -p'Reed Grass 6' $DB",
    ] {
        check_command(command, &[], "Grass");
    }
}

/// The variable holds a password that is passed on and not run.
#[test]
fn password_in_a_variable_is_masked() {
    for command in [
        "PASSWORD=hunter2; mysql -p\"$PASSWORD\" db",
        "PASSWORD=hunter2; curl -u me:$PASSWORD h | sh",
        "PASSWORD=hunter2; foo --password $PASSWORD",
        "PASSWORD=hunter2; sshpass -p $PASSWORD ssh h",
        "TOKEN=hunter2; bash -c \"curl -H 'Authorization: Bearer $TOKEN' h\"",
        "export DB_PASSWORD=hunter2; ./manage.py migrate",
        "export DB_PASSWORD=hunter2; exec \"$@\"",
        "DB_PASSWORD='hunter2'\nrun() { \"$1\" x; }",
        "PASSWORD=hunter2; read x; $x",
        "for h in a b; do PASSWORD=hunter2 ./run $h; done",
        "echo hunter2 | sudo -S apt install $PKG",
        "PASSWORD=hunter2; echo \"$PASSWORD\" | sudo -S apt-get update",
        "PASSWORD=hunter2; ssh h \"mysql -p$PASSWORD\"",
        "PASS=hunter2\nfor h in a b; do sshpass -p \"$PASS\" ssh $h uptime; done",
    ] {
        check_command(command, &[], "hunter2");
    }
}

/// The policy takes the value of an unknown option for a program.
#[test]
fn secret_listed_as_a_program_is_masked() {
    let secret = "Tr0ub4dor3xyzQ";
    for (command, listed) in [
        ("sudo --password Tr0ub4dor3xyzQ ls", &[secret][..]),
        ("nice --password 'Tr0ub4dor3xyzQ' ls", &[secret]),
        ("torsocks -u a -p Tr0ub4dor3xyzQ ssh h", &["a", secret, "ssh"]),
        ("make PASSWORD='Kq93mZpwLx Tr0ub4dor3xyzQ'", &["make PASSWORD=Kq93mZpwLx Tr0ub4dor3xyzQ"]),
    ] {
        check_command(command, listed, secret);
    }
    for (command, listed, secret) in [
        ("op item create password='k9Fq&zR4tWm2x'", &["op", "item", "zR4tWm2x"][..], "zR4tWm2x"),
        ("aws-vault exec p -- env TOKEN='Sommer;whale9x' ./x", &["aws-vault", "whale9x"], "whale9x"),
        ("parallel 'curl -u me:aa/bb9cc8dd {}'", &["bb9cc8dd {}", "curl"], "bb9cc8dd"),
        ("expect -c 'expect \"password:\"; send \"aa/bb9cc8dd\\r\"'", &["bb9cc8dd\\r\";"], "bb9cc8dd"),
    ] {
        check_command(command, listed, secret);
    }
}

/// The reader runs none of its input, so a blank is a part of the password.
#[test]
fn passphrase_on_standard_input_is_masked() {
    for command in [
        "echo '§' | sudo -S apt update",
        "printf '%s\\n' '§' | sudo -S ls",
        "sudo -S ls <<< '§'",
        "sudo -S ls <<<'§'",
        "sudo -S ls <<EOF\n§\nEOF",
        "echo 'root:§' | chpasswd",
        "chpasswd <<< 'bob:§'",
        "chpasswd <<EOF\nbob:§\nEOF",
        "echo '§' | passwd --stdin bob",
        "echo -e '§\\n§' | passwd bob",
        "echo '§' | gpg --batch --passphrase-fd 0 -d f",
        "echo '§' | gpg --passphrase-fd 0 -d f | bash",
        "gpg --passphrase-fd 0 -d f <<< '§'",
        "echo -n '§' | cryptsetup luksOpen /dev/sdb x -",
        "echo '§' | docker login -u me --password-stdin",
        "echo '§' | docker secret create x -",
        "echo '§' | ssh h sudo -S ls",
        "echo '§' | su -c ls",
        "echo § | gh secret set X",
        "echo '§' | sudo -S bash x.sh",
    ] {
        for (secret, hidden) in [("correct horse battery staple", "battery"), ("Blue Whale 42!x", "Whale")] {
            check_command(&command.replace('§', secret), &[], hidden);
        }
    }
}

#[test]
fn password_written_by_a_group_a_loop_or_a_function_is_masked() {
    for command in [
        "(echo '§'; echo '§') | passwd bob",
        "{ echo '§'; echo '§'; } | sudo passwd root",
        "(echo '§'; sleep 1; echo '§') | smbpasswd -s -a bob",
        "{ echo '§'; cat f; } | sudo -S tee /etc/x",
        "(sleep 1; echo '§') | su -c ls",
        "{ printf '%s\\n' '§'; yes; } | sudo -S apt install x",
        "for i in 1 2; do echo '§'; done | passwd bob",
        "if true; then echo '§'; fi | sudo -S ls",
        "f() { echo '§'; }; f | sudo -S ls",
        "echo '§' | tee >(sudo -S ls)",
        "printf '§\\n§\\n' | adduser bob",
        "printf '%s\\n%s\\n' '§' '§' | passwd bob",
        "printf '%s\\n' '§' '§' | sudo passwd bob",
    ] {
        for (secret, hidden) in
            [("Tr0ub4dor3xyzQ", "Tr0ub4"), ("k9Fq&zR4tWm2x", "zR4tW"), ("correcthorse", "horse")]
        {
            check_command(&command.replace('§', secret), &[], hidden);
        }
    }
}

/// The text runs, but only from its first word on, and the password is behind an option of the program.
#[test]
fn password_of_a_program_is_masked_in_text_that_runs() {
    for command in [
        "run() { \"$@\"; }; run mysql --password=§",
        "run() { \"$@\"; }; run sshpass -p '§' ssh h",
        "run() { \"$@\"; }; run docker login -u me -p '§'",
        "retry() { for i in 1 2; do \"$@\" && return; done; }; retry sshpass -p § ssh h ls",
        "try() { \"$@\" || exit 1; }; try curl -u me:'§' https://h",
        "try() { \"$@\" || exit 1; }; try curl -H 'X-Api-Key: §' https://h",
        "log() { echo \"+ $*\"; \"$@\"; }; log psql 'postgres://me:§@h/db'",
        "MYSQL=\"mysql -uroot -p§\"; $MYSQL -e 'select 1'",
        "CURL='curl -u me:§'; $CURL h",
        "alias db='mysql -uroot -p§'; db",
        "cmd=(mysql -uroot --password='§'); \"${cmd[@]}\"",
        "PASSWORD='§'; eval \"mysql -p$PASSWORD\"",
        "PASS='§'; echo \"$PASS\" | sudo -S bash x.sh",
        "PASS='§'; echo \"$PASS\" | sudo -S bash -c 'apt update'",
        "PASS='§'; echo \"$PASS\" | ssh h sudo -S ls",
        "PW='§'; sudo -S bash x.sh <<< \"$PW\"",
        "PW='§'; echo \"$PW\" | gpg --passphrase-fd 0 -d f | bash",
        "PASSWORD='§'; bash deploy.sh \"$PASSWORD\"",
        "TOKEN='§'; curl h/x.sh | bash -s -- $TOKEN",
        "TOKEN='§'; $(which curl) -H \"Authorization: Bearer $TOKEN\" h",
    ] {
        for secret in ["s3cr3tpassw0rd", "correcthorse"] {
            check_command(&command.replace('§', secret), &[], secret);
        }
    }
}

/// The text is data for a program that runs nothing of it, so the mask ends with its quotes.
#[test]
fn password_with_shell_signs_is_masked_in_data() {
    for sign in ["&", ";", "|", "("] {
        for command in [
            "curl -H 'apikey: §' h",
            "curl --header \"PRIVATE-TOKEN: §\" h",
            "wget --header='Authorization: Basic §' h",
            "http h 'Authorization:Bearer §'",
            "echo 'h:5432:db:me:§' >> ~/.pgpass",
            "docker exec minio mc alias set local http://localhost:9000 minioadmin '§'",
            "git clone https://me:'§'@h/r.git",
            "git clone 'https://me:§@h/r.git'",
            "curl -x http://me:'§'@proxy:3128 h",
            "psql postgres://me:'§'@h/db",
            "export HTTPS_PROXY=http://me:'§'@proxy",
        ] {
            check_command(&command.replace('§', &format!("k9Fq{sign}zR4tWm2x")), &[], "zR4t");
        }
    }
    check_command("curl -H 'apikey: Blue Whale 42!x' h", &[], "Whale");
    check_command("curl 'http://me:Blue Whale 42!x@h/x'", &[], "Whale");
    check_command("wget sftp://me:p4ss/w0rd#x@h/x", &[], "w0rd");
}

/// Nothing of `hidden` may be in the row of a call whose message is its JSON input.
#[track_caller]
fn check_input(input: &Value, hidden: &str) {
    let entry = AuditEntry {
        context: SecretContext(input.clone()),
        ..AuditEntry::without_call(
            RecordKind::Question,
            Timestamp::UNIX_EPOCH,
            None,
            "asks".into(),
            json!({ "message": format!("x/run: {input}") }),
        )
    };
    assert!(!written(&entry).contains(hidden), "{input}: {}", written(&entry));
}

#[test]
fn secret_announced_by_another_field_is_masked_in_the_message() {
    for secret in ["Tr0ub4dor3xyzQ", "correcthorse"] {
        for input in [
            json!({ "command": "mysql", "args": ["-uroot", format!("-p{secret}"), "db"] }),
            json!({ "program": "curl", "argv": ["-u", format!("me:{secret}"), "h"] }),
            json!({ "command": "docker", "args": ["login", "-u", "me", "-p", secret] }),
            json!({ "command": "sudo -S ls", "stdin": format!("{secret}\n") }),
            json!({ "query": "UPDATE t SET password = $1 WHERE id = $2", "params": [secret, 3] }),
            json!({ "columns": ["name", "password"], "rows": [["bob", secret]] }),
        ] {
            check_input(&input, secret);
        }
    }
}
