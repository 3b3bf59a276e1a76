//! Values that are not secret: references, placeholders, paths, and words of prose.

use super::byte_scan::{at, has, part, run, starts, starts_any_case};
use super::random_looking_value;
use super::secret_name;

const WORDS: &[&str] = &[
    "true",
    "false",
    "null",
    "none",
    "nil",
    "undefined",
    "string",
    "string!",
    "str",
    "number",
    "integer",
    "int",
    "boolean",
    "bool",
    "bytes",
    "any",
    "object",
    "array",
    "required",
    "optional",
    "include",
    "omit",
    "same-origin",
    "yes",
    "no",
    "on",
    "off",
    "bearer",
    "basic",
    "secretstr",
    "masked",
    "redacted",
    "hidden",
    "secret",
    "oauth2",
    "digest",
    "enabled",
    "stdin",
    "!vault",
    "!env",
    "!ref",
    "!sub",
    "!secret",
    "disabled",
    "read",
    "write",
    "inherit",
];

const PROSE: &[&str] = &[
    "flag",
    "flags",
    "option",
    "options",
    "is",
    "and",
    "or",
    "to",
    "for",
    "with",
    "argument",
    "value",
    "the",
    "a",
    "an",
    "in",
    "on",
    "of",
    "from",
    "can",
    "must",
    "should",
    "may",
    "if",
    "when",
    "instead",
    "takes",
    "parameter",
    "as",
    "via",
];

/// Expressions in code that read a value from elsewhere.
const SOURCES: &[&str] = &[
    "os.",
    "process.",
    "env.",
    "self.",
    "this.",
    "req.",
    "request.",
    "config.",
    "args.",
    "settings.",
    "secrets.",
    "vars.",
    "var.",
    "local.",
    "data.",
    "std::",
    "import.meta.",
    "ctx.",
    "options.",
    "opts.",
    "props.",
    "&self.",
    "ENV[",
];

/// Prefixes of values that refer to a secret store: 1Password, vals, AWS, Google, HashiCorp and others.
const STORES: &[&str] = &[
    "op://",
    "ref+",
    "secretref+",
    "vault://",
    "vault:",
    "secret://",
    "secrets://",
    "ssm://",
    "awssm://",
    "awssecrets://",
    "gcpsm://",
    "gcpsecretmanager://",
    "sm://",
    "berglas://",
    "keyvault://",
    "azurekeyvault://",
    "keyring://",
    "keychain://",
    "bws://",
    "pass://",
    "doppler://",
    "env://",
    "arn:aws",
    "@Microsoft.KeyVault(",
];

const ROOTS: &[&str] = &[
    "/etc/",
    "/run/",
    "/var/",
    "/home/",
    "/usr/",
    "/tmp/",
    "/opt/",
    "/root/",
    "/mnt/",
    "/Users/",
    "/proc/",
    "/dev/",
    "/srv/",
    "/secrets/",
    "./",
    "../",
    "~/",
    "file://",
];

/// Whether this value only says where a secret is, or that there is none.
///
/// Every rule has a maximum length, and a longer value counts as a secret. Otherwise a text of names
/// that each rule out the rest of the text would be read once for every name.
pub(super) fn value(value: &[u8], mark: u8) -> bool {
    reference(value, mark)
        || is_any(value, WORDS)
        || placeholder(value)
        || pattern(value)
        || file(value)
        || (value.len() <= 256
            && ROOTS.iter().chain(STORES).any(|start| value.starts_with(start.as_bytes()))
            && !generated_file(value))
        || (mark == 0 && source(value))
        || (value.len() <= 64
            && value.iter().all(|byte| matches!(byte, b'*' | b'.' | b'-' | b'_' | b'[' | b'\\')))
}

/// Whether code reads the value from elsewhere.
pub(super) fn source(value: &[u8]) -> bool {
    // `$_ENV['NAME']`
    let member = run(value, 1, 32, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_member = value.starts_with(b"$") && member > 1 && at(value, member) == b'[';
    value.len() <= 64 && (is_member || SOURCES.iter().any(|source| value.starts_with(source.as_bytes())))
}

/// `random_password.db[0].result`: dotted names of code, with digits only in brackets.
pub(super) fn expression(value: &[u8]) -> bool {
    let is_name = |name: &[u8]| {
        let (name, index) = match name.iter().position(|byte| *byte == b'[') {
            Some(open) => name.split_at(open),
            None => (name, &b""[..]),
        };
        let is_index = index.is_empty()
            || (index.ends_with(b"]")
                && index.iter().skip(1).all(|byte| byte.is_ascii_alphanumeric() || *byte == b']'));
        !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'_') && is_index
    };
    let value = value.strip_prefix(b"@").or_else(|| value.strip_prefix(b"&")).unwrap_or(value);
    value.len() <= 128
        && value.contains(&b'.')
        && value.split(|byte| *byte == b'.').all(is_name)
        && !random_looking_value::value(value)
}

/// Whether there is more than the punctuation that ends a value.
pub(super) fn has_content(value: &[u8]) -> bool {
    value
        .iter()
        .any(|byte| !byte.is_ascii_whitespace() && !matches!(byte, b',' | b';' | b')' | b']' | b'}' | b'>'))
}

/// A path, a URL or an address with its port.
pub(super) fn address(value: &[u8]) -> bool {
    let is_port = |port: &[u8]| !port.is_empty() && port.len() <= 5 && port.iter().all(u8::is_ascii_digit);
    has(value, "://")
        || matches!(value, [b'/', ..] | [b'.', b'/', ..] | [b'~', b'/', ..])
        || value
            .iter()
            .rposition(|byte| *byte == b':')
            .is_some_and(|colon| value.get(colon + 1..).is_some_and(is_port))
}

/// Names of files, which only say where a secret is.
const FILES: &[&str] = &[
    ".json", ".yaml", ".yml", ".pem", ".key", ".txt", ".env", ".crt", ".cer", ".toml", ".ini", ".conf",
    ".p12", ".pfx", ".jks", ".cfg", ".asc", ".gpg", ".pub", ".xml", ".csv", ".rs", ".py", ".js", ".ts",
    ".go", ".md", ".sh",
];

fn file(value: &[u8]) -> bool {
    value.len() <= 128
        && FILES.iter().any(|end| value.len() > end.len() && value.ends_with(end.as_bytes()))
        && value
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'/' | b'@'))
}

/// Files of database tools. A word with another dot may be a user and a password.
const SCRIPTS: &[&str] = &[
    ".sql", ".par", ".dmp", ".ctl", ".log", ".dat", ".rcv", ".rman", ".bad", ".dsc", ".ora", ".gz", ".zip",
    ".out", ".pls", ".pkb", ".pks", ".html", ".pdf", ".bak", ".dump", ".tar", ".tgz", ".d", ".e",
];

/// Whether this is the path of a file for a database tool.
pub(super) fn script(value: &[u8]) -> bool {
    let is_file = |ends: &[&str]| ends.iter().any(|end| value.ends_with(end.as_bytes()));
    value.iter().filter(|byte| **byte == b'/').count() > 1 || is_file(SCRIPTS) || is_file(FILES)
}

/// `~/9fXq27LmZt`: a path whose only name looks generated.
fn generated_file(value: &[u8]) -> bool {
    let name = ["~/", "./", "../"].iter().find_map(|root| value.strip_prefix(root.as_bytes()));
    name.is_some_and(|name| {
        !name.iter().any(|byte| matches!(byte, b'/' | b'.')) && random_looking_value::password(name)
    })
}

/// A placeholder in a manual: `YOUR_TOKEN`, `xxxx`, `****`, `...`
pub(super) fn placeholder(value: &[u8]) -> bool {
    let all = |signs: &[u8]| value.iter().all(|byte| signs.contains(byte));
    let yours = value
        .get(..5)
        .is_some_and(|start| start.eq_ignore_ascii_case(b"your_") || start.eq_ignore_ascii_case(b"your-"));
    value.len() <= 64
        && (all(b"*")
            || (value.len() >= 3 && (all(b"x") || all(b"X")))
            || all(b".")
            || value == "…".as_bytes()
            || cut_off(value)
            || (yours && !value.iter().any(u8::is_ascii_digit))
            || capitals(value)
            || note(value))
}

/// `PASSWORD`, `ACCESS_TOKEN`, `[PAD]`: the name of the value in capitals.
fn capitals(value: &[u8]) -> bool {
    let bracketed = value.strip_prefix(b"[").map(|rest| rest.strip_suffix(b"]").unwrap_or(rest));
    let name = bracketed.unwrap_or(value);
    let is_name = name.iter().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'-'));
    let yours = name.starts_with(b"MY_") || name.starts_with(b"YOUR");
    name.len() <= 40
        && name.len() >= 2
        && is_name
        && (bracketed.is_some() || yours || secret_name::name_hint(name) != secret_name::NameHint::Nothing)
}

/// `replace-me-with-your-key`, `paste_token_here`: a note to the reader instead of a value.
fn note(value: &[u8]) -> bool {
    let mut words = value.split(|byte| matches!(byte, b'-' | b'_'));
    let first = words.next().unwrap_or_default();
    let second = words.next().unwrap_or_default();
    let asks = is_any(first, &["replace", "insert", "put", "enter", "paste", "fill", "add", "set", "todo"]);
    let is_object = is_any(second, &["me", "with", "this", "by", "in", "your", "the", "a", "it"]);
    let is_here =
        is_any(value.rsplit(|byte| matches!(byte, b'-' | b'_')).next().unwrap_or_default(), &["here"]);
    let is_text = value.iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_'));
    is_text && ((asks && (is_object || is_here)) || is_any(value, &["replaceme"]))
}

/// `xxxx-xxxx`, `0000…`: whether the rest of a key is only filler.
pub(super) fn fills(rest: &[u8]) -> bool {
    let is_one = |text: &[u8]| text.iter().all(|byte| Some(byte) == text.first());
    let is_fill =
        |piece: &[u8]| piece.len() >= 4 && is_one(piece) && matches!(piece.first(), Some(b'x' | b'X'));
    let pieces = || rest.split(|byte| matches!(byte, b'-' | b'_' | b'.'));
    (rest.len() >= 8 && is_one(rest))
        || (pieces().any(is_fill) && pieces().all(|piece| piece.len() <= 6 || is_fill(piece)))
}

/// `sk-...`, `ghp_xxxx`, `AKIA…`: the start of a key with filler for the rest.
fn cut_off(value: &[u8]) -> bool {
    let joint = value.iter().rposition(|byte| matches!(byte, b'-' | b'_')).map_or(0, |at| at + 1);
    let letters = value.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let is_start =
        |head: &[u8]| head.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let is_rest = |rest: &[u8]| {
        let dots = rest.iter().take_while(|byte| matches!(byte, b'.' | b'*')).count();
        let tail = rest.get(dots..).unwrap_or_default();
        let is_tail = tail.len() <= 4 && tail.iter().all(u8::is_ascii_alphanumeric);
        let is_filled = rest.len() >= 3
            && (rest.iter().all(|byte| *byte == b'x') || rest.iter().all(|byte| *byte == b'X'));
        rest == "…".as_bytes() || (dots >= 3 && is_tail) || is_filled
    };
    [(joint, 16), (letters, 4)].into_iter().any(|(at, most)| {
        let (head, rest) = value.split_at(at);
        (1..=most).contains(&head.len()) && is_start(head) && is_rest(rest)
    })
}

/// Whether this is the next word of a sentence about a flag.
pub(super) fn prose(word: &[u8]) -> bool {
    is_any(word, PROSE)
}

/// `$NAME`, `$env:NAME`, `${NAME}`, `${a.name}`, `$(command)`, `{{ name }}`, `<name>`,
/// `%s`, `%NAME%`, `:name`.
pub(super) fn reference(value: &[u8], mark: u8) -> bool {
    let short = value.len() <= 64;
    let name = |inner: &[u8]| short && inner.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    match value {
        [b'$', b'{', b'{', ..] | [b'{', b'{', ..] => short && value.ends_with(b"}}"),
        [b'$', ..] if mark == b'\'' => only_reference(value),
        [b'$', b'(', ..] => true,
        [b'$' | b'#', b'{', inner @ .., b'}'] => short && inner.split(is_joint).all(name),
        [b'$', inner @ ..] => {
            matches!(inner, b"@" | b"*" | b"?" | b"$" | b"!" | b"#") || name(past_scope(inner))
        }
        [b'{', inner @ .., b'}'] => name(inner),
        [b'<', .., b'>'] => short,
        [b'%', inner @ .., b'%'] => !inner.is_empty() && name(inner),
        [b'%', inner @ ..] => matches!(inner, b"s" | b"d" | b"v" | b"q" | b"@"),
        [b':', first, inner @ ..] if mark == 0 => first.is_ascii_alphabetic() && name(inner),
        [b'`', ..] => true,
        _ => false,
    }
}

/// Words before a name in braces that say where it is looked up: `${env:API_KEY}`.
const LOOKUPS: &[&str] =
    &["env", "input", "secret", "secrets", "vault", "ssm", "var", "vars", "config", "op", "sm"];

/// Whether a value that no shell reads is only a reference to one, or a placeholder: `${NAME}`, `$NAME`,
/// `${env:NAME}`, `Bearer ${NAME}`, `{{ name }}`, `%NAME%`, `<your key>`.
///
/// A password may start with `$`, so a name without braces must be written as that of a variable.
pub(super) fn only_reference(value: &[u8]) -> bool {
    let scheme = ["Bearer ", "Basic ", "Token ", "bearer ", "token "];
    let value = scheme.iter().find_map(|scheme| value.strip_prefix(scheme.as_bytes())).unwrap_or(value);
    let is_name = |name: &[u8]| {
        name.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
            && name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
    };
    let is_variable = |name: &[u8]| {
        name.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
            && (name.contains(&b'_') || secret_name::name_hint(name) != secret_name::NameHint::Nothing)
    };
    let is_text = |text: &[u8]| {
        text.iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b' ' | b'_' | b'-' | b'.'))
    };
    value.len() <= 96
        && match value {
            [b'$', b'{', b'{', .., b'}', b'}'] | [b'{', b'{', .., b'}', b'}'] => opens_reference(value, 0),
            [b'$', b'{', inner @ .., b'}'] => match inner.iter().position(|byte| *byte == b':') {
                Some(colon) => {
                    is_any(part(inner, 0, colon), LOOKUPS) && is_name(part(inner, colon + 1, inner.len()))
                }
                None => is_name(inner),
            },
            [b'$', name @ ..] => is_name(name) && is_variable(name),
            [b'%', name @ .., b'%'] => is_name(name) && is_variable(name),
            [b'<', inner @ .., b'>'] => !inner.is_empty() && is_text(inner),
            _ => false,
        }
}

fn is_joint(byte: &u8) -> bool {
    matches!(byte, b'.' | b'-')
}

/// Skips the scope of a PowerShell variable: `$env:NAME`, `$script:name`.
fn past_scope(name: &[u8]) -> &[u8] {
    let scopes = ["env:", "script:", "global:", "using:", "private:", "local:"];
    scopes
        .iter()
        .find(|scope| starts_any_case(name, 0, scope))
        .map_or(name, |scope| part(name, scope.len(), name.len()))
}

/// Whether this is a text about secrets: letters only, including a word for a secret.
pub(super) fn label(value: &[u8]) -> bool {
    let is_text = |byte: &u8| {
        byte.is_ascii_alphabetic() || *byte >= 0x80 || matches!(byte, b' ' | b'?' | b'.' | b'!' | b'\'')
    };
    value.iter().all(is_text)
        && value
            .split(|byte| matches!(byte, b' ' | b'?' | b'.' | b'!'))
            .any(|word| secret_name::secret(word) || translation(word))
}

/// Words for a secret that pages show beside a field and that nobody uses as a field name.
const TRANSLATIONS: &[&str] = &[
    "passe",
    "passord",
    "parola",
    "parole",
    "parool",
    "adgangskode",
    "kodeord",
    "lozinka",
    "geslo",
    "jelszó",
    "slaptažodis",
    "contrasenya",
    "pasahitza",
    "fjalëkalimi",
    "aðgangsorð",
    "sandi",
    "khẩu",
    "lykilorð",
    "jeton",
    "ficha",
    "geheimnis",
    "secreto",
    "segreto",
    "segredo",
    "schlüssel",
    "clé",
    "clave",
    "chave",
    "chiave",
    "sleutel",
    "nøgle",
    "nyckel",
    "avain",
];

/// Whether this is just the word for a secret in some language.
pub(super) fn translation(word: &[u8]) -> bool {
    is_any(word, TRANSLATIONS) || secret_name::is_word(word)
}

/// `.*`, `[^"]+`, `\S+`: a pattern for any value.
fn pattern(value: &[u8]) -> bool {
    value.len() <= 64
        && [&b".*"[..], b".+", b"\\S", b"\\w", b"[^", b"(.*", b"\\(.*"]
            .iter()
            .any(|any| value.starts_with(any))
}

/// `{{ name }}` and `${{ name }}` with blanks inside, if they open here.
pub(super) fn opens_reference(bytes: &[u8], from: usize) -> bool {
    let from = run(bytes, from, 1, |byte| byte == b'$');
    let inside = run(bytes, from + 2, 96, |byte| byte != b'}' && byte != b'\n');
    starts(bytes, from, b"{{")
        && starts(bytes, inside, b"}}")
        && !at(bytes, inside + 2).is_ascii_alphanumeric()
}

fn is_any(word: &[u8], words: &[&str]) -> bool {
    words.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}
