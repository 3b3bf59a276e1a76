//! Rules that several programs share, for the table of programs.

use super::program_rule::{
    SecretPart, SecretPosition, SecretRule, apart, flag, glued, last, named, next, pairs, user, word,
};

pub(super) const KEY_MATERIAL: SecretRule =
    SecretRule { after: &[], place: SecretPosition::Words, part: SecretPart::Prefixed("keyMaterial=") };
pub(super) const SALT: &[SecretRule] = &[
    word(&["*set_password"], 2),
    word(&["*setpassword"], 2),
    word(&["*user.add"], 2),
    word(&["*user_create"], 2),
];
pub(super) const KADMIN: &[SecretRule] = &[flag(&["-w"]), apart(&["-pw"])];
pub(super) const TSIG: &[SecretRule] =
    &[SecretRule { after: &[], place: SecretPosition::Flag(&["-y"]), part: SecretPart::PastLast(b':') }];
pub(super) const REDIS: &[SecretRule] =
    &[flag(&["-a", "--pass"]), last(&["auth"]), word(&["migrate", "auth"], 1), REDIS_HELLO, named(&["set"])];
const REDIS_HELLO: SecretRule = word(&["hello", "auth"], 2);
/// Programs whose `--key` is a key of their service. To most others it is a file or a name.
pub(super) const SERVICE_KEY: &[SecretRule] = &[flag(&["--key"])];
pub(super) const CYPRESS: &[SecretRule] = &[flag(&["-k", "--key"])];
pub(super) const MYSQL: &[SecretRule] = &[glued(&["-p"])];
pub(super) const MYSQL_ADMIN: &[SecretRule] = &[glued(&["-p"]), word(&["password"], 1)];
pub(super) const MONGO: &[SecretRule] = &[flag(&["-p"])];
pub(super) const LDAP: &[SecretRule] = &[flag(&["-w"])];
pub(super) const LDAP_PASSWD: &[SecretRule] = &[flag(&["-w", "-s", "-a"])];
pub(super) const LOGIN: &[SecretRule] = &[flag(&["-p"]).after(&["login"])];
pub(super) const HTTPIE: &[SecretRule] =
    &[user(&["-a", "--auth"], b':'), flag(&["-a", "--auth"]).after(&["*bearer"])];
pub(super) const SNMP: &[SecretRule] = &[flag(&["-A", "-X", "-c", "-3k", "-3K"])];
pub(super) const SMB_SHARE: &[SecretRule] =
    &[user(&["-U", "--user"], b'%'), next(&["//*"]), next(&["\\\\*"])];
pub(super) const NETDOM: &[&str] = &["/passwordd:", "/passwordo:", "/passwordm:", "/pd:", "/po:", "/pm:"];
pub(super) const VIDEO: &[SecretRule] = &[flag(&["-p"]), apart(&["-2"])];
pub(super) const SMB: &[SecretRule] = &[user(&["-U", "--user"], b'%')];
pub(super) const IMPACKET: &[SecretRule] = &[flag(&["-hashes", "-aesKey"]), IMPACKET_TARGET];
const IMPACKET_TARGET: SecretRule =
    SecretRule { after: &[], place: SecretPosition::Words, part: SecretPart::Userinfo };
pub(super) const SPRAY: &[SecretRule] = &[flag(&["-p", "-H"])];
pub(super) const SEVEN_ZIP: &[SecretRule] = &[glued(&["-p"])];
pub(super) const RAR: &[SecretRule] = &[glued(&["-hp", "-p"])];
pub(super) const ACCOUNT: &[SecretRule] = &[flag(&["-p"])];
pub(super) const RDP: &[SecretRule] = &[
    glued(&["/p:", "/gp:", "/password:", "/pth:", "/pass-the-hash:", "/gat:", "/reconnect-cookie:"]),
    glued(&["-p:", "-gp:", "-password:", "-pth:"]),
    RDP_GATEWAY,
    apart(&["-p"]),
];
const RDP_GATEWAY: SecretRule =
    SecretRule { after: &[], place: SecretPosition::Words, part: SecretPart::Member("/gateway:", "p:") };
pub(super) const KEYTOOL: &[SecretRule] = &[flag(&[
    "-storepass",
    "-keypass",
    "-srcstorepass",
    "-deststorepass",
    "-srckeypass",
    "-destkeypass",
    "-new",
])];
pub(super) const OPENSSL: &[SecretRule] = &[
    apart(&["-k", "-K", "-hmac", "-psk", "-srppass"]),
    SecretRule { after: &[], place: SecretPosition::Words, part: SecretPart::Prefixed("pass:") },
    SecretRule { after: &[], place: SecretPosition::Words, part: SecretPart::Prefixed("hexkey:") },
    SecretRule { after: &[], place: SecretPosition::Words, part: SecretPart::Prefixed("key:") },
    last(&["passwd"]),
];
pub(super) const ORACLE: &[SecretRule] =
    &[SecretRule { after: &[], place: SecretPosition::Words, part: SecretPart::Slashed }];
pub(super) const TOKEN: &[SecretRule] = &[flag(&["-t"])];
pub(super) const DEPLOY: &[SecretRule] =
    &[flag(&["-t"]), pairs(&["secrets", "set"]), named(&["env:set"]), named(&["env", "set"])];
pub(super) const GPG: &[SecretRule] = &[flag(&["--passphrase"])];
pub(super) const CONFIG: &[SecretRule] = &[named(&["config"])];
pub(super) const ENVIRONMENT: &[SecretRule] = &[named(&["set"])];

pub(super) const SMB_USER: SecretRule = user(&["-U", "--user"], b'%');
pub(super) const AWS_PARAMETER: SecretRule = flag(&["--value"]).after(&["ssm", "put-parameter"]);
pub(super) const DOCKER: &[SecretRule] = &[flag(&["-p"]).after(&["login"]), user(&["--creds"], b':')];
pub(super) const KUBE: &[SecretRule] =
    &[user(&["--from-literal"], b'=').after(&["create", "secret"]), flag(&["-p"]).after(&["login"])];
pub(super) const VAULT: &[SecretRule] = &[
    pairs(&["kv", "put"]),
    pairs(&["kv", "patch"]),
    pairs(&["write", "secret/*"]),
    SecretRule { after: &["write"], place: SecretPosition::Words, part: SecretPart::Prefixed("secret_id=") },
    word(&["login"], 1),
    word(&["unseal"], 1),
    word(&["unwrap"], 1),
    word(&["token", "lookup"], 1),
    word(&["token", "renew"], 1),
    word(&["token", "revoke"], 1),
];
