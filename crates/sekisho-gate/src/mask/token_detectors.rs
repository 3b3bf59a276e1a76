//! The table of well-known tokens.
//!
//! Lengths are the minimum that the issuer has ever used, or slightly less: keys grow, and a key that
//! is cut off at the end of a message is still most of a key.

use super::detector::{Detector, Find};
use super::token_shape::{
    ALNUM, BASE64, BASE64_URL, Class, DASHED, DOTTED, HEX, MANY, Piece, Shape, UPPER, WORD,
};

use Piece::{Is, Of};

pub(super) static SHAPES: &[Detector] = &[
    token("aws-access-key", "id of an AWS access key", &["AKIA", "ASIA", "ABIA", "ACCA"], &[some(UPPER, 16)])
        .mixed(),
    token(
        "github-token",
        "GitHub personal, OAuth, app, server and refresh tokens",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        &[some(WORD, 36)],
    ),
    token("github-pat", "GitHub fine-grained token", &["github_pat_"], &[some(WORD, 36)]),
    token(
        "gitlab-token",
        "GitLab personal, deploy, runner, trigger, job, feed and agent tokens",
        &["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glft-", "glagent-", "gloas-", "glsoat-"],
        &[some(DOTTED, 20)],
    ),
    token(
        "slack-token",
        "Slack bot, user, app, workspace and refresh tokens",
        &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxc-", "xoxd-", "xoxe.", "xapp-"],
        &[some(DOTTED, 16)],
    )
    .mixed(),
    token(
        "slack-webhook",
        "Slack webhook path, which is its password",
        &["hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/"],
        &[Of(|byte| WORD(byte) || byte == b'/', 20, MANY)],
    )
    .keep(),
    token(
        "stripe-key",
        "Stripe secret and restricted keys, and signing secrets of webhooks",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"],
        &[some(BASE64, 16)],
    ),
    token("google-api-key", "Google API key", &["AIza"], &[some(DASHED, 35)]),
    token("google-oauth", "Google OAuth access token", &["ya29."], &[some(DOTTED, 20)]),
    token("google-oauth-secret", "Google OAuth client secret", &["GOCSPX-"], &[some(DASHED, 20)]),
    token(
        "azure-storage-key",
        "key in an Azure connection string",
        &["AccountKey=", "SharedAccessKey="],
        &[some(BASE64, 40)],
    )
    .keep(),
    token(
        "azure-sas",
        "signature of an Azure shared access URL",
        &["?sig=", "&sig="],
        &[some(BASE64_URL, 40)],
    )
    .keep(),
    token("npm-token", "npm access token", &["npm_"], &[some(ALNUM, 36)]).edge(),
    token("pypi-token", "PyPI upload token", &["pypi-AgE", "pypi-AgN"], &[some(DASHED, 50)]),
    token("anthropic-key", "Anthropic API and admin keys, OAuth tokens", &["sk-ant-"], &[some(DASHED, 24)]),
    token(
        "openai-key",
        "OpenAI project, service account and admin keys, and OpenRouter's",
        &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-", "sk-or-v1-"],
        &[some(DASHED, 32)],
    )
    .mixed(),
    token(
        "openai-legacy-key",
        "OpenAI key of the old form, and others like it",
        &["sk-"],
        &[some(ALNUM, 32)],
    )
    .edge()
    .mixed(),
    token("huggingface-token", "Hugging Face token", &["hf_", "api_org_"], &[some(ALNUM, 34)]).edge(),
    token("twilio-key", "Twilio API key and account ids", &["SK", "AC"], &[exactly(HEX, 32)]).edge().mixed(),
    token("sendgrid-key", "SendGrid API key", &["SG."], &[Of(DASHED, 16, 32), Is("."), some(DASHED, 32)])
        .edge(),
    token("mailgun-key", "Mailgun API key", &["key-"], &[exactly(HEX, 32)]).edge(),
    token(
        "digitalocean-token",
        "DigitalOcean personal, OAuth and refresh tokens",
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        &[some(HEX, 64)],
    ),
    token(
        "discord-token",
        "Discord bot token",
        DISCORD,
        &[Of(DASHED, 20, 26), Is("."), Of(DASHED, 6, 7), Is("."), some(DASHED, 27)],
    )
    .edge(),
    token(
        "discord-webhook",
        "Discord webhook token",
        &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"],
        &[Of(|byte| DASHED(byte) || byte == b'/', 60, MANY)],
    )
    .keep(),
    token(
        "shopify-token",
        "Shopify access tokens and shared secret",
        &["shpat_", "shpca_", "shppa_", "shpss_"],
        &[some(HEX, 32)],
    ),
    token(
        "doppler-token",
        "Doppler personal, service, CLI, SCIM and audit tokens",
        &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."],
        &[some(DOTTED, 40)],
    )
    .edge(),
    token("vault-token", "HashiCorp Vault token", &["hvs.", "hvb.", "hvr."], &[some(DASHED, 24)]).edge(),
    token("databricks-token", "Databricks personal token", &["dapi"], &[some(HEX, 32)]).edge(),
    token("linear-key", "Linear API key", &["lin_api_", "lin_oauth_"], &[some(ALNUM, 40)]),
    token("notion-token", "Notion integration token", &["ntn_", "secret_"], &[some(ALNUM, 40)])
        .edge()
        .mixed(),
    token("grafana-token", "Grafana service account token", &["glsa_", "glc_"], &[some(BASE64, 32)]).edge(),
    token(
        "encoded-private-key",
        "PEM private key encoded in base64",
        &[
            "LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZB",
            "LS0tLS1CRUdJTiBSU0EgUFJJVkFU",
            "LS0tLS1CRUdJTiBFQyBQUklWQVRF",
            "LS0tLS1CRUdJTiBQUklWQVRFIEtF",
            "LS0tLS1CRUdJTiBFTkNSWVBURUQgUFJJ",
            "LS0tLS1CRUdJTiBEU0EgUFJJVkFU",
            "LS0tLS1CRUdJTiBQR1AgUFJJVkFURSBL",
        ],
        &[some(BASE64, 24)],
    ),
    token(
        "docker-config",
        "registry credentials encoded in base64",
        &["eyJhdXRocyI6", "eyAiYXV0aHMi", "ewoJImF1dGhz", "ewogICJhdXRocyI", "ewogICAgImF1dGhzI"],
        &[some(BASE64, 24)],
    ),
    token("age-key", "age secret key", &["AGE-SECRET-KEY-1"], &[some(UPPER, 40)]),
    token(
        "jwt",
        "JSON web token, signed or encrypted",
        &["eyJ"],
        &[some(DASHED, 12), Is("."), some(DASHED, 8), Is("."), Of(DOTTED, 8, MANY)],
    ),
];

/// A Discord token starts with the bot's id in base64. Ids are decimal, so the start is one of these.
const DISCORD: &[&str] = &[
    "MTA", "MTE", "MTI", "MTM", "MTQ", "MTU", "MTY", "MTc", "MTg", "MTk", "MjA", "MjE", "MjI", "MjM", "MjQ",
    "MjU", "MjY", "Mjc", "Mjg", "Mjk", "MzA", "MzE", "MzI", "MzM", "MzQ", "MzU", "MzY", "Mzc", "Mzg", "Mzk",
    "NDA", "NDE", "NDI", "NDM", "NDQ", "NDU", "NDY", "NDc", "NDg", "NDk", "NTA", "NTE", "NTI", "NTM", "NTQ",
    "NTU", "NTY", "NTc", "NTg", "NTk", "NjA", "NjE", "NjI", "NjM", "NjQ", "NjU", "NjY", "Njc", "Njg", "Njk",
    "NzA", "NzE", "NzI", "NzM", "NzQ", "NzU", "NzY", "Nzc", "Nzg", "Nzk", "ODA", "ODE", "ODI", "ODM", "ODQ",
    "ODU", "ODY", "ODc", "ODg", "ODk", "OTA", "OTE", "OTI", "OTM", "OTQ", "OTU", "OTY", "OTc", "OTg", "OTk",
];

pub(super) const fn some(class: Class, least: usize) -> Piece {
    Of(class, least, MANY)
}

pub(super) const fn exactly(class: Class, count: usize) -> Piece {
    Of(class, count, count)
}

pub(super) const fn token(
    name: &'static str,
    doc: &'static str,
    keys: &'static [&'static str],
    pieces: &'static [Piece],
) -> Detector {
    Detector {
        name,
        doc,
        keys,
        find: Find::Shape(Shape { edge: false, keep: false, mixed: false, back: None, pieces }),
    }
}

impl Detector {
    pub(super) const fn edge(mut self) -> Detector {
        if let Find::Shape(shape) = &mut self.find {
            shape.edge = true;
        }
        self
    }

    pub(super) const fn back(mut self, class: Class, count: usize) -> Detector {
        if let Find::Shape(shape) = &mut self.find {
            shape.back = Some((class, count));
        }
        self
    }

    pub(super) const fn keep(mut self) -> Detector {
        if let Find::Shape(shape) = &mut self.find {
            shape.keep = true;
        }
        self
    }

    pub(super) const fn mixed(mut self) -> Detector {
        if let Find::Shape(shape) = &mut self.find {
            shape.mixed = true;
        }
        self
    }
}
