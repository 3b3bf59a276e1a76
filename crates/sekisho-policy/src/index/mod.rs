//! Finds the rules that could match a call without checking the others.
//!
//! A rule is indexed by one *atom* of its selector: an exact name, a canonical tool, a literal of its
//! pattern, or "anything". A call has a handful of atoms (its name, its canonical tool, and what the tries
//! find along its name). The rules of each atom are sorted by rank. So the cost of a decision depends on the
//! length of the name and the number of rules that nearly match, not on the total number of rules.

mod trie;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use smallvec::SmallVec;

use crate::byte_encoding::{ByteEncoded, FixedRow, PartReader, PartWriter, Rows, pack, unpack};
use crate::name_table::NameTable;
use crate::tool_pattern::{PatternLiteral, pattern_literals};
use crate::tools::TOOLS;
use trie::{NONE, Trie};

/// A rule as the index sees it.
pub(crate) struct IndexedRule<'a> {
    /// Position in the order of strength; smaller is stronger.
    pub(crate) rank: u32,
    /// The server it is bound to.
    pub(crate) server: Option<&'a str>,
    /// The names it matches.
    pub(crate) selector: Selector<'a>,
}

/// The names a rule matches: any of the fields that are set; if none is set, every name.
#[derive(Default)]
pub(crate) struct Selector<'a> {
    /// Exactly this name.
    pub(crate) exact: Option<&'a str>,
    /// A tool of the table, by any of its names.
    pub(crate) canonical: Option<usize>,
    /// The canonical match counts only for calls without a server.
    pub(crate) local: bool,
    /// A case-folded pattern.
    pub(crate) pattern: Option<&'a [u8]>,
    /// The program of a shell rule, which is then indexed by that alone.
    pub(crate) program: Option<&'a str>,
}

/// One rule of an atom: its rank, and what remains to be checked.
#[derive(Clone, Copy)]
pub(crate) struct IndexEntry(u32);

/// Entries as stored in the index, decoded one by one by [`IndexEntry::of`].
pub(crate) type Entries = [[u8; 4]];

impl IndexEntry {
    const CHECK_PATTERN: u32 = 1 << 31;
    const LOCAL: u32 = 1 << 30;

    #[inline]
    pub(crate) fn of(row: [u8; 4]) -> IndexEntry {
        IndexEntry(u32::from_le_bytes(row))
    }

    pub(crate) fn rank(self) -> u32 {
        self.0 & !(IndexEntry::CHECK_PATTERN | IndexEntry::LOCAL)
    }
    /// Whether the literal does not suffice: the whole pattern must be compared.
    pub(crate) fn checks_pattern(self) -> bool {
        self.0 & IndexEntry::CHECK_PATTERN != 0
    }
    /// Whether it counts only for calls without a server.
    pub(crate) fn is_local(self) -> bool {
        self.0 & IndexEntry::LOCAL != 0
    }
}

/// A run of entries.
#[derive(Clone, Copy, Default)]
struct Bucket {
    start: u32,
    length: u32,
}

/// An atom's rules for any server, and whether there are some for particular servers.
#[derive(Clone, Copy, Default)]
struct Atom {
    anywhere: Bucket,
    bound: bool,
}

impl FixedRow<12> for Atom {
    fn to_row(self) -> [u8; 12] {
        pack([self.anywhere.start, self.anywhere.length, u32::from(self.bound)])
    }

    #[inline]
    fn from_row(row: [u8; 12]) -> Atom {
        let [start, length, bound] = unpack(row);
        Atom { anywhere: Bucket { start, length }, bound: bound != 0 }
    }
}

/// The rules of an atom for one server: (server, atom) and their range.
type BoundRow = ((u32, u32), Bucket);

impl FixedRow<16> for BoundRow {
    fn to_row(self) -> [u8; 16] {
        let ((server, atom), bucket) = self;
        pack([server, atom, bucket.start, bucket.length])
    }

    fn from_row(row: [u8; 16]) -> BoundRow {
        let [server, atom, start, length] = unpack(row);
        ((server, atom), Bucket { start, length })
    }
}

/// The rules for particular servers. As with names, hashes are not stored.
#[derive(Clone)]
enum ServerRules {
    Hashed(HashMap<(u32, u32), Bucket, FixedState>),
    Sorted(Rows<BoundRow, 16>),
}

impl Default for ServerRules {
    fn default() -> ServerRules {
        ServerRules::Hashed(HashMap::default())
    }
}

impl ServerRules {
    #[inline]
    fn get(&self, key: (u32, u32)) -> Option<Bucket> {
        match self {
            ServerRules::Hashed(table) => table.get(&key).copied(),
            ServerRules::Sorted(rows) => {
                let found = rows.get(rows.partition_point(|(other, _)| other < key));
                found.filter(|(other, _)| *other == key).map(|(_, bucket)| bucket)
            }
        }
    }
}

/// The index.
#[derive(Clone, Default)]
pub(crate) struct Index {
    names: NameTable,
    programs: NameTable,
    servers: NameTable,
    atoms: Rows<Atom, 12>,
    bound: ServerRules,
    entries: Rows<[u8; 4], 4>,
    /// The atom of the first canonical tool; the others follow in the order of the table.
    first_canonical: u32,
    first_program: u32,
    anything: u32,
    prefixes: Trie,
    suffixes: Trie,
    inside: Trie,
}

/// The names a call is looked up by.
pub(crate) struct CallNames<'a> {
    pub(crate) name: &'a str,
    pub(crate) folded: &'a [u8],
    /// Index of the canonical tool in the table.
    pub(crate) canonical: Option<usize>,
    /// The same of a described tool's own name, if it is in the table and the table does not say what it does.
    pub(crate) own: Option<usize>,
    pub(crate) server: Option<&'a str>,
}

impl Index {
    /// Calls `visit` with every bucket of entries for an atom of the call. Entries may occur twice.
    #[inline]
    pub(crate) fn visit(&self, shown: &CallNames<'_>, mut visit: impl FnMut(&Entries)) {
        let server = shown.server.and_then(|server| self.servers.get(server));
        let mut atom = |atom: u32| {
            let Some(found) = self.atoms.get(atom as usize) else { return };
            if found.anywhere.length > 0 {
                visit(self.slice(found.anywhere));
            }
            if found.bound
                && let Some(server) = server
                && let Some(bucket) = self.bound.get((server, atom))
            {
                visit(self.slice(bucket));
            }
        };
        if let Some(name) = self.names.get(shown.name) {
            atom(name);
        }
        for canonical in shown.canonical.into_iter().chain(shown.own) {
            atom(self.first_canonical.saturating_add(u32::try_from(canonical).unwrap_or(NONE)));
        }
        atom(self.anything);
        self.visit_patterns(shown.folded, &mut atom);
    }

    /// The part of [`visit`](Index::visit) that concerns patterns.
    #[inline]
    fn visit_patterns(&self, folded: &[u8], atom: &mut impl FnMut(u32)) {
        self.prefixes.walker().walk(folded.iter().copied(), &mut *atom);
        self.suffixes.walker().walk(folded.iter().rev().copied(), &mut *atom);
        if self.inside.is_empty() {
            return;
        }
        let (mut seen, inside) = (VisitedAtoms::default(), self.inside.walker());
        for start in 0..folded.len() {
            let rest = folded.get(start..).unwrap_or_default();
            inside.walk(rest.iter().copied(), |found| {
                if seen.is_new(found) {
                    atom(found);
                }
            });
        }
    }

    /// Visits the entries of patterns for another name of the same tool.
    pub(crate) fn visit_alias(&self, folded: &[u8], server: Option<&str>, mut visit: impl FnMut(&Entries)) {
        let server = server.and_then(|server| self.servers.get(server));
        self.visit_patterns(folded, &mut |atom| {
            let found = self.atoms.get(atom as usize).unwrap_or_default();
            visit(self.slice(found.anywhere));
            if let Some(bucket) = server.and_then(|server| self.bound.get((server, atom))) {
                visit(self.slice(bucket));
            }
        });
    }

    /// Visits the rules indexed by a program name.
    pub(crate) fn visit_program(&self, program: &str, server: Option<&str>, mut visit: impl FnMut(&Entries)) {
        if let Some(number) = self.program_number(program) {
            self.visit_program_number(number, server, &mut visit);
        }
    }

    /// The number of a program that has rules.
    pub(crate) fn program_number(&self, program: &str) -> Option<u32> {
        self.programs.get(program)
    }

    /// Visits the rules of a program, by its number.
    pub(crate) fn visit_program_number(
        &self,
        number: u32,
        server: Option<&str>,
        mut visit: impl FnMut(&Entries),
    ) {
        let atom = self.first_program.saturating_add(number);
        let found = self.atoms.get(atom as usize).unwrap_or_default();
        visit(self.slice(found.anywhere));
        let server = server.and_then(|server| self.servers.get(server));
        if let Some(bucket) = server.and_then(|server| self.bound.get((server, atom))) {
            visit(self.slice(bucket));
        }
    }

    fn slice(&self, bucket: Bucket) -> &Entries {
        let start = bucket.start as usize;
        self.entries.all().get(start..start + bucket.length as usize).unwrap_or_default()
    }

    /// Builds the index. `rules` may be in any order.
    pub(crate) fn new(rules: &[IndexedRule<'_>]) -> Index {
        let mut builder = Builder::default();
        let chosen = choose_clues(rules);
        for (rule, clue) in rules.iter().zip(&chosen) {
            builder.file(rule, *clue);
        }
        builder.finish()
    }
}

impl ByteEncoded for Index {
    fn write(&self, to: &mut PartWriter) {
        self.names.write(to);
        self.programs.write(to);
        self.servers.write(to);
        self.atoms.write(to);
        let mut bound: Vec<BoundRow> = match &self.bound {
            ServerRules::Hashed(table) => table.iter().map(|(key, bucket)| (*key, *bucket)).collect(),
            ServerRules::Sorted(rows) => rows.iter().collect(),
        };
        bound.sort_unstable_by_key(|(key, _)| *key);
        Rows::from(bound).write(to);
        self.entries.write(to);
        to.part([self.first_canonical, self.first_program, self.anything].map(u32::to_row).iter());
        self.prefixes.write(to);
        self.suffixes.write(to);
        self.inside.write(to);
    }

    fn read(from: &mut PartReader<'_>) -> Option<Index> {
        let (names, programs, servers) =
            (NameTable::read(from)?, NameTable::read(from)?, NameTable::read(from)?);
        let (atoms, bound, entries) =
            (Rows::read(from)?, ServerRules::Sorted(Rows::read(from)?), Rows::read(from)?);
        let [first_canonical, first_program, anything] =
            unpack::<12, 3>(*from.part()?.bytes().first_chunk()?);
        let (prefixes, suffixes, inside) = (Trie::read(from)?, Trie::read(from)?, Trie::read(from)?);
        Some(Index {
            names,
            programs,
            servers,
            atoms,
            bound,
            entries,
            first_canonical,
            first_program,
            anything,
            prefixes,
            suffixes,
            inside,
        })
    }
}

/// The atoms already visited: a literal can occur at many positions of one name.
#[derive(Default)]
struct VisitedAtoms {
    few: SmallVec<[u32; 16]>,
    many: hashbrown::HashSet<u32, FixedState>,
}

impl VisitedAtoms {
    fn is_new(&mut self, atom: u32) -> bool {
        if self.few.contains(&atom) {
            return false;
        }
        if self.few.len() < 16 {
            self.few.push(atom);
            return true;
        }
        self.many.insert(atom)
    }
}

/// For each rule the literal of its pattern that the fewest other patterns share; of two equally rare ones,
/// the longer.
fn choose_clues<'a>(rules: &[IndexedRule<'a>]) -> Vec<Option<PatternLiteral<'a>>> {
    let mut shared: HashMap<PatternLiteral<'a>, u32, FixedState> = HashMap::default();
    let patterns =
        rules.iter().filter(|rule| rule.selector.program.is_none()).filter_map(|rule| rule.selector.pattern);
    for clue in patterns.flat_map(pattern_literals) {
        *shared.entry(clue).or_default() += 1;
    }
    let rarity = |clue: &PatternLiteral<'_>| {
        let count = shared.get(clue).copied().unwrap_or(0);
        (count, std::cmp::Reverse(clue.literal().len()))
    };
    rules.iter().map(|rule| pattern_literals(rule.selector.pattern?).min_by_key(rarity)).collect()
}

#[derive(Default)]
struct Builder<'a> {
    names: NameTable,
    programs: NameTable,
    servers: NameTable,
    clues: HashMap<PatternLiteral<'a>, u32, FixedState>,
    /// (atom, server + 1 or 0, entry)
    filed: Vec<(Key, u32, u32)>,
}

/// An atom before it is numbered; sorted like the numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Name(u32),
    Canonical(u32),
    Anything,
    Program(u32),
    Clue(u32),
}

impl<'a> Builder<'a> {
    fn file(&mut self, rule: &IndexedRule<'a>, clue: Option<PatternLiteral<'a>>) {
        let server = rule.server.map_or(0, |server| self.servers.intern(server) + 1);
        let selector = &rule.selector;
        if let Some(program) = selector.program {
            let program = self.programs.intern(program);
            self.filed.push((Key::Program(program), server, rule.rank));
            return;
        }
        if let Some(name) = selector.exact {
            let name = self.names.intern(name);
            self.filed.push((Key::Name(name), server, rule.rank));
        }
        if let Some(tool) = selector.canonical {
            let tool = u32::try_from(tool).unwrap_or(NONE);
            let local = if selector.local { IndexEntry::LOCAL } else { 0 };
            self.filed.push((Key::Canonical(tool), server, rule.rank | local));
        }
        match (selector.pattern, clue) {
            (Some(pattern), Some(clue)) => {
                let next = u32::try_from(self.clues.len()).unwrap_or(NONE);
                let id = *self.clues.entry(clue).or_insert(next);
                let check = if clue.is_sufficient(pattern) { 0 } else { IndexEntry::CHECK_PATTERN };
                self.filed.push((Key::Clue(id), server, rule.rank | check));
            }
            // A pattern of stars alone, or no condition on the tool at all.
            (Some(_), None) => self.filed.push((Key::Anything, server, rule.rank)),
            (None, _) if selector.exact.is_none() && selector.canonical.is_none() => {
                self.filed.push((Key::Anything, server, rule.rank));
            }
            (None, _) => {}
        }
    }

    fn finish(mut self) -> Index {
        self.names.shrink();
        self.programs.shrink();
        self.servers.shrink();
        let tools = u32::try_from(TOOLS.len()).unwrap_or(0);
        let names = self.names.len();
        let programs = self.programs.len();
        let number = |key: Key| match key {
            Key::Name(id) => id,
            Key::Canonical(tool) => names + tool,
            Key::Anything => names + tools,
            Key::Program(id) => names + tools + 1 + id,
            Key::Clue(id) => names + tools + 1 + programs + id,
        };
        self.filed.sort_unstable_by_key(|(key, server, entry)| (*key, *server, IndexEntry(*entry).rank()));
        let mut atoms = vec![Atom::default(); (names + tools + 1 + programs) as usize + self.clues.len()];
        let mut entries = Vec::with_capacity(self.filed.len());
        let mut bound = HashMap::default();
        for group in self.filed.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let Some((key, server, _)) = group.first() else { continue };
            let bucket = Bucket {
                start: u32::try_from(entries.len()).unwrap_or(NONE),
                length: u32::try_from(group.len()).unwrap_or(NONE),
            };
            entries.extend(group.iter().map(|(_, _, entry)| entry.to_le_bytes()));
            let atom = number(*key);
            let Some(slot) = atoms.get_mut(atom as usize) else { continue };
            match server.checked_sub(1) {
                None => slot.anywhere = bucket,
                Some(server) => {
                    slot.bound = true;
                    bound.insert((server, atom), bucket);
                }
            }
        }
        bound.shrink_to_fit();
        let (prefixes, suffixes, inside) = tries(&self.clues, names + tools + 1 + programs);
        Index {
            names: self.names,
            programs: self.programs,
            servers: self.servers,
            atoms: atoms.into(),
            bound: ServerRules::Hashed(bound),
            entries: entries.into(),
            first_canonical: names,
            first_program: names + tools + 1,
            anything: names + tools,
            prefixes,
            suffixes,
            inside,
        }
    }
}

fn tries(clues: &HashMap<PatternLiteral<'_>, u32, FixedState>, first: u32) -> (Trie, Trie, Trie) {
    let mut lists: [Vec<(Vec<u8>, u32)>; 3] = Default::default();
    let [prefixes, suffixes, inside] = &mut lists;
    for (clue, id) in clues {
        match clue {
            PatternLiteral::Prefix(literal) => prefixes.push((literal.to_vec(), first + id)),
            PatternLiteral::Suffix(literal) => {
                suffixes.push((literal.iter().rev().copied().collect(), first + id))
            }
            PatternLiteral::Inside(literal) => inside.push((literal.to_vec(), first + id)),
        }
    }
    let [prefixes, suffixes, inside] = lists.map(|mut list| {
        list.sort_unstable();
        let keys: Vec<(&[u8], u32)> = list.iter().map(|(key, id)| (key.as_slice(), *id)).collect();
        Trie::new(&keys)
    });
    (prefixes, suffixes, inside)
}
