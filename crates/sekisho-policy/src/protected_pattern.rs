//! Protected patterns, and paths with wildcards that are compared with them.

use std::sync::OnceLock;

use smallvec::SmallVec;

use crate::match_result::MatchResult;
use crate::name_glob::{LeadingDot, NameGlob};
use crate::paths::{Anchor, PathGlob};

/// A glob of the protected list, parsed.
#[derive(Clone, Debug)]
pub(crate) struct ProtectedPattern {
    anchor: Anchor,
    /// The whole pattern as a path glob; parsed on first use, and never if `name` is true.
    glob: OnceLock<PathGlob>,
    /// Whether it is a glob over one name: any matching component of a path is protected, with everything
    /// below it.
    name: bool,
    /// Its segments from the file system root, or from its anchor. They match the protected path itself, not
    /// the paths below it.
    pub(crate) segments: Vec<Segment>,
}

#[derive(Clone, Debug)]
pub(crate) enum Segment {
    /// `**`: any number of names.
    Deep,
    Name(NameGlob),
}

impl ProtectedPattern {
    pub(crate) fn new(text: &str) -> ProtectedPattern {
        let below = text.ends_with('/');
        let body = text.trim_start_matches("~/").trim_matches('/');
        let anchor = Anchor::of(text);
        let mut segments: Vec<Segment> = Vec::new();
        if anchor == Anchor::Anywhere && !body.starts_with("**/") {
            segments.push(Segment::Deep);
        }
        let names = body.split('/').filter(|name| !name.is_empty()).map(|name| match name {
            "**" => Segment::Deep,
            name => Segment::Name(NameGlob::new(name)),
        });
        segments.extend(names);
        if below {
            segments.push(Segment::Name(NameGlob::new("*")));
        }
        let plain = !below && !text.contains(['[', '\\', '{', '}']) && !body.contains("***");
        let name = plain
            && anchor == Anchor::Anywhere
            && matches!(segments.as_slice(), [Segment::Deep, Segment::Name(_)]);
        ProtectedPattern { anchor, glob: OnceLock::new(), name, segments }
    }

    /// Whether a path matches the pattern; also true if this is unknown.
    pub(crate) fn fits(&self, text: &str, path: &str, root: Option<&str>, home: Option<&str>) -> bool {
        if let (true, [_, Segment::Name(glob)]) = (self.name, self.segments.as_slice()) {
            return path.split('/').any(|name| !name.is_empty() && glob.matches(name, LeadingDot::Wild));
        }
        let read = || PathGlob::new(text, true).unwrap_or_else(|_| PathGlob::everything());
        self.glob.get_or_init(read).fit(path, root, home) != MatchResult::No
    }
}

/// A path with wildcards.
pub(crate) struct WildcardPath {
    pub(crate) names: Vec<NameGlob>,
    /// The first name is in the root directory.
    pub(crate) anchored: bool,
    pub(crate) dot: LeadingDot,
    /// The wildcards represent computed text.
    pub(crate) computed: bool,
}

impl WildcardPath {
    /// Whether this path may be meant to match a path that the pattern protects.
    pub(crate) fn targets_pattern(
        &self,
        entry: &ProtectedPattern,
        root: Option<&str>,
        home: Option<&str>,
    ) -> bool {
        let base = match entry.anchor {
            Anchor::Absolute | Anchor::Anywhere => Some(""),
            Anchor::Home => home,
            Anchor::Workspace => root,
        };
        let Some(base) = base else { return true };
        let base = base.split('/').filter(|name| !name.is_empty());
        let base: SmallVec<[Segment; 8]> = base.map(|name| Segment::Name(NameGlob::of_name(name))).collect();
        let deep = (!self.anchored).then_some(&Segment::Deep);
        let pattern: SmallVec<[&Segment; 16]> =
            deep.into_iter().chain(&base).chain(&entry.segments).collect();
        let Some(end) = pattern.len().checked_sub(1) else { return true };
        // The positions of the pattern that the names so far can have reached.
        let mut active: SmallVec<[bool; 16]> = SmallVec::from_elem(false, pattern.len() + 1);
        if let Some(first) = active.first_mut() {
            *first = true;
        }
        let mut before: Option<&NameGlob> = None;
        for name in &self.names {
            let mut next: SmallVec<[bool; 16]> = SmallVec::from_elem(false, pattern.len() + 1);
            for (at, segment) in pattern.iter().enumerate() {
                if !active.get(at).copied().unwrap_or_default() {
                    continue;
                }
                let reach =
                    |to: usize, set: &mut [bool]| set.get_mut(to).into_iter().for_each(|one| *one = true);
                match segment {
                    Segment::Deep if at == end => return true,
                    Segment::Deep => {
                        reach(at, &mut next);
                        reach(at + 1, &mut active);
                    }
                    // A directory name that is completely computed (`$x/…`) could be any name; it is not
                    // assumed to be this one.
                    Segment::Name(_) if self.computed && at != end && name.written() == 0 => {}
                    Segment::Name(glob) if name.intersects(glob, self.dot) => {
                        let parent = at.checked_sub(1).and_then(|at| pattern.get(at));
                        let parent = match parent {
                            Some(Segment::Name(parent)) if !before.is_some_and(NameGlob::is_wild) => {
                                Some(parent)
                            }
                            _ => None,
                        };
                        if at == end && self.is_meant(name, glob, parent) {
                            return true;
                        }
                        reach(at + 1, &mut next);
                    }
                    Segment::Name(_) => {}
                }
            }
            active = next;
            before = Some(name);
        }
        false
    }

    /// Whether a glob targets a protected name. `parent` is the directory in the pattern, if the path names
    /// that directory without wildcards.
    pub(crate) fn is_meant(&self, name: &NameGlob, listed: &NameGlob, parent: Option<&NameGlob>) -> bool {
        if !name.intersects(listed, self.dot) {
            return false;
        }
        let common = name.common_start(listed);
        let half = common * 2 >= listed.written() && common > 0;
        let hidden = |parent: &NameGlob| parent.shortest().starts_with('.');
        let shortest = || {
            let most = name.written() * 2 >= listed.written();
            self.computed && most && name.matches(&listed.shortest(), LeadingDot::Wild)
        };
        !name.is_wild()
            || (name.written() > 0 && (name.both_hidden(listed) || shortest()))
            || (half && (common >= 3 || parent.is_some()))
            || (!self.computed && parent.is_some_and(hidden))
    }
}
