//! What `read` shows.

use serde_json::{Value, json};

use super::search_project::{SearchProject, fields, notes};

fn check(contents: &[u8], input: Value, expected: Value) {
    let project = SearchProject::new();
    project.write("f", contents);
    let mut input = input;
    input["path"] = json!("f");
    let mut found = fields(project.read(&input));
    assert_eq!(found["path"], json!(project.path("f").to_str().unwrap()));
    found.as_object_mut().unwrap().remove("path");
    assert_eq!(found, expected, "{input}");
}

#[test]
fn lines_have_numbers() {
    check(
        b"one\n\n\tthree\n",
        json!({}),
        json!({
            "content": "1\tone\n2\t\n3\t\tthree\n", "first_line": 1, "last_line": 3, "total_lines": 3,
            "next_offset": null, "notes": [],
        }),
    );
    check(
        b"no newline",
        json!({}),
        json!({
            "content": "1\tno newline\n", "first_line": 1, "last_line": 1, "total_lines": 1,
            "next_offset": null, "notes": [],
        }),
    );
    check(
        b"",
        json!({}),
        json!({
            "content": "", "first_line": null, "last_line": null, "total_lines": 0, "next_offset": null,
            "notes": ["The file is empty."],
        }),
    );
}

#[test]
fn ranges_say_how_to_go_on() {
    let text = b"1\n2\n3\n4\n5\n";
    check(
        text,
        json!({ "offset": 2, "limit": 2 }),
        json!({
            "content": "2\t2\n3\t3\n", "first_line": 2, "last_line": 3, "total_lines": 5, "next_offset": 4,
            "notes": ["There is more: go on with offset 4."],
        }),
    );
    check(
        text,
        json!({ "offset": 4, "limit": 2 }),
        json!({
            "content": "4\t4\n5\t5\n", "first_line": 4, "last_line": 5, "total_lines": 5,
            "next_offset": null, "notes": [],
        }),
    );
    let project = SearchProject::new();
    project.write("f", text);
    let result = project.read(&json!({ "path": "f", "offset": 6 }));
    let message =
        format!("'offset' 6 is beyond the end of '{}', which has 5 lines.", project.path("f").display());
    assert_eq!((result.content, result.is_error), (message, true));
}

/// A file read in parts is the same as the whole file.
#[test]
fn parts_fit_together() {
    let project = SearchProject::new();
    let text: String = (1..=5000).map(|at| format!("{}\n", "x".repeat(at % 90))).collect();
    project.write("f", &text);
    for limit in [1777, 2000, 10_000] {
        let (mut offset, mut whole, mut parts) = (json!(1), String::new(), 0);
        while !offset.is_null() {
            let found = fields(project.read(&json!({ "path": "f", "offset": offset, "limit": limit })));
            let content = found["content"].as_str().unwrap();
            assert!(content.len() < 200_000);
            whole.extend(content.lines().map(|line| format!("{}\n", line.split_once('\t').unwrap().1)));
            assert_eq!(found["total_lines"], json!(5000));
            offset = found["next_offset"].clone();
            parts += 1;
        }
        assert!(whole == text, "limit {limit}");
        assert!(parts >= 3, "the output is limited too: {parts}");
    }
}

#[test]
fn two_thousand_lines_are_shown_by_default() {
    let project = SearchProject::new();
    project.write("f", "x\n".repeat(2500));
    let found = fields(project.read(&json!({ "path": "f" })));
    assert_eq!((&found["last_line"], &found["next_offset"]), (&json!(2000), &json!(2001)));
}

#[test]
fn long_lines_are_cut() {
    let project = SearchProject::new();
    project.write("f", format!("{}\nnext\n", "é".repeat(2003)));
    let found = fields(project.read(&json!({ "path": "f" })));
    let expected = format!("1\t{}… [6 more bytes]\n2\tnext\n", "é".repeat(2000));
    assert_eq!(found["content"], json!(expected));
    assert_eq!(found["notes"], json!(["1 line cut after 2000 characters."]));
}

#[test]
fn encodings() {
    let project = SearchProject::new();
    let utf16 = |order: fn(u16) -> [u8; 2]| {
        "\u{feff}héllo\nwörld 🦀\n".encode_utf16().flat_map(order).collect::<Vec<u8>>()
    };
    let hello = "1\théllo\n2\twörld 🦀\n";
    for (contents, text, note) in [
        ("\u{feff}héllo\nwörld 🦀\n".as_bytes().to_vec(), hello, ""),
        (utf16(u16::to_le_bytes), hello, "The file is UTF-16LE, shown as UTF-8."),
        (utf16(u16::to_be_bytes), hello, "The file is UTF-16BE, shown as UTF-8."),
        (b"caf\xe9\n".to_vec(), "1\tcaf\\xE9\n", "Some bytes are not UTF-8. They are written as \\xNN."),
        (b"a\r\nb\r\n".to_vec(), "1\ta\n2\tb\n", "Lines end with CRLF, which is not shown."),
        (b"\xef\xbb\xbf".to_vec(), "", "The file is empty."),
    ] {
        project.write("f", &contents);
        assert_eq!(project.text("f"), text, "{contents:?}");
        assert_eq!(notes(project.read(&json!({ "path": "f" }))), note, "{contents:?}");
    }
}

/// A NUL after the beginning does not hide the text before it.
#[test]
fn binary_files_are_refused() {
    let project = SearchProject::new();
    for (contents, kind) in [
        (&b"\x7fELF\x02\x01\x01\0"[..], "an ELF program or library, 8 bytes"),
        (b"text\0", "a binary file, 5 bytes"),
        (b"\x89PNG\r\n\x1a\n", "a PNG image, 8 bytes"),
    ] {
        project.write("f", contents);
        let expected = format!("'{}' is not text: {kind}.", project.path("f").display());
        assert_eq!(project.refuses_to_read("f"), expected);
    }
    let late = ["line\n".repeat(4000).as_bytes(), b"\0\n"].concat();
    project.write("f", late);
    let found = fields(project.read(&json!({ "path": "f", "offset": 4000 })));
    assert_eq!(found["content"], json!("4000\tline\n4001\t\0\n"));
}
