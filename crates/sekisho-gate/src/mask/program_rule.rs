//! The types of the program table: where a program takes a secret.

/// A program and where it takes secrets.
pub(super) struct Program {
    pub(super) name: &'static str,
    /// Short flags without a value, which may be bundled before one that takes a secret: `-su`. A slash
    /// means that flags may also start with a slash.
    pub(super) switches: &'static str,
    /// Flags whose value is the next word. It does not count as a word of its own.
    pub(super) valued: &'static [&'static str],
    pub(super) rules: &'static [SecretRule],
}

/// One position of a secret.
pub(super) struct SecretRule {
    /// Words that must precede it, in this order. `x*` is any word that starts with x, `*x` any that
    /// ends with it, `-?b` any bundle of short flags that contains b.
    pub(super) after: &'static [&'static str],
    pub(super) place: SecretPosition,
    pub(super) part: SecretPart,
}

/// Which word holds the secret.
pub(super) enum SecretPosition {
    /// `-p x`, `-px`, `--pass x`, `--pass=x`
    Flag(&'static [&'static str]),
    /// Only `-p x`; `-px` means something else.
    Apart(&'static [&'static str]),
    /// Only `-px`; `-p x` means something else.
    Glued(&'static [&'static str]),
    /// The word directly after the last word of `after`, unless it is a flag.
    Next,
    /// The word at this distance after the last word of `after`, not counting flags.
    Word(usize),
    /// The same, if no flag is between.
    Adjacent(usize),
    /// Every word that is not a flag.
    Words,
    /// The last word.
    Last,
    /// The word after a secret's name: `set password x`.
    Named,
    /// The word after this option and a secret's name: `--arg password x`.
    Pair(&'static [&'static str]),
}

/// Which part of the word is secret.
pub(super) enum SecretPart {
    Whole,
    /// The text after the first of this character; nothing without it.
    Past(u8),
    /// The text after the last of this character; nothing without it.
    PastLast(u8),
    /// The text after this prefix; nothing without it.
    Prefixed(&'static str),
    /// `user/secret@host`
    Slashed,
    /// `domain/user:secret@host`
    Userinfo,
    /// The text after the second prefix in one of the parts between commas, if the word starts with the first
    /// prefix: `/gateway:g:host,u:me,p:secret`.
    Member(&'static str, &'static str),
}

pub(super) const WHOLE: SecretPart = SecretPart::Whole;
pub(super) const PAIR: SecretPart = SecretPart::Past(b':');

pub(super) const fn flag(flags: &'static [&'static str]) -> SecretRule {
    SecretRule { after: &[], place: SecretPosition::Flag(flags), part: WHOLE }
}

pub(super) const fn user(flags: &'static [&'static str], sign: u8) -> SecretRule {
    SecretRule { after: &[], place: SecretPosition::Flag(flags), part: SecretPart::Past(sign) }
}

pub(super) const fn apart(flags: &'static [&'static str]) -> SecretRule {
    SecretRule { after: &[], place: SecretPosition::Apart(flags), part: WHOLE }
}

pub(super) const fn glued(flags: &'static [&'static str]) -> SecretRule {
    SecretRule { after: &[], place: SecretPosition::Glued(flags), part: WHOLE }
}

pub(super) const fn word(after: &'static [&'static str], count: usize) -> SecretRule {
    SecretRule { after, place: SecretPosition::Word(count), part: WHOLE }
}

pub(super) const fn adjacent(after: &'static [&'static str], count: usize) -> SecretRule {
    SecretRule { after, place: SecretPosition::Adjacent(count), part: WHOLE }
}

pub(super) const fn next(after: &'static [&'static str]) -> SecretRule {
    SecretRule { after, place: SecretPosition::Next, part: WHOLE }
}

pub(super) const fn named(after: &'static [&'static str]) -> SecretRule {
    SecretRule { after, place: SecretPosition::Named, part: WHOLE }
}

pub(super) const fn pair(flags: &'static [&'static str]) -> SecretRule {
    SecretRule { after: &[], place: SecretPosition::Pair(flags), part: WHOLE }
}

pub(super) const fn pairs(after: &'static [&'static str]) -> SecretRule {
    SecretRule { after, place: SecretPosition::Words, part: SecretPart::Past(b'=') }
}

impl SecretRule {
    pub(super) const fn after(mut self, words: &'static [&'static str]) -> SecretRule {
        self.after = words;
        self
    }
}

pub(super) const fn program(name: &'static str, rules: &'static [SecretRule]) -> Program {
    Program { name, switches: "", valued: &[], rules }
}

impl Program {
    pub(super) const fn switches(mut self, letters: &'static str) -> Program {
        self.switches = letters;
        self
    }

    pub(super) const fn valued(mut self, flags: &'static [&'static str]) -> Program {
        self.valued = flags;
        self
    }
}

pub(super) const fn last(after: &'static [&'static str]) -> SecretRule {
    SecretRule { after, place: SecretPosition::Last, part: WHOLE }
}
