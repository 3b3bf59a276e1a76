//! The list of mounts, as the kernel prints it in `/proc/self/mountinfo`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// A line of `/proc/self/mountinfo`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Its number.
    pub id: u64,
    /// The number of the mount that it is mounted on.
    pub parent: u64,
    /// Major and minor number.
    pub device: Vec<u8>,
    /// The directory or file of the file system that is mounted.
    pub root: PathBuf,
    /// Where it is mounted.
    pub point: PathBuf,
    /// Whether nothing can be changed through this mount.
    pub is_read_only: bool,
    /// Whether mounts that are made elsewhere later appear below it (`shared` or `master`).
    pub propagates: bool,
    /// The directories that an overlay shows as one. Empty for other file systems.
    pub layers: Vec<PathBuf>,
}

impl Mount {
    /// Reads `/proc/self/mountinfo`. Later mounts come later.
    pub fn parse(text: &[u8]) -> Vec<Mount> {
        text.split(|byte| *byte == b'\n').filter_map(Mount::parse_line).collect()
    }

    fn parse_line(line: &[u8]) -> Option<Mount> {
        let mut fields = line.split(|byte| *byte == b' ');
        let (id, parent) = (number(fields.next()?)?, number(fields.next()?)?);
        let (device, root, point) = (fields.next()?, fields.next()?, fields.next()?);
        let mut options = fields.next()?.split(|byte| *byte == b',');
        let is_read_only = options.any(|option| option == b"ro");
        let device = device.to_vec();
        let fields: Vec<&[u8]> = fields.collect();
        let (optional, after) = fields.split_at(fields.iter().position(|field| *field == b"-")?);
        let propagates =
            optional.iter().any(|field| field.starts_with(b"shared:") || field.starts_with(b"master:"));
        let mut after = after.iter().copied().skip(1);
        let (kind, options) = (after.next(), after.nth(1));
        let layers = options.filter(|_| kind == Some(b"overlay")).map(layers).unwrap_or_default();
        Some(Mount {
            id,
            parent,
            device,
            root: unescaped(root),
            point: unescaped(point),
            is_read_only,
            propagates,
            layers,
        })
    }
}

/// The directories in the options of an overlay.
fn layers(options: &[u8]) -> Vec<PathBuf> {
    let values = options.split(|byte| *byte == b',').filter_map(|option| {
        [&b"upperdir="[..], b"lowerdir=", b"lowerdir+="].iter().find_map(|name| option.strip_prefix(*name))
    });
    let paths = values.flat_map(|value| value.split(|byte| *byte == b':'));
    paths.filter(|path| path.starts_with(b"/")).map(unescaped).collect()
}

fn number(field: &[u8]) -> Option<u64> {
    std::str::from_utf8(field).ok()?.parse().ok()
}

/// A path as the kernel prints it: blanks, line ends and backslashes as three octal digits.
fn unescaped(field: &[u8]) -> PathBuf {
    let mut path = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.first_chunk::<3>().filter(|_| *first == b'\\');
        let byte = digits.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        path.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { after.get(3..).unwrap_or_default() } else { after };
    }
    PathBuf::from(OsString::from_vec(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let text = b"66 42 254:0 / / ro,nosuid - ext4 /dev/vda rw\n\
            97 66 254:0 /w\\040x /tmp/w\\134x rw,nodev shared:1 master:2 - ext4 /dev/vda rw\nnonsense\n";
        let mount = |id, parent, root: &str, point: &str, is_first| Mount {
            id,
            parent,
            device: b"254:0".to_vec(),
            root: root.into(),
            point: point.into(),
            is_read_only: is_first,
            propagates: !is_first,
            layers: Vec::new(),
        };
        let expected = [mount(66, 42, "/", "/", true), mount(97, 66, "/w x", "/tmp/w\\x", false)];
        assert_eq!(Mount::parse(text), expected);
    }
}
