//! Values before, below and next to their names; protocol lines; page fields; keys in other wrappers.

use super::detector_cases::Case;

pub(super) static LAYOUT: &[Case] = &[
    Case {
        detector: "secret-value",
        found: &[
            (
                "{\"value\":\"hunter2\",\"name\":\"DB_PASSWORD\"}",
                "{\"value\":\"§\",\"name\":\"DB_PASSWORD\"}",
            ),
            ("- value: hunter2\n  name: DB_PASSWORD", "- value: §\n  name: DB_PASSWORD"),
            (
                "variable \"db_password\" {\n  default = \"hunter2\"\n}",
                "variable \"db_password\" {\n  default = \"§\"\n}",
            ),
            ("\"adminPassword\": { \"value\": \"hunter2\" }", "\"adminPassword\": { \"value\": \"§\" }"),
            ("DbPassword:\n  Type: String\n  Default: hunter2", "DbPassword:\n  Type: String\n  Default: §"),
            ("param adminPassword string = 'hunter2'", "param adminPassword string = '§'"),
            ("const token = 'abc' + 'def';", "const token = '§';"),
            ("password = \"hun\"\n  + \"ter2\"", "password = \"§\""),
            ("secret_key = \"\"\"\n{a40}\"\"\"", "secret_key = \"\"\"\n§\"\"\""),
            ("::set-output name=token::hunter2", "::set-output name=token::§"),
            (
                "##vso[task.setvariable variable=TOKEN;issecret=true]hunter2",
                "##vso[task.setvariable variable=TOKEN;issecret=true]§",
            ),
            ("Server=h;UID=sa;PWD=hunter2;", "Server=h;UID=sa;PWD=§;"),
            (
                "Content-Disposition: form-data; name=\"password\"\r\n\r\nhunter2\r\n--b--",
                "Content-Disposition: form-data; name=\"password\"\r\n\r\n§\r\n--b--",
            ),
            ("host smtp.example\nuser me\npassword geheim", "host smtp.example\nuser me\npassword §"),
            (
                "sed -i 's/^# requirepass .*/requirepass hunter2/' f",
                "sed -i 's/^# requirepass .*/requirepass §' f",
            ),
            ("{\"auth\":\"bWU6c2VjcmV0cw==\"}", "{\"auth\":\"§\"}"),
            ("ds.setPassword(\"hunter2\");", "ds.setPassword(\"§\");"),
            ("PASSWORD=\"${DB_PASSWORD:-hunter2}\" ./run", "PASSWORD=\"${DB_PASSWORD:-§}\" ./run"),
            ("PASSWORD=\"${PREFIX}hunter2\" ./run", "PASSWORD=\"§\" ./run"),
            ("x: {password: hunter2}", "x: {password: §}"),
            ("SIM_PIN_CODE=48213907", "SIM_PIN_CODE=§"),
            ("username me privilege 15 secret 9 hunter2", "username me privilege 15 secret 9 §"),
            ("enable password hunter2", "enable password §"),
            ("neighbor 10.0.0.2 password hunter2", "neighbor 10.0.0.2 password §"),
            ("user me insecure-password hunter2", "user me insecure-password §"),
            (": PSK \"hunter2\"", ": PSK \"§\""),
            (
                "sops --set '[\"db\"][\"password\"] \"hunter2\"' f",
                "sops --set '[\"db\"][\"password\"] \"§\"' f",
            ),
        ],
        left: &[
            "PASSWORD=\"${DB_PASSWORD:?missing}\" ./run",
            "helm upgrade app ./chart --set existingSecret=db-credentials",
            "i18n: { password: \"Wachtwoord\", login: \"Inloggen\" }",
            "password: \"Mot de passe\"",
            "PWD=work ./run",
            "password reset",
            "let the user enter a password twice",
            "enable password reset for user 42",
            "user password reset2 flow",
            "\"password\": { \"type\": \"string\" }",
            "{\"value\": 1, \"name\": \"password\"}",
            "store.getPassword(\"mail\")",
        ],
    },
    Case {
        detector: "authorization",
        found: &[],
        left: &["curl -H \"Authorization: Bearer ${{ secrets.GITHUB_TOKEN }}\" https://h"],
    },
    Case {
        detector: "private-key",
        found: &[
            ("...\n{s64}\n{s64}\n{s20}\n-----END RSA PRIVATE KEY-----\n$ ls", "...\n§\n$ ls"),
            ("{s64}\\n{s64}\\n-----END PRIVATE KEY-----\\n", "§\\n"),
        ],
        left: &["ls\n-----END PRIVATE KEY-----", "{s64}\n-----END CERTIFICATE-----"],
    },
    Case {
        detector: "putty-private-key",
        found: &[
            ("Private-Lines: 2\n{s64}\n{s64}\nPrivate-MAC: x", "Private-Lines: 2\n§\nPrivate-MAC: x"),
            ("Private-Lines: 1\r\n{s40}\r\n", "Private-Lines: 1\r\n§\r\n"),
        ],
        left: &["Private-Lines: none", "Public-Lines: 1\n{s64}"],
    },
    Case {
        detector: "encoded-private-key",
        found: &[
            ("echo LS0tLS1CRUdJTiBSU0EgUFJJVkFU{s60} | base64 -d", "echo § | base64 -d"),
            ("client: LS0tLS1CRUdJTiBQUklWQVRFIEtF{s60}=", "client: §"),
        ],
        left: &["ca: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0t{s60}", "LS0tLS1CRUdJTiBSU0EgUFJJVkFU"],
    },
    Case {
        detector: "docker-config",
        found: &[
            (".dockerconfigjson: eyJhdXRocyI6{a60}", ".dockerconfigjson: §"),
            ("x eyJhdXRocyI6{a60}= y", "x § y"),
        ],
        left: &["eyJhdXRocyI6", "{\"auths\":{}}"],
    },
    Case {
        detector: "jwk-private-key",
        found: &[
            (
                "{\"kty\":\"EC\",\"x\":\"{a43}\",\"d\":\"{a43}\"}",
                "{\"kty\":\"EC\",\"x\":\"{a43}\",\"d\":\"§\"}",
            ),
            (
                "{\\\"k\\\": \\\"{a43}\\\", \\\"kty\\\": \\\"oct\\\"}",
                "{\\\"k\\\": \\\"§\\\", \\\"kty\\\": \\\"oct\\\"}",
            ),
        ],
        left: &["{\"kty\":\"EC\",\"x\":\"{a43}\"}", "{\"d\":\"{a43}\"}", "{\"kty\":\"RSA\",\"d\":\"short\"}"],
    },
    Case {
        detector: "protocol-password",
        found: &[
            ("redis-cli <<EOF\nAUTH geheim\nPING\nEOF", "redis-cli <<EOF\nAUTH §\nPING\nEOF"),
            ("USER me\nPASS hunter2\nLIST", "USER me\nPASS §\nLIST"),
            ("a1 LOGIN me hunter2", "a1 LOGIN me §"),
            (
                "sqlplus /nolog <<EOF\nconnect me/hunter2@db\nEOF",
                "sqlplus /nolog <<EOF\nconnect me/§@db\nEOF",
            ),
            ("ACL SETUSER bob on >hunter2 ~* +@all", "ACL SETUSER bob on >§ ~* +@all"),
        ],
        left: &["PASS src/app.test.js", "AUTH is off", "connect to and/or from", "SHOW LOGIN page"],
    },
    Case {
        detector: "manifest-secret",
        found: &[
            ("kind: Secret\ndata:\n  relay.conf: {a30}\n", "kind: Secret\ndata:\n  relay.conf: §\n"),
            ("data:\n  a: aGVsbG8=\n  b: d29ybGQ=\nkind: Secret\n", "data:\n  a: §\n  b: §\nkind: Secret\n"),
        ],
        left: &[
            "kind: ConfigMap\ndata:\n  a: b\n",
            "kind: SecretStore\ndata:\n  a: b\n",
            "data:\nkind: Secret",
        ],
    },
    Case {
        detector: "sql-insert",
        found: &[
            (
                "INSERT INTO users (email, password) VALUES ('a@b', 'hunter2'), ('c', crypt('hunter3', gen_salt('bf')));",
                "INSERT INTO users (email, password) VALUES ('a@b', '§'), ('c', crypt('§', gen_salt('bf')));",
            ),
            ("insert into t(`api_key`) values (\"hunter2\")", "insert into t(`api_key`) values (\"§\")"),
        ],
        left: &["INSERT INTO t (a, b) VALUES ('x', 'y')", "insert into users (password) select x from y"],
    },
    Case {
        detector: "call-password",
        found: &[
            ("new Twilio(sid, \"{a32}\")", "new Twilio(sid, \"§\")"),
            ("new mysqli('h', 'me', 'hunter2')", "new mysqli('h', 'me', '§')"),
        ],
        left: &["new Client(\"https://h\", \"eu-west-1\")", "request.auth(user, pass)"],
    },
    Case {
        detector: "typed-password",
        found: &[
            (
                "page.fill('input[name=\"password\"]', 'hunter2');",
                "page.fill('input[name=\"password\"]', '§');",
            ),
            ("page.getByLabel('Password').fill('hunter2')", "page.getByLabel('Password').fill('§')"),
            ("cy.get('#password').clear().type('hunter2')", "cy.get('#password').clear().type('§')"),
            (
                "{\"selector\":\"#password\",\"text\":\"hunter2\"}",
                "{\"selector\":\"#password\",\"text\":\"§\"}",
            ),
            (
                "{\"element\":\"Password field\",\"ref\":\"e12\",\"text\":\"hunter2\"}",
                "{\"element\":\"Password field\",\"ref\":\"e12\",\"text\":\"§\"}",
            ),
        ],
        left: &[
            "page.click('#password')",
            "{\"selector\":\"#name\",\"text\":\"me\"}",
            "page.fill('#password', process.env.PW)",
        ],
    },
    Case {
        detector: "command-password",
        found: &[
            ("curl -uroot:hunter-Pw https://h", "curl -uroot:§ https://h"),
            ("curl -u {a24}: https://h", "curl -u §: https://h"),
            ("sqlplus me/hunter2@//db.example:1521/X @r.sql", "sqlplus me/§@//db.example:1521/X @r.sql"),
            ("az keyvault secret set --name a --value hunter2", "az keyvault secret set --name a --value §"),
            ("https -A bearer -a hunter2 h", "https -A bearer -a § h"),
            ("oathtool --totp -b {u32}", "oathtool --totp -b §"),
            ("mcrcon -H h -p hunter2 list", "mcrcon -H h -p § list"),
            ("steamcmd +login me hunter2 +quit", "steamcmd +login me § +quit"),
            ("vault write secret/app a=hunter2", "vault write secret/app a=§"),
        ],
        left: &["sqlplus me @dir/report.sql", "az vm list --query value", "curl -u me: https://h"],
    },
    Case {
        detector: "piped-password",
        found: &[
            ("echo {s43}= | wg pubkey", "echo § | wg pubkey"),
            ("echo -n hunter2 > secrets/db_password.txt", "echo -n § > secrets/db_password.txt"),
            (
                "ansible-vault view --vault-password-file <(echo hunter2) f",
                "ansible-vault view --vault-password-file <(echo §) f",
            ),
            (
                "restic --password-command \"echo hunter2\" snapshots",
                "restic --password-command \"echo §\" snapshots",
            ),
            (
                "echo hunter2 | step ca init --password-file /dev/stdin",
                "echo § | step ca init --password-file /dev/stdin",
            ),
            ("echo hunter2 | openconnect --passwd-on-stdin h", "echo § | openconnect --passwd-on-stdin h"),
            ("sshpass -f <(printf '%s' 'hunter2') ssh h", "sshpass -f <(printf '%s' '§') ssh h"),
            ("echo -n 'Hunter22' | base64", "echo -n '§' | base64"),
            ("echo cGFzc3dvcmQ9aHVudGVyMg== | base64 -d", "echo § | base64 -d"),
        ],
        left: &[
            "echo hello | base64",
            "echo aGVsbG8= | base64 -d",
            "echo done > token.txt",
            "echo '# Password rules v2' > password.md",
            "echo text1 | sha256sum",
        ],
    },
];
