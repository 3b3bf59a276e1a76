//! The audit key file: created once, readable by its owner only.

use std::os::unix::fs::{PermissionsExt, symlink};

use sekisho_host::AuditKeyFile;

use crate::test_machine::TestMachine;

fn words(bytes: [u8; 32]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn mode(path: &std::path::Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn key_file_is_created_once_and_private() {
    let machine = TestMachine::new();
    let key = AuditKeyFile::at(&machine.locations.state);
    assert_eq!(key.read().unwrap(), None);
    assert!(!machine.locations.state.exists(), "reading creates nothing");
    let first = key.read_or_make(words).unwrap();
    assert_eq!(first.len(), 64);
    assert_ne!(first, words([0; 32]));
    assert_eq!((mode(key.path()), mode(&machine.locations.state)), (0o600, 0o700));
    assert_eq!(key.read_or_make(|_| "another".into()).unwrap(), first);
    assert_eq!(key.read().unwrap(), Some(first));
}

#[test]
fn concurrent_creators_get_the_same_key() {
    let machine = TestMachine::new();
    let key = AuditKeyFile::at(&machine.locations.state);
    let made: Vec<String> = std::thread::scope(|scope| {
        let makers: Vec<_> = (0..8).map(|_| scope.spawn(|| key.read_or_make(words).unwrap())).collect();
        makers.into_iter().map(|maker| maker.join().unwrap()).collect()
    });
    assert!(made.iter().all(|text| *text == made[0]), "{made:?}");
    let left = machine.locations.state.read_dir().unwrap().count();
    assert_eq!(left, 1, "no temporary file is left behind");
}

#[test]
fn rotation_is_atomic() {
    let machine = TestMachine::new();
    let key = AuditKeyFile::at(&machine.locations.state);
    let none = key.rotate(|_, _| Ok("x".into())).unwrap_err().to_string();
    assert!(none.contains("there is no key to rotate yet"), "{none}");
    let first = key.read_or_make(words).unwrap();
    let both = key.rotate(|old, bytes| Ok(format!("{old}\n{}", words(bytes)))).unwrap();
    assert!(both.starts_with(&first) && both.len() == 129);
    assert_eq!(key.read().unwrap().as_ref(), Some(&both));
    assert_eq!(mode(key.path()), 0o600);
    key.rotate(|_, _| Err("it makes no sense".into())).unwrap_err();
    assert_eq!(key.read().unwrap(), Some(both));
}

#[test]
fn file_that_others_can_read_or_replace_is_rejected() {
    let refused = |spoil: &dyn Fn(&AuditKeyFile)| {
        let machine = TestMachine::new();
        let key = AuditKeyFile::at(&machine.locations.state);
        key.read_or_make(words).unwrap();
        spoil(&key);
        let message = key.read().unwrap_err().to_string();
        assert_eq!(key.read_or_make(words).unwrap_err().to_string(), message);
        assert_eq!(key.rotate(|_, _| Ok(String::new())).unwrap_err().to_string(), message);
        message
    };
    let set = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    assert!(refused(&|key| set(key.path(), 0o640)).contains("others can read it"));
    assert!(
        refused(&|key| set(key.path().parent().unwrap(), 0o777))
            .contains("others can write to this directory")
    );
    let link = refused(&|key| {
        let elsewhere = key.path().with_extension("elsewhere");
        std::fs::rename(key.path(), &elsewhere).unwrap();
        symlink(&elsewhere, key.path()).unwrap();
    });
    assert!(link.contains("the file is a link"), "{link}");
    let folder = refused(&|key| {
        std::fs::remove_file(key.path()).unwrap();
        std::fs::create_dir(key.path()).unwrap();
    });
    assert!(folder.contains("not a regular file"), "{folder}");
}
