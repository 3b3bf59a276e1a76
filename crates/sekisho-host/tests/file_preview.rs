use std::path::Path;

use sekisho_host::{FilePreview, preview_file};

/// SHA-256 of `abc`, from FIPS 180-2.
const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

#[track_caller]
fn unshown(path: &Path, hashed: bool, expected: &str) {
    match preview_file(path) {
        FilePreview::NotShown { sha256, why } => {
            assert_eq!(sha256.is_some(), hashed, "{why}");
            assert!(why.contains(expected), "{why}");
        }
        other => panic!("{} is {other:?}", path.display()),
    }
}

#[test]
fn text_is_shown_with_its_hash_also_through_a_link() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a");
    assert_eq!(preview_file(&file), FilePreview::Absent);
    std::fs::write(&file, "abc").unwrap();
    let link = directory.path().join("b");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    for path in [&file, &link] {
        assert_eq!(preview_file(path), FilePreview::Text { sha256: ABC.into(), text: "abc".into() });
    }
    std::fs::remove_file(&file).unwrap();
    unshown(&link, false, "leads nowhere");
}

#[test]
fn binary_is_not_shown_and_special_file_is_not_opened() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    std::fs::write(at("binary"), b"\xff\xfe").unwrap();
    unshown(&at("binary"), true, "not UTF-8");
    std::fs::write(at("large"), "a".repeat((1 << 20) + 1)).unwrap();
    unshown(&at("large"), true, "1048577 bytes");
    std::fs::write(at("largest"), "a".repeat(1 << 20)).unwrap();
    assert!(matches!(preview_file(&at("largest")), FilePreview::Text { .. }));
    std::fs::File::create(at("huge")).unwrap().set_len(1 << 40).unwrap();
    unshown(&at("huge"), false, "1099511627776 bytes");
    rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), rustix::fs::Mode::RWXU).unwrap();
    unshown(&at("pipe"), false, "not a regular file");
    unshown(directory.path(), false, "directory");
    unshown(Path::new("/dev/zero"), false, "not a regular file");
    unshown(Path::new("relative"), false, "not absolute");
    unshown(&at("binary").join("below"), false, "not a directory");
}
