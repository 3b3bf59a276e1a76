//! How dangerous a call is.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use sekisho_shell::programs::{ProgramDanger, ProgramDangerLevel};
use serde::{Deserialize, Serialize};
use smallvec::{SmallVec, smallvec};

pub use sekisho_shell::programs::DangerCode;

/// How dangerous a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DangerLevel {
    /// Nothing is changed and nothing leaves the machine.
    None,
    /// Something may change or leave the machine.
    Caution,
    /// Harm is likely if this is not intended.
    Danger,
}

/// A danger level and its cause. The sentence is built on demand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Wire", into = "Wire")]
#[schemars(with = "Wire")]
pub struct Danger {
    /// How dangerous it is.
    pub level: DangerLevel,
    about: About,
    /// Where the words that cause it are, in order: byte ranges of the call's text, in a
    /// display of the shown text. Empty if it is not known, or if they are not in the text.
    pub spans: Vec<DangerSpan>,
}

/// A range of a text, in UTF-8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct DangerSpan {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum About {
    /// The known causes, most severe first.
    Codes(SmallVec<[DangerCode; 4]>),
    /// A sentence stored by a version that had no codes, or other codes.
    Sentence(Box<str>),
}

impl Danger {
    /// A danger with one code.
    pub fn new(level: DangerLevel, code: DangerCode) -> Danger {
        Danger { level, about: About::Codes(smallvec![code]), spans: Vec::new() }
    }

    /// The danger with the places of its words.
    #[must_use]
    pub fn at(mut self, spans: impl IntoIterator<Item = DangerSpan>) -> Danger {
        self.spans = spans.into_iter().collect();
        self.spans.sort_unstable();
        self.spans.dedup();
        self
    }

    /// The danger without places, for records: masking moves the text.
    #[must_use]
    pub fn without_spans(&self) -> Danger {
        Danger { level: self.level, about: self.about.clone(), spans: Vec::new() }
    }

    /// The codes, most severe first. Empty for a danger stored by another version.
    pub fn codes(&self) -> &[DangerCode] {
        match &self.about {
            About::Codes(codes) => codes,
            About::Sentence(_) => &[],
        }
    }

    /// The cause, for people.
    pub fn sentence(&self) -> Cow<'_, str> {
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

    /// Adds a more severe code.
    #[must_use]
    pub fn escalate(mut self, code: DangerCode) -> Danger {
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

impl From<&ProgramDanger> for Danger {
    fn from(danger: &ProgramDanger) -> Danger {
        let level = match danger.level {
            ProgramDangerLevel::Caution => DangerLevel::Caution,
            ProgramDangerLevel::Danger => DangerLevel::Danger,
        };
        Danger::new(level, danger.code)
    }
}

/// The distinct dangers of a call and its parts: first the call's own danger, then those of its parts, worst
/// first. Parts without danger are left out.
pub fn distinct<'a>(own: &'a Danger, parts: impl IntoIterator<Item = &'a Danger>) -> Vec<Danger> {
    let mut parts: Vec<&Danger> =
        parts.into_iter().filter(|danger| danger.level > DangerLevel::None).collect();
    parts.sort_by_key(|danger| std::cmp::Reverse(danger.level));
    let mut listed: Vec<DangerCode> = Vec::new();
    let mut found = Vec::new();
    for danger in std::iter::once(own).chain(parts) {
        let About::Codes(codes) = &danger.about else {
            if !found.contains(danger) {
                found.push(danger.clone());
            }
            continue;
        };
        let new: SmallVec<[DangerCode; 4]> =
            codes.iter().copied().filter(|code| !listed.contains(code)).collect();
        if !new.is_empty() {
            listed.extend(new.iter().copied());
            let spans = danger.spans.clone();
            found.push(Danger { level: danger.level, about: About::Codes(new), spans });
        }
    }
    found
}

/// The wire form of a danger.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Danger")]
struct Wire {
    /// How dangerous it is.
    level: DangerLevel,
    /// The cause, for people. The text may change; programs read the code.
    why: String,
    /// The cause. Absent in records from before codes existed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<CodeSchema>")]
    code: Option<String>,
    /// Further causes, after `code`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<CodeSchema>")]
    further: Vec<String>,
    /// Where the words that cause it are (`-delete`, `| sh`), in order, in UTF-8 bytes: of the shown command in a
    /// display, of the call's text in a verdict. Absent if it is not known, or if they are not in the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    spans: Vec<DangerSpan>,
}

impl From<Danger> for Wire {
    fn from(danger: Danger) -> Wire {
        let mut codes = danger.codes().iter().map(|code| code.name().to_owned());
        let (code, further) = (codes.next(), codes.collect());
        let why = danger.sentence().into_owned();
        Wire { level: danger.level, why, code, further, spans: danger.spans }
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
        Danger { level: wire.level, about, spans: wire.spans }
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
            "description": "The effect of a call.",
            "type": "string",
            "enum": names,
        })
    }
}

/// The danger of every call that touches a protected path, whatever the decision: an approver must not take
/// the call for harmless.
pub(crate) fn protected_path_danger() -> Danger {
    Danger::new(DangerLevel::Danger, DangerCode::TouchesProtected)
}

/// The more severe of two dangers; the first if they are equal.
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
    fn danger_round_trips() {
        let danger = Danger::new(DangerLevel::Caution, DangerCode::DeletesFiles);
        let wire = to_value(&danger).unwrap();
        assert_eq!(wire, json!({ "level": "caution", "why": "deletes files", "code": "deletes_files" }));
        assert_eq!(from_value::<Danger>(wire).unwrap(), danger);
        let graver = danger.escalate(DangerCode::ImpossibleHost);
        let wire = to_value(&graver).unwrap();
        assert_eq!(wire["code"], "impossible_host");
        assert_eq!(wire["further"], json!(["deletes_files"]));
        assert_eq!(from_value::<Danger>(wire).unwrap(), graver);
    }

    #[test]
    fn distinct_dangers_are_listed_once_and_worst_first() {
        let caution = Danger::new(DangerLevel::Caution, DangerCode::ReachesNetwork);
        let grave = Danger::new(DangerLevel::Danger, DangerCode::DeletesFiles);
        let none = Danger::new(DangerLevel::None, DangerCode::OnlyReads);
        let both = grave.clone().escalate(DangerCode::TouchesProtected);
        let sentences = |own: &Danger, parts: &[&Danger]| -> Vec<String> {
            let found = distinct(own, parts.iter().copied());
            found.iter().map(|danger| danger.sentence().into_owned()).collect()
        };
        let [deletes, reaches] = [&grave, &caution].map(|danger| danger.sentence().into_owned());
        assert_eq!(
            sentences(&grave, &[&none, &caution, &grave, &caution]),
            [deletes.clone(), reaches.clone()]
        );
        assert_eq!(sentences(&caution, &[&grave]), [reaches, deletes]);
        assert_eq!(sentences(&none, &[&none]), [none.sentence()]);
        assert_eq!(sentences(&both, &[&grave]), [both.sentence()]);
    }

    #[test]
    fn danger_without_known_code_keeps_its_sentence() {
        for old in [
            json!({ "level": "danger", "why": "eats files" }),
            json!({ "level": "danger", "why": "eats files", "code": "eats_files" }),
        ] {
            let danger: Danger = from_value(old).unwrap();
            assert_eq!((danger.sentence().as_ref(), danger.codes()), ("eats files", &[][..]));
            let graver = danger.escalate(DangerCode::DeletesFiles);
            assert_eq!(graver.sentence(), "deletes files; eats files");
        }
    }

    #[test]
    fn code_names_are_unique() {
        for code in DangerCode::ALL {
            assert_eq!(DangerCode::named(code.name()), Some(*code));
            assert_eq!(to_value(code).unwrap(), code.name());
        }
    }
}
