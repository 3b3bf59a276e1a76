use proptest::prelude::*;

use super::context_cases::PLACES;
use super::token_cases::SHAPES;
use super::vendor_cases::SERVICES;
use super::{Masks, built, masks};
use crate::hidden_characters::escape_line;
use crate::mask::detectors;

/// Text made of what detectors look for.
fn crumbs() -> impl Strategy<Value = String> {
    let keys: Vec<String> = detectors()
        .flat_map(|detector| detector.keys.iter().map(|key| (*key).to_owned()))
        .chain(
            [
                "=",
                ":",
                ": ",
                " ",
                "\"",
                "'",
                "\\\"",
                "\n",
                "@",
                "/",
                "[masked:jwt]",
                "[masked:",
                "]",
                "é",
                "--",
                ";",
            ]
            .map(str::to_owned),
        )
        .chain(
            ["a36", "x32", "x64", "u16", "d9", "s64", "l34"].iter().map(|hole| built(&format!("{{{hole}}}"))),
        )
        .collect();
    prop::collection::vec(prop::sample::select(keys), 0..24).prop_map(|parts| parts.concat())
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![crumbs(), any::<String>(), "[ -~\n]{0,80}"]
}

/// A shape of the table, and the piece of it that must be masked.
fn planted() -> impl Strategy<Value = (String, String)> {
    let fixtures: Vec<(String, String)> = [SHAPES, PLACES, SERVICES]
        .into_iter()
        .flatten()
        .flat_map(|case| case.found)
        .filter_map(|(template, expected)| {
            let text = built(template);
            let (before, after) = expected.split_once('§')?;
            let after = after.rsplit_once('§').map_or(after, |(_, after)| after);
            let secret = text.strip_prefix(&built(before))?.strip_suffix(&built(after))?.to_owned();
            (secret.len() >= 20).then_some((text, secret))
        })
        .collect();
    assert!(fixtures.len() > 50);
    prop::sample::select(fixtures)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn planted_secret_is_masked(before in any_text(), (text, secret) in planted(), after in any_text()) {
        let whole = format!("{before} {text} {after}");
        let masked = masks().text(&whole).text.into_owned();
        // The secret may also occur by chance in the text around it.
        prop_assume!(!before.contains(&secret) && !after.contains(&secret));
        prop_assert!(!masked.contains(&secret), "{masked:?}");
    }

    #[test]
    fn masking_twice_changes_nothing(text in any_text()) {
        let masks = Masks::new(["configured value".to_owned(), "TOKENTOKEN".to_owned()]);
        let once = masks.text(&text).text.into_owned();
        let twice = masks.text(&once);
        prop_assert_eq!(&twice.text, &once);
    }

    #[test]
    fn detectors_are_named_exactly_when_text_changes(text in any_text()) {
        let masks = masks();
        let masked = masks.text(&text);
        prop_assert_eq!(masked.detectors.is_empty(), masked.text == text);
        for name in masked.detectors {
            let mask = format!("[masked:{name}]");
            prop_assert!(masked.text.contains(&mask));
        }
    }

    #[test]
    fn configured_secret_is_masked(before in any_text(), secret in "[ -~]{8,20}", after in any_text()) {
        let masked = Masks::new([secret.clone()]).text(&format!("{before}{secret}{after}")).text.into_owned();
        prop_assume!(!"[masked:configured-secret]".contains(&secret));
        prop_assert!(!masked.contains(&secret), "{masked:?}");
    }

    #[test]
    fn one_entry_is_one_line(text in any::<String>()) {
        let line = escape_line(&text);
        let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202e}' | '\u{200b}');
        prop_assert!(!line.chars().any(breaks));
        prop_assert_eq!(escape_line(&line), line.as_ref());
    }
}

#[test]
fn line_cannot_forge_another() {
    for (text, expected) in [
        ("rg 関所 é", "rg 関所 é"),
        ("ok\n2026-01-01 allowed: rm", "ok\\u{a}2026-01-01 allowed: rm"),
        ("\u{1b}[2Jgone\r", "\\u{1b}[2Jgone\\u{d}"),
        ("a\u{2028}b\u{2029}c\u{85}d", "a\\u{2028}b\\u{2029}c\\u{85}d"),
        ("ab\u{202e}dc\u{2066}", "ab\\u{202e}dc\\u{2066}"),
        ("\u{feff}r\u{200b}m\u{e0041}", "\\u{feff}r\\u{200b}m\\u{e0041}"),
    ] {
        assert_eq!(escape_line(text), expected);
    }
}

/// Text made to be read again and again costs a multiple of its length. With quadratic work this would
/// not end.
/// Pieces of text that start detectors, each repeated to a long text.
const CRUMBS: &[&str] = &[
    "a,password\n",
    "(echo a; ",
    "f() { echo a; ",
    "printf '%s=%s' a ",
    "a, password = 'a', ",
    "curl -u ",
    "password ",
    "token=\"",
    "docker login ",
    "echo x | ",
    "<<< ",
    "auth=(",
    "a:*:b:",
    "identified ",
    "key: |\n ",
    "create user password ",
    "sl.aaaaaaaa",
    "mysql \"",
    "name\":\"password\",",
    "password%3D%41",
    "api key ",
    "gsk_a",
    "-----END RSA PRIVATE KEY-----",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
    "insert into t (password) values (",
    "\"d\":\"aaaaaaaaaaaaaaaaaaaaaaaa\",",
    "data:\n a: b\n",
    "fill('password', ",
    "\"value\":\"a\",\"name\":\"password",
    "password:\n  ",
    "password = \"a\" + ",
    "AUTH a\n",
    "user a on >b ",
    "connectionString=\"a=b;",
    "password=a,b=",
    "set value='a' where key='password",
    "jwt.sign({[(",
    "h:587 a@b:",
    "password = md5('",
    "secret --value ",
    "echo a | base64 -d ",
    "process.env.SECRET || '",
    "password | default(",
    "${PASSWORD:a",
    "${PASSWORD-",
    "| password |\n|-|\n",
    "|-",
    "| password | ",
    "a:b@tcp(",
    "new PDO('a', ",
    "storePassword \"a",
    "password a.b.c = ",
    "t('password', 'a ",
    "{\"name\":\"password\",\"type\":\"a\",",
    "password is to ",
    "password a a a a a a a: ",
    "seed phrase: able able able ",
    "backup codes: 8f2k-q7m1, ",
    "login is a / ",
    "user: a, pw: b",
    "PWD={a",
    "user a b\n",
    "a.password=A ",
    "password: a<1",
    ".load(a, \"b\"",
    "ghp_xxxx-",
    "'password=a;",
    "'password=a b",
    "password=a b\n",
    "password: a b\n",
    "server=a;password=b&amp;",
    "password='a'\\''",
    "password='a'\"'\"",
    "key aB3aB3aB3aB3aB3aB3",
    "mysql --password ",
    "pulumi --secret a ",
    "log in with a / ",
];

/// Quadratic work would not end at the length of the long form.
#[test]
#[expect(clippy::disallowed_methods, reason = "an environment variable selects the long form")]
fn adversarial_text_is_scanned_in_linear_time() {
    let length = if std::env::var("SEKISHO_PROOF_CASES").is_ok() { 300_000 } else { 60_000 };
    let masks = masks();
    for crumb in CRUMBS {
        let text = crumb.repeat(length / crumb.len());
        assert!(masks.text(&text).text.len() <= 40 * text.len(), "{crumb:?}");
    }
}
