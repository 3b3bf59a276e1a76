//! Secrets in calls of code, in queries and settings, and in options next to others.

use super::detector_cases::Case;

pub(super) static CODE: &[Case] = &[
    Case {
        detector: "call-password",
        found: &[
            ("password_hash(\"hunter2\", PASSWORD_DEFAULT)", "password_hash(\"§\", PASSWORD_DEFAULT)"),
            ("bcrypt.hashpw(b\"hunter2\", bcrypt.gensalt())", "bcrypt.hashpw(b\"§\", bcrypt.gensalt())"),
            ("bcrypt.hashSync(\"hunter2\", 10)", "bcrypt.hashSync(\"§\", 10)"),
            (
                "bcrypt.GenerateFromPassword([]byte(\"hunter2\"), 10)",
                "bcrypt.GenerateFromPassword([]byte(\"§\"), 10)",
            ),
            ("generate_password_hash(\"hunter2\")", "generate_password_hash(\"§\")"),
            ("make_password(\"hunter2\")", "make_password(\"§\")"),
            ("Hash::make('hunter2')", "Hash::make('§')"),
            ("x(bcrypt('hunter2'))", "x(bcrypt('§'))"),
            ("BCrypt::Password.create(\"hunter2\")", "BCrypt::Password.create(\"§\")"),
            ("argon2.hash(\"hunter2\")", "argon2.hash(\"§\")"),
            ("crypt.crypt(\"hunter2\", salt)", "crypt.crypt(\"§\", salt)"),
            (
                "jwt.sign({ id: 1, roles: [\"a\", \"b\"] }, \"hunter2\")",
                "jwt.sign({ id: 1, roles: [\"a\", \"b\"] }, \"§\")",
            ),
            ("t.SignedString([]byte(\"hunter2\"))", "t.SignedString([]byte(\"§\"))"),
            ("hmac.New(sha256.New, []byte(\"hunter2\"))", "hmac.New(sha256.New, []byte(\"§\"))"),
            (
                ".signWith(SignatureAlgorithm.HS256, \"hunter2\")",
                ".signWith(SignatureAlgorithm.HS256, \"§\")",
            ),
            (
                "crypto.createCipheriv('aes-256-cbc', 'hunter2', iv)",
                "crypto.createCipheriv('aes-256-cbc', '§', iv)",
            ),
            ("AES.new(b\"hunter2\", AES.MODE_CBC)", "AES.new(b\"§\", AES.MODE_CBC)"),
            (
                "new SymmetricSecurityKey(Encoding.UTF8.GetBytes(\"hunter2\"))",
                "new SymmetricSecurityKey(Encoding.UTF8.GetBytes(\"§\"))",
            ),
            (
                "User.objects.create_superuser('me', 'me@h', 'hunter2')",
                "User.objects.create_superuser('me', 'me@h', '§')",
            ),
            (
                "User.objects.create_user(\"me\", \"me@h\", \"hunter2\")",
                "User.objects.create_user(\"me\", \"me@h\", \"§\")",
            ),
            ("db.changeUserPassword(\"me\", \"hunter2\")", "db.changeUserPassword(\"me\", \"§\")"),
            ("EXEC sp_addlogin 'me', 'hunter2'", "EXEC sp_addlogin 'me', '§'"),
            (
                "f.request :authorization, :basic, 'me', 'hunter2'",
                "f.request :authorization, :basic, 'me', '§'",
            ),
        ],
        left: &[
            "password_hash($pw, PASSWORD_DEFAULT)",
            "Hash::make($request->password)",
            "jwt.sign({ id: 1, roles: [\"a\", \"b\"] }, secret)",
            "bcrypt.compare(password, user.hash)",
            "encoder.encode(\"hello\")",
            "User.objects.create_user(name, mail, password)",
            "hashlib.sha256(\"hello\".encode())",
        ],
    },
    Case {
        detector: "secret-value",
        found: &[
            ("var jwtKey = []byte(\"hunter2\")", "var jwtKey = []byte(\"§\")"),
            (
                "UPDATE users SET password = MD5('hunter2') WHERE id = 1",
                "UPDATE users SET password = MD5('§') WHERE id = 1",
            ),
            ("password: Some(\"hunter2\".into()),", "password: Some(\"§\".into()),"),
            (
                "UPDATE settings SET value='hunter2' WHERE key='api_secret'",
                "UPDATE settings SET value='§' WHERE key='api_secret'",
            ),
            (
                "UPDATE o SET option_value = 'hunter2', at = now() WHERE option_name = 'smtp_password'",
                "UPDATE o SET option_value = '§', at = now() WHERE option_name = 'smtp_password'",
            ),
            ("X-JFrog-Art-Api: hunter22", "X-JFrog-Art-Api: §"),
            ("curl -H \"X-Honeycomb-Team: hunter2\" https://h", "curl -H \"X-Honeycomb-Team: §\" https://h"),
            ("routing_key: {x32}", "routing_key: §"),
            ("\"integration_key\": \"hunter2\"", "\"integration_key\": \"§\""),
            ("ldap_default_authtok = hunter2", "ldap_default_authtok = §"),
            ("dn: uid=me\nuserPassword:: aHVudGVyMg==", "dn: uid=me\nuserPassword:: §"),
            ("uci set wireless.radio0.key='hunter2'", "uci set wireless.radio0.key='§'"),
            ("proxy_set_header X-Api-Key hunter2;", "proxy_set_header X-Api-Key §;"),
            ("set $api_secret \"hunter2\";", "set $api_secret \"§\";"),
            (
                "do shell script \"id\" user name \"me\" password \"hunter2\" with administrator privileges",
                "do shell script \"id\" user name \"me\" password \"§\" with administrator privileges",
            ),
            ("rclone lsd --sftp-pass hunter2pw :sftp:", "rclone lsd --sftp-pass § :sftp:"),
            ("tool --registration-key hunter2", "tool --registration-key §"),
            ("password: <%= ENV['X'] || 'hunter2' %>", "password: <%= ENV['X'] || '§' %>"),
            (
                "//h/s /mnt cifs user=me,pass=hunter2,uid=1000,vers=3.0 0 0",
                "//h/s /mnt cifs user=me,pass=§,uid=1000,vers=3.0 0 0",
            ),
            (
                "mount -t cifs //h/s /mnt -o username=me,password=hunter2,ro",
                "mount -t cifs //h/s /mnt -o username=me,password=§,ro",
            ),
            ("redis:6379,password=hunter2,ssl=True", "redis:6379,password=§,ssl=True"),
            (
                "{user:\"me\",pwd:\"hunter2\",roles:[\"readWrite\"]}",
                "{user:\"me\",pwd:\"§\",roles:[\"readWrite\"]}",
            ),
            (
                "connectionString=\"Data Source=h;User ID=me;Password=hunter2;Encrypt=true\"",
                "connectionString=\"Data Source=h;User ID=me;Password=§;Encrypt=true\"",
            ),
            ("HASŁO=hunter2", "HASŁO=§"),
        ],
        left: &[
            "ffmpeg -i in.mp4 -pass 1 -f null /dev/null",
            "x264 --pass 2 -o out in",
            "git log --grep='token: fix refresh'",
            "git log --grep 'secret: rotate v2keys'",
            "git commit -m 'token: rename'",
            "getpass.getpass('Password: ')",
            "input(\"API key: \")",
            "gcloud secrets versions access latest --secret=db-pass",
            "docker service create --secret db_pass nginx",
            "gcloud run deploy s --set-secrets=DB_PASS=db:latest",
            "UPDATE settings SET value='dark' WHERE key='theme'",
            "SELECT value FROM settings WHERE name = 'smtp_password'",
            "publish(routing_key='orders.created.v1')",
            "connectionString=\"Server=h;Database=x;Trusted_Connection=True\"",
            "connectionString=\"name=Entities\"",
            "var prefix = []byte(\"user1:\")",
            "echo 'password: add a strength meter'",
        ],
    },
    Case {
        detector: "command-password",
        found: &[
            ("expdp me/hunter.two@db schemas=hr", "expdp me/§@db schemas=hr"),
            ("impdp me/hunter.two full=y", "impdp me/§ full=y"),
            ("mkpasswd -m sha-512 hunter2", "mkpasswd -m sha-512 §"),
            ("mkpasswd --method=sha-512 hunter2", "mkpasswd --method=sha-512 §"),
            ("knife bootstrap h -x root -P hunter2 -N web", "knife bootstrap h -x root -P § -N web"),
            (
                "netdom join pc /domain:d /userd:me /PasswordD:hunter2",
                "netdom join pc /domain:d /userd:me /PasswordD:§",
            ),
            ("netdom renamecomputer a /ud:me /pd:hunter2", "netdom renamecomputer a /ud:me /pd:§"),
            ("smbclient //h/share hunter2 -U me -c ls", "smbclient //h/share § -U me -c ls"),
            ("yt-dlp -u me -p h2 https://h/v", "yt-dlp -u me -p § https://h/v"),
            ("racadm set iDRAC.Users.2.Password hunter2", "racadm set iDRAC.Users.2.Password §"),
            ("govc about -u 'me:hunter2@h'", "govc about -u 'me:§@h'"),
            ("iw dev wlan0 connect home key 0:hunter2", "iw dev wlan0 connect home key 0:§"),
            (
                "reg add HKLM\\X /v DefaultPassword /t REG_SZ /d hunter2 /f",
                "reg add HKLM\\X /v DefaultPassword /t REG_SZ /d § /f",
            ),
            ("adb shell locksettings set-password hunter2", "adb shell locksettings set-password §"),
            ("ipa-client-install -p me -w hunter2", "ipa-client-install -p me -w §"),
            ("consul acl set-agent-token agent hunter2", "consul acl set-agent-token agent §"),
            (
                "vault write auth/approle/login role_id=r1 secret_id=550e8400-e29b-41d4-a716-446655440000",
                "vault write auth/approle/login role_id=r1 secret_id=§",
            ),
        ],
        left: &[
            "expdp parfile=exports/full.par",
            "sqlplus me @dir/report.sql",
            "impdp me dumpfile=dir/full.dmp",
            "mkpasswd -m sha-512",
            "smbclient //h/share -U me -c ls",
            "smbclient -L //h -U me",
            "netdom join pc /domain:d /userd:me /passwordd:*",
            "reg add HKLM\\X /v Path /t REG_SZ /d here1 /f",
        ],
    },
    Case {
        detector: "piped-password",
        found: &[
            ("echo hunter2 | openfortivpn h:443 -u me", "echo § | openfortivpn h:443 -u me"),
            ("printf '%s' 'hunter2' | vpnc-connect corp", "printf '%s' '§' | vpnc-connect corp"),
            ("echo hunter2 | runas /user:x cmd", "echo § | runas /user:x cmd"),
            ("msmtp --passwordeval='echo hunter2' a@h", "msmtp --passwordeval='echo §' a@h"),
        ],
        left: &[
            "echo \"{x64}  a.iso\" | sha256sum -c",
            "echo {x40} *a.iso | sha1sum --check",
            "msmtp --passwordeval 'gpg -d pw.gpg' a@h",
        ],
    },
    Case {
        detector: "here-string",
        found: &[
            ("ipa user-mod me --password <<< hunter2", "ipa user-mod me --password <<< §"),
            ("tool put weavepassword <<< hunter2", "tool put weavepassword <<< §"),
        ],
        left: &["grep --password <<< text1", "wc -c <<< hunter2"],
    },
    Case {
        detector: "relay-password",
        found: &[
            ("[smtp.h.example]:587 me@h.example:hunter2", "[smtp.h.example]:587 me@h.example:§"),
            ("echo '[smtp.h]:587 me:hunter2' > sasl_passwd", "echo '[smtp.h]:587 me:§' > sasl_passwd"),
            ("smtp.h.example:465 me@h.example:hunter2", "smtp.h.example:465 me@h.example:§"),
            ("smtp_sasl_password_maps = static:me:hunter2", "smtp_sasl_password_maps = static:me:§"),
        ],
        left: &[
            "relayhost = [smtp.h]:587",
            "connected to smtp.h:587 at 10:22:31",
            "curl smtp://h:587 --mail-from a@b",
            "[smtp.h]:587 me:$PASSWORD",
        ],
    },
    Case {
        detector: "protocol-password",
        found: &[
            ("user worker on >hunter2 ~* +@all", "user worker on >§ ~* +@all"),
            (
                "ACL SETUSER me on >hunter2 ~a ~b +get +set +del +ttl +type",
                "ACL SETUSER me on >§ ~a ~b +get +set +del +ttl +type",
            ),
            ("stats auth me:hunter2", "stats auth me:§"),
            ("MIGRATE h 6379 k 0 1000 AUTH hunter2", "MIGRATE h 6379 k 0 1000 AUTH §"),
        ],
        left: &["user me on nopass ~* +@all"],
    },
    Case {
        detector: "device-key",
        found: &[
            ("me : EAP \"hunter2\"", "me : EAP \"§\""),
            (
                "set vpn peer x authentication pre-shared-secret hunter2",
                "set vpn peer x authentication pre-shared-secret §",
            ),
            ("option key 'hunter2'", "option key '§'"),
        ],
        left: &["option key 'name'"],
    },
    Case {
        detector: "login-flags",
        found: &[
            (
                "bash <(curl -s https://codecov.io/bash) -t 550e8400-e29b-41d4-a716-446655440000",
                "bash <(curl -s https://codecov.io/bash) -t §",
            ),
            ("eas secret:create --name A --value hunter2", "eas secret:create --name A --value §"),
            ("juju login -u me -p h2xyz", "juju login -u me -p §"),
        ],
        left: &[
            "ls -t 550e8400-e29b-41d4-a716-446655440000",
            "tool set --value hunter2",
            "tool login -u me -p 8080",
        ],
    },
    Case {
        detector: "sent-password",
        found: &[("expect \"Password:\"; send \"hunter2\\r\"", "expect \"Password:\"; send \"§\\r\"")],
        left: &["if (!password) { res.send(\"password required\") }"],
    },
];
