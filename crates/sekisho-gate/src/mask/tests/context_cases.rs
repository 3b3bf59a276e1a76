use super::detector_cases::Case;

pub(super) static PLACES: &[Case] = &[
    Case {
        detector: "gcp-private-key",
        found: &[
            (
                r#"{"private_key": "-----BEGIN PRIVATE KEY-----\n{s64}\n{s30}==\n-----END PRIVATE KEY-----\n", "n": 1}"#,
                r#"{"private_key": "§", "n": 1}"#,
            ),
            (
                r#"echo '{\"private_key\":\"-----BEGIN PRIVATE KEY-----\\n{s64}\\n-----END PRIVATE KEY-----\"}'"#,
                r#"echo '{\"private_key\":\"§\"}'"#,
            ),
        ],
        left: &[r#"{"private_key_id": "{x40}"}"#, r#"{"private_key": ""}"#, "private_key.pem"],
    },
    Case {
        detector: "ssh-private-key",
        found: &[
            (
                "-----BEGIN OPENSSH PRIVATE KEY-----\n{s70}\n{s70}\n{s11}=\n-----END OPENSSH PRIVATE KEY-----\n",
                "§\n",
            ),
            ("cat -----BEGIN OPENSSH PRIVATE KEY-----\n{s70}", "cat §"),
        ],
        left: &[
            "rg 'BEGIN OPENSSH PRIVATE KEY'",
            "rg -e '-----BEGIN OPENSSH PRIVATE KEY-----' ~",
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5{a40} me@host",
        ],
    },
    Case {
        detector: "pgp-private-key",
        found: &[
            (
                "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n{s64}\n{s64}\n={a4}\n-----END PGP PRIVATE KEY BLOCK-----",
                "§",
            ),
            ("> -----BEGIN PGP PRIVATE KEY BLOCK-----\n>\n> {s64}\n> {s20}\nbye", "> §\nbye"),
        ],
        left: &[
            "-----BEGIN PGP PUBLIC KEY BLOCK-----\n{s64}\n-----END PGP PUBLIC KEY BLOCK-----",
            "-----BEGIN PGP PRIVATE KEY BLOCK-----",
        ],
    },
    Case {
        detector: "private-key",
        found: &[
            (
                "a -----BEGIN RSA PRIVATE KEY-----\n{s64}\n{s64}\n{s20}\n-----END RSA PRIVATE KEY----- b",
                "a § b",
            ),
            (
                "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{u32}\n\n{s64}\n-----END EC PRIVATE KEY-----",
                "§",
            ),
            ("echo \"-----BEGIN PRIVATE KEY-----\n{s64}\n{s64}\" > k; ls", "echo \"§\" > k; ls"),
            ("-----BEGIN ENCRYPTED PRIVATE KEY-----\r\n  {s64}\r\n  {s64}\r\n", "§\r\n"),
        ],
        left: &[
            "-----BEGIN CERTIFICATE-----\n{s64}\n-----END CERTIFICATE-----",
            "echo -----BEGIN PRIVATE KEY-----; rm -rf ~; echo -----END PRIVATE KEY-----",
            "echo '-----BEGIN PRIVATE KEY-----' rm -rf / '-----END PRIVATE KEY-----'",
            "-----BEGIN PUBLIC KEY-----\n{s64}\n-----END PUBLIC KEY-----",
        ],
    },
    Case {
        detector: "telegram-token",
        found: &[
            ("https://api.telegram.org/bot{d9}:AA{a33}/getMe", "https://api.telegram.org/bot§/getMe"),
            ("{d10}:AA{a20}-_{a11} x", "§ x"),
        ],
        left: &["12:AA", "{d9}:AAshort", "00:AA:BB:CC:DD:EE"],
    },
    Case {
        detector: "aws-secret-key",
        found: &[
            ("aws_secret_access_key = {s40}", "aws_secret_access_key = §"),
            (r#"{"SecretAccessKey": "{s40}"}"#, r#"{"SecretAccessKey": "§"}"#),
            ("export AWS_SECRET_ACCESS_KEY={s40}; aws s3 ls", "export AWS_SECRET_ACCESS_KEY=§; aws s3 ls"),
        ],
        left: &[
            "AWS_SECRET_ACCESS_KEY",
            "aws_secret_access_key = $KEY",
            "{x40}",
            "unset AWS_SECRET_ACCESS_KEY",
        ],
    },
    Case {
        detector: "authorization",
        found: &[
            (
                "curl -H \"Authorization: Bearer xyz\" https://host/",
                "curl -H \"Authorization: Bearer §\" https://host/",
            ),
            ("AUTHORIZATION: basic dXNlcjpwYXNz\r\nHost: a", "AUTHORIZATION: basic §\r\nHost: a"),
            (
                "curl -H 'Authorization: Digest username=\"me\", realm=\"r\", response=\"{x32}\"' https://host/",
                "curl -H 'Authorization: Digest §' https://host/",
            ),
            (
                "headers.set(\"Authorization\", \"token {x40}\")",
                "headers.set(\"Authorization\", \"token §\")",
            ),
            ("{'Authorization': 'Bearer abc123'}", "{'Authorization': 'Bearer §'}"),
            ("Proxy-Authorization: {a20}", "Proxy-Authorization: §"),
            (
                "curl -H Authorization:\\ Bearer\\ xyz https://h/",
                "curl -H Authorization:\\ Bearer\\ § https://h/",
            ),
        ],
        left: &[
            "Authorization: Bearer $TOKEN",
            "Authorization: Bearer <token>",
            "the Authorization: header is required",
            "curl -H \"Authorization: Bearer ${TOKEN}\" https://host/",
            "rg -i authorization src",
            "echo 'Authorization: ' ; rm -rf ~",
        ],
    },
    Case {
        detector: "bearer-token",
        found: &[
            ("bearer {a32}", "bearer §"),
            ("send Bearer%20{a20} to it", "send Bearer%20§ to it"),
            ("bearer Bearer {a32}", "bearer Bearer §"),
            ("bearer xbearer {a32}", "bearer xbearer §"),
        ],
        left: &["the bearer of this letter", "Bearer authentication-mechanisms", "bearer: none"],
    },
    Case {
        detector: "cookie",
        found: &[
            ("curl -H 'Cookie: sid=abc; theme=dark' https://host/", "curl -H 'Cookie: §' https://host/"),
            ("Set-Cookie: sid={a32}; HttpOnly\r\nX: y", "Set-Cookie: §; HttpOnly\r\nX: y"),
            ("echo Cookie: a=b; rm -rf ~", "echo Cookie: §; rm -rf ~"),
            ("curl --cookie \"sid=abc\" https://host/", "curl --cookie \"§\" https://host/"),
            ("document.cookie = \"a=b\"", "document.cookie = \"§\""),
        ],
        left: &[
            "Cookie: a small file",
            "curl --cookie cookies.txt https://host/",
            "rg cookie: src",
            "if cookie == None",
            "Cookie: sid=$SID",
        ],
    },
    Case {
        detector: "connection-string",
        found: &[
            ("psql postgres://me:hunter@db.example:5432/app", "psql postgres://me:§@db.example:5432/app"),
            ("mongodb+srv://u:p%40ss@cluster.example/?w=1", "mongodb+srv://u:§@cluster.example/?w=1"),
            ("redis://:pw@cache:6379/0", "redis://:§@cache:6379/0"),
            ("postgresql+asyncpg://u:a/b#c@db/app", "postgresql+asyncpg://u:§@db/app"),
        ],
        left: &[
            "postgres://localhost:5432/app",
            "redis://cache:6379/0?who=a@b",
            "postgres://me@db/app",
            "postgres://me:$PGPASSWORD@db/app",
        ],
    },
    Case {
        detector: "url-password",
        found: &[
            ("git clone https://me:hunter2@host/x.git", "git clone https://me:§@host/x.git"),
            ("https://{a40}@host/x", "https://§@host/x"),
            ("ftp://u:p@ss@host", "ftp://u:§@host"),
        ],
        left: &[
            "https://host:8080/path/@scope/pkg",
            "https://me@host/x",
            "ssh://git@host:22/x.git",
            "https://me:${TOKEN}@host/x",
            "http://[::1]:80/",
            "https://host/a:b@c",
        ],
    },
    Case {
        detector: "command-password",
        found: &[
            ("mysql -u root -phunter2 app", "mysql -u root -p§ app"),
            ("mysqldump --all-databases -p'a b' | gzip", "mysqldump --all-databases -p'§' | gzip"),
            ("sshpass -p hunter2 ssh me@host", "sshpass -p § ssh me@host"),
            ("redis-cli -h cache -a hunter2 ping", "redis-cli -h cache -a § ping"),
        ],
        left: &[
            "mysql -u root -p app",
            "mysql -P 3306 --protocol=tcp",
            "mkdir -p mysql; cp -p a b",
            "mysql -u root; cp -preserve a b",
            "sshpass -p $PW ssh host",
        ],
    },
    Case {
        detector: "curl-cookie",
        found: &[
            ("curl -b sid=abc https://host/", "curl -b § https://host/"),
            ("curl -s -b 'a=b; c=d' https://host/", "curl -s -b '§' https://host/"),
        ],
        left: &["curl -b jar.txt https://host/", "curl https://host/ | sort -b k=v"],
    },
    Case {
        detector: "secret-value",
        found: &[
            ("FOO_TOKEN=abc cmd", "FOO_TOKEN=§ cmd"),
            ("export DB_PASSWORD='a b' && run", "export DB_PASSWORD='§' && run"),
            ("run --password hunter --host h", "run --password § --host h"),
            ("run --api-key=hunter https://h", "run --api-key=§ https://h"),
            (r#"{"api_key": "hunter", "n": 1}"#, r#"{"api_key": "§", "n": 1}"#),
            (r#"-d "{\"apiKey\": \"hunter\", \"n\": 1}""#, r#"-d "{\"apiKey\": \"§\", \"n\": 1}""#),
            ("db:\n  password: hunter\n  user: me", "db:\n  password: §\n  user: me"),
            ("https://h/?access_token=abc&page=2", "https://h/?access_token=§&page=2"),
            ("curl -H \"X-Api-Key: hunter\" https://h", "curl -H \"X-Api-Key: §\" https://h"),
            ("<password>hunter</password>", "<password>§</password>"),
            ("//registry.npmjs.org/:_authToken=abc", "//registry.npmjs.org/:_authToken=§"),
            ("Server=db;Uid=sa;Pwd=hunter;", "Server=db;Uid=sa;Pwd=§;"),
            ("echo ${DB_PASSWORD:-hunter}", "echo ${DB_PASSWORD:-§}"),
            ("TOKEN=${OTHER:-hunter} run", "TOKEN=${OTHER:-§} run"),
            ("client_secret = \"hunter\"", "client_secret = \"§\""),
            ("[\"run\", \"--password\", \"hunter\"]", "[\"run\", \"--password\", \"§\"]"),
            ("echo 'password=\"x' ; rm -rf ~ ; echo '\"'", "echo 'password=\"§ ; rm -rf ~ ; echo '\"'"),
            ("PASSWORD=ab\"cd\"ef run", "PASSWORD=§ run"),
            ("token: {a20} (old)", "token: § (old)"),
            ("run --pass token: {a20} (old)", "run --pass token: § (old)"),
            ("PASSWORD=token: {a20}", "PASSWORD=token: §"),
            ("--pass {\"token\": \"{a20}\"}", "--pass {\"token\": \"§\"}"),
            ("--pass \"token\": \"{a20}\"", "--pass \"token\": \"§\""),
            ("PASSWORD=mysecret=", "PASSWORD=§"),
        ],
        left: &[
            "the token is a word; each token counts",
            "--token-file path/to/file",
            "password: see the wiki",
            "password:",
            "PASSWORD= run it",
            "TOKEN=$(cat token.txt) run",
            "TOKEN=\"$TOKEN\" run",
            "max_tokens=4096 prompt_tokens: 12",
            "fn next(token: Token, secret: &str)",
            "let token = parser.next();",
            "token=get_token() secret=None",
            "PWD=/home/me OLDPWD=/tmp make",
            "PASSWORD_FILE=/run/secrets/db",
            "PASSWORD=/run/secrets/db",
            "use --token to pass one, or the --password flag",
            "primary_key: id, foreign_key = user_id",
            "key=value sort-key=3 keyboard: us",
            "Token::new(secret::Kind)",
            "fetch(u, {credentials: 'include'})",
            "id 550e8400-e29b-41d4-a716-446655440000 at {x40}",
            "data:image/png;base64,iVBORw0KGgo{s90}==",
            "@babel/plugin-transform-token-utils",
            "test tokenizer::pass ... ok",
        ],
    },
];
