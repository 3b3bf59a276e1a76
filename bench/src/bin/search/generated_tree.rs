//! A tree of source files, always the same.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const DIRECTORIES: usize = 400;
const FILES: usize = 25;

/// Writes 10 000 files in 400 directories, about 60 MB, with ignore files at several levels.
pub(crate) fn write(root: &Path) {
    let mut random = 1_u64;
    let mut next = move || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize
    };
    fs::create_dir(root.join(".git")).expect("a directory");
    fs::write(root.join(".gitignore"), "*.o\ntarget/\n/build\nnode_modules\n").expect("a file");
    let endings = ["rs", "rs", "ts", "md", "json", "o"];
    for directory in 0..DIRECTORIES {
        let path = root.join(format!("part{}/group{}/unit{directory}", directory % 4, directory % 40));
        fs::create_dir_all(&path).expect("a directory");
        if directory % 10 == 0 {
            fs::write(path.join(".gitignore"), "generated_*\n!generated_keep.rs\n").expect("a file");
        }
        for file in 0..FILES {
            let name = if file == 3 { "generated_x".to_owned() } else { format!("file_{file}") };
            let text = text(&mut next, directory == 250 && file == 5);
            fs::write(path.join(format!("{name}.{}", endings[file % endings.len()])), text).expect("a file");
        }
    }
}

/// A file of some 6 KB.
fn text(next: &mut impl FnMut() -> usize, has_needle: bool) -> String {
    let words = ["let", "value", "match", "return", "self", "result", "index", "buffer", "error", "state"];
    let mut text = String::new();
    for line in 0..150 {
        let picked = |at: usize| words[at % words.len()];
        let _ = writeln!(
            text,
            "    {} {}_{} = {}({}, {});",
            picked(next()),
            picked(next()),
            next() % 100,
            picked(next()),
            next() % 1000,
            picked(next())
        );
        if line % 50 == 7 {
            let _ = writeln!(text, "fn {}_{}() {{", picked(next()), next() % 1000);
        }
    }
    if has_needle {
        text.push_str("// needle_in_a_haystack\n");
    }
    text
}
