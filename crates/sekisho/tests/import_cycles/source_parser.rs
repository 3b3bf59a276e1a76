//! Extracts from a source file its `use` statements and the paths in its code, without tests.

use std::collections::BTreeSet;

pub(super) type Names = Vec<String>;

#[derive(Default)]
pub(super) struct Source {
    pub(super) imports: Vec<Import>,
    /// Paths in the code, as written.
    pub(super) paths: Vec<Names>,
    /// Every word of the code outside `use`.
    pub(super) words: BTreeSet<String>,
    /// Modules compiled for tests only.
    pub(super) test_modules: BTreeSet<String>,
}

pub(super) struct Import {
    pub(super) is_public: bool,
    pub(super) path: Names,
    /// The name it has in this file.
    pub(super) name: String,
}

pub(super) fn read(text: &str) -> Source {
    let tokens = tokens(text);
    let mut source = Source::default();
    // The number of open braces, and those that belong to a `mod`.
    let (mut open, mut modules) = (0_usize, Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        let before = at.checked_sub(1).map_or("", |before| tokens[before]);
        at += match &tokens[at..] {
            ["#", "[", "cfg", "(", "test", ..] | ["#", "[", "cfg", "(", "all", "(", "test", ..] => {
                let mut item = at;
                while tokens.get(item) == Some(&"#") {
                    item += length(&tokens[item..], &["]"]);
                }
                if let ["mod", name, ";", ..] = tokens[item..] {
                    source.test_modules.insert(name.into());
                }
                item + length(&tokens[item..], &["}", ";"]) - at
            }
            ["pub", "(", "in", ..] => length(&tokens[at..], &[")"]),
            ["use", next, ..] if *next != "<" => {
                let length = length(&tokens[at..], &[";"]);
                let is_public = matches!(before, "pub" | ")");
                for (path, name) in imported(&tokens[at + 1..at + length]) {
                    let path = outside(path, modules.len());
                    source.imports.extend(path.map(|path| Import { is_public, path, name }));
                }
                length
            }
            [first, more @ ..] => {
                match *first {
                    "mod" if more.get(1) == Some(&"{") => modules.push(open),
                    "{" => open += 1,
                    "}" => {
                        open = open.saturating_sub(1);
                        modules.pop_if(|module| *module == open);
                    }
                    word => drop(source.words.insert(word.into())),
                }
                if before != "::" && more.first() == Some(&"::") {
                    source.paths.extend(outside(path(&tokens[at..]), modules.len()));
                }
                1
            }
            [] => 1,
        };
    }
    source
}

/// The words and symbols of a text, without comments and literals.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let past = |rest: &str, end: &str| rest.find(end).map_or(rest.len(), |at| at + end.len());
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let hashes = rest[word..].bytes().take_while(|byte| *byte == b'#').count();
        let is_raw = matches!(&rest[..word], "r" | "br" | "cr") && rest[word + hashes..].starts_with('"');
        let length = match first {
            '/' if rest.starts_with("//") => past(rest, "\n"),
            '/' if rest.starts_with("/*") => past(rest, "*/"),
            '"' => literal(rest, '"'),
            // A character literal; otherwise a lifetime.
            '\'' if rest[1..].starts_with('\\') || rest.chars().nth(2) == Some('\'') => literal(rest, '\''),
            _ if is_raw => {
                let start = word + hashes + 1;
                start + past(&rest[start..], &format!("\"{}", "#".repeat(hashes)))
            }
            _ => {
                let length = if rest.starts_with("::") { 2 } else { word.max(first.len_utf8()) };
                tokens.extend(Some(&rest[..length]).filter(|_| !first.is_whitespace()));
                length
            }
        };
        rest = &rest[length..];
    }
    tokens
}

/// The length of a literal in these quotes.
fn literal(text: &str, quote: char) -> usize {
    let mut is_escaped = true;
    let mut ends = |c: char| {
        let ends = c == quote && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    };
    text.char_indices().find(|(_, c)| ends(*c)).map_or(text.len(), |(at, _)| at + 1)
}

/// The number of tokens up to the first of `ends` outside brackets, or one that closes them all.
fn length(tokens: &[&str], ends: &[&str]) -> usize {
    let mut open = 0_usize;
    let mut is_end = |token: &str| {
        match token {
            "{" | "(" | "[" => open += 1,
            "}" | ")" | "]" => open = open.saturating_sub(1),
            _ => {}
        }
        open == 0 && ends.contains(&token)
    };
    tokens.iter().position(|token| is_end(token)).map_or(tokens.len(), |at| at + 1)
}

/// The path at the beginning of the tokens.
fn path(tokens: &[&str]) -> Names {
    let mut goes_on = true;
    let names =
        tokens.chunks(2).take_while(|pair| std::mem::replace(&mut goes_on, pair.get(1) == Some(&"::")));
    names.map(|pair| pair[0].to_owned()).collect()
}

/// The paths of a `use`, each with its local name. A glob import counts as the module.
fn imported(tokens: &[&str]) -> Vec<(Names, String)> {
    let mut found = Vec::new();
    let (mut outer, mut path): (Vec<Names>, Names) = (Vec::new(), Vec::new());
    let (mut name, mut is_renamed) = (None, false);
    for token in tokens {
        match *token {
            "::" => {}
            "as" => is_renamed = true,
            "{" => {
                outer.push(path.clone());
                name = None;
            }
            "," | "}" | ";" => {
                found.extend(name.take().map(|name| (path, name)));
                if *token == "}" {
                    outer.pop();
                }
                path = outer.last().cloned().unwrap_or_default();
                is_renamed = false;
            }
            "self" if !path.is_empty() => name = path.last().cloned(),
            word => {
                if !is_renamed && word != "*" {
                    path.push(word.to_owned());
                }
                name = Some(word.to_owned());
            }
        }
    }
    found
}

/// A path inside inline modules, as the file itself would write it; `None` if it stays inside them.
fn outside(path: Names, modules: usize) -> Option<Names> {
    let supers = path.iter().take_while(|name| *name == "super").count();
    if supers == 0 || modules == 0 {
        return Some(path);
    }
    (supers > modules).then(|| path[modules..].to_vec())
}
