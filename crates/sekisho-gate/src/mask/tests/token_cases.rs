use super::detector_cases::Case;

pub(super) static SHAPES: &[Case] = &[
    Case {
        detector: "aws-access-key",
        found: &[("id AKIA{u16} here", "id § here"), ("aws_access_key_id=ASIA{u16}", "aws_access_key_id=§")],
        left: &["ASIAPACIFICREGIONALOFFICES", "AKIA", "the AKIA prefix", "AKIA{x16}"],
    },
    Case {
        detector: "github-token",
        found: &[
            ("git clone https://ghp_{a36}@github.com/a/b", "git clone https://§@github.com/a/b"),
            ("xgho_{a36}", "x§"),
            ("ghs_{a36}, ghu_{a40}; ghr_{a76}", "§, §; §"),
        ],
        left: &["ghp_short", "tokens start with ghp_ or gho_", "src/ghs_reader.rs"],
    },
    Case {
        detector: "github-pat",
        found: &[("github_pat_{a22}_{a59}", "§"), ("echo github_pat_{a82} | wc", "echo § | wc")],
        left: &["github_pat_", "github_pat_helper.py"],
    },
    Case {
        detector: "gitlab-token",
        found: &[("glpat-{a20} x", "§ x"), ("glrt-{a10}-{a10}", "§")],
        left: &["glpat-", "glrt-runner", "a glpat-style name"],
    },
    Case {
        detector: "slack-token",
        found: &[("xoxb-{d12}-{d12}-{a24}", "§"), ("(xapp-1-{u11}-{d13}-{x64})", "(§)")],
        left: &["xoxb-", "xoxp-tokens-are-legacy-now", "xoxb-short"],
    },
    Case {
        detector: "slack-webhook",
        found: &[
            (
                "curl https://hooks.slack.com/services/T{u8}/B{u8}/{a24} -d x",
                "curl https://hooks.slack.com/services/§ -d x",
            ),
            ("hooks.slack.com/workflows/T{u8}/A{u8}/{d18}/{a24}", "hooks.slack.com/workflows/§"),
        ],
        left: &["https://hooks.slack.com/services/", "hooks.slack.com/services/T00"],
    },
    Case {
        detector: "stripe-key",
        found: &[("sk_live_{a24}", "§"), ("rk_test_{a99}.", "§."), ("whsec_{a32}", "§")],
        left: &["sk_live_", "sk_test_mode", "pk_live_{a24}"],
    },
    Case {
        detector: "google-api-key",
        found: &[("?v=1&x=AIza{a35}&y", "?v=1&x=§&y"), ("AIza{a20}-_{a13}", "§")],
        left: &["AIza", "AIzaShort", "aiza{a35}"],
    },
    Case {
        detector: "google-oauth",
        found: &[("ya29.{a60}", "§"), ("x=ya29.a0{a20}-{a30} y", "x=§ y")],
        left: &["ya29.", "ya29.txt"],
    },
    Case {
        detector: "google-oauth-secret",
        found: &[("GOCSPX-{a28}", "§"), ("'GOCSPX-{a10}-{a17}'", "'§'")],
        left: &["GOCSPX-", "gocspx-{a28}"],
    },
    Case {
        detector: "azure-storage-key",
        found: &[
            (
                "AccountName=me;AccountKey={s86}==;EndpointSuffix=core.windows.net",
                "AccountName=me;AccountKey=§;EndpointSuffix=core.windows.net",
            ),
            ("Endpoint=sb://x.net/;SharedAccessKey={s43}=", "Endpoint=sb://x.net/;SharedAccessKey=§"),
        ],
        left: &["AccountKey=$KEY", "AccountKey=", "AccountKey=<key>"],
    },
    Case {
        detector: "azure-sas",
        found: &[
            (
                "https://a.blob.core.windows.net/c?sv=2022&sig={a43}%3D&se=1",
                "https://a.blob.core.windows.net/c?sv=2022&sig=§&se=1",
            ),
            ("/c?sig={a40}", "/c?sig=§"),
        ],
        left: &["?sig=abc&x", "kill -s sig=9", "https://x/?sig="],
    },
    Case {
        detector: "npm-token",
        found: &[("npm_{a36}", "§"), ("x=npm_{a36} npm i", "x=§ npm i")],
        left: &[
            "npm_config_registry=https://r.example",
            "npm_lifecycle_event",
            "npm_package_json_version_number_here_x",
        ],
    },
    Case {
        detector: "pypi-token",
        found: &[
            ("pypi-AgEIcHlwaS5vcmc{a60}", "§"),
            ("twine pypi-AgENdGVzdC5weXBpLm9yZw{a80} x", "twine § x"),
        ],
        left: &["pypi-publish", "pypi-AgE"],
    },
    Case {
        detector: "anthropic-key",
        found: &[("sk-ant-api03-{a86}-{a6}AA", "§"), ("run sk-ant-oat01-{a40} now", "run § now")],
        left: &["sk-ant-", "sk-ant-api03"],
    },
    Case {
        detector: "openai-key",
        found: &[("sk-proj-{a48}", "§"), ("\"sk-svcacct-{a20}_{a60}\"", "\"§\""), ("sk-or-v1-{x64}", "§")],
        left: &["sk-proj-", "sk-admin-panel", "class=\"sk-proj-card sk-admin-table\""],
    },
    Case {
        detector: "openai-legacy-key",
        found: &[("sk-{a48}", "§"), ("use sk-{x32}!", "use §!")],
        left: &[
            "<div class=\"sk-circle-fade sk-chase-dot\">",
            "task-{a48}",
            "sk-averyveryverylongclassnamewithoutanydigits",
            "risk-1",
        ],
    },
    Case {
        detector: "huggingface-token",
        found: &[("hf_{l34}", "§"), ("login hf_{a37};", "login §;")],
        left: &["hf_hub_download", "hf_transfer", "shelf_{l34}"],
    },
    Case {
        detector: "twilio-key",
        found: &[
            ("SK{x32}", "§"),
            (
                "https://api.twilio.com/Accounts/AC{x32}/Messages",
                "https://api.twilio.com/Accounts/§/Messages",
            ),
        ],
        left: &["SKU1234", "ACCEPT", "MASK{x32}", "sk{x31}"],
    },
    Case {
        detector: "sendgrid-key",
        found: &[("SG.{a22}.{a43}", "§"), ("x SG.{a10}_{a11}.{a20}-{a22} y", "x § y")],
        left: &["SG.", "MSG.{a22}.{a43}", "SG.Controllers.Home"],
    },
    Case {
        detector: "mailgun-key",
        found: &[
            ("key-{x32}", "§"),
            ("api:key-{x32} https://api.mailgun.net", "api:§ https://api.mailgun.net"),
        ],
        left: &["key-value", "monkey-{x32}", "key-pair.pem"],
    },
    Case {
        detector: "digitalocean-token",
        found: &[("dop_v1_{x64}", "§"), ("doctl -t dor_v1_{x64} x", "doctl -t § x")],
        left: &["dop_v1_", "dop_v1_{x20}"],
    },
    Case {
        detector: "discord-token",
        found: &[("MTk4{a21}.{a6}.{a38}", "§"), ("Bot NzY5{a22}.X{a5}.{a27}!", "Bot §!")],
        left: &["MTk4{a21}", "MTA", "OTk5.zip.tar", "MTAwMA=="],
    },
    Case {
        detector: "discord-webhook",
        found: &[
            ("https://discord.com/api/webhooks/{d18}/{a68}", "https://discord.com/api/webhooks/§"),
            ("discordapp.com/api/webhooks/{d19}/{a68} x", "discordapp.com/api/webhooks/§ x"),
        ],
        left: &["https://discord.com/api/webhooks/", "discord.com/api/webhooks/{d18}"],
    },
    Case {
        detector: "shopify-token",
        found: &[("shpat_{x32}", "§"), ("X shpss_{x32} Y", "X § Y")],
        left: &["shpat_", "shpat_token_name"],
    },
    Case {
        detector: "doppler-token",
        found: &[("dp.pt.{a43}", "§"), ("doppler run dp.st.dev_main.{a43} x", "doppler run § x")],
        left: &["dp.pt.", "dp.st.name", "udp.pt.{a43}"],
    },
    Case {
        detector: "vault-token",
        found: &[("hvs.{a24}", "§"), ("vault login hvb.{a90}-{a20}", "vault login §")],
        left: &["hvs.", "hvs.example.com", "archvs.{a24}"],
    },
    Case {
        detector: "databricks-token",
        found: &[("dapi{x32}", "§"), ("x=dapi{x32}-2", "x=§-2")],
        left: &["dapi", "dapi_client", "fastdapi{x32}"],
    },
    Case {
        detector: "linear-key",
        found: &[("lin_api_{a40}", "§"), ("(lin_oauth_{a64})", "(§)")],
        left: &["lin_api_", "lin_api_client"],
    },
    Case {
        detector: "notion-token",
        found: &[("ntn_{d11}{a35}", "§"), ("x secret_{a43} y", "x § y")],
        left: &["ntn_", "secret_name", "secret_santa_list.txt", "client_secret_basic"],
    },
    Case {
        detector: "grafana-token",
        found: &[("glsa_{a32}_{x8}", "§"), ("glc_{s80}=", "§")],
        left: &["glsa_", "glc_context_create"],
    },
    Case {
        detector: "age-key",
        found: &[("AGE-SECRET-KEY-1{u58}", "§"), ("# key\nAGE-SECRET-KEY-1{u58}\n", "# key\n§\n")],
        left: &["AGE-SECRET-KEY-1", "age1{a58}"],
    },
    Case {
        detector: "jwt",
        found: &[("eyJ{a20}.eyJ{a30}.{a43}", "§"), ("id eyJ{a20}.{a60}.{a16}.{a40}.{a22} x", "id § x")],
        left: &["eyJ{a200}", "eyJ{a20}.json", "eyJ.eyJ.eyJ"],
    },
];
