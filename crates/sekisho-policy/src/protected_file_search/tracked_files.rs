//! Protected files among those that git tracks.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::{FileKind, FileSearcher, Filter, SearchPath, SearchStop};
use crate::file_search_query::{FileSearch, GitFileFilter, LinkHandling, ProtectedFile, WalkOptions};
use crate::paths::{is_within, normalise_lexically, relative_to as below_path};
use crate::policy::Policy;
use crate::protected_name_filter::ProtectedNameFilter;

impl FileSearcher<'_> {
    /// Searches the files that git tracks below a directory.
    pub(super) fn tracked(
        &mut self,
        start: &SearchPath,
        search: &FileSearch,
        below: &WalkOptions,
        base: &SearchPath,
    ) -> Result<(), SearchStop> {
        let filter = Filter::new(below);
        let here = self.tree.resolve(&search.directory);
        let except_here = Filter::certain(&below.except_here);
        let within = self.places(search, below, here.as_deref());
        let given = search.no_options || search.whole_names || below.cut.is_some();
        // The index does not show which files have become links.
        let every = given || below.links != LinkHandling::Skip;
        let changed = below.git == GitFileFilter::Changed;
        let names = Rc::clone(&self.names);
        let protects = TrackedFileFilter::new(self.policy, &names, (self.root, self.home), start);
        let may_be = |path: &str| protects.may_be(path);
        let is_chosen: Option<&dyn Fn(&str) -> bool> = if every { None } else { Some(&may_be) };
        let chosen = self.tree.tracked_files(&start.shown, &start.real, changed, is_chosen);
        let mut chosen = chosen.ok_or(SearchStop::Unknown)?;
        chosen.retain(|path| {
            let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
            // Git also reads a pathspec with wildcards as a directory of exactly that name.
            let may_be_chosen = filter.opens(name) || directory.contains(['*', '?', '[']);
            may_be_chosen
                && !filter.leaves_out(name)
                && !directory.split('/').any(|name| filter.leaves_out_directory(name))
        });
        // The directory seen last, and its target.
        let mut last = (String::new(), Some(start.real.clone()));
        for path in chosen {
            let mut place = start.below(&path);
            if !within.is_empty() && !within.iter().any(|top| is_within(&place.real, top)) {
                continue;
            }
            let name = path.rsplit('/').next().unwrap_or_default();
            let is_here = here.as_ref().is_some_and(|here| is_within(&place.real, here));
            if is_here && except_here.iter().any(|glob| glob.matches_for_all(name)) {
                continue;
            }
            if given {
                self.given(search, base, &place)?;
            }
            if below.links != LinkHandling::Skip {
                let (directory, name) = path.rsplit_once('/').unwrap_or(("", &path));
                if directory != last.0 {
                    last = (directory.to_owned(), self.tree.resolve(&start.below(directory).real));
                }
                let Some(real) = &last.1 else { continue };
                let at = SearchPath { shown: real.clone(), real: real.clone() };
                let Some(found) = self.step(&at, name, None) else { continue };
                place.real = found.real;
            } else if self.tree.kind(&place.real) == Some(FileKind::Link) {
                if changed {
                    self.check_former(&place)?;
                }
                continue;
            }
            let plain = place.real == start.below(&path).real && !protects.may_be(&path);
            if !plain {
                self.check(&place, false)?;
            }
        }
        Ok(())
    }

    /// The directories that pathspecs name: their targets, and what the index has at that path.
    fn places(&mut self, search: &FileSearch, below: &WalkOptions, here: Option<&str>) -> Vec<String> {
        let mut places = Vec::new();
        for path in &below.within {
            places.push(self.tree.resolve(path).unwrap_or_else(|| path.clone()));
            let inside = below_path(path, &search.directory).filter(|rest| !rest.is_empty());
            places.extend(
                here.zip(inside).and_then(|(here, rest)| normalise_lexically(&format!("{here}/{rest}"))),
            );
        }
        places
    }

    /// Keeps a protected file that has become a link: a diff shows its previous contents.
    fn check_former(&mut self, place: &SearchPath) -> Result<(), SearchStop> {
        let mut secrets = self.policy.protections(&place.shown, self.root, self.home);
        match secrets.find(|one| one.is_secret()) {
            Some(found) => {
                let pattern = found.pattern.to_owned();
                self.keep(ProtectedFile { path: place.shown.clone(), pattern, secret: true })
            }
            None => Ok(()),
        }
    }
}

/// Which tracked files may be protected: by their names, or because they are in a protected directory.
struct TrackedFileFilter<'a> {
    policy: &'a Policy,
    names: &'a ProtectedNameFilter<'a>,
    root: Option<&'a str>,
    home: Option<&'a str>,
    start: &'a SearchPath,
    /// Directories already checked.
    known: RefCell<HashMap<String, bool>>,
}

impl<'a> TrackedFileFilter<'a> {
    fn new(
        policy: &'a Policy,
        names: &'a ProtectedNameFilter<'a>,
        (root, home): (Option<&'a str>, Option<&'a str>),
        start: &'a SearchPath,
    ) -> TrackedFileFilter<'a> {
        TrackedFileFilter { policy, names, root, home, start, known: RefCell::default() }
    }

    fn may_be(&self, path: &str) -> bool {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        self.names.may_protect(name) || self.is_inside(directory)
    }

    /// Whether a directory, or one above it, is protected.
    fn is_inside(&self, directory: &str) -> bool {
        if directory.is_empty() {
            return false;
        }
        if let Some(known) = self.known.borrow().get(directory) {
            return *known;
        }
        let (above, name) = directory.rsplit_once('/').unwrap_or(("", directory));
        let place = self.start.below(directory);
        let protected = |path: &str| self.policy.protections(path, self.root, self.home).next().is_some();
        let leads_elsewhere = place.real != place.shown;
        let inside = self.is_inside(above)
            || (self.names.may_protect(name)
                && (protected(&place.shown) || (leads_elsewhere && protected(&place.real))));
        self.known.borrow_mut().insert(directory.to_owned(), inside);
        inside
    }
}
