//! File changes.

use sekisho_policy::{Call, Fact, FactQuery, Layers, Policy, judge};
use serde_json::{Value, json};

use super::{diff_text, diffs, shown};
use crate::display::{FileChange, FileFingerprint, Form, MAX_SHOWN_BYTES, show};
use crate::host_ports::CurrentFile;

const FILE: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n";

#[track_caller]
fn check(tool: &str, input: Value, expected: &str) {
    let shown = shown(Call::new(tool, input), &[("/w/a", FILE)]);
    let pages: String = diffs(&shown).iter().map(diff_text).collect();
    assert_eq!(pages, expected, "{tool}");
    assert!(shown.whole, "{:?}", shown.left_out);
}

const TWO: &str = "/w/a Changed +1 -1\n@@\n1 1  one\n2 - -two\n- 2 +2\n3 3  three\n4 4  four\n5 5  five\n";

#[test]
fn edits_of_all_agents_give_the_same_diff() {
    for (tool, input) in [
        ("Edit", json!({ "file_path": "/w/a", "old_string": "two", "new_string": "2" })),
        ("replace", json!({ "file_path": "a", "old_string": "two", "new_string": "2", "instruction": "x" })),
        (
            "replace",
            json!({ "file_path": "a", "old_string": "two", "new_string": "2", "expected_replacements": 1 }),
        ),
        ("edit", json!({ "filePath": "/w/./a", "oldString": "two", "newString": "2" })),
        ("search_replace", json!({ "file_path": "a", "old_string": "two\n", "new_string": "2\n" })),
        ("StrReplace", json!({ "path": "a", "old_string": "two", "new_string": "2" })),
        (
            "MultiEdit",
            json!({ "file_path": "/w/a", "edits": [
            { "old_string": "two", "new_string": "zwei" }, { "old_string": "zwei", "new_string": "2", "replace_all": true }] }),
        ),
        ("multiedit", json!({ "filePath": "/w/a", "edits": [{ "oldString": "two", "newString": "2" }] })),
        ("Write", json!({ "file_path": "/w/a", "content": FILE.replace("two", "2") })),
        ("write_file", json!({ "file_path": "a", "content": FILE.replace("two", "2") })),
        (
            "apply_patch",
            json!({ "input": "*** Begin Patch\n*** Update File: a\n@@\n one\n-two\n+2\n three\n*** End Patch\n" }),
        ),
        (
            "apply_patch",
            json!({ "command": ["apply_patch", "*** Begin Patch\n*** Update File: a\n-two\n+2\n*** End Patch"] }),
        ),
    ] {
        check(tool, input, TWO);
    }
}

#[test]
fn files_are_created_deleted_and_moved() {
    check(
        "Write",
        json!({ "file_path": "new", "content": "x\ny" }),
        "/w/new Created +2 -0\n@@\n- 1 +x\n- 2 +y\nnote: the file does not end with a line break\n",
    );
    check("Write", json!({ "file_path": "a", "content": FILE }), "/w/a Same +0 -0\n");
    check(
        "Edit",
        json!({ "file_path": "new", "old_string": "", "new_string": "x\n" }),
        "/w/new Created +1 -0\n@@\n- 1 +x\n",
    );
    let patch = "*** Begin Patch\n*** Add File: b\n+x\n*** Update File: a\n*** Move to: c\n@@ six\n seven\n-eight\n+8\n*** End of File\n*** Delete File: b\n*** End Patch";
    check(
        "apply_patch",
        json!({ "patchText": patch }),
        "/w/b Created +1 -0\n@@\n- 1 +x\n\
         /w/a Changed +1 -1\nto /w/c\n@@\n5 5  five\n6 6  six\n7 7  seven\n8 - -eight\n- 8 +8\n\
         /w/b Deleted +0 -1\n@@\n1 - -x\n",
    );
}

#[test]
fn unknown_results_are_not_guessed() {
    let asked = "@@\n- - -zz\n- - +y\n";
    let unknown = |why: &str| format!("/w/a Unknown +1 -1\n{asked}note: {why}\n");
    let edit = |old: &str| json!({ "file_path": "/w/a", "old_string": old, "new_string": "y" });
    check(
        "Edit",
        edit("zz"),
        "/w/a Unknown +1 -1\n@@\n- - -zz\n- - +y\nnote: the text to replace is not in the current file\n",
    );
    check(
        "Edit",
        edit("e"),
        "/w/a Unknown +1 -1\n@@\n- - -e\n- - +y\nnote: the text to replace occurs more than once in the file\n",
    );
    check(
        "replace",
        json!({ "file_path": "/w/a", "old_string": "zz", "new_string": "y", "expected_replacements": 2 }),
        &unknown("the text to replace is not in the current file"),
    );
    check(
        "Edit",
        json!({ "file_path": "/w/none", "old_string": "zz", "new_string": "y" }),
        &format!("/w/none Unknown +1 -1\n{asked}note: the file does not exist\n"),
    );
    check(
        "Edit",
        json!({ "file_path": "~/a", "old_string": "zz", "new_string": "y" }),
        &format!(
            "~/a Unknown +1 -1\n{asked}note: which file this is depends on how the tool interprets the name\n"
        ),
    );
    check(
        "edit_file",
        json!({ "target_file": "a", "code_edit": "y" }),
        "/w/a Unknown +1 -0\n@@\n- - +y\nnote: the tool merges the sketch into the file in its own way\n",
    );
    let patch = "*** Begin Patch\n*** Update File: a\n@@\n-zz\n+y\n*** End Patch";
    check(
        "apply_patch",
        json!({ "input": patch }),
        &unknown("chunk 1 of the patch: the lines to replace are not in the current file"),
    );
    for (tool, input) in [
        ("NotebookEdit", json!({ "notebook_path": "/w/a", "new_source": "x" })),
        ("apply_patch", json!({ "input": "--- a\n+++ b\n" })),
        ("Write", json!({ "file_path": "/w/a", "path": "/w/b", "content": "" })),
        ("Edit", json!({ "file_path": 1 })),
    ] {
        assert_eq!(shown(Call::new(tool, input), &[]).form, Form::Json, "{tool}");
    }
}

#[test]
fn diffed_files_have_fingerprints() {
    let patch = "*** Begin Patch\n*** Update File: a\n-two\n+2\n*** Add File: b\n+x\n*** Update File: a\n-2\n+3\n*** End Patch";
    let shown = shown(Call::new("apply_patch", json!({ "input": patch })), &[("/w/a", FILE)]);
    let mark = |path: &str, mark: &str| FileFingerprint { path: path.into(), mark: mark.into() };
    assert_eq!(shown.files, [mark("/w/a", "hash of /w/a"), mark("/w/b", "absent")]);
    assert!(diff_text(&diffs(&shown)[2]).contains("2 - -2\n- 2 +3\n"), "{}", diff_text(&diffs(&shown)[2]));
}

#[test]
fn huge_change_is_truncated_with_a_note() {
    let content = "0123456789abcdef\n".repeat(MAX_SHOWN_BYTES / 8);
    let shown =
        shown(Call::new("Write", json!({ "file_path": "/w/a", "content": content })), &[("/w/a", FILE)]);
    assert!(!shown.whole);
    let file = &diffs(&shown)[0];
    assert_eq!(file.added, MAX_SHOWN_BYTES / 8);
    assert!(file.notes.iter().any(|note| note.ends_with("lines are not shown")), "{:?}", file.notes);
    assert!(shown.left_out.iter().any(|left| left.ends_with("of the change to `/w/a` are not shown")));
}

#[test]
fn unrelated_texts_are_compared_in_time() {
    let text = |salt: usize| (0..60_000).map(|at| format!("{}\n", at * 2 + salt)).collect::<String>();
    let input = json!({ "file_path": "/w/big", "content": text(1) });
    let old = text(0);
    let shown = shown(Call::new("Write", input), &[("/w/big", old.as_str())]);
    let file = &diffs(&shown)[0];
    assert_eq!((file.added, file.removed), (60_000, 60_000));
}

/// A field that one tool reads and another ignores must not decide what a person sees.
#[test]
fn ambiguous_input_is_shown_as_json() {
    let edit = |more: Value| {
        let mut input = json!({ "file_path": "/w/a", "old_string": "two", "new_string": "2" });
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        input
    };
    let patch = "*** Begin Patch\n*** Update File: a\n-one\n+1\n*** End Patch\n";
    for (tool, input) in [
        ("Edit", edit(json!({ "edits": [{ "old_string": "one", "new_string": "1" }] }))),
        ("Edit", edit(json!({ "patch": patch }))),
        ("Edit", edit(json!({ "code_edit": "harmless" }))),
        (
            "MultiEdit",
            json!({ "file_path": "/w/a", "edits": [{ "old_string": "one", "new_string": "1" }], "code_edit": "x" }),
        ),
        ("apply_patch", json!({ "input": patch, "file_path": "/w/b" })),
        ("delete_file", json!({ "target_file": "/w/a", "paths": ["/w/b"] })),
    ] {
        assert_eq!(
            shown(Call::new(tool, input.clone()), &[("/w/a", FILE)]).form,
            Form::Json,
            "{tool} {input}"
        );
    }
}

#[test]
fn appended_text_is_shown_at_the_end() {
    check(
        "file_write",
        json!({ "path": "/w/a", "content": "nine\n", "mode": "append" }),
        "/w/a Changed +1 -0\n@@\n6 6  six\n7 7  seven\n8 8  eight\n- 9 +nine\n",
    );
    let twice = shown(
        Call::new("file_write", json!({ "path": "/w/a", "content": FILE, "mode": "append" })),
        &[("/w/a", FILE)],
    );
    assert_eq!(diffs(&twice)[0].added, 8, "it does not stay the same");
    let odd = json!({ "path": "/w/a", "content": "x", "mode": "prepend" });
    assert_eq!(shown(Call::new("file_write", odd), &[("/w/a", FILE)]).form, Form::Json);
}

/// The diff is against the target of the link, so the link must be shown.
#[test]
fn link_target_is_noted() {
    let call = Call::new("Write", json!({ "file_path": "/w/notes", "content": "x\n" })).in_directory("/w");
    let mut context = super::context();
    let facts = &mut context.facts;
    facts.insert(FactQuery::Resolve("/w/notes".into()), Fact::Resolved("/srv/other/\u{202e}hook".into()));
    let verdict = judge(&Policy::compile(Layers::default()), &call, &context);
    let shown = show(&call, &verdict, &|_| CurrentFile::Absent);
    let note = "`/w/notes` goes through a link; the file is `/srv/other/\\u{202e}hook`";
    assert_eq!(diffs(&shown)[0].notes, [note]);
}

/// Six replacements of one letter by sixty would produce 46 GB.
#[test]
fn edits_cannot_produce_a_huge_text() {
    let grow = json!({ "old_string": "a", "new_string": "a".repeat(60), "replace_all": true });
    let mut edits = vec![json!({ "old_string": "", "new_string": "a" })];
    edits.extend(vec![grow; 6]);
    let shown = shown(Call::new("MultiEdit", json!({ "file_path": "/w/none", "edits": edits })), &[]);
    let file = &diffs(&shown)[0];
    assert_eq!(file.change, FileChange::Unknown);
    let note = "edit 5: the changed file would exceed the limit of 4194304 bytes";
    assert_eq!(file.notes, [note]);
    assert_eq!((file.hunks.len(), file.added), (7, 7), "the requested edit is shown");
}

#[test]
fn many_edits_of_a_large_file_stop_at_the_budget() {
    let text = "0123456789abcde\n".repeat(1 << 16);
    let edits: Vec<Value> = (0..1000)
        .map(|at| json!({ "old_string": "0", "new_string": "0", "replace_all": true, "at": at }))
        .collect();
    let input = json!({ "file_path": "/w/big", "edits": edits });
    let shown = shown(Call::new("MultiEdit", input), &[("/w/big", text.as_str())]);
    let file = &diffs(&shown)[0];
    assert_eq!(file.change, FileChange::Unknown);
    assert!(file.notes[0].ends_with("exceeds the work limit of one call"), "{:?}", file.notes);
}

#[test]
fn change_of_every_line_is_limited() {
    let text = "a\n".repeat(250_000);
    let input = json!({ "file_path": "/w/big", "old_string": "a", "new_string": "bb", "replace_all": true });
    let shown = shown(Call::new("Edit", input), &[("/w/big", text.as_str())]);
    let file = &diffs(&shown)[0];
    assert_eq!((file.change, file.added, file.removed), (FileChange::Changed, 250_000, 250_000));
    assert_eq!(file.hunks.iter().map(|hunk| hunk.lines.len()).sum::<usize>(), 20_000);
    assert!(file.notes[0].starts_with("too many lines differ"), "{:?}", file.notes);
    assert_eq!(file.notes[1], "480000 lines are not shown");
    assert!(!shown.whole);
}

/// The compared pairs of lines are counted for all files of a call together.
#[test]
fn many_files_share_one_budget() {
    let lines = |salt: usize| (0..1500).map(|at| format!("{}\n", at * 2 + salt)).collect::<String>();
    let (old, new) = (lines(0), lines(1));
    let mut patch = String::from("*** Begin Patch\n");
    for name in ["a", "b", "c"] {
        patch += &format!("*** Update File: {name}\n");
        old.lines().for_each(|line| patch += &format!("-{line}\n"));
        new.lines().for_each(|line| patch += &format!("+{line}\n"));
    }
    patch += "*** End Patch\n";
    let files = [("/w/a", old.as_str()), ("/w/b", old.as_str()), ("/w/c", old.as_str())];
    let shown = shown(Call::new("apply_patch", json!({ "input": patch })), &files);
    let coarse: Vec<bool> = diffs(&shown).iter().map(|file| !file.notes.is_empty()).collect();
    assert_eq!(coarse, [false, true, true]);
    assert!(diffs(&shown).iter().all(|file| (file.added, file.removed) == (1500, 1500)));
}

#[test]
fn repeated_changes_of_a_large_file_stop_at_the_budget() {
    let text = "a\n".repeat(1 << 18) + "end\n";
    let section = "*** Update File: big\n-end\n+end\n";
    let patch = format!("*** Begin Patch\n{}*** End Patch\n", section.repeat(2000));
    let shown = shown(Call::new("apply_patch", json!({ "input": patch })), &[("/w/big", text.as_str())]);
    let files = diffs(&shown);
    assert_eq!(files.len(), 1000);
    assert_eq!(files[0].change, FileChange::Same);
    let unknown = files.iter().filter(|file| file.change == FileChange::Unknown).count();
    assert!(unknown > 990, "{unknown}");
    assert!(!shown.whole);
    assert_eq!(shown.left_out[0], "1000 more file changes are not shown");
    assert_eq!(shown.left_out.len(), 2, "{:?}", shown.left_out);
}

/// Lines that almost match at every position of a file.
#[test]
fn search_for_patch_lines_stops_at_the_budget() {
    let text = "a\n".repeat(100_000);
    let patch = format!("*** Begin Patch\n*** Update File: big\n{}-b\n*** End Patch\n", "-a\n".repeat(5000));
    let shown = shown(Call::new("apply_patch", json!({ "input": patch })), &[("/w/big", text.as_str())]);
    let file = &diffs(&shown)[0];
    assert_eq!(file.change, FileChange::Unknown);
    assert!(file.notes[0].ends_with("exceeds the work limit of one call"), "{:?}", file.notes);
}

#[test]
fn budget_limits_the_files_read() {
    let text = "a\n".repeat(1 << 19);
    let paths: Vec<String> = (0..200).map(|at| format!("/w/{at}/../big")).collect();
    let read = std::cell::Cell::new(0);
    let call = Call::new("delete_file", json!({ "paths": paths })).in_directory("/w");
    let verdict = judge(&Policy::compile(Layers::default()), &call, &super::context());
    let shown = show(&call, &verdict, &|_| {
        read.set(read.get() + 1);
        CurrentFile::Text { sha256: "hash".into(), text: text.clone() }
    });
    assert!(read.get() < 8, "{} files were read", read.get());
    assert_eq!(diffs(&shown).len(), 200);
    assert!(diffs(&shown).iter().all(|file| file.change == FileChange::Deleted));
    assert!(!shown.whole);
}
