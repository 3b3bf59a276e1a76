//! Rules as verdicts cite them, with their location and text.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::byte_encoding::{FixedRow, LazyText, Rows, pack, unpack};
use crate::jsonc::Dialect;
use crate::jsonc_deserializer;
use crate::rule::{Effect, LayerKind, Rule};

/// The rules of a policy as written, kept so that verdicts can cite them.
#[derive(Debug, Default)]
pub(crate) struct RuleTable {
    pub(crate) sources: Vec<LayerSource>,
    pub(crate) cites: Rows<CitedRuleRow, 24>,
    /// The ids of the rules that have one, by rank.
    pub(crate) ids: Rows<(u32, Uuid), 20>,
}

/// The name and text of the layer that rules were written in.
#[derive(Debug)]
pub(crate) struct LayerSource {
    pub(crate) layer: LayerKind,
    pub(crate) name: LazyText,
    pub(crate) text: LazyText,
}

/// The position of one rule in its source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CitedRuleRow {
    pub(crate) source: u32,
    pub(crate) range: (u32, u32),
    pub(crate) line: u32,
    pub(crate) priority: i32,
    pub(crate) effect: Effect,
}

impl FixedRow<24> for CitedRuleRow {
    fn to_row(self) -> [u8; 24] {
        let effect = u32::from(self.effect.number());
        pack([self.source, self.range.0, self.range.1, self.line, self.priority.cast_unsigned(), effect])
    }

    fn from_row(row: [u8; 24]) -> CitedRuleRow {
        let [source, start, end, line, priority, effect] = unpack(row);
        let [effect, ..] = effect.to_le_bytes();
        CitedRuleRow {
            source,
            range: (start, end),
            line,
            priority: priority.cast_signed(),
            effect: Effect::numbered(effect),
        }
    }
}

impl FixedRow<20> for (u32, Uuid) {
    fn to_row(self) -> [u8; 20] {
        let [a, b, c, d] = unpack(self.1.into_bytes());
        pack([self.0, a, b, c, d])
    }

    fn from_row(row: [u8; 20]) -> (u32, Uuid) {
        let [rank, a, b, c, d] = unpack(row);
        (rank, Uuid::from_bytes(pack([a, b, c, d])))
    }
}

/// A rule cited by a verdict. Cheap to copy; knows its location and text.
#[derive(Clone)]
pub struct RuleRef {
    table: Arc<RuleTable>,
    index: u32,
}

/// The wire form of a cited rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct RuleRefWire {
    effect: Effect,
    layer: LayerKind,
    source: String,
    line: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<Uuid>,
    priority: i32,
    rule: Value,
}

impl JsonSchema for RuleRef {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CitedRule".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        RuleRefWire::json_schema(generator)
    }
}

impl RuleRef {
    pub(crate) fn new(table: &Arc<RuleTable>, index: u32) -> RuleRef {
        RuleRef { table: Arc::clone(table), index }
    }

    fn cite(&self) -> Option<CitedRuleRow> {
        self.table.cites.get(self.index as usize)
    }

    fn written(&self) -> Option<&LayerSource> {
        self.table.sources.get(self.cite()?.source as usize)
    }

    /// Its effect.
    pub fn effect(&self) -> Effect {
        self.cite().map_or(Effect::Deny, |cite| cite.effect)
    }

    /// Its priority.
    pub fn priority(&self) -> i32 {
        self.cite().map_or(0, |cite| cite.priority)
    }

    /// The layer it belongs to.
    pub fn layer(&self) -> LayerKind {
        self.written().map_or(LayerKind::BuiltIn, |source| source.layer)
    }

    /// The file (or `built-in`, or `database`) that contains it.
    pub fn source(&self) -> &str {
        self.written().map_or("", |source| source.name.all())
    }

    /// The line at which it begins, from 1.
    pub fn line(&self) -> u32 {
        self.cite().map_or(0, |cite| cite.line)
    }

    /// Its id, if it has one.
    pub fn id(&self) -> Option<Uuid> {
        let ids = &self.table.ids;
        let found = ids.get(ids.partition_point(|(rank, _)| rank < self.index));
        found.filter(|(rank, _)| *rank == self.index).map(|(_, id)| id)
    }

    /// The rule as written.
    pub fn text(&self) -> &str {
        let range = self.cite().map_or((0, 0), |cite| cite.range);
        self.written().and_then(|source| source.text.get(range.0 as usize..range.1 as usize)).unwrap_or("")
    }

    /// The rule, parsed again from its text.
    pub fn rule(&self) -> Option<Rule> {
        jsonc_deserializer::read(self.source(), self.text()).ok()
    }

    /// Its rank in the order of strength.
    pub(crate) fn rank(&self) -> u32 {
        self.index
    }

    /// The rule and its location, as a phrase.
    pub fn describe(&self) -> String {
        let text = self.text().split_whitespace().collect::<Vec<_>>().join(" ");
        match self.layer() {
            LayerKind::BuiltIn => format!("the built-in rule `{text}`"),
            LayerKind::Database | LayerKind::Session => {
                let id = self.id().map(|id| format!(" {id}")).unwrap_or_default();
                format!("the {} rule{id} `{text}`", self.layer())
            }
            layer => format!("the {layer} rule `{text}` at {}:{}", self.source(), self.line()),
        }
    }

    fn cited(&self) -> RuleRefWire {
        let rule = Dialect::JSONC.value(self.text());
        RuleRefWire {
            effect: self.effect(),
            layer: self.layer(),
            source: self.source().into(),
            line: self.line(),
            id: self.id(),
            priority: self.priority(),
            rule: rule.unwrap_or_default(),
        }
    }
}

impl PartialEq for RuleRef {
    fn eq(&self, other: &RuleRef) -> bool {
        (Arc::ptr_eq(&self.table, &other.table) && self.index == other.index) || self.cited() == other.cited()
    }
}

impl fmt::Debug for RuleRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RuleRef({} {})", self.effect(), self.describe())
    }
}

impl Serialize for RuleRef {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.cited().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RuleRef {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let cited = RuleRefWire::deserialize(deserializer)?;
        let text: Arc<str> = cited.rule.to_string().into();
        let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let source = LayerSource {
            layer: cited.layer,
            name: LazyText::Own(cited.source.into()),
            text: LazyText::Own(text),
        };
        let cite = CitedRuleRow {
            source: 0,
            range: (0, end),
            line: cited.line,
            priority: cited.priority,
            effect: cited.effect,
        };
        let table = RuleTable {
            sources: vec![source],
            cites: vec![cite].into(),
            ids: cited.id.map(|id| (0, id)).into_iter().collect::<Vec<_>>().into(),
        };
        Ok(RuleRef { table: Arc::new(table), index: 0 })
    }
}
