//! How a program takes a secret: the words to write its row of the table in.

/// A program and where it takes secrets.
pub(super) struct Program {
    pub(super) name: &'static str,
    /// Short flags without a value, which may be bundled before one that takes a secret: `-su`. A slash in it says that
    /// flags may also start with one.
    pub(super) switches: &'static str,
    pub(super) rules: &'static [Rule],
}

/// One place for a secret.
pub(super) struct Rule {
    /// Words that must stand before it, in this order. `x*` is any word that starts with x, `*x` any that ends
    /// with it, `-?b` any bundle of short flags with b in it.
    pub(super) after: &'static [&'static str],
    pub(super) place: Place,
    pub(super) part: Part,
}

/// Which word holds it.
pub(super) enum Place {
    /// `-p x`, `-px`, `--pass x`, `--pass=x`
    Flag(&'static [&'static str]),
    /// `-p x` alone; `-px` means something else.
    Apart(&'static [&'static str]),
    /// `-px` alone; `-p x` means something else.
    Glued(&'static [&'static str]),
    /// The word so many places after the last word of `after`, flags not counted.
    Word(usize),
    /// Every word that is no flag.
    Words,
    /// The last word.
    Last,
    /// The word after one that is a secret's name: `set password x`.
    Named,
}

/// Which part of the word is secret.
pub(super) enum Part {
    Whole,
    /// What stands after the first of this sign, and nothing without it.
    Past(u8),
    /// What stands after the last of this sign, and nothing without it.
    PastLast(u8),
    /// What stands after this text, and nothing without it.
    Prefixed(&'static str),
    /// `user/secret@host`
    Slashed,
    /// `domain/user:secret@host`
    Userinfo,
}

pub(super) const WHOLE: Part = Part::Whole;
pub(super) const PAIR: Part = Part::Past(b':');

pub(super) const fn flag(flags: &'static [&'static str]) -> Rule {
    Rule { after: &[], place: Place::Flag(flags), part: WHOLE }
}

pub(super) const fn user(flags: &'static [&'static str], sign: u8) -> Rule {
    Rule { after: &[], place: Place::Flag(flags), part: Part::Past(sign) }
}

pub(super) const fn apart(flags: &'static [&'static str]) -> Rule {
    Rule { after: &[], place: Place::Apart(flags), part: WHOLE }
}

pub(super) const fn glued(flags: &'static [&'static str]) -> Rule {
    Rule { after: &[], place: Place::Glued(flags), part: WHOLE }
}

pub(super) const fn word(after: &'static [&'static str], count: usize) -> Rule {
    Rule { after, place: Place::Word(count), part: WHOLE }
}

pub(super) const fn named(after: &'static [&'static str]) -> Rule {
    Rule { after, place: Place::Named, part: WHOLE }
}

pub(super) const fn pairs(after: &'static [&'static str]) -> Rule {
    Rule { after, place: Place::Words, part: Part::Past(b'=') }
}

impl Rule {
    pub(super) const fn after(mut self, words: &'static [&'static str]) -> Rule {
        self.after = words;
        self
    }
}

pub(super) const fn program(name: &'static str, rules: &'static [Rule]) -> Program {
    Program { name, switches: "", rules }
}

impl Program {
    pub(super) const fn switches(mut self, letters: &'static str) -> Program {
        self.switches = letters;
        self
    }
}

pub(super) const fn last(after: &'static [&'static str]) -> Rule {
    Rule { after, place: Place::Last, part: WHOLE }
}
