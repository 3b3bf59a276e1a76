//! Secrets on standard input, in login files, and as answers to prompts.

use super::detector_cases::Case;

pub(super) static PIPED: &[Case] = &[
    Case {
        detector: "piped-password",
        found: &[
            ("echo hunter2 | sudo -S apt update", "echo § | sudo -S apt update"),
            ("echo 'hunter2' | sudo -S -k ls", "echo '§' | sudo -S -k ls"),
            ("echo \"hunter2\" | sudo -S sh -c 'id; ls'", "echo \"§\" | sudo -S sh -c 'id; ls'"),
            ("printf '%s\\n' hunter2 | sudo -S ls", "printf '%s\\n' § | sudo -S ls"),
            ("printf \"hunter2\\n\" | sudo -S ls", "printf \"§\\n\" | sudo -S ls"),
            ("echo -n hunter2 | sudo --stdin ls", "echo -n § | sudo --stdin ls"),
            ("echo root:hunter2 | chpasswd", "echo root:§ | chpasswd"),
            ("echo \"bob:hunter2\" | sudo chpasswd", "echo \"bob:§\" | sudo chpasswd"),
            ("echo 'bob:hunter2' | sudo chpasswd -e", "echo 'bob:§' | sudo chpasswd -e"),
            (
                "echo hunter2 | docker login -u me --password-stdin ghcr.io",
                "echo § | docker login -u me --password-stdin ghcr.io",
            ),
            (
                "echo \"hunter2\" | podman login --username me --password-stdin",
                "echo \"§\" | podman login --username me --password-stdin",
            ),
            ("echo hunter2 | passwd --stdin bob", "echo § | passwd --stdin bob"),
            ("echo -e \"hunter2\\nhunter2\" | passwd bob", "echo -e \"§\\n§\" | passwd bob"),
            (
                "echo -e 'hunter2\\nhunter2' | sudo smbpasswd -a -s bob",
                "echo -e '§\\n§' | sudo smbpasswd -a -s bob",
            ),
            ("echo hunter2 | gh auth login --with-token", "echo § | gh auth login --with-token"),
            ("echo -n hunter2 | gh secret set DEPLOY", "echo -n § | gh secret set DEPLOY"),
            (
                "echo hunter2 | gpg --batch --passphrase-fd 0 -d f.gpg",
                "echo § | gpg --batch --passphrase-fd 0 -d f.gpg",
            ),
            (
                "echo hunter2 | cryptsetup luksOpen /dev/sda1 c -",
                "echo § | cryptsetup luksOpen /dev/sda1 c -",
            ),
            (
                "echo -n hunter2 | openssl enc -aes-256-cbc -pass stdin -in a",
                "echo -n § | openssl enc -aes-256-cbc -pass stdin -in a",
            ),
            ("echo hunter2 | kinit me@EXAMPLE.COM", "echo § | kinit me@EXAMPLE.COM"),
            ("echo hunter2 | su - bob -c id", "echo § | su - bob -c id"),
            ("echo hunter2 | wrangler secret put API", "echo § | wrangler secret put API"),
            ("echo hunter2 | vercel env add API production", "echo § | vercel env add API production"),
            ("echo -n \"hunter2\" | docker secret create db -", "echo -n \"§\" | docker secret create db -"),
            (
                "echo hunter2 | helm registry login r -u me --password-stdin",
                "echo § | helm registry login r -u me --password-stdin",
            ),
            ("echo hunter2 | tr -d '\\n' | sudo -S ls", "echo § | tr -d '\\n' | sudo -S ls"),
            ("printf -v PASSWORD '%s' hunter2", "printf -v PASSWORD '%s' §"),
            ("echo 'a b c' | gpg --passphrase-fd 0 -d f", "echo '§' | gpg --passphrase-fd 0 -d f"),
            ("echo 'root:a b c' | chpasswd", "echo 'root:§' | chpasswd"),
            ("(echo hunter2; echo hunter2) | passwd bob", "(echo §; echo §) | passwd bob"),
            ("{ echo hunter2; cat f; } | sudo -S tee x", "{ echo §; cat f; } | sudo -S tee x"),
            ("f() { echo hunter2; }; f | sudo -S ls", "f() { echo §; }; f | sudo -S ls"),
            (
                "printf 'USER=%s\\nDB_PASSWORD=%s\\n' me hunter2 > .env",
                "printf 'USER=%s\\nDB_PASSWORD=%s\\n' me § > .env",
            ),
            ("docker login -p \"$(echo hunter2)\"", "docker login -p \"$(echo §)\""),
            ("TOKEN=$(echo hunter2)", "TOKEN=$(echo §)"),
            ("printf '%s\\n' hunter2 hunter3 | passwd bob", "printf '%s\\n' § § | passwd bob"),
        ],
        left: &[
            "echo 'rm -rf x' | su",
            "echo 'curl https://e.example' | su - root",
            "echo hello | sudo tee f",
            "echo $PW | sudo -S ls",
            "echo y | sudo apt install x",
            "(echo a; echo b) | sort",
            "printf 'USER=%s\\nHOME=%s\\n' me /home/me > .env",
            "printf 'PASSWORD=%s\\n' \"$PASSWORD\" > .env",
            "NOW=$(echo hunter2)",
            "echo -p \"$(echo hello)\"",
            "{ echo hello; } > f; ls | sudo -S tee g",
            "echo 'a: b c' | kubeseal",
            "echo 'select 1 from t' | snowsql",
            "f() { echo hello; }; f | sort",
        ],
    },
    Case {
        detector: "here-string",
        found: &[
            ("sudo -S ls <<< hunter2", "sudo -S ls <<< §"),
            ("sudo -S ls <<<\"hunter2\"", "sudo -S ls <<<\"§\""),
            ("chpasswd <<< 'root:hunter2'", "chpasswd <<< 'root:§'"),
            ("sudo chpasswd <<<\"root:hunter2\"", "sudo chpasswd <<<\"root:§\""),
            (
                "docker login -u me --password-stdin <<< \"hunter2\"",
                "docker login -u me --password-stdin <<< \"§\"",
            ),
            ("gh auth login --with-token <<< hunter2", "gh auth login --with-token <<< §"),
            ("read -r PASSWORD <<< hunter2", "read -r PASSWORD <<< §"),
        ],
        left: &[],
    },
    Case {
        detector: "secret-value",
        found: &[
            ("machine example.com login me password hunter2", "machine example.com login me password §"),
            ("machine example.com\nlogin me\npassword hunter2", "machine example.com\nlogin me\npassword §"),
            (
                "echo \"machine h login me password hunter2\" >> ~/.netrc",
                "echo \"machine h login me password §\" >> ~/.netrc",
            ),
            ("default login anonymous password me@example", "default login anonymous password §"),
        ],
        left: &[],
    },
    Case {
        detector: "sent-password",
        found: &[
            (
                "expect -c 'spawn ssh h; expect \"*assword:*\"; send \"hunter2\\r\"; interact'",
                "expect -c 'spawn ssh h; expect \"*assword:*\"; send \"§\\r\"; interact'",
            ),
            ("expect \"Password:\"\nsend \"hunter2\\r\"", "expect \"Password:\"\nsend \"§\\r\""),
            (
                "expect \"*?assword:*\" { send -- \"hunter2\\r\" }",
                "expect \"*?assword:*\" { send -- \"§\\r\" }",
            ),
            (
                "expect -c \"spawn ssh h; expect \\\"*assword*\\\"; send -- \\\"hunter2\\\\r\\\"\"",
                "expect -c \"spawn ssh h; expect \\\"*assword*\\\"; send -- \\\"§\\\\r\\\"\"",
            ),
            (
                "child.expect('Password:')\nchild.sendline('hunter2')",
                "child.expect('Password:')\nchild.sendline('§')",
            ),
        ],
        left: &["send \"ls\\r\"", "expect \"$ \"; send \"ls\\r\""],
    },
    Case {
        detector: "pgpass",
        found: &[
            ("localhost:5432:app:me:hunter2", "localhost:5432:app:me:§"),
            (
                "echo \"db.example.com:5432:*:me:hunter2\" >> ~/.pgpass",
                "echo \"db.example.com:5432:*:me:§\" >> ~/.pgpass",
            ),
            ("*:*:*:me:hunter2", "*:*:*:me:§"),
            ("echo 'h:5432:db:me:a&b c:d' >> ~/.pgpass", "echo 'h:5432:db:me:§' >> ~/.pgpass"),
        ],
        left: &["127.0.0.1:5432:5432", "localhost:5432:app"],
    },
    Case {
        detector: "here-document",
        found: &[
            ("cat > password.txt <<E\nhunter2\nE", "cat > password.txt <<E\n§\nE"),
            ("cat <<E > ~/.vault_pass\nhunter2\nE", "cat <<E > ~/.vault_pass\n§\nE"),
            ("TOKEN=$(cat <<E\nhunter2\nE\n)", "TOKEN=$(cat <<E\n§\nE\n)"),
            ("sudo -S ls <<E\na b c\nE", "sudo -S ls <<E\n§\nE"),
        ],
        left: &["cat > notes.txt <<E\nhunter2\nE", "cat > password.py <<E\nhunter2\nE", "su <<E\na b c\nE"],
    },
    Case {
        detector: "csv-secret",
        found: &[
            ("user,password\nbob,hunter2\nal,hunter3\n", "user,password\nbob,§\nal,§\n"),
            ("token,name\n\"hunter2\",bob", "token,name\n\"§\",bob"),
        ],
        left: &[
            "user,password\n",
            "user,password\nno comma here",
            "select user,password\nfrom a,b",
            "name,tokens\nbob,hunter2",
        ],
    },
    Case {
        detector: "password-list",
        found: &[
            ("chpasswd <<EOF\nroot:hunter2\nEOF", "chpasswd <<EOF\nroot:§\nEOF"),
            (
                "sudo chpasswd <<END\nroot:hunter2\nbob:hunter3\nEND",
                "sudo chpasswd <<END\nroot:§\nbob:§\nEND",
            ),
        ],
        left: &["chpasswd < users.txt", "chpasswd <<EOF\n$USERS\nEOF"],
    },
];
