//! Whether a file's contents are secret.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use sekisho_policy::{ContentCheck, FileSecrecy, MAX_CHECKED_BYTES, text_secrecy};

/// Whether a file holds a secret of a kind. A file that cannot be read or judged counts as secret. A directory with the
/// name of a private key holds none: what is in it is judged by itself.
pub(crate) fn holds_secret(path: &Path, contents: ContentCheck) -> FileSecrecy {
    if contents == ContentCheck::PrivateKey && path.is_dir() {
        return FileSecrecy::NoSecret;
    }
    read(path).map_or(FileSecrecy::Secret, |text| text_secrecy(&text, contents))
}

fn read(path: &Path) -> Option<String> {
    // Skip pipes and devices: opening one could block.
    let is_small = |metadata: &std::fs::Metadata| metadata.is_file() && metadata.len() <= MAX_CHECKED_BYTES;
    let metadata = path.metadata().ok().filter(is_small)?;
    let mut text = String::with_capacity(usize::try_from(metadata.len()).ok()?);
    File::open(path).ok()?.take(MAX_CHECKED_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use sekisho_policy::{ContentCheck, FileSecrecy, MAX_CHECKED_BYTES};

    use super::holds_secret;

    #[test]
    fn directory_is_no_private_key() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(holds_secret(directory.path(), ContentCheck::PrivateKey), FileSecrecy::NoSecret);
        assert_eq!(holds_secret(directory.path(), ContentCheck::Key), FileSecrecy::Secret);
        let missing = directory.path().join("missing");
        assert_eq!(holds_secret(&missing, ContentCheck::PrivateKey), FileSecrecy::Secret);
    }

    #[test]
    fn large_file_counts_as_secret() {
        let directory = tempfile::tempdir().unwrap();
        let secrecy = |length: u64| {
            let file = directory.path().join("file");
            std::fs::write(&file, "\n".repeat(usize::try_from(length).unwrap())).unwrap();
            holds_secret(&file, ContentCheck::Credentials)
        };
        assert_eq!(secrecy(MAX_CHECKED_BYTES), FileSecrecy::NoSecret);
        assert_eq!(secrecy(MAX_CHECKED_BYTES + 1), FileSecrecy::Secret);
    }
}
