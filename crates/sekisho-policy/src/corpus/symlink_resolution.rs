//! Resolves paths through the symbolic links that a corpus file lists, as the kernel would.

use std::collections::BTreeMap;

/// The largest number of links in a path, as in the kernel.
const MAX_LINKS: usize = 40;

/// The target of a path, resolved component by component like in the kernel; `None` if links form a cycle.
pub(super) fn follow(links: &BTreeMap<String, String>, path: &str) -> Option<String> {
    let mut ahead: Vec<String> = path.split('/').rev().map(Into::into).collect();
    let mut here: Vec<String> = Vec::new();
    let mut followed = 0;
    while let Some(segment) = ahead.pop() {
        match segment.as_str() {
            "" | "." => continue,
            ".." => {
                here.pop();
                continue;
            }
            _ => here.push(segment),
        }
        let Some(target) = links.get(&format!("/{}", here.join("/"))) else { continue };
        followed += 1;
        if followed > MAX_LINKS {
            return None;
        }
        here.pop();
        if target.starts_with('/') {
            here.clear();
        }
        ahead.extend(target.split('/').rev().map(Into::into));
    }
    Some(format!("/{}", here.join("/")))
}
