//! Values in quotes, markup, statements, URLs and other forms.

use super::detector_cases::Case;

pub(super) static STRUCTURE: &[Case] = &[
    Case {
        detector: "secret-value",
        found: &[
            ("TOKEN=\"ab\"'cd' ./run", "TOKEN=§ ./run"),
            ("export TOKEN=\"hunter\"'2x'", "export TOKEN=§"),
            ("PASSWORD='hun'ter2 ./run", "PASSWORD=§ ./run"),
            ("password: |\n  hunter2\nuser: me", "password: |\n  §\nuser: me"),
            ("  db_password: >-\n    hunter2\n  x: y", "  db_password: >-\n    §\n  x: y"),
            ("secret: |\n  {s40}\n  {s40}\nnext: 1", "secret: |\n  §\nnext: 1"),
            (
                "{\"name\":\"DB_PASSWORD\",\"value\":\"hunter2\"}",
                "{\"name\":\"DB_PASSWORD\",\"value\":\"§\"}",
            ),
            (
                "{\"name\": \"DB_PASSWORD\", \"value\": \"hunter2\"}",
                "{\"name\": \"DB_PASSWORD\", \"value\": \"§\"}",
            ),
            ("- name: DB_PASSWORD\n  value: hunter2", "- name: DB_PASSWORD\n  value: §"),
            ("- name: DB_PASSWORD\n  value: \"hunter2\"", "- name: DB_PASSWORD\n  value: \"§\""),
            ("- key: API_TOKEN\n  value: hunter2", "- key: API_TOKEN\n  value: §"),
            ("ParameterKey=DbPassword,ParameterValue=hunter2", "ParameterKey=DbPassword,ParameterValue=§"),
            ("<add key=\"DbPassword\" value=\"hunter2\" />", "<add key=\"DbPassword\" value=\"§\" />"),
            (
                "<property name=\"hibernate.connection.password\" value=\"hunter2\"/>",
                "<property name=\"hibernate.connection.password\" value=\"§\"/>",
            ),
            ("<property name=\"password\">hunter2</property>", "<property name=\"password\">§</property>"),
            ("<key>password</key>\n<string>hunter2</string>", "<key>password</key>\n<string>§</string>"),
            ("<DbPassword>hunter2</DbPassword>", "<DbPassword>§</DbPassword>"),
            ("<user name=\"bob\" password=\"hunter2\"/>", "<user name=\"bob\" password=\"§\"/>"),
            ("[\"run\",\"--password\",\"x\"]", "[\"run\",\"--password\",\"§\"]"),
            ("ALTER LOGIN sa WITH PASSWORD = N'hunter2'", "ALTER LOGIN sa WITH PASSWORD = §"),
            (
                "curl -d 'user%3Dme%26password%3Dhunter2%26x%3D1' https://h",
                "curl -d 'user%3Dme%26password%3D§%26x%3D1' https://h",
            ),
            ("body=%7B%22password%22%3A%22hunter2%22%7D", "body=%7B%22password%22%3A%22§%22%7D"),
            (
                "https://b.s3.amazonaws.com/k?X-Amz-Signature={x64}&x=1",
                "https://b.s3.amazonaws.com/k?X-Amz-Signature=§&x=1",
            ),
            (
                "https://b.s3.amazonaws.com/k?AWSAccessKeyId=x&Signature={a27}",
                "https://b.s3.amazonaws.com/k?AWSAccessKeyId=x&Signature=§",
            ),
            (
                "https://storage.googleapis.com/b/o?X-Goog-Signature={x128}",
                "https://storage.googleapis.com/b/o?X-Goog-Signature=§",
            ),
            ("https://h/f?sig={a30}&e=1", "https://h/f?sig=§&e=1"),
            ("PHPSESSID={a26}", "PHPSESSID=§"),
            ("JSESSIONID={u32}", "JSESSIONID=§"),
            ("sessionid={a32}; path=/", "sessionid=§; path=/"),
            ("connect.sid=s%3A{a32}", "connect.sid=§"),
            (
                "Server=db;Database=a;User Id=sa;Password=Hunter2!;",
                "Server=db;Database=a;User Id=sa;Password=§;",
            ),
            ("Server=db;Uid=sa;Pwd=hunter2;Encrypt=yes", "Server=db;Uid=sa;Pwd=§;Encrypt=yes"),
            ("jdbc:mysql://db/app?user=me&password=hunter2", "jdbc:mysql://db/app?user=me&password=§"),
            ("jdbc:sqlserver://db;user=sa;password=hunter2;", "jdbc:sqlserver://db;user=sa;password=§;"),
            ("password = hunter2", "password = §"),
            ("password = \"hunter2\"", "password = \"§\""),
            ("[db]\npassword=hunter2\nuser=me", "[db]\npassword=§\nuser=me"),
            ("api_token = 'hunter2' # mine", "api_token = '§' # mine"),
            (
                "{\"auths\":{\"ghcr.io\":{\"auth\":\"bWU6aHVudGVyMg==\"}}}",
                "{\"auths\":{\"ghcr.io\":{\"auth\":\"§\"}}}",
            ),
            ("\"auth\": \"bWU6{a20}==\"", "\"auth\": \"§\""),
            ("X-Api-Key: hunter22", "X-Api-Key: §"),
            ("X-Auth-Token: hunter22", "X-Auth-Token: §"),
            ("PRIVATE-TOKEN: hunter22", "PRIVATE-TOKEN: §"),
            ("curl -H 'X-Vault-Token: hunter22' https://h", "curl -H 'X-Vault-Token: §' https://h"),
            ("curl -H \"apikey: {a32}\" https://h", "curl -H \"apikey: §\" https://h"),
            (
                "curl -d 'grant_type=password&username=me&password=hunter2' https://h",
                "curl -d 'grant_type=password&username=me&password=§' https://h",
            ),
            (
                "curl -d '{\"username\":\"me\",\"password\":\"hunter2\"}' https://h",
                "curl -d '{\"username\":\"me\",\"password\":\"§\"}' https://h",
            ),
            ("curl -F password=hunter2 https://h", "curl -F password=§ https://h"),
            (
                "curl --data-urlencode 'password=hunter2' https://h",
                "curl --data-urlencode 'password=§' https://h",
            ),
            ("{'password': 'hunter2', 'x': 1}", "{'password': '§', 'x': 1}"),
            (":password => \"hunter2\",", ":password => \"§\","),
            ("password: 'hunter2',", "password: '§',"),
            ("const password = \"hunter2\";", "const password = \"§\";"),
            ("PASSWORD=\"hunter2\" docker compose up", "PASSWORD=\"§\" docker compose up"),
            (
                "docker run -e MYSQL_ROOT_PASSWORD=hunter2 -d mysql:8",
                "docker run -e MYSQL_ROOT_PASSWORD=§ -d mysql:8",
            ),
            (
                "docker run --env POSTGRES_PASSWORD=hunter2 postgres",
                "docker run --env POSTGRES_PASSWORD=§ postgres",
            ),
            ("ENV DB_PASSWORD hunter2", "ENV DB_PASSWORD §"),
            ("ENV DB_PASSWORD=hunter2", "ENV DB_PASSWORD=§"),
            ("set -x DB_PASSWORD hunter2", "set -x DB_PASSWORD §"),
            ("$env:DB_PASSWORD = \"hunter2\"", "$env:DB_PASSWORD = \"§\""),
            (
                "[Environment]::SetEnvironmentVariable(\"DB_PASSWORD\", \"hunter2\", \"User\")",
                "[Environment]::SetEnvironmentVariable(\"DB_PASSWORD\", \"§\", \"User\")",
            ),
            ("os.environ[\"DB_PASSWORD\"] = \"hunter2\"", "os.environ[\"DB_PASSWORD\"] = \"§\""),
            (
                "os.environ.setdefault(\"DB_PASSWORD\", \"hunter2\")",
                "os.environ.setdefault(\"DB_PASSWORD\", \"§\")",
            ),
            (
                "System.setProperty(\"javax.net.ssl.keyStorePassword\", \"hunter2\")",
                "System.setProperty(\"javax.net.ssl.keyStorePassword\", \"§\")",
            ),
            ("-Djavax.net.ssl.trustStorePassword=changeit", "-Djavax.net.ssl.trustStorePassword=§"),
            ("spring.datasource.password=hunter2", "spring.datasource.password=§"),
            ("requirepass hunter2", "requirepass §"),
            ("PrivateKey = {s43}=", "PrivateKey = §"),
            ("PresharedKey = {s43}=", "PresharedKey = §"),
            ("psk=\"hunter22\"", "psk=\"§\""),
            ("wpa_psk=hunter22", "wpa_psk=§"),
        ],
        left: &[],
    },
    Case {
        detector: "command-password",
        found: &[
            (
                "command: [\"redis-server\", \"--requirepass\", \"hunter2\"]",
                "command: [\"redis-server\", \"--requirepass\", \"§\"]",
            ),
            ("setx DB_PASSWORD hunter2", "setx DB_PASSWORD §"),
            (
                "ConvertTo-SecureString \"hunter2\" -AsPlainText -Force",
                "ConvertTo-SecureString \"§\" -AsPlainText -Force",
            ),
        ],
        left: &[],
    },
    Case {
        detector: "sql-identified",
        found: &[
            ("CREATE USER me IDENTIFIED BY 'hunter2';", "CREATE USER me IDENTIFIED BY '§';"),
            (
                "mysql -e \"CREATE USER 'me'@'%' IDENTIFIED BY 'hunter2'\"",
                "mysql -e \"CREATE USER 'me'@'%' IDENTIFIED BY '§'\"",
            ),
            (
                "ALTER USER me IDENTIFIED WITH mysql_native_password BY 'hunter2';",
                "ALTER USER me IDENTIFIED WITH mysql_native_password BY '§';",
            ),
            (
                "GRANT ALL ON *.* TO me IDENTIFIED BY \"hunter2\"",
                "GRANT ALL ON *.* TO me IDENTIFIED BY \"§\"",
            ),
            ("create user scott identified by tiger;", "create user scott identified by §;"),
        ],
        left: &["the user is identified by name only if asked", "IDENTIFIED BY $PW"],
    },
    Case {
        detector: "sql-password",
        found: &[
            ("CREATE ROLE me LOGIN PASSWORD 'hunter2';", "CREATE ROLE me LOGIN PASSWORD '§';"),
            (
                "psql -c \"ALTER USER me WITH PASSWORD 'hunter2';\"",
                "psql -c \"ALTER USER me WITH PASSWORD '§';\"",
            ),
            (
                "psql -c \"CREATE USER me WITH ENCRYPTED PASSWORD 'hunter2'\"",
                "psql -c \"CREATE USER me WITH ENCRYPTED PASSWORD '§'\"",
            ),
            (
                "SET PASSWORD FOR 'me'@'%' = PASSWORD('hunter2');",
                "SET PASSWORD FOR 'me'@'%' = PASSWORD('§');",
            ),
            ("CREATE LOGIN me WITH PASSWORD = 'hunter2';", "CREATE LOGIN me WITH PASSWORD = '§';"),
        ],
        left: &["SELECT password FROM users", "ALTER USER me; grep password 'f'"],
    },
    Case {
        detector: "azure-sas",
        found: &[(
            "https://acc.blob.core.windows.net/c?sv=2020&sig={a43}",
            "https://acc.blob.core.windows.net/c?sv=2020&sig=§",
        )],
        left: &[],
    },
    Case {
        detector: "basic-credentials",
        found: &[
            ("Basic bWU6aHVudGVyMg==", "Basic §"),
            ("send \"Basic bWU6aHVudGVyMg==\" to it", "send \"Basic §\" to it"),
        ],
        left: &["Basic usage", "basic c29tZXRoaW5n"],
    },
    Case {
        detector: "url-password",
        found: &[
            ("https://{a20}@github.com/a/b.git", "https://§@github.com/a/b.git"),
            ("https://oauth2:{a20}@gitlab.com/a/b.git", "https://oauth2:§@gitlab.com/a/b.git"),
            (
                "git remote set-url origin https://me:hunter2@github.com/a/b",
                "git remote set-url origin https://me:§@github.com/a/b",
            ),
            (
                "git clone https://x-access-token:{a30}@github.com/a/b",
                "git clone https://x-access-token:§@github.com/a/b",
            ),
            ("ftp://me:hunter2@host/f", "ftp://me:§@host/f"),
            ("sftp://me:hunter2@host/f", "sftp://me:§@host/f"),
            ("rtsp://admin:hunter2@cam/1", "rtsp://admin:§@cam/1"),
            ("http://proxy:hunter2@proxy:3128", "http://proxy:§@proxy:3128"),
        ],
        left: &[],
    },
    Case {
        detector: "cookie",
        found: &[("curl --cookie \"PHPSESSID={a26}\" https://h", "curl --cookie \"§\" https://h")],
        left: &[],
    },
    Case {
        detector: "azure-storage-key",
        found: &[
            (
                "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={a86}==;EndpointSuffix=x",
                "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=§;EndpointSuffix=x",
            ),
            (
                "Endpoint=sb://x/;SharedAccessKeyName=k;SharedAccessKey={a43}=",
                "Endpoint=sb://x/;SharedAccessKeyName=k;SharedAccessKey=§",
            ),
        ],
        left: &[],
    },
    Case {
        detector: "connection-string",
        found: &[("jdbc:oracle:thin:scott/tiger@db:1521:orcl", "jdbc:oracle:thin:scott/§@db:1521:orcl")],
        left: &[],
    },
    Case {
        detector: "private-key",
        found: &[("-----BEGIN RSA PRIVATE KEY-----\nMII{s61}\n{s64}", "§")],
        left: &[],
    },
    Case {
        detector: "password-hash",
        found: &[
            ("$6$saltsalt${a86}", "§"),
            ("root:$6$saltsalt${a86}:19000:0:99999:7:::", "root:§:19000:0:99999:7:::"),
            ("bob:$apr1$salt1234${a22}", "bob:§"),
        ],
        left: &["awk '{print $1$2}'", "echo $5$6", "$2a$ is bcrypt"],
    },
    Case {
        detector: "service-key",
        found: &[("LTAI{a20}", "§")],
        left: &["gsk_name", "sk_some_function_name_v2_long_enough", "api-gateway-service-v2"],
    },
];
