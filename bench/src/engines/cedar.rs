//! cedar-policy. It has no priorities, so each rule is a `permit` and the strongest applicable one decides.

use std::fmt::Write as _;
use std::hint::black_box;
use std::ops::Range;
use std::str::FromStr;
use std::time::{Duration, Instant};

use cedar_policy::{Authorizer, Context, Entities, EntityUid, PolicySet, Request, RestrictedExpression};

use super::{Answer, Engine, Failure, Loaded, timed};
use crate::alloc_counter::bytes_held;
use crate::workload::{Call, Rule, Workload};

/// Cedar with its policies loaded and its requests built, which is not timed.
pub struct Cedar {
    authorizer: Authorizer,
    policies: PolicySet,
    entities: Entities,
    requests: Vec<Request>,
}

impl Cedar {
    /// Loads the workload's rules from Cedar's own language.
    pub fn load(workload: &Workload) -> Result<Loaded, Failure> {
        let mut text = String::new();
        workload.rules.iter().for_each(|rule| write(rule, &mut text));
        let start = Instant::now();
        let (policies, held) = bytes_held(|| PolicySet::from_str(&text).map_err(Box::new));
        let load = start.elapsed();
        let requests = workload.calls.iter().map(request).collect::<Result<_, Failure>>()?;
        let (authorizer, entities) = (Authorizer::new(), Entities::empty());
        let engine = Box::new(Cedar { authorizer, policies: policies?, entities, requests });
        Ok(Loaded { engine, load, held })
    }

    fn decide(&self, call: usize) -> Option<usize> {
        let response = self.authorizer.is_authorized(&self.requests[call], &self.policies, &self.entities);
        // Policies without a name are numbered in text order, which is the order of strength.
        let position = |id: &str| id.strip_prefix("policy").and_then(|number| number.parse().ok());
        response.diagnostics().reason().filter_map(|id| position(id.as_ref())).min()
    }
}

/// Exact names go to the head of a policy, where Cedar compares them fastest.
fn write(rule: &Rule, text: &mut String) {
    let resource = rule.tool.as_ref().map(|tool| format!(" == Tool::\"{tool}\"")).unwrap_or_default();
    let _ = write!(text, "permit(principal, action, resource{resource})");
    let pattern = rule.pattern.as_ref().map(|pattern| format!("context.tool like \"{pattern}\""));
    let server = rule.server.as_ref().map(|server| format!("context.server == \"{server}\""));
    let conditions: Vec<String> = server.into_iter().chain(pattern).collect();
    if !conditions.is_empty() {
        let _ = write!(text, " when {{ {} }}", conditions.join(" && "));
    }
    text.push_str(";\n");
}

fn request(call: &Call) -> Result<Request, Failure> {
    let text = |value: &str| RestrictedExpression::new_string(value.into());
    let server = call.server.as_deref().unwrap_or("");
    let context = Context::from_pairs([("tool".into(), text(&call.tool)), ("server".into(), text(server))])?;
    let principal = EntityUid::from_str("Agent::\"agent\"")?;
    let action = EntityUid::from_str("Action::\"call\"")?;
    let resource = EntityUid::from_str(&format!("Tool::\"{}\"", call.tool))?;
    Ok(Request::new(principal, action, resource, context, None)?)
}

impl Engine for Cedar {
    fn answer(&self, call: usize) -> Answer {
        Answer::Rule(self.decide(call))
    }

    fn pass(&self, calls: Range<usize>) -> Duration {
        timed(calls, |call| {
            black_box(self.decide(black_box(call)));
        })
    }
}
