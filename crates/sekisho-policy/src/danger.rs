//! How much care a call wants.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use smallvec::{SmallVec, smallvec};

pub use sekisho_shell::programs::DangerCode;

/// How much care a call wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DangerLevel {
    /// Nothing is changed and nothing leaves the machine.
    None,
    /// Something may change or leave.
    Caution,
    /// Harm is likely if it is not what was wanted.
    Danger,
}

/// A level, and what it is about. The sentence is made when it is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Wire", into = "Wire")]
#[schemars(with = "Wire")]
pub struct Danger {
    /// How much care.
    pub level: DangerLevel,
    about: About,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum About {
    /// What is known, the gravest first.
    Codes(SmallVec<[DangerCode; 4]>),
    /// A sentence of a version that had no codes, or has others.
    Sentence(Box<str>),
}

impl Danger {
    /// A danger of one code.
    pub fn new(level: DangerLevel, code: DangerCode) -> Danger {
        Danger { level, about: About::Codes(smallvec![code]) }
    }

    /// The codes, the gravest first; none of what another version kept.
    pub fn codes(&self) -> &[DangerCode] {
        match &self.about {
            About::Codes(codes) => codes,
            About::Sentence(_) => &[],
        }
    }

    /// Why, for people.
    pub fn why(&self) -> Cow<'_, str> {
        match &self.about {
            About::Sentence(sentence) => Cow::Borrowed(sentence),
            About::Codes(codes) => match codes.as_slice() {
                [code] => code.sentence(),
                codes => {
                    let sentences: Vec<_> = codes.iter().map(|code| code.sentence()).collect();
                    Cow::Owned(sentences.join("; "))
                }
            },
        }
    }

    /// The same call with something graver about it.
    #[must_use]
    pub fn with_graver(mut self, code: DangerCode) -> Danger {
        self.level = DangerLevel::Danger;
        match &mut self.about {
            About::Codes(codes) => codes.insert(0, code),
            About::Sentence(sentence) => {
                *sentence = format!("{}; {sentence}", code.sentence()).into();
            }
        }
        self
    }
}

/// All that is dangerous about a call, not only what its worst part does: the different dangers, worst first, its own before
/// those of its parts. What is harmless is told only where nothing else is.
pub fn distinct<'a>(own: &'a Danger, parts: impl IntoIterator<Item = &'a Danger>) -> Vec<Danger> {
    let mut parts: Vec<&Danger> =
        parts.into_iter().filter(|danger| danger.level > DangerLevel::None).collect();
    parts.sort_by_key(|danger| std::cmp::Reverse(danger.level));
    let mut told: Vec<DangerCode> = Vec::new();
    let mut found = Vec::new();
    for danger in std::iter::once(own).chain(parts) {
        let About::Codes(codes) = &danger.about else {
            if !found.contains(danger) {
                found.push(danger.clone());
            }
            continue;
        };
        let new: SmallVec<[DangerCode; 4]> =
            codes.iter().copied().filter(|code| !told.contains(code)).collect();
        if !new.is_empty() {
            told.extend(new.iter().copied());
            found.push(Danger { level: danger.level, about: About::Codes(new) });
        }
    }
    found
}

/// The wire form of a danger.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Danger")]
struct Wire {
    /// How much care.
    level: DangerLevel,
    /// Why, for people. What it says may change; programs read the code.
    why: String,
    /// Why. Absent in what was kept before there were codes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<CodeSchema>")]
    code: Option<String>,
    /// What else there is to it, after `code`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<CodeSchema>")]
    further: Vec<String>,
}

impl From<Danger> for Wire {
    fn from(danger: Danger) -> Wire {
        let mut codes = danger.codes().iter().map(|code| code.name().to_owned());
        let (code, further) = (codes.next(), codes.collect());
        Wire { level: danger.level, why: danger.why().into_owned(), code, further }
    }
}

impl From<Wire> for Danger {
    fn from(wire: Wire) -> Danger {
        let names = wire.code.iter().chain(&wire.further);
        let codes: Option<SmallVec<_>> = names.map(|name| DangerCode::named(name)).collect();
        let about = match codes.filter(|codes| !codes.is_empty()) {
            Some(codes) => About::Codes(codes),
            None => About::Sentence(wire.why.into()),
        };
        Danger { level: wire.level, about }
    }
}

/// The schema of a [`DangerCode`].
struct CodeSchema;

impl JsonSchema for CodeSchema {
    fn schema_name() -> Cow<'static, str> {
        "DangerCode".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = DangerCode::ALL.iter().map(|code| code.name()).collect();
        json_schema!({
            "description": "What a call does to the world.",
            "type": "string",
            "enum": names,
        })
    }
}

/// The danger of every call that touches a protected path, whatever is decided: who is asked must not take it for harmless.
pub(crate) fn touches_protected() -> Danger {
    Danger::new(DangerLevel::Danger, DangerCode::TouchesProtected)
}

/// The graver of two dangers; of two equal ones the first.
pub(crate) fn worse(a: Option<Danger>, b: Option<Danger>) -> Option<Danger> {
    match (a, b) {
        (Some(a), Some(b)) if b.level > a.level => Some(b),
        (Some(a), _) => Some(a),
        (None, b) => b,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json, to_value};

    use super::*;

    #[test]
    fn a_danger_comes_back_as_it_was() {
        let danger = Danger::new(DangerLevel::Caution, DangerCode::DeletesFiles);
        let wire = to_value(&danger).unwrap();
        assert_eq!(wire, json!({ "level": "caution", "why": "deletes files", "code": "deletes_files" }));
        assert_eq!(from_value::<Danger>(wire).unwrap(), danger);
        let graver = danger.with_graver(DangerCode::ImpossibleHost);
        let wire = to_value(&graver).unwrap();
        assert_eq!(wire["code"], "impossible_host");
        assert_eq!(wire["further"], json!(["deletes_files"]));
        assert_eq!(from_value::<Danger>(wire).unwrap(), graver);
    }

    #[test]
    fn different_dangers_are_told_once_the_worst_first() {
        let caution = Danger::new(DangerLevel::Caution, DangerCode::ReachesNetwork);
        let grave = Danger::new(DangerLevel::Danger, DangerCode::DeletesFiles);
        let none = Danger::new(DangerLevel::None, DangerCode::OnlyReads);
        let both = grave.clone().with_graver(DangerCode::TouchesProtected);
        let told = |own: &Danger, parts: &[&Danger]| -> Vec<String> {
            let found = distinct(own, parts.iter().copied());
            found.iter().map(|danger| danger.why().into_owned()).collect()
        };
        let [deletes, reaches] = [&grave, &caution].map(|danger| danger.why().into_owned());
        assert_eq!(told(&grave, &[&none, &caution, &grave, &caution]), [deletes.clone(), reaches.clone()]);
        assert_eq!(told(&caution, &[&grave]), [reaches, deletes]);
        assert_eq!(told(&none, &[&none]), [none.why()]);
        assert_eq!(told(&both, &[&grave]), [both.why()]);
    }

    #[test]
    fn a_danger_without_a_known_code_keeps_its_sentence() {
        for old in [
            json!({ "level": "danger", "why": "eats files" }),
            json!({ "level": "danger", "why": "eats files", "code": "eats_files" }),
        ] {
            let danger: Danger = from_value(old).unwrap();
            assert_eq!((danger.why().as_ref(), danger.codes()), ("eats files", &[][..]));
            let graver = danger.with_graver(DangerCode::DeletesFiles);
            assert_eq!(graver.why(), "deletes files; eats files");
        }
    }

    #[test]
    fn codes_have_names_of_their_own() {
        for code in DangerCode::ALL {
            assert_eq!(DangerCode::named(code.name()), Some(*code));
            assert_eq!(to_value(code).unwrap(), code.name());
        }
    }
}
