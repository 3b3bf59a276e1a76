//! Paths that no rule allows: reading or writing them always needs confirmation.

use std::sync::{Arc, LazyLock, OnceLock};

use smallvec::SmallVec;

use crate::backup_names::backed_up_paths;
use crate::byte_encoding::{ByteEncoded, PartReader, PartWriter, Rows};
use crate::byte_slice::ByteSlice;
use crate::command_pattern::COMPUTED;
use crate::default_protected_paths::{ContentCheck, GROUPS, ProtectedGroup, ProtectionClass};
use crate::facts::{Fact, FactQuery, Facts, FileSecrecy};
use crate::name_glob::{LeadingDot, NameGlob, literal_ends};
use crate::name_table::NameTable;
use crate::paths::{MAX_PATH_LENGTH, PathGlob, fold};
use crate::protected_pattern::{ProtectedPattern, Segment, WildcardPath};
use crate::string_table::StringTable;

/// The list in force.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProtectedList {
    /// Plain names, protected in every directory. They are looked up, not matched.
    names: NameTable,
    /// The group of each name.
    name_groups: Rows<u32, 4>,
    /// The globs as written.
    entries: StringTable,
    /// The group of each glob.
    groups: Rows<u32, 4>,
    /// The globs, each parsed when a path is first compared with it. Boxed, because few are.
    globs: Vec<OnceLock<Box<ProtectedPattern>>>,
    /// Folded segments of globs.
    segments: NameTable,
    /// The globs by one folded segment that every path they match has: its number, and the glob's. Sorted.
    filed: Rows<(u32, u32), 8>,
    /// The globs over one name, by the last character of what they match, or else the first ([`end`]).
    /// Sorted.
    ended: Rows<(u32, u32), 8>,
    /// The globs that every path is matched against.
    unfiled: Rows<u32, 4>,
}

/// The group of a pattern that config added.
const ADDED: u32 = u32::MAX;

/// Why a path is protected.
#[derive(Clone, Copy, Debug)]
pub struct Protection<'a> {
    /// The pattern on the list.
    pub pattern: &'a str,
    group: Option<&'static ProtectedGroup>,
}

impl Protection<'_> {
    /// Whether reading the file reveals a secret. Files that only control what runs are protected from
    /// changes.
    pub fn is_secret(&self) -> bool {
        self.group.is_none_or(|group| group.class == ProtectionClass::Secret)
    }

    fn depends_on_contents(&self) -> bool {
        matches!(
            self.contents(),
            ContentCheck::Key
                | ContentCheck::PrivateKey
                | ContentCheck::Credentials
                | ContentCheck::GitCredentials
        )
    }

    /// Whether the file's contents decide.
    pub fn contents(&self) -> ContentCheck {
        self.group.map_or(ContentCheck::NotNeeded, |group| group.contents)
    }
}

/// A pattern of the config or the shipped list.
pub(crate) struct ListedPattern<'a> {
    pub(crate) pattern: &'a str,
    /// The index of its shipped group. `None` for a pattern from config.
    pub(crate) group: Option<usize>,
}

/// How a path is on the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listing {
    /// No pattern matches it, wherever home and workspace are.
    Unlisted,
    /// Its name decides.
    ByName,
    /// The file's contents decide.
    ByContents,
}

/// Endings of so many ordinary files that a pattern of one alone targets no secret; what it finds is looked up. Sorted.
const ORDINARY_ENDINGS: &[&str] = &["md", "rs", "sh", "toml", "txt"];
/// A path with wildcards or computed pieces that has more components than this counts as protected.
const MAX_SEGMENTS: usize = 64;
const TOO_LONG: &str = "/";

impl ProtectedList {
    pub(crate) fn new<'a>(listed: impl Iterator<Item = ListedPattern<'a>>) -> ProtectedList {
        let mut list = ProtectedList::default();
        let (mut filed, mut ended, mut unfiled) = (Vec::new(), Vec::new(), Vec::new());
        let (mut groups, mut name_groups) = (Vec::new(), Vec::new());
        for ListedPattern { pattern: entry, group } in listed {
            let group = group.and_then(|group| u32::try_from(group).ok()).unwrap_or(ADDED);
            if entry.contains(['/', '*', '?', '[', '\\', '~']) {
                // Patterns were checked when their layer was parsed.
                if PathGlob::new(entry, true).is_ok() {
                    let at = list.entries.len();
                    match (plain_segment(entry), end(entry)) {
                        (Some(segment), _) => filed.push((list.segments.intern(&fold(segment)), at)),
                        (None, Some(end)) => ended.push((end, at)),
                        (None, None) => unfiled.push(at),
                    }
                    list.entries.push(entry);
                    groups.push(group);
                    list.globs.push(OnceLock::new());
                }
            } else {
                let name = list.names.intern(&fold(entry)) as usize;
                match name_groups.get_mut(name) {
                    // Patterns from config have no exceptions.
                    Some(known) => *known = group.max(*known),
                    None => name_groups.push(group),
                }
            }
        }
        filed.sort_unstable();
        ended.sort_unstable();
        (list.filed, list.ended, list.unfiled) = (filed.into(), ended.into(), unfiled.into());
        (list.groups, list.name_groups) = (groups.into(), name_groups.into());
        list
    }

    /// The shipped list without the removed patterns and with the added ones.
    pub(crate) fn with_changes<'a>(removed: &[&str], added: impl Iterator<Item = &'a str>) -> ProtectedList {
        static SHIPPED: LazyLock<ProtectedList> =
            LazyLock::new(|| ProtectedList::changed(&[], std::iter::empty()));
        let mut added = added.peekable();
        if removed.is_empty() && added.peek().is_none() {
            SHIPPED.clone()
        } else {
            ProtectedList::changed(removed, added)
        }
    }

    fn changed<'a>(removed: &[&str], added: impl Iterator<Item = &'a str>) -> ProtectedList {
        let shipped = GROUPS.iter().enumerate().flat_map(|(at, group)| {
            group.patterns().map(move |pattern| ListedPattern { pattern, group: Some(at) })
        });
        let kept = shipped.filter(|listed| !removed.contains(&listed.pattern));
        ProtectedList::new(kept.chain(added.map(|pattern| ListedPattern { pattern, group: None })))
    }

    /// Everything that protects an absolute path. A backup copy (`.netrc~`) is protected like its original.
    pub(crate) fn protections(
        &self,
        path: &str,
        root: Option<&str>,
        home: Option<&str>,
    ) -> impl Iterator<Item = Protection<'_>> + use<'_> {
        let mut found = self.listed_protections(path, root, home);
        if found.is_empty() {
            for original in backed_up_paths(path) {
                found.extend(self.listed_protections(&original, root, home));
            }
        }
        found.into_iter()
    }

    fn listed_protections(
        &self,
        path: &str,
        root: Option<&str>,
        home: Option<&str>,
    ) -> SmallVec<[Protection<'_>; 2]> {
        // Of a longer path only its end is compared; where it leads is unknown anyway.
        let from = path.len().saturating_sub(MAX_PATH_LENGTH);
        let path = (from..path.len()).find_map(|at| path.get(at..)).unwrap_or(path);
        let folded = fold(path);
        let mut found: SmallVec<[Protection<'_>; 2]> = SmallVec::new();
        for segment in folded.split('/') {
            if let Some(name) = self.names.get(segment)
                && !found.iter().any(|one| one.pattern == self.names.name(name))
            {
                let group = group_at(&self.name_groups, name);
                found.push(Protection { pattern: self.names.name(name), group });
            }
        }
        let filed =
            folded.split('/').flat_map(|segment| self.filed_under(segment).chain(self.ended_like(segment)));
        let mut fitting: SmallVec<[u32; 8]> = filed.chain(self.unfiled.iter()).collect();
        // A name that occurs many times in the path is compared with its globs once.
        fitting.sort_unstable();
        fitting.dedup();
        fitting.retain(|at| {
            self.glob(*at).is_some_and(|entry| entry.fits(self.entries.get(*at), path, root, home))
        });
        found.extend(
            fitting
                .into_iter()
                .map(|at| Protection { pattern: self.entries.get(at), group: group_at(&self.groups, at) }),
        );
        let last = folded.rsplit('/').next().unwrap_or_default();
        found.retain(|one| !one.group.is_some_and(|group| excepts(group, last)));
        found
    }

    /// The pattern that protects an absolute path, if there is one.
    pub(crate) fn protecting_pattern(
        &self,
        path: &str,
        root: Option<&str>,
        home: Option<&str>,
    ) -> Option<&str> {
        self.protections(path, root, home).next().map(|protection| protection.pattern)
    }

    /// Like [`protecting_pattern`](Self::protecting_pattern), for a file that is named explicitly: a
    /// certificate called `x.pem` is not protected.
    pub(crate) fn protecting_pattern_if_named(
        &self,
        path: &str,
        facts: &Facts,
        root: Option<&str>,
        home: Option<&str>,
    ) -> Option<&str> {
        let harmless = || {
            facts.answer(&FactQuery::Contents(path.into()), home)
                == Some(&Fact::Contents(FileSecrecy::NoSecret))
        };
        let mut protections = self.protections(path, root, home);
        let stands = |one: &Protection<'_>| !one.depends_on_contents() || !harmless();
        protections.find(stands).map(|protection| protection.pattern)
    }

    /// Whether the file's contents are needed to decide.
    pub(crate) fn depends_on_contents(&self, path: &str) -> bool {
        self.listing(path) == Listing::ByContents
    }

    /// Whether a path is on the list. It counts as matching what depends on home and workspace, which may be anywhere.
    pub(crate) fn listing(&self, path: &str) -> Listing {
        let mut listing = Listing::Unlisted;
        for protection in self.protections(path, None, None) {
            listing = Listing::ByName;
            if protection.depends_on_contents() {
                return Listing::ByContents;
            }
        }
        listing
    }

    /// The names that are protected in every directory, folded.
    pub(crate) fn plain_names(&self) -> impl Iterator<Item = &str> {
        (0..self.names.len()).map(|at| self.names.name(at))
    }

    /// The globs, numbered.
    pub(crate) fn globs(&self) -> impl Iterator<Item = (u32, &str)> {
        (0..self.entries.len()).map(|at| (at, self.entries.get(at)))
    }

    /// The last part of a glob.
    pub(crate) fn last_part(&self, at: u32) -> Option<&Segment> {
        self.glob(at).and_then(|entry| entry.segments.last())
    }

    /// The pattern that a path with wildcards targets: `base` is an absolute directory, `rest` the globs
    /// below it.
    ///
    /// Nearly every glob could match something protected (`*.toml` in `.cargo`). It targets a pattern if it
    /// spells out its name, or enough of it; otherwise its expansion decides.
    pub(crate) fn pattern_for_wildcards(
        &self,
        base: &str,
        rest: &[String],
        root: Option<&str>,
        home: Option<&str>,
    ) -> Option<&str> {
        if base.len() + rest.iter().map(String::len).sum::<usize>() >= MAX_PATH_LENGTH
            || rest.len() > MAX_SEGMENTS
        {
            return Some(TOO_LONG);
        }
        let climbs = rest.iter().rposition(|segment| segment == "..");
        let base = base.split('/').filter(|name| !name.is_empty()).map(NameGlob::of_name);
        let names: Vec<NameGlob> = match climbs {
            // A link may have led elsewhere: the last components count, wherever they are.
            Some(at) => rest.iter().skip(at + 1).map(|text| NameGlob::new(text)).collect(),
            None => base.chain(rest.iter().map(|text| NameGlob::new(text))).collect(),
        };
        let path =
            WildcardPath { names, anchored: climbs.is_none(), dot: LeadingDot::Written, computed: false };
        self.meant(&path, root, home)
    }

    /// The pattern that a partly computed path could match (`COMPUTED` in the text): each computed piece may
    /// become anything.
    pub(crate) fn pattern_for_computed(
        &self,
        text: &str,
        root: Option<&str>,
        home: Option<&str>,
    ) -> Option<&str> {
        if text.len() >= MAX_PATH_LENGTH || text.split('/').count() > MAX_SEGMENTS {
            return Some(TOO_LONG);
        }
        let filled = format!("/{}", text.replace(COMPUTED, "x"));
        if let Some(entry) = self.protecting_pattern(&filled, root, home) {
            return Some(entry);
        }
        let names = text.split('/').filter(|name| !name.is_empty());
        let names = names.map(|name| NameGlob::new(&name.replace(COMPUTED, "*"))).collect();
        self.meant(&WildcardPath { names, anchored: true, dot: LeadingDot::Wild, computed: true }, root, home)
    }

    /// The hidden protected file that a partly computed name could become. One known character says too little.
    pub(crate) fn name_for_computed(&self, name: &str) -> Option<&str> {
        let name = NameGlob::new(&name.replace(COMPUTED, "*"));
        let names = (0..self.names.len()).map(|at| self.names.name(at));
        let mut hidden = names.filter(|listed| listed.starts_with('.') && name.written() > 1);
        hidden.find(|listed| name.intersects(&NameGlob::of_name(listed), LeadingDot::Wild))
    }

    fn meant_name(&self, path: &WildcardPath) -> Option<&str> {
        path.names.iter().find_map(|name| {
            let names = (0..self.names.len()).map(|at| self.names.name(at));
            if !name.is_wild() {
                return self.names.get(&name.shortest()).map(|at| self.names.name(at));
            }
            names.into_iter().find(|listed| {
                // A computed word is not assumed to be a plain name such as `opencode.json`, or any computed
                // word would be.
                let counts = !path.computed || listed.starts_with('.');
                counts && name.fits_ends(listed) && path.is_meant(name, &NameGlob::of_name(listed), None)
            })
        })
    }

    fn meant(&self, path: &WildcardPath, root: Option<&str>, home: Option<&str>) -> Option<&str> {
        let by_name = self.meant_name(path);
        by_name.or_else(|| {
            let globs = (0..self.entries.len()).filter_map(|at| Some((at, self.glob(at)?)));
            let mut meant = globs.filter(|(_, entry)| path.targets_pattern(entry, root, home));
            meant.next().map(|(at, _)| self.entries.get(at))
        })
    }

    /// The secret that a pattern over file names targets. Its wildcards also match a leading dot, and a
    /// pattern of wildcards alone targets everything.
    pub(crate) fn secret_pattern_for_name_glob(&self, pattern: &str) -> Option<&str> {
        let name = NameGlob::new(pattern);
        let secret = |groups: &Rows<u32, 4>, at: u32| {
            group_at(groups, at).is_none_or(|group| group.class == ProtectionClass::Secret)
        };
        if !name.is_wild() {
            let path = format!("/{}", name.shortest());
            let mut found = self.protections(&path, None, None);
            let ends = |at: &u32| match self.last_part(*at) {
                Some(Segment::Name(glob)) => *glob == name,
                _ => false,
            };
            let last = || (0..self.entries.len()).find(ends).map(|at| self.entries.get(at));
            return found.find(Protection::is_secret).map(|one| one.pattern).or_else(last);
        }
        if name.written() == 0 {
            return Some("*");
        }
        if pattern.strip_prefix("*.").is_some_and(|ending| ORDINARY_ENDINGS.contains(&ending)) {
            return None;
        }
        let path = WildcardPath { names: Vec::new(), anchored: false, dot: LeadingDot::Wild, computed: true };
        let names = (0..self.names.len()).filter(|at| secret(&self.name_groups, *at));
        let mut names = names.map(|at| self.names.name(at));
        let globs = (0..self.entries.len()).filter(|at| secret(&self.groups, *at));
        let mut globs = globs.filter_map(|at| match self.glob(at)?.segments.as_slice() {
            [Segment::Deep, Segment::Name(glob)] => Some((at, glob)),
            _ => None,
        });
        let found = names.find(|listed| path.is_meant(&name, &NameGlob::of_name(listed), None));
        found.or_else(|| {
            let usual = |at: u32| group_at(&self.groups, at).into_iter().flat_map(ProtectedGroup::usual);
            let found = globs.find(|(at, glob)| {
                let mut usual = usual(*at).map(NameGlob::of_name);
                path.is_meant(&name, glob, None) || usual.any(|usual| path.is_meant(&name, &usual, None))
            });
            found.map(|(at, _)| self.entries.get(at))
        })
    }

    /// The globs indexed by a folded segment.
    fn filed_under(&self, segment: &str) -> impl Iterator<Item = u32> {
        self.segments.get(segment).into_iter().flat_map(|segment| under(&self.filed, segment))
    }

    /// The globs over one name that may match a folded segment, by its first and last character.
    fn ended_like(&self, segment: &str) -> impl Iterator<Item = u32> {
        let last = segment.bytes().next_back().map(u32::from);
        let first = segment.bytes().next().map(|first| FIRST + u32::from(first));
        let alike = last.into_iter().chain(first).flat_map(|end| under(&self.ended, end));
        // A glob is parsed only if it gets this far.
        alike.filter(|at| {
            let (begins, ends) = literal_ends(self.entries.get(*at));
            segment.ends_with(ends) && segment.starts_with(begins)
        })
    }

    fn glob(&self, at: u32) -> Option<&ProtectedPattern> {
        self.globs
            .get(at as usize)
            .map(|glob| &**glob.get_or_init(|| Box::new(ProtectedPattern::new(self.entries.get(at)))))
    }
}

/// The entries for a key.
fn under(filed: &Rows<(u32, u32), 8>, key: u32) -> impl Iterator<Item = u32> {
    let first = filed.partition_point(|(other, _)| other < key);
    let filed = (first..).map_while(|at| filed.get(at));
    filed.take_while(move |(other, _)| *other == key).map(|(_, at)| at)
}

/// Added to a first character, to distinguish it from a last one.
const FIRST: u32 = 256;

/// The last character of every name that a glob over one name matches, or else the first. `None` if neither
/// is obvious.
fn end(glob: &str) -> Option<u32> {
    let plain = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase() && !b"/~{}".contains(&byte);
    if !glob.bytes().all(plain) {
        return None;
    }
    let (begins, ends) = literal_ends(glob);
    let last = ends.bytes().next_back().map(u32::from);
    last.or_else(|| begins.bytes().next().map(|first| FIRST + u32::from(first)))
}

fn group_at(groups: &Rows<u32, 4>, at: u32) -> Option<&'static ProtectedGroup> {
    groups.get(at as usize).and_then(|group| GROUPS.get(group as usize))
}

/// Whether the last component of a path is one of a group's exceptions.
fn excepts(group: &ProtectedGroup, name: &str) -> bool {
    group.except().any(|except| NameGlob::new(except).matches(name, LeadingDot::Wild))
}

impl ByteEncoded for ProtectedList {
    fn write(&self, to: &mut PartWriter) {
        self.names.write(to);
        self.name_groups.write(to);
        self.entries.write(to);
        self.groups.write(to);
        self.segments.write(to);
        self.filed.write(to);
        self.ended.write(to);
        self.unfiled.write(to);
    }

    fn read(from: &mut PartReader<'_>) -> Option<ProtectedList> {
        let (names, name_groups) = (NameTable::read(from)?, Rows::read(from)?);
        let entries = StringTable::read(from)?;
        let mut globs = Vec::new();
        globs.resize_with(entries.len() as usize, OnceLock::new);
        Some(ProtectedList {
            names,
            name_groups,
            entries,
            groups: Rows::read(from)?,
            globs,
            segments: NameTable::read(from)?,
            filed: Rows::read(from)?,
            ended: Rows::read(from)?,
            unfiled: Rows::read(from)?,
        })
    }
}

/// The list of a policy: shared, and decoded when a path is first compared with it.
#[derive(Clone, Debug)]
pub(crate) struct LazyProtectedList {
    list: OnceLock<Arc<ProtectedList>>,
    stored: ByteSlice,
}

impl From<ProtectedList> for LazyProtectedList {
    fn from(list: ProtectedList) -> LazyProtectedList {
        LazyProtectedList { list: Arc::new(list).into(), stored: ByteSlice::default() }
    }
}

impl LazyProtectedList {
    /// An encoded list.
    pub(crate) fn stored(stored: ByteSlice) -> LazyProtectedList {
        LazyProtectedList { list: OnceLock::new(), stored }
    }

    /// The decoded list, which this policy goes on using.
    pub(crate) fn shared(&self) -> Arc<ProtectedList> {
        Arc::clone(self.decoded())
    }

    fn decoded(&self) -> &Arc<ProtectedList> {
        // The bytes are as they were written, or the policy would not have been read. If decoding fails
        // anyway, every path is protected.
        let everything = || ProtectedList::new(std::iter::once(ListedPattern { pattern: "/", group: None }));
        let read = || ProtectedList::read(&mut PartReader::new(&self.stored));
        self.list.get_or_init(|| Arc::new(read().unwrap_or_else(everything)))
    }
}

impl std::ops::Deref for LazyProtectedList {
    type Target = ProtectedList;

    fn deref(&self) -> &ProtectedList {
        self.decoded()
    }
}

/// A segment without wildcards that every matching path contains in full: the last one, which the fewest other paths
/// contain. `None` if there is no obvious one (a class may contain a slash), and for a glob below home or workspace,
/// which may be unknown and then protects every path.
fn plain_segment(entry: &str) -> Option<&str> {
    let rooted = entry.starts_with('/') || entry.starts_with("**/");
    if !rooted || entry.contains(['[', '\\']) {
        return None;
    }
    entry.rsplit('/').find(|segment| !segment.is_empty() && !segment.contains(['*', '?']))
}

#[cfg(test)]
mod tests;
