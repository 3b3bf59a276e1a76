//! Landlock: writes only in the writable directories, no TCP, nothing to processes outside.

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
};
use sekisho_tools::sandbox::{HelperPlan, PROXY_PORT};

use crate::failure::Failure;

/// The version whose limits are required: Linux 6.12.
const VERSION: ABI = ABI::V6;

/// Devices that are written without effect.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Applies the rules to this process.
pub(crate) fn apply(plan: &HelperPlan) -> Result<(), Failure> {
    let level = if plan.degraded { CompatLevel::BestEffort } else { CompatLevel::HardRequirement };
    let mut rules = Ruleset::default()
        .set_compatibility(level)
        .handle_access(AccessFs::from_write(VERSION))
        .and_then(|rules| rules.handle_access(AccessNet::from_all(VERSION)))
        .and_then(|rules| rules.scope(Scope::from_all(VERSION)))
        .and_then(Ruleset::create)
        .map_err(|error| {
            Failure::new(format!("this kernel has no Landlock of Linux 6.12 or newer: {error}"))
        })?;
    // Devices would be made by programs with capabilities only, and ioctls are for terminals.
    let inside =
        AccessFs::from_write(VERSION) & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev);
    for dir in &plan.writable {
        let opened = PathFd::new(dir).map_err(Failure::of("writable directory"))?;
        rules =
            rules.add_rule(PathBeneath::new(opened, inside)).map_err(Failure::of("writable directory"))?;
    }
    let device: BitFlags<AccessFs> = AccessFs::WriteFile | AccessFs::Truncate;
    for path in DEVICES {
        // A device that does not exist needs no rule.
        if let Ok(opened) = PathFd::new(path) {
            rules = rules.add_rule(PathBeneath::new(opened, device)).map_err(Failure::of("device"))?;
        }
    }
    if plan.proxy {
        let proxy = NetPort::new(PROXY_PORT, AccessNet::ConnectTcp);
        rules = rules.add_rule(proxy).map_err(Failure::of("proxy port"))?;
    }
    let status = rules.restrict_self().map_err(Failure::of("landlock"))?;
    match status.ruleset {
        RulesetStatus::FullyEnforced => Ok(()),
        _ if plan.degraded => Ok(()),
        _ => Err(Failure::new("landlock is not fully enforced")),
    }
}
