//! `docs/broken-streams.md` says which test replays which stream. Every test and case that it names must exist.

use std::path::Path;

/// A file of this crate or of the repository.
fn read(path: &str) -> Option<String> {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).ok()
}

/// The text of a test, named `module::function`. None if there is no such test.
fn test(name: &str) -> Option<String> {
    let (module, function) = name.split_once("::")?;
    let text = ["model", "machine"].iter().find_map(|folder| read(&format!("tests/{folder}/{module}.rs")))?;
    let starts =
        [format!("#[tokio::test]\nasync fn {function}() {{\n"), format!("#[test]\nfn {function}() {{\n")];
    let (_, rest) = starts.iter().find_map(|start| text.split_once(start.as_str()))?;
    Some(rest.split_once("\n}\n")?.0.to_owned())
}

/// What a cell of the column "tests" names: `` `module::function`: "case", "case"; … ``.
fn cited(cell: &str) -> Vec<(&str, Vec<&str>)> {
    let citations = cell.split("; ").map(|citation| match citation.split_once("`: ") {
        Some((name, cases)) => (name, cases.split("\", \"").collect()),
        None => (citation, Vec::new()),
    });
    citations.map(|(name, cases)| (name.trim_matches('`'), cases)).collect()
}

#[test]
fn tests_of_the_page_of_broken_streams_exist() {
    let page = read("../../docs/broken-streams.md").unwrap();
    let mut numbers = Vec::new();
    for line in page.lines() {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [number, _, _, tests] = cells[..] else { continue };
        let Ok(number) = number.parse::<usize>() else { continue };
        numbers.push(number);
        for (name, cases) in cited(tests) {
            let text = test(name).unwrap_or_else(|| panic!("{number}: there is no test `{name}`"));
            for case in cases {
                let literal = format!("\"{}\"", case.trim_matches('"'));
                assert!(text.contains(&literal), "{number}: `{name}` has no case {literal}");
            }
        }
    }
    assert_eq!(numbers, (1..=30).collect::<Vec<usize>>(), "every stream has a row, in order");
}
