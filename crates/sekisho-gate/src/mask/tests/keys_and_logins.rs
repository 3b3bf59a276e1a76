//! Keys of services by name and by flag, logins of clients, settings by their path.

use super::detector_cases::Case;

pub(super) static KEYS: &[Case] = &[
    Case {
        detector: "command-password",
        found: &[
            ("redis-cli AUTH hunter2", "redis-cli AUTH §"),
            ("redis-cli AUTH default hunter2", "redis-cli AUTH default §"),
            (
                "redis-cli -h cache -p 6379 auth default 'hunter2'",
                "redis-cli -h cache -p 6379 auth default '§'",
            ),
            (
                "redis-cli HELLO 3 AUTH default hunter2 SETNAME x",
                "redis-cli HELLO 3 AUTH default § SETNAME §",
            ),
            (
                "redis-cli MIGRATE h 6379 '' 0 5000 AUTH hunter2 KEYS a",
                "redis-cli MIGRATE h 6379 '' 0 5000 AUTH § KEYS a",
            ),
            ("valkey-cli AUTH default hunter2", "valkey-cli AUTH default §"),
            ("keydb-cli AUTH hunter2", "keydb-cli AUTH §"),
            ("freerdp /v:h /u:bob /p:hunter2", "freerdp /v:h /u:bob /p:§"),
            ("xfreerdp /v:h /u:bob '/p:hunter2' /cert:ignore", "xfreerdp /v:h /u:bob '/p:§' /cert:ignore"),
            ("xfreerdp3 /u:bob /v:h -p:hunter2", "xfreerdp3 /u:bob /v:h -p:§"),
            ("sdl-freerdp /u:bob /p:\"hunter2\" /v:h", "sdl-freerdp /u:bob /p:\"§\" /v:h"),
            ("wlfreerdp /v:h /u:bob /pth:{x32}", "wlfreerdp /v:h /u:bob /pth:§"),
            (
                "xfreerdp /v:h /gateway:g:gw,u:me,p:hunter2,d:corp",
                "xfreerdp /v:h /gateway:g:gw,u:me,p:§,d:corp",
            ),
            ("llm keys set openai --value hunter2", "llm keys set openai --value §"),
            ("llm -m gpt-4o --key hunter2 'say hi'", "llm -m gpt-4o --key § 'say hi'"),
            ("k6 login cloud -t hunter2", "k6 login cloud -t §"),
            ("k6 cloud login -t hunter2 --stack s", "k6 cloud login -t § --stack s"),
            ("npx cypress run --record --key hunter2", "npx cypress run --record --key §"),
            ("artillery run --record --key=hunter2 t.yml", "artillery run --record --key=§ t.yml"),
            ("wakatime --entity a.rs --key hunter2", "wakatime --entity a.rs --key §"),
            (
                "choco apikey -k hunter2 -s https://push.chocolatey.org",
                "choco apikey -k § -s https://push.chocolatey.org",
            ),
            ("shodan init hunter2", "shodan init §"),
        ],
        left: &[
            "redis-cli GET users",
            "redis-cli --no-auth-warning ping",
            "xfreerdp /v:h /u:bob /d:corp /size:1920x1080 /port:3390",
            "xfreerdp /v:h /gateway:g:gw,u:me",
            "llm keys set openai",
            "llm keys list",
            "k6 run -e BASE=http://h script.js",
            "curl --cert c.pem --key client.pem https://h",
            "aws s3api get-object --bucket b --key reports/Jan2024Final.csv out.csv",
            "aws secretsmanager create-secret --name a --secret-string file://secret.json",
            "sort --key=2 data.csv",
            "npx cypress run --record --key \"$CYPRESS_RECORD_KEY\"",
        ],
    },
    Case {
        detector: "channel-token",
        found: &[
            (
                "conda config --add channels https://conda.corp/t/cd-93kd02mslqp/ch",
                "conda config --add channels https://conda.corp/t/§/ch",
            ),
            (
                "channels:\n  - https://repo.corp/t/tk-4711abcd/team\n",
                "channels:\n  - https://repo.corp/t/§/team\n",
            ),
            ("mamba install -c https://h/t/a1b2c3d4/main numpy", "mamba install -c https://h/t/§/main numpy"),
            (
                "wget https://repo.corp/t/{a24}/main/linux-64/repodata.json",
                "wget https://repo.corp/t/§/main/linux-64/repodata.json",
            ),
        ],
        left: &[
            "curl https://discuss.python.org/t/pep-582-python-local-packages/963",
            "curl https://forum.example/t/how-to-use-s3-with-2fa/81/4",
            "conda config --add channels https://conda.corp/t/$TOKEN/ch",
            "conda install -c https://host/t/<TOKEN>/ch x",
            "ls src/t/x2y3z4/a",
        ],
    },
    Case {
        detector: "here-string",
        found: &[
            (
                "npm login --auth-type=legacy <<< $'bob\\nhunter2\\nbob@example.com\\n'",
                "npm login --auth-type=legacy <<< $'bob\\n§\\nbob@example.com\\n'",
            ),
            ("npm login <<< \"bob\\nhunter2\\n\"", "npm login <<< \"bob\\n§\\n\""),
            ("npm adduser <<< $'bob\\nhunter2\\n'", "npm adduser <<< $'bob\\n§\\n'"),
            ("docker login <<< $'bob\\nhunter2\\n'", "docker login <<< $'bob\\n§\\n'"),
            ("llm keys set openai <<< hunter2", "llm keys set openai <<< §"),
        ],
        left: &["npm install <<< y", "docker run -i alpine <<< hello"],
    },
    Case {
        detector: "here-document",
        found: &[(
            "npm login <<END\nbob\nhunter2\nbob@example.com\nEND\n",
            "npm login <<END\nbob\n§\nbob@example.com\nEND\n",
        )],
        left: &[],
    },
    Case {
        detector: "piped-password",
        found: &[
            ("printf 'bob\\nhunter2\\n' | npm login", "printf 'bob\\n§\\n' | npm login"),
            (
                "printf '%s\\n' bob hunter2 bob@example.com | npm login",
                "printf '%s\\n' bob § bob@example.com | npm login",
            ),
            ("echo hunter2 | docker login -u me ghcr.io", "echo § | docker login -u me ghcr.io"),
        ],
        left: &[],
    },
    Case {
        detector: "url-password",
        found: &[
            (
                "SENTRY_DSN=https://abc0f3d2e1@o1.ingest.sentry.io/1 ./run",
                "SENTRY_DSN=https://§@o1.ingest.sentry.io/1 ./run",
            ),
            ("dsn: \"https://{x32}@sentry.corp.example/42\"", "dsn: \"https://§@sentry.corp.example/42\""),
        ],
        left: &[
            "https://docs.sentry.io/product/sentry-basics/dsn-explainer/",
            "git clone https://bob@sentry.corp/x.git",
        ],
    },
    Case {
        detector: "secret-value",
        found: &[
            ("MAPBOX_KEY=mapb0xV41ue ./deploy.sh --prod", "MAPBOX_KEY=§ ./deploy.sh --prod"),
            ("SENDGRID_KEY=hunter ./run", "SENDGRID_KEY=§ ./run"),
            ("docker run -e FERNET_KEY=f3rnetV41ue= img", "docker run -e FERNET_KEY=§ img"),
            ("export STRIPE_KEY='hunter2'", "export STRIPE_KEY='§'"),
            ("GH_PAT=hunter2 ./run", "GH_PAT=§ ./run"),
            ("AZDO_PAT=\"hunter2\" ./run", "AZDO_PAT=\"§\" ./run"),
            ("DEPLOYER_PAT=ghpatV41ue1 ./run", "DEPLOYER_PAT=§ ./run"),
            ("BILLING_KEY=b1ll1ngV41 ./run", "BILLING_KEY=§ ./run"),
            ("BILLING_KEY = \"Sommer2024\"", "BILLING_KEY = \"§\""),
            ("aws sts get-session-token --token-code 482910", "aws sts get-session-token --token-code §"),
            (
                "aws s3 cp a s3://b --sse-c AES256 --sse-c-key hunter2",
                "aws s3 cp a s3://b --sse-c AES256 --sse-c-key §",
            ),
            (
                "aws s3api get-object --sse-customer-key hunter2 --key a out",
                "aws s3api get-object --sse-customer-key § --key a out",
            ),
            (
                "curl -X PATCH -d '[{\"op\":\"replace\",\"path\":\"/db/password\",\"value\":\"hunter2\"}]' h",
                "curl -X PATCH -d '[{\"op\":\"replace\",\"path\":\"/db/password\",\"value\":\"§\"}]' h",
            ),
            (
                "{\"value\":\"hunter2\",\"path\":\"/db/password\"}",
                "{\"value\":\"§\",\"path\":\"/db/password\"}",
            ),
            (
                "{\"path\": [\"db\", \"password\"], \"value\": \"hunter2\"}",
                "{\"path\": [\"db\", \"password\"], \"value\": \"§\"}",
            ),
        ],
        left: &[
            "PRIMARY_KEY=id ./run",
            "FOREIGN_KEY=user_id",
            "SORT_KEY=created_at",
            "CACHE_KEY=users-v2-2024",
            "CACHE_KEY=deps0f3d2e1",
            "PUBLIC_KEY=abc0f3d2e1",
            "PARTITION_KEY=tenant42id",
            "HASH_KEY=user2id9",
            "REDIS_KEY=user:42:cart2x",
            "ROUTING_KEY=orders.created",
            "FEATURE_KEY=checkout2go9",
            "BUILD_KEY=nightly",
            "BUILD_KEY=release-2024",
            "FILE_PAT='data2024*.csv'",
            "GLOB_PAT=test_foo",
            "SSH_KEY=~/.ssh/id_ed25519",
            "TLS_KEY=server.key",
            "STRIPE_KEY=$STRIPE_KEY ./run",
            "const TWITTER_KEY = \"twitter\";",
            "STRIPE_KEY = 'stripe_key'",
            "JIRA_KEY=PROJ-1234 ./run",
            "GPG_KEY=0xA1B2C3D4E5 gpg --recv-keys",
            "SSH_KEY=deploy2web1 ./run",
            "MAPBOX_KEY=/run/secrets/mapbox ./run",
            "git config alias.x '!f() { echo GH_PAT is missing; }'",
            "echo \"Set STRIPE_KEY in .env\"",
            "if [ -z \"$GH_PAT\" ]; then echo missing; fi",
            "process.env.STRIPE_KEY",
            "STRIPE_KEY=your_key ./run",
            "GH_PAT=${{ secrets.GH_PAT }}",
            "{\"path\": \"/docs/password-policy\", \"value\": \"hunter2\"}",
            "{\"content\": \"hello\", \"path\": \"/docs/password\"}",
        ],
    },
];
