//! Sources where one of several matching rules decides: by priority, or the last one.
//!
//! Our rules are decided by priority too, but a deny wins at any priority. So a deny with a stronger
//! exception becomes a question. No priority exceeds 0: an import never outranks rules people wrote here.

use sekisho_policy::{Effect, Rule};

use super::Exactness;
use super::conversion::{Conversion, join_reasons};

/// Assigns priorities to the conversions of a source, strongest first, so that their order is kept. The first
/// `guards` of them are above all others and have no exceptions.
///
/// At equal priority a question beats an allow, so a question only has to go below an allow that is stronger.
pub(super) fn rank(conversions: &mut [Conversion], guards: usize) {
    let mut priority = 0;
    let mut allowed = false;
    for at in 0..conversions.len() {
        let (stronger, rest) = conversions.split_at_mut(at);
        let Some(converted) = rest.first_mut() else { continue };
        let Some((effect, _)) = converted.rules.first() else { continue };
        let allows = *effect == Effect::Allow;
        if allowed && !allows {
            priority -= 1;
        }
        allowed = allows;
        let meets = |wanted: Effect| {
            let stronger = stronger.iter().skip(guards).flat_map(|converted| &converted.rules);
            let mut stronger = stronger.filter(|(effect, _)| *effect == wanted);
            stronger.any(|(_, rule)| converted.rules.iter().any(|(_, other)| may_meet(rule, other)))
        };
        let (excepted, asked) = (meets(Effect::Allow), meets(Effect::Confirm));
        let denies = converted.rules.iter().any(|(effect, _)| *effect == Effect::Deny);
        for (effect, rule) in &mut converted.rules {
            rule.priority = priority;
            if *effect == Effect::Deny && excepted {
                *effect = Effect::Confirm;
            }
        }
        if denies && excepted {
            converted.how = Exactness::Confirm;
            let why = "a stronger entry makes an exception to it, and denies here have no exceptions; so it needs confirmation";
            converted.why = join_reasons(&converted.why, why);
        } else if denies && asked {
            converted.how = converted.how.max(Exactness::Wider);
            converted.why = join_reasons(&converted.why, "a deny here wins over a confirm of any priority");
        }
    }
}

/// Whether one call could match both, judging by names.
fn may_meet(a: &Rule, b: &Rule) -> bool {
    let named = |rule: &Rule| rule.tool_pattern.is_none() && rule.tool.is_some();
    let tools = !named(a) || !named(b) || a.tool == b.tool;
    let servers = a.server.is_none() || b.server.is_none() || a.server == b.server;
    tools && servers
}
