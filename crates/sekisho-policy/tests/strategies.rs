//! Random policies and calls, from few names so that they often match.

use std::collections::BTreeSet;

use jiff::Timestamp;
use proptest::prelude::*;
use proptest::sample::select;
use sekisho_policy::{
    BuiltinLevel, Call, Descriptor, DescriptorKind, Effect, Fact, FactQuery, IdClaim, JudgeContext, Layer,
    LayerKind, LayerTrust, Layers, Policy, Rule, UncheckedDescriptor, validate,
};
use serde_json::{Value, json};

/// The time at which every call is judged.
pub(crate) fn now() -> Timestamp {
    Timestamp::UNIX_EPOCH
}

/// A layer before it is compiled.
#[derive(Clone, Debug)]
pub(crate) struct LayerSpec {
    pub(crate) kind: LayerKind,
    pub(crate) standing: LayerTrust,
    pub(crate) rules: Vec<(Effect, Rule)>,
}

/// A policy of these layers, each named by its position. The built-in list is off, but its denies remain.
pub(crate) fn compile(specs: &[LayerSpec]) -> Policy {
    let layers = specs.iter().enumerate().map(|(at, spec)| {
        let mut layer = Layer::from_rules(spec.kind, &at.to_string(), spec.rules.clone()).unwrap();
        layer.trust = spec.standing;
        layer.settings.builtin = Some(BuiltinLevel::None);
        layer
    });
    let mut layers: Vec<Layer> = layers.collect();
    let mut off = Layer::from_rules(LayerKind::Global, "off", Vec::new()).unwrap();
    off.settings.builtin = Some(BuiltinLevel::None);
    layers.push(off);
    Policy::compile(Layers::from(layers))
}

const TOOLS: &[&str] = &[
    "read",
    "Read",
    "read_file",
    "write",
    "apply_patch",
    "bash",
    "Bash",
    "web_fetch",
    "WebFetch",
    "web_search",
    "skill_load",
    "Skill",
    "todo_write",
    "TodoWrite",
    "git_ops",
    "a",
    "ab",
    "aba",
    "AB",
    "ä",
    "Äb",
    "日本",
    "\u{212a}",
    "",
];

const PATTERNS: &[&str] = &[
    "*", "**", "read*", "*READ", "*fetch", "web_*", "todo_*", "*sh", "*日*", "a*b*a", "Ä*", "k", "w*e",
    "*_*_*",
];

fn tool() -> impl Strategy<Value = String> {
    prop_oneof![3 => select(TOOLS).prop_map(String::from), 1 => "[abAä]{0,4}"]
}

fn pattern() -> impl Strategy<Value = String> {
    prop_oneof![select(PATTERNS).prop_map(String::from), "[abAä*]{1,5}"]
}

pub(crate) fn effect() -> impl Strategy<Value = Effect> {
    select(&[Effect::Allow, Effect::Confirm, Effect::Deny][..])
}

fn rule() -> impl Strategy<Value = (Effect, Rule)> {
    let rare = |values: &'static [&'static str]| {
        proptest::option::weighted(0.15, select(values).prop_map(String::from))
    };
    let names = (
        proptest::option::weighted(0.5, tool()),
        proptest::option::weighted(0.5, pattern()),
        proptest::option::weighted(0.2, select(&["s", "S", "t"][..]).prop_map(String::from)),
        rare(&["me", "you"]),
    );
    let conditions = (
        rare(&["/w", "/etc", "x", ".env", "*.txt", "/w/SUB"]),
        rare(&["a.test", "*.a.test", "b.test"]),
        rare(&["one", "two"]),
        proptest::option::weighted(0.1, -1_i64..2),
    );
    (effect(), -1..2_i32, names, conditions).prop_map(|(effect, priority, names, conditions)| {
        let (tool, tool_pattern, server, agent) = names;
        let (path, host, skill_name, expires) = conditions;
        let expires_at = expires.map(|seconds| Timestamp::new(seconds, 0).unwrap());
        let whole = Rule {
            priority,
            tool,
            tool_pattern,
            server,
            agent,
            path,
            host,
            skill_name,
            expires_at,
            ..Rule::default()
        };
        // Most random conditions do not fit their tool; such a rule is kept without them.
        let bare = Rule { path: None, host: None, skill_name: None, ..whole.clone() };
        let nothing = Rule { tool: None, ..bare.clone() };
        let sound = [whole, bare, nothing].into_iter().find(|rule| validate::rule(effect, rule).is_ok());
        (effect, sound.unwrap_or_default())
    })
}

pub(crate) fn spec() -> impl Strategy<Value = LayerSpec> {
    let kinds = [
        (LayerKind::Managed, LayerTrust::Full),
        (LayerKind::Global, LayerTrust::Full),
        (LayerKind::Project, LayerTrust::Untrusted),
        (LayerKind::Project, LayerTrust::OutsideRoot),
        (LayerKind::Project, LayerTrust::Full),
        (LayerKind::Database, LayerTrust::Full),
        (LayerKind::Session, LayerTrust::Full),
    ];
    (select(kinds.to_vec()), proptest::collection::vec(rule(), 0..5))
        .prop_map(|((kind, standing), rules)| LayerSpec { kind, standing, rules })
}

pub(crate) fn specs() -> impl Strategy<Value = Vec<LayerSpec>> {
    proptest::collection::vec(spec(), 0..5)
}

fn input() -> impl Strategy<Value = Value> {
    let path = [
        "/w/x",
        "/w/sub/x",
        "/etc/x",
        "x",
        "sub/k.TXT",
        "/w/.env",
        "/w/link/x",
        "/w/lost",
        "/home/u/.local/state/sekisho/x",
    ];
    let url =
        ["https://a.test/", "https://x.a.test:1/", "http://B.test", "a.test/x", "https://c.test/", "::"];
    prop_oneof![
        3 => select(path.to_vec()).prop_map(|path| json!({ "path": path })),
        2 => select(url.to_vec()).prop_map(|url| json!({ "url": url })),
        1 => select(vec!["one", "two", "three"]).prop_map(|name| json!({ "name": name })),
        1 => Just(json!({ "path": 1, "url": 1, "name": 1 })),
        1 => Just(Value::Null),
    ]
}

fn named(names: &'static [&'static str]) -> impl Strategy<Value = Option<IdClaim>> {
    let one = (select(names), any::<bool>()).prop_map(|(id, proven)| IdClaim { id: id.into(), proven });
    proptest::option::weighted(0.4, one)
}

pub(crate) fn call() -> impl Strategy<Value = Call> {
    let cwd = proptest::option::weighted(0.9, select(vec!["/w", "/etc"]));
    (tool(), input(), named(&["s", "S", "t"]), named(&["me", "you"]), cwd).prop_map(
        |(tool, input, server, agent, cwd)| Call {
            server,
            agent,
            cwd: cwd.map(Into::into),
            ..Call::new(tool, input)
        },
    )
}

/// A random descriptor; most inputs of [`described_call`] have its fields.
fn descriptor() -> impl Strategy<Value = Descriptor> {
    let field = select(vec!["path", "url", "command", "/list/*", "/list", "/deep/path", "name", "missing"]);
    let fields = || proptest::collection::btree_set(field.clone(), 0..3);
    let kinds = vec![
        DescriptorKind::Shell,
        DescriptorKind::ReadFiles,
        DescriptorKind::SearchFiles,
        DescriptorKind::WriteFiles,
        DescriptorKind::Web,
        DescriptorKind::Skill,
        DescriptorKind::SubAgents,
        DescriptorKind::Composite,
        DescriptorKind::Unknown,
    ];
    let lists = (fields(), fields(), fields(), fields(), fields());
    (select(kinds), lists, any::<bool>()).prop_map(|(kind, lists, read_only)| {
        let texts = |fields: BTreeSet<&str>, own: DescriptorKind| match kind {
            DescriptorKind::Composite => fields.into_iter().map(String::from).collect(),
            _ if kind == own && fields.is_empty() => vec!["path".into()],
            _ if kind == own => fields.into_iter().map(String::from).collect(),
            _ => Vec::new(),
        };
        let (commands, reads, searches, writes, addresses) = lists;
        let writes = texts(writes, DescriptorKind::WriteFiles);
        let written = UncheckedDescriptor {
            kind,
            commands: texts(commands, DescriptorKind::Shell),
            reads: texts(reads, DescriptorKind::ReadFiles),
            searches: texts(searches, DescriptorKind::SearchFiles),
            read_only: read_only && writes.is_empty(),
            writes,
            addresses: texts(addresses, DescriptorKind::Web),
        };
        let bare = UncheckedDescriptor { kind: DescriptorKind::Unknown, ..UncheckedDescriptor::default() };
        Descriptor::try_from(written).unwrap_or_else(|_| Descriptor::try_from(bare).unwrap())
    })
}

/// A call with more fields, and a descriptor of its tool.
pub(crate) fn described_call() -> impl Strategy<Value = (Call, Descriptor)> {
    let command = select(vec!["ls", "cat x", "rm -rf /", "git push", "cat .env", "curl a.test", "$x", ""]);
    let list = select(vec![json!(["x", "/etc/x"]), json!(["https://b.test", "ls"]), json!([]), json!([1])]);
    let deep = select(vec![json!({ "path": "/w/.env" }), json!({ "path": "x" }), json!(null)]);
    (call(), descriptor(), command, list, deep, any::<bool>()).prop_map(
        |(mut call, descriptor, command, list, deep, more)| {
            if let (Some(fields), true) = (call.input.as_object_mut(), more) {
                fields.insert("command".into(), command.into());
                fields.insert("list".into(), list);
                fields.insert("deep".into(), deep);
            }
            (call, descriptor)
        },
    )
}

/// The context of all cases: `/w/link` leads to `/etc`, and the target of `/w/lost` was not looked up.
pub(crate) fn context(policy: &Policy, call: &Call, can_confirm: bool) -> JudgeContext {
    let mut context = JudgeContext::at(now());
    (context.root, context.home, context.can_confirm) =
        (Some("/w".into()), Some("/home/u".into()), can_confirm);
    for query in sekisho_policy::required_facts(policy, call) {
        let FactQuery::Resolve(path) = &query else { continue };
        if path != "/w/lost" {
            let fact = Fact::Resolved(path.replace("/w/link", "/etc"));
            context.facts.insert(query, fact);
        }
    }
    context
}

/// The number of cases: `usual`, or that many for every 6 000 of `SEKISHO_PROOF_CASES`.
#[expect(clippy::disallowed_methods, reason = "the environment sets the number of cases")]
pub(crate) fn cases(usual: u32) -> ProptestConfig {
    let asked = std::env::var("SEKISHO_PROOF_CASES").ok().map(|text| text.parse::<u64>().unwrap());
    let cases = asked.map_or(usual, |asked| u32::try_from(u64::from(usual) * asked / 6_000).unwrap().max(1));
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}
