//! No import cycles between the files of a crate: of two files, one can always be read without the other.
//!
//! A file depends on the files that define the names it uses. Names are followed through re-exports to their
//! definition, so `pub use` alone is not a dependency.

mod source_parser;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::workspace_rules::{collect, root};
use source_parser::{Import, Names, Source, read};

/// Maximum number of re-exports to follow.
const MOST_STEPS: usize = 16;

/// The files of a crate by their module paths.
struct Modules(BTreeMap<Names, Source>);

/// What each module depends on, and by which names.
type Edges<'m> = BTreeMap<&'m Names, BTreeMap<Names, BTreeSet<String>>>;

impl Modules {
    /// From files by their paths below `src`.
    fn new<'f>(files: impl IntoIterator<Item = (&'f str, &'f str)>) -> Modules {
        let mut modules: BTreeMap<Names, Source> = BTreeMap::new();
        for (path, text) in files {
            let mut module: Names = path.trim_end_matches(".rs").split('/').map(Into::into).collect();
            module.pop_if(|name| matches!(name.as_str(), "lib" | "main" | "mod"));
            modules.entry(module).or_insert_with(|| read(text));
        }
        let of_tests: Vec<Names> = modules
            .iter()
            .flat_map(|(module, source)| {
                source.test_modules.iter().map(move |name| [module, std::slice::from_ref(name)].concat())
            })
            .collect();
        modules.retain(|module, _| !of_tests.iter().any(|tests| module.starts_with(tests)));
        Modules(modules)
    }

    /// The files of a directory, without test files.
    fn below(folder: &Path) -> Modules {
        let mut files = Vec::new();
        collect(folder, &mut files);
        files.sort();
        let path = |file: &PathBuf| file.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
        let texts: Vec<(String, String)> = files
            .iter()
            .map(|file| (path(file), std::fs::read_to_string(file).unwrap()))
            .filter(|(path, _)| !path.split('/').any(|part| matches!(part, "tests" | "tests.rs")))
            .collect();
        Modules::new(texts.iter().map(|(path, text)| (path.as_str(), text.as_str())))
    }

    /// The module that defines what a path in `here` refers to; `None` if it is in another crate or unknown.
    fn definition(&self, here: &[String], path: &[String], steps: usize) -> Option<Names> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => self.member(&[], rest, steps),
            "self" => self.member(here, rest, steps),
            "super" => {
                let above = here.split_last()?.1;
                let is_further = rest.first().is_some_and(|next| next == "super");
                if is_further { self.definition(above, rest, steps) } else { self.member(above, rest, steps) }
            }
            _ if self.0.contains_key(&[here, &path[..1]].concat()) => self.member(here, path, steps),
            _ => {
                let mut imports = self.0.get(here)?.imports.iter();
                let import = imports.find(|import| import.name == *first)?;
                self.definition(here, &[&import.path, rest].concat(), steps.checked_sub(1)?)
            }
        }
    }

    /// The module that defines what a path means in a module.
    fn member(&self, module: &[String], path: &[String], steps: usize) -> Option<Names> {
        let source = self.0.get(module)?;
        let Some(first) = path.first() else { return Some(module.to_vec()) };
        let child = [module, &path[..1]].concat();
        if self.0.contains_key(&child) {
            self.member(&child, &path[1..], steps)
        } else if source.imports.iter().any(|import| import.name == *first) {
            self.definition(module, path, steps)
        } else {
            Some(module.to_vec())
        }
    }

    fn edges(&self) -> Edges<'_> {
        let edges = self.0.iter().map(|(module, source)| {
            let is_passed_on = |import: &&Import| import.is_public && !source.words.contains(&import.name);
            let imports = source.imports.iter().filter(|import| !is_passed_on(import));
            let imports = imports.map(|import| (&import.path, import.name.clone()));
            let paths = source.paths.iter().map(|path| (path, path.join("::")));
            let mut edges: BTreeMap<Names, BTreeSet<String>> = BTreeMap::new();
            for (path, name) in imports.chain(paths) {
                if let Some(other) = self.definition(module, path, MOST_STEPS).filter(|other| other != module)
                {
                    edges.entry(other).or_default().insert(name);
                }
            }
            (module, edges)
        });
        edges.collect()
    }
}

/// Groups of modules that depend on each other.
fn circles<'m>(edges: &'m Edges<'_>) -> Vec<Vec<&'m Names>> {
    let reached = |module: &Names| {
        let (mut reached, mut open) = (BTreeSet::new(), edges[module].keys().collect::<Vec<_>>());
        while let Some(next) = open.pop() {
            if reached.insert(next) {
                open.extend(edges[next].keys());
            }
        }
        reached
    };
    let reached: BTreeMap<&Names, BTreeSet<&Names>> =
        edges.keys().map(|module| (*module, reached(module))).collect();
    let mut circles: Vec<Vec<&Names>> = Vec::new();
    for (module, others) in &reached {
        if others.contains(module) && !circles.iter().any(|circle| circle.contains(module)) {
            circles.push(others.iter().copied().filter(|other| reached[other].contains(module)).collect());
        }
    }
    circles
}

fn shown(module: &Names) -> String {
    if module.is_empty() { "lib".into() } else { module.join("::") }
}

#[test]
fn no_import_cycles() {
    let mut found = String::new();
    for entry in root().join("crates").read_dir().unwrap() {
        let folder = entry.unwrap().path();
        let (name, sources) = (folder.file_name().unwrap().to_str().unwrap(), folder.join("src"));
        let modules = Modules::below(&sources);
        let edges = modules.edges();
        for circle in circles(&edges) {
            found += &format!("\nan import cycle of {} files in `{name}`:\n", circle.len());
            for module in &circle {
                for (other, names) in edges[module].iter().filter(|(other, _)| circle.contains(other)) {
                    let names: Vec<&str> = names.iter().map(String::as_str).collect();
                    found += &format!("  {} -> {}: {}\n", shown(module), shown(other), names.join(", "));
                }
            }
        }
    }
    assert!(found.is_empty(), "{found}");
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&[&str]]) {
    let modules = Modules::new(files.iter().copied());
    let edges = modules.edges();
    let found: Vec<Vec<String>> =
        circles(&edges).into_iter().map(|circle| circle.into_iter().map(shown).collect()).collect();
    assert_eq!(found, expected, "{edges:?}");
}

#[test]
fn cycles_are_found_through_every_kind_of_path() {
    let root = ("lib.rs", "mod a; mod b; pub use a::A as Thing;");
    let b = ("b.rs", "fn f(_: super::a::A) {}");
    check(&[root, ("a.rs", "use super::b::B;"), b], &[&["a", "b"]]);
    check(&[root, ("a.rs", "use crate::{c, b::{self as other, x::{Y}}};"), b], &[&["a", "b"]]);
    check(&[root, ("a.rs", "use crate::b;"), ("b.rs", "use crate::Thing;")], &[&["a", "b"]]);
    check(&[root, ("a.rs", "mod c { use super::super::b; }"), b], &[&["a", "b"]]);
    check(
        &[root, ("a.rs", "use crate::b::f;"), ("b.rs", "pub use crate::Thing; type T = Thing;")],
        &[&["a", "b"]],
    );
    // Through a child, and through an imported module.
    check(&[("a/mod.rs", "mod c; fn f() { c::g() }"), ("a/c.rs", "use super::f;")], &[&["a", "a::c"]]);
    let through = ("a.rs", "use crate::c; fn f() { c::d::g() }");
    check(
        &[("lib.rs", ""), through, ("c/mod.rs", "mod d;"), ("c/d.rs", "use crate::a::f;")],
        &[&["a", "c::d"]],
    );
}

#[test]
fn other_mentions_are_not_dependencies() {
    let (root, b) = (("lib.rs", "mod a; mod b; pub use a::A; pub use b::B;"), ("b.rs", "use crate::A;"));
    for text in [
        "struct A; // use crate::b::B;",
        "struct A; /* crate::b::B */ const B: &str = \"\\\" crate::b::B\";",
        "const A: &str = r#\"\" crate::b::B \"#; const Q: char = '\"'; fn f<'a>() {}",
        "#[cfg(test)] #[expect(x)] mod tests { use crate::b::B; } struct A;",
        "mod c { use super::b; } struct A;",
        "pub(in crate::b) struct A; fn f() -> impl Sized + use<> {}",
        "pub use crate::b::B as C; struct A;",
    ] {
        check(&[root, ("a.rs", text), b], &[]);
    }
    check(&[root, ("a.rs", "#[cfg(test)] mod c;"), ("a/c.rs", "use crate::b;"), b], &[]);
}
