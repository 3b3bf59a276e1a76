//! Secrets as arguments of function calls in code, recognised by the function.

use std::ops::Range;

use super::byte_scan::{at, before, blanks, is_visible, part, quote, run, starts, starts_any_case};
use super::detection::Detection;
use super::non_secret;
use super::random_looking_value;
use super::secret_name;

/// The maximum length of the arguments before the secret, in bytes.
const REACH: usize = 256;

/// Which part of the argument is secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ArgumentRule {
    Any,
    /// The argument, unless it is just the word for a secret.
    Literal,
    /// The argument, if it looks generated. Other values occur here too.
    Generated,
    /// The argument, if it is passed as characters, as Java does for passwords.
    Chars,
    /// The argument after a port and a user.
    Remote,
    /// The text after the colon.
    Pair,
}

impl ArgumentRule {
    /// The secret part of an argument, if the arguments start at `from`.
    fn secret_part(self, bytes: &[u8], from: usize, range: Range<usize>) -> Option<Range<usize>> {
        let text = part(bytes, range.start, range.end);
        let is_taken = match self {
            Any => true,
            Literal => !secret_name::is_word(text),
            Generated => random_looking_value::value(text),
            Chars => starts(bytes, range.end + 1, b".toCharArray("),
            Remote => {
                let earlier = part(bytes, from, range.start).split(|byte| *byte == b',');
                let is_port = |word: &[u8]| !word.is_empty() && word.iter().all(u8::is_ascii_digit);
                earlier.map(<[u8]>::trim_ascii).any(is_port)
            }
            Pair => {
                let colon = text.iter().position(|byte| *byte == b':')?;
                return (colon + 1 < text.len()).then_some(range.start + colon + 1..range.end);
            }
        };
        is_taken.then_some(range)
    }
}

use ArgumentRule::{Any, Chars, Generated, Literal, Pair, Remote};

/// The functions, each with the position of the secret among the arguments.
const CALLS: &[(&str, usize, ArgumentRule)] = &[
    ("auth=(", 1, Any),
    ("auth: (", 1, Any),
    (".auth(", 2, Any),
    (".auth(", 1, Any),
    (".auth(", 0, Generated),
    (".login(", 1, Any),
    (".login(", 0, Generated),
    (".authenticate(", 1, Any),
    (".connect(", 2, Generated),
    (".connect(", 3, Remote),
    ("BasicAuth(", 1, Any),
    ("basic_auth(", 1, Any),
    ("SetBasicAuth(", 1, Any),
    ("bearer_auth(", 0, Literal),
    ("BearerAuth(", 0, Literal),
    ("token_auth(", 0, Literal),
    ("TokenAuth(", 0, Literal),
    ("key_auth(", 0, Literal),
    ("KeyAuth(", 0, Literal),
    (".bearer(", 0, Generated),
    ("authorization_basic(", 1, Any),
    (" :basic,", 1, Any),
    ("changeUserPassword(", 1, Any),
    ("sp_addlogin ", 1, Any),
    ("sp_password ", 1, Any),
    ("PSCredential(", 1, Any),
    ("NetworkCredential(", 1, Any),
    ("BasicAWSCredentials(", 1, Any),
    ("AwsBasicCredentials.create(", 1, Any),
    ("UsernamePasswordCredentials(", 1, Any),
    ("PlainTextAuthProvider(", 1, Any),
    ("PasswordAuthentication(", 1, Any),
    ("PlainCredentials(", 1, Any),
    ("smtp.PlainAuth(", 2, Any),
    ("ssh.Password(", 0, Any),
    ("getConnection(", 2, Any),
    ("DriverManagerDataSource(", 2, Any),
    (".dataSource(", 2, Any),
    ("mysql_connect(", 2, Any),
    ("mysql_pconnect(", 2, Any),
    ("mysqli_connect(", 2, Any),
    ("mysql_real_connect(", 3, Any),
    ("mysqli_real_connect(", 3, Any),
    ("->real_connect(", 2, Any),
    ("new mysqli(", 2, Any),
    ("new PDO(", 2, Any),
    ("new Sequelize(", 2, Any),
    ("DBI->connect(", 2, Any),
    ("MySQLdb.connect(", 2, Any),
    ("pymysql.connect(", 2, Any),
    ("cx_Oracle.connect(", 1, Any),
    ("oracledb.connect(", 1, Any),
    ("oci_connect(", 1, Any),
    ("odbc_connect(", 2, Any),
    ("ibase_connect(", 2, Any),
    ("sybase_connect(", 2, Any),
    ("PQsetdbLogin(", 6, Any),
    ("ftp_login(", 2, Any),
    ("ftplib.FTP(", 2, Any),
    ("Net::FTP.open(", 2, Any),
    ("imap_open(", 2, Any),
    ("ldap_bind(", 2, Any),
    ("ssh2_auth_password(", 2, Any),
    ("auth.basic(", 1, Any),
    ("AuthTokens.basic(", 1, Any),
    ("Credentials.basic(", 1, Any),
    ("psycopg2.connect(", 3, Generated),
    ("Twilio(", 1, Any),
    ("REST::Client.new(", 1, Any),
    ("Client(", 1, Generated),
    ("Client(", 0, Generated),
    ("Stripe(", 0, Generated),
    ("createHmac(", 1, Any),
    ("hash_hmac(", 2, Any),
    ("jwt.sign(", 1, Any),
    ("jwt.verify(", 1, Any),
    ("jwt.encode(", 1, Any),
    ("jwt.decode(", 1, Any),
    ("hmac.new(", 0, Any),
    ("Fernet(", 0, Any),
    (".load(", 1, Chars),
    (".store(", 1, Chars),
    (".init(", 1, Chars),
    (".getKey(", 1, Chars),
    ("setKeyEntry(", 2, Chars),
    ("loadKeyMaterial(", 1, Chars),
    ("loadKeyMaterial(", 2, Chars),
    ("loadTrustMaterial(", 1, Chars),
    ("PBEKeySpec(", 0, Chars),
    ("PasswordProtection(", 0, Chars),
    ("PasswordAuthentication(", 1, Chars),
    ("X509Certificate2(", 1, Any),
    ("PKCS12.new(", 1, Any),
    ("openssl_pkcs12_read(", 2, Any),
    ("NetworkCredential]::new(", 1, Any),
    ("PSCredential]::new(", 1, Any),
    ("URLCredential(user:", 1, Any),
    ("CURLOPT_USERPWD,", 0, Pair),
    ("CURLOPT_PROXYUSERPWD,", 0, Pair),
    ("openssl_encrypt(", 2, Any),
    ("openssl_decrypt(", 2, Any),
    ("pgp_sym_encrypt(", 1, Any),
    ("pgp_sym_encrypt_bytea(", 1, Any),
    ("pgp_sym_decrypt(", 1, Any),
    ("pgp_sym_decrypt_bytea(", 1, Any),
    ("pgp_pub_decrypt(", 2, Any),
    ("hmac.new(sha1.new,", 0, Any),
    ("hmac.new(sha256.new,", 0, Any),
    ("hmac.new(sha512.new,", 0, Any),
    ("jwt::encode(", 1, Any),
    ("jwt::decode(", 1, Any),
    ("signWith(", 1, Any),
    ("hmacShaKeyFor(", 0, Any),
    ("HMAC256(", 0, Any),
    ("HMAC384(", 0, Any),
    ("HMAC512(", 0, Any),
    ("SignedString(", 0, Any),
    ("SecretKeySpec(", 0, Any),
    ("SymmetricSecurityKey(", 0, Any),
    ("createCipher(", 1, Any),
    ("createCipheriv(", 1, Any),
    ("createDecipheriv(", 1, Any),
    ("AES.new(", 0, Any),
    ("AES.encrypt(", 1, Any),
    ("AES.decrypt(", 1, Any),
    ("URLSafeSerializer(", 0, Any),
    ("TimedSerializer(", 0, Any),
    ("cookieParser(", 0, Any),
    ("password_hash(", 0, Any),
    ("password_verify(", 0, Any),
    ("check_password_hash(", 1, Any),
    ("make_password(", 0, Any),
    ("check_password(", 0, Any),
    ("hashpw(", 0, Any),
    ("checkpw(", 0, Any),
    ("hashSync(", 0, Any),
    ("compareSync(", 0, Any),
    ("bcrypt(", 0, Any),
    ("bcrypt.hash(", 0, Any),
    ("bcrypt.compare(", 0, Any),
    ("BCrypt.HashPassword(", 0, Any),
    ("Password.create(", 0, Any),
    ("GenerateFromPassword(", 0, Any),
    ("CompareHashAndPassword(", 1, Any),
    ("argon2.hash(", 0, Any),
    ("argon2.verify(", 1, Any),
    ("PasswordHasher().hash(", 0, Any),
    ("PasswordEncoder.encode(", 0, Any),
    ("PasswordEncoder().encode(", 0, Any),
    ("Hash::make(", 0, Any),
    ("Hash::check(", 0, Any),
    ("_crypt.hash(", 0, Any),
    ("pwd_context.hash(", 0, Any),
    ("scryptSync(", 0, Any),
    ("pbkdf2Sync(", 0, Any),
    ("pbkdf2_hmac(", 1, Any),
    ("hash_pbkdf2(", 1, Any),
    ("PBKDF2(", 0, Any),
    (".create_user(", 2, Any),
    (".create_superuser(", 2, Any),
    (".crypt(", 0, Any),
    (" crypt(", 0, Any),
    ("(crypt(", 0, Any),
    ("=crypt(", 0, Any),
    (",crypt(", 0, Any),
    ("aes_encrypt(", 1, Any),
    ("aes_decrypt(", 1, Any),
    ("des_encrypt(", 1, Any),
    ("des_decrypt(", 1, Any),
    ("EncryptByPassPhrase(", 0, Any),
    ("DecryptByPassPhrase(", 0, Any),
];

/// The function names, for the automaton.
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time, where a wrong index is an error")]
pub(super) const KEYS: &[&str] = &{
    let mut names = [""; CALLS.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = CALLS[index].0;
        index += 1;
    }
    names
};

pub(super) fn look(bytes: &[u8], hit: Range<usize>) -> Detection {
    let name = part(bytes, hit.start, hit.end);
    CALLS
        .iter()
        .filter(|(call, ..)| name.eq_ignore_ascii_case(call.as_bytes()))
        .find_map(|(_, place, which)| {
            argument(bytes, hit.end, *place).and_then(|range| which.secret_part(bytes, hit.end, range))
        })
        .map_or(Detection::NOTHING, Detection::Secret)
}

/// Words before the name of a secret that mean it is set.
const SETTERS: &[&str] = &["set", "with", "use"];

/// `setPassword("secret")`, `with_api_key("secret")`, `.password("s3cret")`
pub(super) fn setter(bytes: &[u8], named: &Range<usize>) -> Option<Range<usize>> {
    let (mark, open) = quote(bytes, blanks(bytes, named.end + 1)).filter(|_| at(bytes, named.end) == b'(')?;
    let end = run(bytes, open, REACH, |byte| byte != mark && is_visible(byte) && byte != b'\\');
    let (_, closed) = quote(bytes, end)?;
    let name = part(bytes, named.start, named.end);
    let own = name.rsplit(|byte| *byte == b'.').next().unwrap_or(name);
    let sets = SETTERS.iter().any(|setter| starts_any_case(own, 0, setter));
    let gets = [
        "get", "check", "verify", "validate", "hash", "is", "has", "read", "load", "fetch", "find", "require",
    ]
    .iter()
    .any(|getter| starts_any_case(own, 0, getter));
    let is_built = (own.len() < name.len() || before(bytes, named.start) == b'.') && !gets;
    let text = part(bytes, open, end);
    (at(bytes, blanks(bytes, closed)) == b')' && (sets || (is_built && random_looking_value::password(text))))
        .then_some(open..end)
}

/// Skips one argument and its comma. It may contain texts, calls, lists and objects.
fn past_argument(bytes: &[u8], from: usize) -> Option<usize> {
    let ends = |byte: u8| {
        matches!(byte, b',' | b';' | b'"' | b'\'' | b'`' | b'(' | b')' | b'[' | b']' | b'{' | b'}')
    };
    let (mut here, mut depth) = (from, 0usize);
    while here - from < 2 * REACH {
        here = run(bytes, here, REACH, |byte| !ends(byte));
        match at(bytes, here) {
            b',' if depth == 0 => return Some(here + 1),
            b',' => {}
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            mark @ (b'"' | b'\'' | b'`') => {
                here = run(bytes, here + 1, REACH, |byte| byte != mark && byte != b'\n');
                if at(bytes, here) != mark {
                    return None;
                }
            }
            _ => return None,
        }
        here += 1;
    }
    None
}

/// Functions that only change the type of a text: `Some("…")`, `[]byte("…")`.
const CONVERSIONS: &[&str] = &[
    "Some(",
    "Ok(",
    "String::from(",
    "SecretString::from(",
    "SecretString::new(",
    "Secret::new(",
    "SecretStr(",
    "new SecureString(",
    "[]byte(",
    "bytes(",
    "str(",
    "Buffer.from(",
    "Encoding.UTF8.GetBytes(",
    "Encoding.ASCII.GetBytes(",
    "System.Text.Encoding.UTF8.GetBytes(",
    "new TextEncoder().encode(",
    "pulumi.secret(",
    "cdk.SecretValue.unsafePlainText(",
    "SecretValue.unsafePlainText(",
];

/// Functions that hash or encode a text. They mean a secret only under the name of one.
const HASHES: &[&str] = &[
    "md5(",
    "sha1(",
    "sha(",
    "sha2(",
    "sha256(",
    "sha512(",
    "crypt(",
    "encrypt(",
    "to_base64(",
    "base64_encode(",
    "btoa(",
    "b64encode(",
    "base64.b64encode(",
    "hashlib.md5(",
    "hashlib.sha1(",
    "hashlib.sha256(",
    "password(",
    "old_password(",
];

/// Skips the conversion of a text, and the mark of a byte string or of a national one.
fn wrapped(bytes: &[u8], from: usize) -> usize {
    let inner = CONVERSIONS
        .iter()
        .find(|call| starts(bytes, from, call.as_bytes()))
        .map_or(from, |call| from + call.len());
    let text = run(bytes, inner, 1, |byte| matches!(byte, b'b' | b'N'));
    if quote(bytes, text).is_some() { text } else { inner }
}

/// `password = MD5('secret')`, `key = []byte("secret")`: where the text starts that a function converts
/// or hashes before it is assigned.
pub(super) fn converted(bytes: &[u8], from: usize) -> Option<usize> {
    if quote(bytes, from).is_some() {
        return None;
    }
    let hashed =
        HASHES.iter().find(|call| starts_any_case(bytes, from, call)).map_or(from, |call| from + call.len());
    let start = wrapped(bytes, hashed);
    (start > from + 1 && quote(bytes, start).is_some()).then_some(start)
}

/// The argument at this position, if it is one quoted word.
fn argument(bytes: &[u8], from: usize, place: usize) -> Option<Range<usize>> {
    let mut here = from;
    for _ in 0..place {
        here = past_argument(bytes, here)?;
    }
    let start = run(bytes, here, REACH, |byte| byte.is_ascii_whitespace());
    let start = wrapped(bytes, start);
    let (mark, open) = quote(bytes, start)?;
    let end = run(bytes, open, REACH, |byte| byte != mark && is_visible(byte) && byte != b'\\');
    let grouped = run(bytes, open, 20, |byte| byte.is_ascii_lowercase() || byte == b' ');
    let end = if random_looking_value::grouped(part(bytes, open, grouped)) { grouped } else { end };
    let text = part(bytes, open, end);
    let is_other = is_algorithm(text) || non_secret::value(text, mark);
    (quote(bytes, end).is_some() && !text.is_empty() && !is_other).then_some(open..end)
}

/// Algorithms, which some functions take where others take a secret: `password_hash('sha512')`.
const ALGORITHMS: &[&str] = &[
    "md5",
    "sha1",
    "sha224",
    "sha256",
    "sha384",
    "sha512",
    "bcrypt",
    "scrypt",
    "argon2",
    "argon2i",
    "argon2id",
    "pbkdf2",
    "pbkdf2_sha256",
    "pbkdf2_sha512",
    "sha256_crypt",
    "sha512_crypt",
    "md5_crypt",
    "blowfish",
    "aes",
    "hs256",
    "hs384",
    "hs512",
    "rs256",
    "rs384",
    "rs512",
    "es256",
    "es384",
    "ps256",
    "eddsa",
];

fn is_algorithm(text: &[u8]) -> bool {
    ALGORITHMS.iter().any(|known| text.eq_ignore_ascii_case(known.as_bytes()))
}
