//! The file searches that judging a command needs, without duplicates and within the budget.

use std::collections::HashSet;
use std::hash::Hash;

use sekisho_shell::Budget;

use crate::file_search_query::{FileSearch, WalkOptions};

/// Searches; `None` for an unknown directory. Once the budget is used up, the list contains only `None`.
pub(super) struct SearchList<'b> {
    budget: &'b Budget,
    made: Vec<Option<FileSearch>>,
}

impl<'b> SearchList<'b> {
    pub(super) fn new(budget: &'b Budget) -> SearchList<'b> {
        SearchList { budget, made: Vec::new() }
    }

    pub(super) fn push(&mut self, search: Option<FileSearch>) {
        let cost = search.as_ref().map_or(size_of::<FileSearch>(), FileSearch::cost);
        let within = self.budget.spend(cost);
        if !within {
            self.made.clear();
        }
        self.made.push(search.filter(|_| within));
    }

    /// Adds searches one by one while the budget lasts.
    pub(super) fn extend(&mut self, searches: impl IntoIterator<Item = Option<FileSearch>>) {
        for search in searches {
            self.push(search);
            if self.budget.is_spent() {
                return;
            }
        }
    }

    pub(super) fn distinct(self) -> Vec<Option<FileSearch>> {
        distinct(self.made)
    }
}

/// The items without duplicates, in the same order.
pub(super) fn distinct<T: Eq + Hash>(mut items: Vec<T>) -> Vec<T> {
    let mut seen = HashSet::with_capacity(items.len());
    let are_new: Vec<bool> = items.iter().map(|item| seen.insert(item)).collect();
    drop(seen);
    let mut are_new = are_new.into_iter();
    items.retain(|_| are_new.next().unwrap_or(true));
    items
}

impl FileSearch {
    /// The cost of keeping a copy.
    pub(super) fn cost(&self) -> usize {
        let pattern = self.pattern.as_ref().map_or(0, String::len);
        size_of::<FileSearch>()
            + self.directory.len()
            + pattern
            + self.below.as_ref().map_or(0, WalkOptions::cost)
    }
}

impl WalkOptions {
    /// The cost of keeping a copy, without the struct itself.
    pub(super) fn cost(&self) -> usize {
        let WalkOptions { unhidden, only, except, except_directories, except_here, within, .. } = self;
        let lists = [unhidden, only, except, except_directories, except_here, within];
        let texts = lists.into_iter().flatten().chain(&self.cut);
        texts.map(|text| 48 + text.len()).sum()
    }
}

/// The search for the expansion of a glob.
pub(super) fn expansion(base: &str, rest: &[String]) -> FileSearch {
    FileSearch { directory: base.into(), pattern: Some(rest.join("/")), ..FileSearch::default() }
}

/// The same search, which also reports names that lead out of the workspace.
pub(super) fn expansion_inside(base: &str, rest: &[String]) -> FileSearch {
    FileSearch { inside: true, ..expansion(base, rest) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_past_the_budget_are_unknown() {
        let search = |name: &str| Some(FileSearch { directory: name.into(), ..FileSearch::default() });
        let budget = Budget::new(10 * size_of::<FileSearch>());
        let mut list = SearchList::new(&budget);
        list.extend([search("/b"), None, search("/a"), None, search("/b")]);
        assert_eq!(list.distinct(), [search("/b"), None, search("/a")]);
        let mut list = SearchList::new(&budget);
        list.extend((0..).map(|_| search("/a")));
        assert_eq!(list.distinct(), [None]);
        assert!(budget.is_spent());
    }
}
