//! Sources where one rule of several that match decides: by priority, or by being the last.
//!
//! Ours is decided by priority as well, but a deny wins at any, so a deny that something stronger makes exceptions from
//! becomes a question. Nothing gets a priority over 0: what people wrote here before is never outranked by an import.

use sekisho_policy::{Effect, Rule};

use super::How;
use super::fate::{Fate, also};

/// Gives the fates of a source, strongest first, priorities that keep their order.
pub(super) fn rank(fates: &mut [Fate]) {
    let mut priority = 0;
    let mut kind: Option<bool> = None;
    for at in 0..fates.len() {
        let (stronger, rest) = fates.split_at_mut(at);
        let Some(fate) = rest.first_mut() else { continue };
        let Some((effect, _)) = fate.rules.first() else { continue };
        let allows = *effect == Effect::Allow;
        if kind.is_some_and(|before| before != allows) {
            priority -= 1;
        }
        kind = Some(allows);
        let excepted = stronger.iter().flat_map(|fate| &fate.rules).any(|(effect, rule)| {
            *effect != Effect::Deny && fate.rules.iter().any(|(_, other)| may_meet(rule, other))
        });
        for (effect, rule) in &mut fate.rules {
            rule.priority = priority;
            if *effect == Effect::Deny && excepted {
                *effect = Effect::Confirm;
                fate.how = How::Asked;
                fate.why = also(
                    &fate.why,
                    "a stronger entry makes an exception from it, and a deny here has none; so it is asked about",
                );
            }
        }
    }
}

/// Whether one call could match both, as far as names tell.
fn may_meet(a: &Rule, b: &Rule) -> bool {
    let named = |rule: &Rule| rule.tool_pattern.is_none() && rule.tool.is_some();
    let tools = !named(a) || !named(b) || a.tool == b.tool;
    let servers = a.server.is_none() || b.server.is_none() || a.server == b.server;
    tools && servers
}
