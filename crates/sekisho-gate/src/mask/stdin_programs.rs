//! The table of programs that read a secret from standard input.

use super::byte_scan::part;
use super::{base64_decode, byte_scan, random_looking_value, secret_name, text_runners};

/// A program that reads a secret, and the words of which one must be present.
struct StdinProgram {
    program: &'static str,
    asks: &'static [&'static str],
    takes: StdinSecret,
    /// Whether it may read something else than a secret: statements, manifests.
    reads_more: bool,
}

/// A program that reads a secret from its input.
#[derive(Clone, Copy)]
pub(super) struct InputReader {
    pub(super) takes: StdinSecret,
    /// Whether it may read other text instead, or run it. Then only a single word is a secret.
    pub(super) reads_more: bool,
    /// Whether it passes its input on to a program: `sudo -S tee x`.
    pub(super) is_wrapper: bool,
}

/// Which part of the input is secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StdinSecret {
    /// The first line.
    Line,
    /// Two lines; the second confirms the first.
    Lines,
    /// The second line, below the user; the first if there is no other.
    Login,
    /// The text after the colon.
    Pair,
    /// The first line, if it looks like a password: the program reads other text as well.
    Strong,
    /// The first line, if it is not an ordinary word.
    Unusual,
    /// No line: the input lists checksums.
    Checksums,
    /// The first line, if it is base64 of a text that contains a secret.
    Encoded,
}

impl StdinSecret {
    /// Whether this program would take the text as a secret.
    pub(super) fn accepts(self, text: &[u8]) -> bool {
        match self {
            StdinSecret::Line | StdinSecret::Lines | StdinSecret::Login | StdinSecret::Pair => true,
            StdinSecret::Strong => random_looking_value::password(text),
            StdinSecret::Unusual => {
                text.len() >= 4
                    && !text.iter().all(|byte| byte.is_ascii_alphabetic())
                    && !byte_scan::has(text, "://")
            }
            StdinSecret::Checksums => false,
            StdinSecret::Encoded => base64_decode::decode(text).is_some(),
        }
    }
}

const fn sink(program: &'static str, asks: &'static [&'static str], takes: StdinSecret) -> StdinProgram {
    StdinProgram { program, asks, takes, reads_more: false }
}

impl StdinProgram {
    const fn or_other_text(mut self) -> StdinProgram {
        self.reads_more = true;
        self
    }
}

const SINKS: &[StdinProgram] = &[
    sink("sudo", &["-S", "--stdin", "-Sk", "-kS", "-Sv", "-SE", "-nS", "-Su"], StdinSecret::Line),
    sink("su", &[], StdinSecret::Line),
    sink("doas", &[], StdinSecret::Line),
    sink("chpasswd", &[], StdinSecret::Pair),
    sink("newusers", &[], StdinSecret::Pair),
    sink("passwd", &[], StdinSecret::Lines),
    sink("smbpasswd", &[], StdinSecret::Lines),
    sink("adduser", &[], StdinSecret::Lines),
    sink("createuser", &["-P", "--pwprompt"], StdinSecret::Lines),
    sink("pdbedit", &[], StdinSecret::Lines),
    sink("htpasswd", &["-i", "-ni", "-in", "-iB", "-Bi", "-ic", "-ci"], StdinSecret::Line),
    sink("kinit", &[], StdinSecret::Line),
    sink("ecryptfs-add-passphrase", &[], StdinSecret::Line),
    sink("cryptsetup", &[], StdinSecret::Line),
    sink("zfs", &["load-key", "create"], StdinSecret::Line).or_other_text(),
    sink("gpg", &["--passphrase-fd"], StdinSecret::Line),
    sink("gpg2", &["--passphrase-fd"], StdinSecret::Line),
    sink("openssl", &["stdin", "-stdin", "fd:0"], StdinSecret::Line),
    sink("ansible-vault", &["encrypt_string"], StdinSecret::Line),
    sink("ssh-add", &[], StdinSecret::Line),
    sink("gh", &["--with-token", "secret"], StdinSecret::Line),
    sink("glab", &["--stdin"], StdinSecret::Line),
    sink("vault", &["-", "login"], StdinSecret::Line).or_other_text(),
    sink("pass", &["insert"], StdinSecret::Line),
    sink("gopass", &["insert"], StdinSecret::Line),
    sink("elasticsearch-keystore", &["add"], StdinSecret::Line),
    sink("opensearch-keystore", &["add"], StdinSecret::Line),
    sink("logstash-keystore", &["add"], StdinSecret::Line),
    sink("kibana-keystore", &["add"], StdinSecret::Line),
    sink("hdiutil", &["-stdinpass"], StdinSecret::Line),
    sink("fscryptctl", &["add_key", "insert_key"], StdinSecret::Line),
    sink("secret-tool", &["store"], StdinSecret::Line),
    sink("zpool", &["create"], StdinSecret::Strong),
    sink("snx", &[], StdinSecret::Strong),
    sink("openfortivpn", &[], StdinSecret::Line),
    sink("openconnect", &[], StdinSecret::Line),
    sink("vpnc", &[], StdinSecret::Line),
    sink("vpnc-connect", &[], StdinSecret::Line),
    sink("nmcli", &["--ask", "-a"], StdinSecret::Line).or_other_text(),
    sink("xfreerdp", &["/from-stdin"], StdinSecret::Line),
    sink("runas", &[], StdinSecret::Line),
    sink("lpass", &["login"], StdinSecret::Line),
    sink("kpasswd", &[], StdinSecret::Lines),
    sink("ksu", &[], StdinSecret::Line),
    sink("gocryptfs", &[], StdinSecret::Line),
    sink("encfs", &["-S", "--stdinpass"], StdinSecret::Line),
    sink("veracrypt", &["--stdin"], StdinSecret::Line),
    sink("rbw", &["unlock", "login"], StdinSecret::Line),
    sink("minisign", &["-S", "-Sm"], StdinSecret::Line),
    sink("clip", &[], StdinSecret::Strong),
    sink("clip.exe", &[], StdinSecret::Strong),
    sink("secret-tool", &["store"], StdinSecret::Line),
    sink("wrangler", &["secret"], StdinSecret::Line),
    sink("vercel", &["env"], StdinSecret::Line),
    sink("docker", &["secret", "--password-stdin"], StdinSecret::Line),
    sink("podman", &["secret", "--password-stdin"], StdinSecret::Line),
    sink("docker", &["login"], StdinSecret::Login),
    sink("podman", &["login"], StdinSecret::Login),
    sink("gcloud", &["secrets"], StdinSecret::Line),
    sink("firebase", &["functions:secrets:set"], StdinSecret::Line),
    sink("systemd-creds", &["encrypt"], StdinSecret::Line),
    sink("systemd-ask-password", &[], StdinSecret::Line),
    sink("wpa_passphrase", &[], StdinSecret::Line),
    sink("snowsql", &[], StdinSecret::Line).or_other_text(),
    sink("keepassxc-cli", &[], StdinSecret::Line).or_other_text(),
    sink("bw", &["login", "unlock"], StdinSecret::Line),
    sink("mokutil", &[], StdinSecret::Lines),
    sink("vncpasswd", &[], StdinSecret::Lines),
    sink("kubeseal", &[], StdinSecret::Line).or_other_text(),
    sink("npm", NPM_LOGIN, StdinSecret::Login),
    sink("pnpm", NPM_LOGIN, StdinSecret::Login),
    sink("yarn", NPM_LOGIN, StdinSecret::Login),
    sink("heroku", &["login", "auth:login"], StdinSecret::Login),
    sink("llm", &["keys"], StdinSecret::Line),
    sink("cargo", &["login"], StdinSecret::Line),
    sink("restic", &[], StdinSecret::Line).or_other_text(),
    sink("borg", &[], StdinSecret::Line).or_other_text(),
    sink("rclone", &["obscure"], StdinSecret::Line),
    sink("sshfs", &["password_stdin"], StdinSecret::Line),
    sink("mysql_config_editor", &[], StdinSecret::Line),
    sink("realm", &["join"], StdinSecret::Line),
    sink("net", &["join"], StdinSecret::Line).or_other_text(),
    sink("wg", &["pubkey", "set", "private-key"], StdinSecret::Line).or_other_text(),
    sink("awg", &["pubkey", "set", "private-key"], StdinSecret::Line).or_other_text(),
    sink("age-keygen", &["-y"], StdinSecret::Line),
    sink("oathtool", &["-"], StdinSecret::Line),
    sink("aws", &["file:///dev/stdin"], StdinSecret::Line).or_other_text(),
    sink("op", &["signin"], StdinSecret::Line),
    sink("snyk", &["auth"], StdinSecret::Line),
    sink("fly", &["secrets"], StdinSecret::Line),
    sink("flyctl", &["secrets"], StdinSecret::Line),
    sink("sops", &["-e", "--encrypt", "encrypt"], StdinSecret::Line).or_other_text(),
    sink("mkpasswd", &[], StdinSecret::Line),
    sink("caddy", &["hash-password"], StdinSecret::Line),
    sink("argon2", &[], StdinSecret::Line),
    sink("slappasswd", &[], StdinSecret::Line),
    sink("saslpasswd2", &["-p"], StdinSecret::Line),
    sink("pw", &["usermod", "useradd"], StdinSecret::Line).or_other_text(),
    sink("security", &["-i"], StdinSecret::Line).or_other_text(),
    sink("base64", &["-d", "-D", "--decode", "-di"], StdinSecret::Encoded),
    sink("base64", &[], StdinSecret::Strong),
    sink("openssl", &["base64", "dgst", "-hmac", "pkcs8", "rsa", "ec"], StdinSecret::Strong),
    sink("sha256sum", CHECKS, StdinSecret::Checksums),
    sink("sha512sum", CHECKS, StdinSecret::Checksums),
    sink("sha1sum", CHECKS, StdinSecret::Checksums),
    sink("md5sum", CHECKS, StdinSecret::Checksums),
    sink("shasum", CHECKS, StdinSecret::Checksums),
    sink("sha256sum", &[], StdinSecret::Strong),
    sink("sha512sum", &[], StdinSecret::Strong),
    sink("sha1sum", &[], StdinSecret::Strong),
    sink("md5sum", &[], StdinSecret::Strong),
    sink("shasum", &[], StdinSecret::Strong),
    sink("pbcopy", &[], StdinSecret::Strong),
    sink("wl-copy", &[], StdinSecret::Strong),
    sink("xclip", &[], StdinSecret::Strong),
    sink("xsel", &[], StdinSecret::Strong),
    sink("age", &["-p", "--passphrase"], StdinSecret::Strong),
    sink("gpg", &["-c", "--symmetric", "-e", "--encrypt"], StdinSecret::Strong),
];

const NPM_LOGIN: &[&str] = &["login", "adduser", "add-user"];

/// Flags that compare files with the checksums on standard input.
const CHECKS: &[&str] = &["-c", "--check", "-cw", "-wc"];

/// Flags that mean the same for any program.
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

/// What the command reads from standard input, if one of its words reads a secret.
pub(super) fn reader_of(command: &[u8]) -> Option<InputReader> {
    let split =
        |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'(' | b')' | b'{' | b'}');
    // A message has the name of the tool before the command.
    let words = command.split(split).filter(|word| !word.is_empty()).skip_while(|word| word.ends_with(b":"));
    let words: Vec<&[u8]> = words.take(48).collect();
    if text_runners::runs_input(&words) {
        return None;
    }
    let has =
        |wanted: &[&str]| words.iter().any(|word| wanted.iter().any(|wanted| *word == wanted.as_bytes()));
    let programs = words.iter().take_while(|word| !word.starts_with(b"<")).take(8);
    let names = programs.filter_map(|word| word.rsplit(|byte| *byte == b'/').next()).enumerate();
    let known = names.into_iter().find_map(|(index, word)| {
        let is_known = |sink: &&StdinProgram| {
            word == sink.program.as_bytes() && (sink.asks.is_empty() || has(sink.asks))
        };
        SINKS.iter().find(is_known).map(|sink| (index, sink))
    });
    let takes = known.map(|(_, sink)| sink.takes);
    let takes = takes.or_else(|| (has(ASKS) || is_fed(&words)).then_some(StdinSecret::Line))?;
    // The program may run its input: `sudo -S $0`.
    let reader = words.get(known.map_or(0, |(index, _)| index)..).unwrap_or_default();
    let is_certain = takes != StdinSecret::Line || !text_runners::is_unknown_program(reader);
    let is_wrapper = known.is_some_and(|(_, sink)| PRIVILEGED.contains(&sink.program));
    let reads_more = match known {
        Some((index, sink)) => {
            sink.reads_more
                || !text_runners::leads_to(&words, index)
                || (is_wrapper && text_runners::may_read_commands(reader))
        }
        None => text_runners::may_read_commands(reader),
    };
    Some(InputReader { takes: if is_certain { takes } else { StdinSecret::Strong }, reads_more, is_wrapper })
}

/// Programs that ask for a password and then run another program with the same input.
const PRIVILEGED: [&str; 5] = ["doas", "ksu", "runas", "su", "sudo"];

impl InputReader {
    /// A reader that may read other text as well.
    pub(super) const fn of(takes: StdinSecret) -> InputReader {
        InputReader { takes, reads_more: true, is_wrapper: false }
    }

    /// Whether it reads a password and nothing that could be run, so that a blank belongs to the password.
    pub(super) fn reads_only_secret(self) -> bool {
        let is_secret = matches!(
            self.takes,
            StdinSecret::Line | StdinSecret::Lines | StdinSecret::Login | StdinSecret::Pair
        );
        is_secret && !self.reads_more
    }
}

/// `--password-file -`, `--from-file=token=/dev/stdin`: a flag for a secret that reads standard input.
fn is_fed(words: &[&[u8]]) -> bool {
    let is_asking = |word: &[u8]| {
        word.starts_with(b"--")
            && word.ends_with(b"stdin")
            && ["pass", "secret", "token"].iter().any(|name| byte_scan::has(word, name))
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
        flag.starts_with(b"-") && input(value) && (secret_name::source(name) || secret_name::secret(name))
    })
}
