//! Characters that hide or disguise text.

use proptest::prelude::*;
use sekisho_policy::{Call, DangerLevel};
use serde_json::json;

use super::shown;
use crate::display::hidden_characters::Visible;
use crate::display::{Form, HidingKind, Layout, visible};

#[test]
fn invisible_characters_are_escaped() {
    for (text, expected) in [
        ("rg 関所 é ñ 한글 עברית", "rg 関所 é ñ 한글 עברית"),
        ("a\tb\nc", "a\tb\nc"),
        ("a\r\nb", "a\\u{d}\nb"),
        ("\u{1b}[2Jgone", "\\u{1b}[2Jgone"),
        ("\u{9b}31m", "\\u{9b}31m"),
        ("ab\u{202e}dc", "ab\\u{202e}dc"),
        ("r\u{200b}m", "r\\u{200b}m"),
        ("x\u{e0041}", "x\\u{e0041}"),
        ("a\u{fe0f}", "a\\u{fe0f}"),
        ("\u{3164}x", "\\u{3164}x"),
        ("so\u{ad}ft", "so\\u{ad}ft"),
        ("a\u{a0}b\u{3000}c\u{2003}d\u{2800}e", "a\\u{a0}b\\u{3000}c\\u{2003}d\\u{2800}e"),
        ("\u{e000}\u{f0000}", "\\u{e000}\\u{f0000}"),
        ("\u{fdd0}\u{ffff}\u{378}", "\\u{fdd0}\\u{ffff}\\u{378}"),
        ("\u{301}a", "\\u{301}a"),
        ("e\u{301}", "e\u{301}"),
        ("e\u{301}\u{301}\u{301}\u{301}\u{301}", "e\u{301}\u{301}\u{301}\u{301}\\u{301}"),
        ("echo '\\u{202e}'", "echo '\\u{5c}u{202e}'"),
        ("echo '\\x41 \\n'", "echo '\\x41 \\n'"),
        ("a\u{2028}b", "a\\u{2028}b"),
        ("a\u{1d159}b\u{13441}c\u{13442}d", "a\\u{1d159}b\\u{13441}c\\u{13442}d"),
        ("x\u{16fe4}", "x\\u{16fe4}"),
        // Joiners are invisible except between letters of their script.
        ("r\u{17d2}m 1\u{1107f}", "r\\u{17d2}m 1\\u{1107f}"),
        ("ខ្មែរ हिन्दी ไทยที่ မြန်မာ", "ខ្មែរ हिन्दी ไทยที่ မြန်မာ"),
        ("عَرَبِيّ שָׁלוֹם が й", "عَرَبِيّ שָׁלוֹם が й"),
    ] {
        assert_eq!(visible(text, Layout::Text), expected);
    }
    assert_eq!(visible("a\tb\n", Layout::Line), "a\\u{9}b\\u{a}");
}

#[test]
fn call_with_hidden_text_is_dangerous() {
    for (call, hiding) in [
        (Call::new("Bash", json!({ "command": "echo \u{202e}fdp" })), HidingKind::Direction),
        (Call::new("Bash", json!({ "command": "echo a\u{200b}b" })), HidingKind::ZeroWidth),
        (Call::new("Bash", json!({ "command": "echo \u{1b}[8m" })), HidingKind::Escape),
        (Call::new("Write", json!({ "file_path": "/w/a\u{200d}.rs", "content": "" })), HidingKind::ZeroWidth),
        (Call::new("WebFetch", json!({ "url": "https://a.test/\u{e0041}" })), HidingKind::Tag),
        (Call::new("x\u{202d}y", json!({})), HidingKind::Direction),
    ] {
        let shown = shown(call, &[]);
        assert_eq!(shown.danger.level, DangerLevel::Danger, "{shown:?}");
        assert!(shown.danger.sentence().starts_with("hides text"), "{}", shown.danger.sentence());
        assert_eq!(shown.hidden[0].hiding, hiding);
        assert_eq!(shown.hidden[0].times, 1);
    }
    let plain = shown(Call::new("Write", json!({ "file_path": "/w/a", "content": "全角\u{3000}" })), &[]);
    assert_eq!(plain.danger.level, DangerLevel::Caution);
    assert_eq!((plain.hidden[0].hiding, plain.hidden[0].shown_as.as_str()), (HidingKind::Blank, "\\u{3000}"));
}

/// Turns every `\u{…}` of a visible text back into its character.
fn undone(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("\\u{") {
        let (before, after) = rest.split_at(at);
        let (code, behind) = after.get(3..).unwrap().split_once('}').unwrap();
        out.push_str(before);
        out.push(char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap());
        rest = behind;
    }
    out + rest
}

fn odd_text() -> impl Strategy<Value = String> {
    let odd = prop_oneof![
        any::<char>(),
        proptest::sample::select(vec![
            '\\', 'u', '{', '}', '2', 'e', '\u{202e}', '\u{301}', '\n', ' ', '\u{200d}'
        ]),
    ];
    proptest::collection::vec(odd, 0..40).prop_map(|chars| chars.into_iter().collect())
}

proptest! {
    #[test]
    fn different_texts_look_different(text in odd_text()) {
        let made = visible(&text, Layout::Text).into_owned();
        prop_assert_eq!(undone(&made), text.clone());
        let again = made.replace("\\u{", "");
        prop_assert_eq!(visible(&again, Layout::Text).into_owned(), again.clone(), "something still hides");
        let line = visible(&text, Layout::Line).into_owned();
        prop_assert!(!line.chars().any(char::is_control));
        prop_assert_eq!(undone(&line), text);
    }

    #[test]
    fn offsets_are_mapped(text in odd_text()) {
        let made = Visible::of(&text, Layout::Text);
        for (at, c) in text.char_indices() {
            let (from, to) = (made.offset(at), made.offset(at + c.len_utf8()));
            prop_assert_eq!(undone(made.text.get(from..to).unwrap()), c.to_string());
        }
    }

    #[test]
    fn every_call_can_be_shown(tool in odd_text(), text in odd_text()) {
        for name in [tool.as_str(), "Bash", "Edit", "apply_patch", "Write", "WebFetch", "delete"] {
            let input = json!({ "command": text, "file_path": text, "old_string": tool, "new_string": text,
                                "content": tool, "url": text, "patch": text });
            let mut shown = shown(Call::new(name, input), &[]);
            // Fingerprint paths are for reading files again, not for display.
            shown.files.clear();
            let whole = serde_json::to_string(&shown).unwrap();
            let written = whole.replace("\\n", "").replace("\\t", "");
            let hides = written.chars().any(|c| c.is_control() || matches!(c, '\u{202e}' | '\u{200d}'));
            prop_assert!(!hides);
            prop_assert!(!shown.danger.sentence().is_empty());
            if let Form::Command { text, parts } = &shown.form {
                for (from, to) in parts.iter().filter_map(|mark| mark.range) {
                    prop_assert!(text.get(from as usize..to as usize).is_some());
                }
            }
        }
    }
}
