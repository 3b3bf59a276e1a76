//! Programs that read a secret from standard input: one row per program.

use super::scan::part;
use super::{base64, generated, name, scan};

/// A program that reads a secret, and the words one of which must be there.
struct Sink {
    program: &'static str,
    asks: &'static [&'static str],
    takes: Takes,
}

/// What of its input is secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// The first line.
    Line,
    /// Two lines, the second to confirm.
    Lines,
    /// What stands after the colon.
    Pair,
    /// The first line, if it looks like a password: the program reads other text as well.
    Strong,
    /// The first line, if it is no plain word.
    Unusual,
    /// The first line, if it is base64 of a text that holds a secret.
    Encoded,
}

impl Takes {
    /// Whether the text is what this program takes for a secret.
    pub(super) fn accepts(self, text: &[u8]) -> bool {
        match self {
            Takes::Line | Takes::Lines | Takes::Pair => true,
            Takes::Strong => generated::password(text),
            Takes::Unusual => text.len() >= 4 && !text.iter().all(|byte| byte.is_ascii_alphabetic()),
            Takes::Encoded => base64::decode(text).is_some(),
        }
    }
}

const fn sink(program: &'static str, asks: &'static [&'static str], takes: Takes) -> Sink {
    Sink { program, asks, takes }
}

const SINKS: &[Sink] = &[
    sink("sudo", &["-S", "--stdin", "-Sk", "-kS", "-Sv", "-SE", "-nS", "-Su"], Takes::Line),
    sink("su", &[], Takes::Line),
    sink("doas", &[], Takes::Line),
    sink("chpasswd", &[], Takes::Pair),
    sink("newusers", &[], Takes::Pair),
    sink("passwd", &[], Takes::Lines),
    sink("smbpasswd", &[], Takes::Lines),
    sink("pdbedit", &[], Takes::Lines),
    sink("htpasswd", &["-i", "-ni", "-in", "-iB", "-Bi", "-ic", "-ci"], Takes::Line),
    sink("kinit", &[], Takes::Line),
    sink("ecryptfs-add-passphrase", &[], Takes::Line),
    sink("cryptsetup", &[], Takes::Line),
    sink("zfs", &["load-key", "create"], Takes::Line),
    sink("gpg", &["--passphrase-fd"], Takes::Line),
    sink("gpg2", &["--passphrase-fd"], Takes::Line),
    sink("openssl", &["stdin", "-stdin", "fd:0"], Takes::Line),
    sink("ansible-vault", &["encrypt_string"], Takes::Line),
    sink("ssh-add", &[], Takes::Line),
    sink("gh", &["--with-token", "secret"], Takes::Line),
    sink("glab", &["--stdin"], Takes::Line),
    sink("vault", &["-", "login"], Takes::Line),
    sink("pass", &["insert"], Takes::Line),
    sink("gopass", &["insert"], Takes::Line),
    sink("elasticsearch-keystore", &["add"], Takes::Line),
    sink("opensearch-keystore", &["add"], Takes::Line),
    sink("logstash-keystore", &["add"], Takes::Line),
    sink("kibana-keystore", &["add"], Takes::Line),
    sink("hdiutil", &["-stdinpass"], Takes::Line),
    sink("fscryptctl", &["add_key", "insert_key"], Takes::Line),
    sink("secret-tool", &["store"], Takes::Line),
    sink("zpool", &["create"], Takes::Strong),
    sink("snx", &[], Takes::Strong),
    sink("clip", &[], Takes::Strong),
    sink("clip.exe", &[], Takes::Strong),
    sink("secret-tool", &["store"], Takes::Line),
    sink("wrangler", &["secret"], Takes::Line),
    sink("vercel", &["env"], Takes::Line),
    sink("docker", &["secret", "--password-stdin"], Takes::Line),
    sink("podman", &["secret", "--password-stdin"], Takes::Line),
    sink("gcloud", &["secrets"], Takes::Line),
    sink("firebase", &["functions:secrets:set"], Takes::Line),
    sink("systemd-creds", &["encrypt"], Takes::Line),
    sink("systemd-ask-password", &[], Takes::Line),
    sink("wpa_passphrase", &[], Takes::Line),
    sink("snowsql", &[], Takes::Line),
    sink("keepassxc-cli", &[], Takes::Line),
    sink("bw", &["login", "unlock"], Takes::Line),
    sink("mokutil", &[], Takes::Lines),
    sink("vncpasswd", &[], Takes::Lines),
    sink("kubeseal", &[], Takes::Line),
    sink("npm", &["login"], Takes::Line),
    sink("cargo", &["login"], Takes::Line),
    sink("restic", &[], Takes::Line),
    sink("borg", &[], Takes::Line),
    sink("rclone", &["obscure"], Takes::Line),
    sink("sshfs", &["password_stdin"], Takes::Line),
    sink("mysql_config_editor", &[], Takes::Line),
    sink("realm", &["join"], Takes::Line),
    sink("net", &["join"], Takes::Line),
    sink("wg", &["pubkey", "set", "private-key"], Takes::Line),
    sink("awg", &["pubkey", "set", "private-key"], Takes::Line),
    sink("age-keygen", &["-y"], Takes::Line),
    sink("oathtool", &["-"], Takes::Line),
    sink("aws", &["file:///dev/stdin"], Takes::Line),
    sink("op", &["signin"], Takes::Line),
    sink("snyk", &["auth"], Takes::Line),
    sink("fly", &["secrets"], Takes::Line),
    sink("flyctl", &["secrets"], Takes::Line),
    sink("sops", &["-e", "--encrypt", "encrypt"], Takes::Line),
    sink("mkpasswd", &[], Takes::Line),
    sink("caddy", &["hash-password"], Takes::Line),
    sink("argon2", &[], Takes::Line),
    sink("slappasswd", &[], Takes::Line),
    sink("saslpasswd2", &["-p"], Takes::Line),
    sink("pw", &["usermod", "useradd"], Takes::Line),
    sink("security", &["-i"], Takes::Line),
    sink("base64", &["-d", "-D", "--decode", "-di"], Takes::Encoded),
    sink("base64", &[], Takes::Strong),
    sink("openssl", &["base64", "dgst", "-hmac", "pkcs8", "rsa", "ec"], Takes::Strong),
    sink("sha256sum", &[], Takes::Strong),
    sink("sha512sum", &[], Takes::Strong),
    sink("sha1sum", &[], Takes::Strong),
    sink("md5sum", &[], Takes::Strong),
    sink("shasum", &[], Takes::Strong),
    sink("pbcopy", &[], Takes::Strong),
    sink("wl-copy", &[], Takes::Strong),
    sink("xclip", &[], Takes::Strong),
    sink("xsel", &[], Takes::Strong),
    sink("age", &["-p", "--passphrase"], Takes::Strong),
    sink("gpg", &["-c", "--symmetric", "-e", "--encrypt"], Takes::Strong),
];

/// Flags that say the same under any program.
const ASKS: &[&str] = &[
    "--password-stdin",
    "--passphrase-stdin",
    "--token-stdin",
    "--with-token",
    "--pass-stdin",
    "--key-file=-",
    "--secret-stdin",
    "--stdin-password",
    "--password-file=-",
    "--password-fd=0",
    "--passphrase-file=-",
];

/// Whether one of the words of this command reads a secret.
pub(super) fn reader_of(command: &[u8]) -> Option<Takes> {
    let split = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'');
    let words: Vec<&[u8]> = command.split(split).filter(|word| !word.is_empty()).take(48).collect();
    let has =
        |wanted: &[&str]| words.iter().any(|word| wanted.iter().any(|wanted| *word == wanted.as_bytes()));
    let programs = words.iter().take_while(|word| !word.starts_with(b"<")).take(8);
    let known = programs.filter_map(|word| word.rsplit(|byte| *byte == b'/').next()).find_map(|word| {
        SINKS.iter().find(|sink| word == sink.program.as_bytes() && (sink.asks.is_empty() || has(sink.asks)))
    });
    known.map(|sink| sink.takes).or_else(|| (has(ASKS) || is_fed(&words)).then_some(Takes::Line))
}

/// `--password-file -`, `--from-file=token=/dev/stdin`: a flag that takes a secret is told to read it from the input.
fn is_fed(words: &[&[u8]]) -> bool {
    let is_asking = |word: &[u8]| {
        word.starts_with(b"--")
            && word.ends_with(b"stdin")
            && ["pass", "secret", "token"].iter().any(|name| scan::has(word, name))
    };
    if words.iter().any(|word| is_asking(word)) {
        return true;
    }
    let input = |text: &[u8]| matches!(text, b"-" | b"/dev/stdin" | b"/dev/fd/0" | b"fd:0" | b"stdin");
    words.iter().zip(words.iter().skip(1).chain([&&b""[..]])).any(|(word, next)| {
        let split = word.iter().rposition(|byte| *byte == b'=');
        let (flag, value) =
            split.map_or((*word, *next), |at| (part(word, 0, at), part(word, at + 1, word.len())));
        let name = flag.rsplit(|byte| *byte == b'=').next().unwrap_or(flag);
        flag.starts_with(b"-") && input(value) && (name::source(name) || name::secret(name))
    })
}
