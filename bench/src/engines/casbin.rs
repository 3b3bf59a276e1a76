//! casbin, with our own wildcard function: its regular expressions are recompiled for every comparison.

use std::hint::black_box;
use std::ops::Range;
use std::time::{Duration, Instant};

use casbin::function_map::OperatorFunction;
use casbin::rhai::Dynamic;
use casbin::{CoreApi, DefaultModel, Enforcer, MemoryAdapter, MgmtApi};
use sekisho_policy::Effect;

use super::{Answer, Engine, Failure, Loaded, timed};
use crate::alloc_counter::bytes_held;
use crate::workload::{Call, Rule, Workload, wildcard};

/// The first matching rule decides; rules come in order of strength.
const MODEL: &str = "
[request_definition]
r = server, tool
[policy_definition]
p = server, tool, eft
[policy_effect]
e = priority(p.eft) || deny
[matchers]
m = (p.server == \"\" || r.server == p.server) && wild(r.tool, p.tool)
";

/// casbin with its policies loaded.
pub struct Casbin {
    enforcer: Enforcer,
    calls: Vec<Call>,
}

impl Casbin {
    /// Loads the workload's rules as casbin's policies.
    pub fn load(workload: &Workload) -> Result<Loaded, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        let start = Instant::now();
        let (enforcer, held) = bytes_held(|| {
            runtime.block_on(async {
                let model = DefaultModel::from_str(MODEL).await?;
                let mut enforcer = Enforcer::new(model, MemoryAdapter::default()).await?;
                enforcer.enable_auto_save(false);
                enforcer.add_function("wild", OperatorFunction::Arg2(wild));
                enforcer.add_policies(workload.rules.iter().map(line).collect()).await?;
                Ok::<_, casbin::Error>(enforcer)
            })
        });
        let load = start.elapsed();
        Ok(Loaded {
            engine: Box::new(Casbin { enforcer: enforcer?, calls: workload.calls.clone() }),
            load,
            held,
        })
    }

    fn decide(&self, call: usize) -> bool {
        let call = &self.calls[call];
        let server = call.server.as_deref().unwrap_or("none");
        self.enforcer.enforce((server, call.tool.as_str())).unwrap_or(false)
    }
}

/// casbin has two effects; confirm counts as not allowed.
fn line(rule: &Rule) -> Vec<String> {
    let effect = if rule.effect == Effect::Allow { "allow" } else { "deny" };
    let name = rule.tool.clone().or_else(|| rule.pattern.clone()).unwrap_or_default();
    vec![rule.server.clone().unwrap_or_default(), name, effect.into()]
}

fn wild(name: Dynamic, pattern: Dynamic) -> Dynamic {
    let (Ok(name), Ok(pattern)) = (name.into_immutable_string(), pattern.into_immutable_string()) else {
        return false.into();
    };
    wildcard(&pattern, &name).into()
}

impl Engine for Casbin {
    fn answer(&self, call: usize) -> Answer {
        Answer::Allowed(self.decide(call))
    }

    fn pass(&self, calls: Range<usize>) -> Duration {
        timed(calls, |call| {
            black_box(self.decide(black_box(call)));
        })
    }
}
