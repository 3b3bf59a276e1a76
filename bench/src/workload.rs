//! Rules and calls, the same for every engine and the same on every run.
//!
//! 60 % of the rules name a tool, 40 % are wildcards (half of them prefixes, the rest suffixes, contains and middles);
//! half are bound to one of 20 servers. A bit over half of the calls are made from a rule, so that 50–65 % hit one.

use std::cmp::Reverse;
use std::fmt::Write as _;

use sekisho_policy::Effect;
use serde::Serialize;

/// How many calls a workload has.
pub const CALLS: usize = 1_000;

/// One rule, as every engine here can express it. Names are lower case: not every engine folds case.
#[derive(Clone, Debug, Serialize)]
pub struct Rule {
    /// Its effect.
    pub effect: Effect,
    /// Higher wins.
    pub priority: i32,
    /// The server it is bound to.
    pub server: Option<String>,
    /// The exact tool name; or else
    pub tool: Option<String>,
    /// a pattern.
    pub pattern: Option<String>,
}

/// One call.
#[derive(Clone, Debug, Serialize)]
pub struct Call {
    /// The tool's name.
    pub tool: String,
    /// The server it belongs to.
    pub server: Option<String>,
}

/// A set of rules, strongest first, and calls to judge by them.
#[derive(Debug, Serialize)]
pub struct Workload {
    /// The rules in order of strength: the first that matches decides.
    pub rules: Vec<Rule>,
    /// The calls.
    pub calls: Vec<Call>,
}

impl Workload {
    /// The workload with `size` rules.
    pub fn new(size: usize) -> Workload {
        let mut rng = SeededRng(size as u64);
        let mut rules: Vec<Rule> = (0..size).map(|index| rule(&mut rng, index, size)).collect();
        let calls = (0..CALLS).map(|_| call(&mut rng, &rules)).collect();
        rules.sort_by_key(|rule| {
            let deny = rule.effect == Effect::Deny;
            (!deny, if deny { 0 } else { -rule.priority }, Reverse(rule.effect))
        });
        Workload { rules, calls }
    }

    /// The rules as a sekisho config, one on each line; [`Workload::lines`] tells which.
    pub fn config(&self) -> String {
        let mut text = String::from("{ \"version\": 1, \"permissions\": {\n");
        for (at, effect) in LISTS.into_iter().enumerate() {
            let _ = writeln!(text, "  \"{effect}\": [");
            let mut rules = self.rules.iter().filter(|rule| rule.effect == effect).peekable();
            while let Some(rule) = rules.next() {
                let comma = if rules.peek().is_some() { "," } else { "" };
                let _ = writeln!(text, "    {}{comma}", rule.json());
            }
            let _ = writeln!(text, "  ]{}", if at + 1 < LISTS.len() { "," } else { "" });
        }
        text.push_str("} }\n");
        text
    }

    /// The line of each rule in the config, by position.
    pub fn lines(&self) -> Vec<u32> {
        let mut lines = vec![0; self.rules.len()];
        let mut line = 1;
        for effect in LISTS {
            line += 1;
            for (rule, slot) in self.rules.iter().zip(&mut lines) {
                if rule.effect == effect {
                    line += 1;
                    *slot = line;
                }
            }
            line += 1;
        }
        lines
    }
}

const LISTS: [Effect; 3] = [Effect::Allow, Effect::Confirm, Effect::Deny];

impl Rule {
    fn json(&self) -> String {
        let mut fields = Vec::new();
        let mut field = |name: &str, value: &Option<String>| {
            fields.extend(value.as_ref().map(|value| format!("\"{name}\": \"{value}\"")));
        };
        field("tool", &self.tool);
        field("tool_pattern", &self.pattern);
        field("server", &self.server);
        if self.priority != 0 {
            fields.push(format!("\"priority\": {}", self.priority));
        }
        format!("{{ {} }}", fields.join(", "))
    }

    /// Whether the rule matches, by the simplest implementation: the reference for every engine.
    pub fn matches(&self, call: &Call) -> bool {
        let server = self.server.is_none() || self.server == call.server;
        let exact = self.tool.as_deref() == Some(call.tool.as_str());
        server && (exact || self.pattern.as_deref().is_some_and(|pattern| wildcard(pattern, &call.tool)))
    }
}

/// `*` is any text, everything else is literal, over the whole name.
pub fn wildcard(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    let Some(mut rest) = rest.strip_suffix(last) else { return false };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    true
}

const VERBS: [&str; 16] = [
    "get", "list", "create", "update", "delete", "search", "send", "fetch", "merge", "close", "assign",
    "export", "import", "run", "query", "sync",
];
const NOUNS: [&str; 24] = [
    "issue",
    "pull_request",
    "message",
    "channel",
    "user",
    "repository",
    "invoice",
    "customer",
    "ticket",
    "page",
    "document",
    "calendar_event",
    "deployment",
    "branch",
    "table",
    "record",
    "payment",
    "webhook",
    "report",
    "job",
    "secret",
    "cluster",
    "alert",
    "label",
];

fn rule(rng: &mut SeededRng, index: usize, size: usize) -> Rule {
    let (verb, noun) = (rng.pick(&VERBS), rng.pick(&NOUNS));
    // The number keeps a literal about as selective in a large set as in a small one.
    let number = rng.below(size.max(40));
    let (mut tool, mut pattern) = (None, None);
    match index % 10 {
        0..6 => tool = Some(format!("{verb}_{noun}_{number}")),
        6 | 7 => pattern = Some(format!("{verb}_{noun}_{number}*")),
        8 if index % 20 < 10 => pattern = Some(format!("*_{noun}_{number}")),
        8 => pattern = Some(format!("*{noun}_{number}*")),
        _ => pattern = Some(format!("{verb}_*_{noun}_{number}")),
    }
    let effect = match rng.below(20) {
        0..12 => Effect::Allow,
        12..17 => Effect::Confirm,
        _ => Effect::Deny,
    };
    let priority = i32::try_from(rng.below(100)).unwrap_or(0);
    let server = (rng.below(2) == 0).then(|| server(rng));
    Rule { effect, priority, server, tool, pattern }
}

fn call(rng: &mut SeededRng, rules: &[Rule]) -> Call {
    let (verb, noun) = (rng.pick(&VERBS), rng.pick(&NOUNS));
    let fresh = format!("{verb}_{noun}_{}", rng.below(rules.len().max(40)));
    let own = (rng.below(2) == 0).then(|| server(rng));
    let model = &rules[rng.below(rules.len())];
    if rng.below(100) < 55 {
        let filler = rng.pick(&NOUNS);
        let tool = match (&model.tool, &model.pattern) {
            (Some(tool), _) => tool.clone(),
            (None, Some(pattern)) => pattern.replace('*', filler),
            (None, None) => fresh,
        };
        Call { tool, server: model.server.clone().or(own) }
    } else {
        Call { tool: fresh, server: own }
    }
}

fn server(rng: &mut SeededRng) -> String {
    format!("server-{}", rng.below(20))
}

/// The splitmix64 generator, which gives the same numbers everywhere.
pub struct SeededRng(pub u64);

impl SeededRng {
    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit.max(1) as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}
