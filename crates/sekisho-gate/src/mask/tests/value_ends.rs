//! Where a value ends: with its quotes, its line or its connection string.

use super::detector_cases::Case;

pub(super) static ENDS: &[Case] = &[
    Case {
        detector: "secret-value",
        found: &[
            // Quotes around name and value.
            (
                "terraform apply -var 'db_password=Chai&Scone' -auto",
                "terraform apply -var 'db_password=§' -auto",
            ),
            ("docker run -e 'DB_PASSWORD=Chai;Scone9' x", "docker run -e 'DB_PASSWORD=§' x"),
            ("docker run -e \"DB_PASSWORD=Chai|Scone9\" x", "docker run -e \"DB_PASSWORD=§\" x"),
            ("docker run -e 'DB_PASSWORD=Chai Scone9' x", "docker run -e 'DB_PASSWORD=§' x"),
            ("helm install x y --set 'auth.password=Chai&Scone'", "helm install x y --set 'auth.password=§'"),
            (
                "helm install x y --set 'a=b,auth.password=Chai&Scone,cc=d'",
                "helm install x y --set 'a=b,auth.password=§,cc=d'",
            ),
            (
                "kubectl set env --from='x' 'DB_PASSWORD=Chai&Scone'",
                "kubectl set env --from='x' 'DB_PASSWORD=§'",
            ),
            ("- \"DB_PASSWORD=Chai&scone\"", "- \"DB_PASSWORD=§\""),
            // A form body ends a value at `&`, a command line at a blank.
            ("curl -d 'user=a&password=Scone&x=1' https://h", "curl -d 'user=a&password=§&x=1' https://h"),
            ("curl -d 'password=Scone&x=1' https://h", "curl -d 'password=§&x=1' https://h"),
            ("bash -c 'DB_PASSWORD=Scone9 psql -l'", "bash -c 'DB_PASSWORD=§ psql -l'"),
            ("bash -c 'DB_PASSWORD=Scone9;reboot'", "bash -c 'DB_PASSWORD=§;reboot'"),
            ("ssh h 'DB_PASSWORD=Scone9 deploy now'", "ssh h 'DB_PASSWORD=§ deploy now'"),
            ("docker run -e 'DB_PASSWORD=x rm -rf /' y", "docker run -e 'DB_PASSWORD=§ rm -rf /' y"),
            // Parentheses.
            ("docker run -e 'DB_PASSWORD=Crisp(Apple)8' x", "docker run -e 'DB_PASSWORD=§' x"),
            ("curl -d 'password=Lark(7)Wing' https://h", "curl -d 'password=§' https://h"),
            ("DB_PASSWORD: Crisp(Apple)8", "DB_PASSWORD: §"),
            ("DB_PASSWORD=Crisp(Apple)8\nDB_USER=app", "DB_PASSWORD=§\nDB_USER=app"),
            // Connection strings.
            (
                "Server=db;User ID=app;Password=R4in&Cloud9;Encrypt=True;",
                "Server=db;User ID=app;Password=§;Encrypt=True;",
            ),
            (
                "<add connectionString=\"Data Source=.;User ID=erp;Pwd=erp&amp;More;\" />",
                "<add connectionString=\"Data Source=.;User ID=erp;Pwd=§;\" />",
            ),
            ("\"Server=db;Uid=me;Pwd=green tea (hot);\"", "\"Server=db;Uid=me;Pwd=§;\""),
            ("server=a;PASSWORD=b9 psql -l", "server=a;PASSWORD=§ psql -l"),
            // Lines of settings.
            ("DB_USER=me\nDB_PASSWORD=abcd efgh ijkl mnop", "DB_USER=me\nDB_PASSWORD=§"),
            ("DB_PASSWORD=grey cat nine\nDB_USER=app", "DB_PASSWORD=§\nDB_USER=app"),
            ("DB_PASSWORD=grey cat nine # mine\nDB_USER=app", "DB_PASSWORD=§ # mine\nDB_USER=app"),
            ("db:\n  password: grey cat nine\n  user: app", "db:\n  password: §\n  user: app"),
            ("password: Chai&Scone", "password: §"),
            ("password=Chai;Scone9", "password=§"),
            ("TOKEN=abc9 make deploy\nUSER=me", "TOKEN=§ make deploy\nUSER=me"),
            ("TOKEN=abc9 ./deploy\nUSER=me", "TOKEN=§ ./deploy\nUSER=me"),
            ("TOKEN=abc9 deploy", "TOKEN=§ deploy"),
            ("TOKEN=abc9;deploy", "TOKEN=§;deploy"),
            ("APP_SECRET=p&q;r|s9X\nLOG_LEVEL=info", "APP_SECRET=§\nLOG_LEVEL=info"),
            ("requirepass Chai&Scone5", "requirepass §"),
            // Quotes around the value.
            ("BACKUP_PASSWORD='Chai & Scone' restic", "BACKUP_PASSWORD='§' restic"),
            ("psk=\"Chai & Scone\"", "psk=\"§\""),
            ("PASSWORD=\"x' ; rm -rf ~ ; echo '\"", "PASSWORD=\"§ ; rm -rf ~ ; echo '\""),
            ("PASSWORD=\"x | sh\"", "PASSWORD=\"§ | sh\""),
            // Parts of one shell word.
            ("export DB_PASSWORD='it'\"'\"'s4me' x", "export DB_PASSWORD=§ x"),
            ("export DB_PASSWORD='it'\\''s4me' x", "export DB_PASSWORD=§ x"),
            ("tool --password 'it'\\''s4me' x", "tool --password § x"),
            ("DB_PASSWORD=it\"'\"s4me run", "DB_PASSWORD=§ run"),
            ("DB_PASSWORD='keep'\\''s quiet' run", "DB_PASSWORD=§ run"),
        ],
        left: &[
            "password: Option<String>",
            "password: string|undefined",
            "password: hash(value)",
            "password=get_password()",
            "password: z.string().min(8)",
            "user: the name\npassword: the secret of it",
            "db:\n  password: must be set\n  user: app",
            "DB_PASSWORD=$(pass show db) run\nDB_USER=me",
        ],
    },
    Case {
        detector: "command-password",
        found: &[
            ("mysql -u root -p'it'\\''s4me' -e 'select 1'", "mysql -u root -p§ -e 'select 1'"),
            ("curl -u 'me:it'\\''s4me' https://h", "curl -u 'me:§' https://h"),
            ("curl -u me:\"it\"'s4me' https://h", "curl -u me:§ https://h"),
            ("pulumi config set --secret dbPassword hunter2", "pulumi config set --secret dbPassword §"),
            (
                "vault kv put secret/app username=app key=hunter2",
                "vault kv put secret/app username=app key=§",
            ),
        ],
        left: &[
            "npm config set //registry.example.com/:_authToken '${NPM_TOKEN}'",
            "poetry config pypi-token.pypi '${PYPI_TOKEN}'",
            "vault kv put secret/app username=app region=eu",
            "mysql -h h -u app --password shop",
            "mariadb-dump --password shop",
            "pulumi config set --secret dbPassword",
        ],
    },
    Case {
        detector: "sql-identified",
        found: &[
            ("CREATE USER b IDENTIFIED BY 'Chai;Scone7'; x", "CREATE USER b IDENTIFIED BY '§'; x"),
            ("CREATE USER b IDENTIFIED BY 'a; rm -rf /'", "CREATE USER b IDENTIFIED BY '§; rm -rf /'"),
        ],
        left: &[],
    },
    Case {
        detector: "call-password",
        found: &[
            ("client.get(u).bearer_auth(\"{a40}\").send()", "client.get(u).bearer_auth(\"§\").send()"),
            ("new TokenAuth('hunter2')", "new TokenAuth('§')"),
        ],
        left: &[
            "{{ pw | password_hash('sha512') }}",
            "{{ pw | password_hash('sha512', 'mysalt') }}",
            "client.bearer_auth(token)",
            "client.bearer_auth(\"token\")",
        ],
    },
    Case {
        detector: "said-login",
        found: &[
            ("log in with admin / 0pen-Admin until it works", "log in with admin / § until it works"),
            ("sign in as me / hunter-2x9Q.", "sign in as me / §."),
        ],
        left: &["log in with Google / GitHub", "sign in with email / password", "log in as admin / operator"],
    },
];

/// Passwords at the end of a sentence, and bare words before a generated value.
pub(super) static ANNOUNCED: &[Case] = &[Case {
    detector: "secret-value",
    found: &[
        ("# Passwort für den Testserver: Blumenkohl3", "# Passwort für den Testserver: §"),
        ("# Passwort für den Testserver ist Blumenkohl3", "# Passwort für den Testserver ist §"),
        ("# password for the test server: Cauliflower3", "# password for the test server: §"),
        ("# contraseña del servidor de pruebas: Coliflor-33", "# contraseña del servidor de pruebas: §"),
        ("# mot de passe admin : Baguette-75", "# mot de passe admin : §"),
        (
            "# el password de la base es Gato-Negro7, usuario app",
            "# el password de la base es §, usuario app",
        ),
        ("Generated root password: pBAkJbDmy!x\nChange it.", "Generated root password: §\nChange it."),
        (
            "A temporary password is generated for root@localhost: kq)3sXw;ZpLa",
            "A temporary password is generated for root@localhost: §",
        ),
        ("rclone config create r b2 account 43f5 key {a30}", "rclone config create r b2 account 43f5 key §"),
        ("token refreshed: access_token={a30}", "token refreshed: access_token=§"),
    ],
    left: &[
        "# password for the test server: ask Marta",
        "Passwords for the hosts: Web01, Web02",
        "password policy for the release: Version-12",
        "reset the password for user: Marta-12x",
        "new password: Please!",
        "password: String!",
        "public key {a30}",
        "key SHA256:{a43}",
        "git cat-file key {x40}",
        "press key Enter",
        "has_secure_token :auth_token",
        "password for the app: config.Password1()",
    ],
}];
