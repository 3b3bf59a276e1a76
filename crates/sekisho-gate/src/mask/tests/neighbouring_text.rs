//! Passwords recognised by the text next to them: unlisted programs, device settings, two-element
//! lists, here-documents.

use super::detector_cases::Case;

pub(super) static UNLISTED: &[Case] = &[
    Case {
        detector: "login-flags",
        found: &[
            ("anything -u me -p Hunter2xx --all", "anything -u me -p § --all"),
            ("tool sync --username me -P Hunter2xx", "tool sync --username me -P §"),
            ("./bin/x.exe -p hunter2xX -U corp\\me", "./bin/x.exe -p § -U corp\\me"),
        ],
        left: &[
            "sudo -u me mkdir -p Release2024",
            "ssh -l me -p 2222 host",
            "anything -u me -p 8080",
            "anything -u me -p profile",
            "anything -p Hunter2xx",
            "docker run -u 1000 -p 8080:80 Image2x",
            "anything -u me -p $PASSWORD",
            "anything -u me -p ./Report2024",
        ],
    },
    Case {
        detector: "domain-login",
        found: &[
            ("impacket-wmiexec corp/me:hunter2@10.0.0.7", "impacket-wmiexec corp/me:§@10.0.0.7"),
            ("impacket-smbexec 'corp/me:hunter2@10.0.0.7'", "impacket-smbexec 'corp/me:§@10.0.0.7'"),
            ("GetUserSPNs.py corp.local/me:Hunter2xx -request", "GetUserSPNs.py corp.local/me:§ -request"),
        ],
        left: &[
            "python run.py images/name:v12",
            "python run.py a/b:latest",
            "x.py corp/me@host",
            "x.py https://h/a:b",
            "impacket-wmiexec corp/me:$PASSWORD@host",
        ],
    },
    Case {
        detector: "device-key",
        found: &[
            ("snmp-server community hunter2 RO", "snmp-server community § RO"),
            ("tacacs-server key 7 hunter2", "tacacs-server key 7 §"),
            ("ntp authentication-key 1 md5 hunter2", "ntp authentication-key 1 md5 §"),
            ("aaa-server R host 10.0.0.1 key hunter2", "aaa-server R host 10.0.0.1 key §"),
            ("crypto isakmp key hunter2 address 10.0.0.1", "crypto isakmp key § address 10.0.0.1"),
        ],
        left: &[
            "the snmp-server community is welcome",
            "how to set password for a user",
            "set community on",
            "radius-server host 10.0.0.1 timeout 5",
        ],
    },
    Case {
        detector: "login-list",
        found: &[
            ("curl -d '{\"login\":[\"me\",\"hunter2\"]}' h", "curl -d '{\"login\":[\"me\",\"§\"]}' h"),
            (
                "{\"method\":\"user.login\",\"params\":[\"me\",\"hunter2\"]",
                "{\"method\":\"user.login\",\"params\":[\"me\",\"§\"]",
            ),
        ],
        left: &[
            "{\"login\":[\"me\",\"you\",\"him\"]}x",
            "{\"method\":\"add\",\"params\":[\"me\",\"you\"]",
            "{\"login\": \"me\"",
        ],
    },
    Case {
        detector: "here-document",
        found: &[
            ("pass insert x <<E\nhunter2\nE", "pass insert x <<E\n§\nE"),
            ("gopass insert -m x <<'E'\nhunter2\nE", "gopass insert -m x <<'E'\n§\nE"),
        ],
        left: &["cat <<E\nHunter2xx\nE", "git commit -F - <<E\nAdd2 it\nE", "sudo tee x <<E\nhunter2\nE"],
    },
    Case {
        detector: "sql-key",
        found: &[
            ("PRAGMA key = 'hunter2'; .tables", "PRAGMA key = '§'; .tables"),
            ("ATTACH 'a.db' AS b KEY 'hunter2'", "ATTACH 'a.db' AS b KEY '§'"),
            ("CREATE SECRET s (TYPE s3, SECRET 'hunter2')", "CREATE SECRET s (TYPE s3, SECRET '§')"),
        ],
        left: &["PRAGMA key_count", "the secret 'x' of it", "press key 'enter' twice"],
    },
    Case {
        detector: "call-password",
        found: &[
            ("client.connect(host, 22, user, 'hunter2')", "client.connect(host, 22, user, '§')"),
            ("basic_auth(user, Some(\"hunter2\"))", "basic_auth(user, Some(\"§\"))"),
            ("SELECT pgp_sym_encrypt(data, 'hunter2')", "SELECT pgp_sym_encrypt(data, '§')"),
            ("SELECT crypt('hunter2', gen_salt('bf'))", "SELECT crypt('§', gen_salt('bf'))"),
            (
                "curl_setopt($c, CURLOPT_USERPWD, \"me:hunter2\");",
                "curl_setopt($c, CURLOPT_USERPWD, \"me:§\");",
            ),
        ],
        left: &[
            "socket.connect(host, port, flags, 'name')",
            "decrypt('data', key)",
            "SELECT crypt(name, salt)",
        ],
    },
    Case {
        detector: "protocol-password",
        found: &[("HELLO 3 AUTH me hunter2", "HELLO 3 AUTH me §")],
        left: &["HELLO 3 SETNAME me now", "hello to the author of it"],
    },
    Case {
        detector: "piped-password",
        found: &[
            (
                "gcloud secrets versions add x --data-file=<(echo hunter2)",
                "gcloud secrets versions add x --data-file=<(echo §)",
            ),
            ("wpscan -P <(printf %s Hunter2xx)", "wpscan -P <(printf %s §)"),
        ],
        left: &["diff <(echo abc) <(echo Abd)", "comm -12 <(echo one) b"],
    },
    Case {
        detector: "command-password",
        found: &[
            ("salt-call user.setpassword me hunter2", "salt-call user.setpassword me §"),
            ("salt '*' user.setpassword me hunter2", "salt '*' user.setpassword me §"),
            ("nsupdate -y hmac-sha256:upd:aGVsbG8= x", "nsupdate -y hmac-sha256:upd:§ x"),
        ],
        left: &["salt '*' test.ping", "dig example.com +short"],
    },
    Case {
        detector: "secret-value",
        found: &[("foo --token ~/9fXq27LmZt", "foo --token §")],
        left: &["foo --token ~/token", "foo --token ~/.config/token.txt", "foo --token ./tokens"],
    },
];
