//! Landlock: writes only in the writable directories, no reads of hidden paths and of devices, no TCP, nothing
//! to processes outside.

use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, PathBeneath, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};
use rustix::fs::{Mode, OFlags, open};

use crate::failure::Failure;
use crate::plan::{HelperPlan, PROXY_PORT};
use crate::planned_dir::find_below;
use crate::readable_paths;

/// The version whose limits are required: Linux 6.12.
const VERSION: ABI = ABI::V6;

/// Devices that are written without effect.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// What else of `/dev` can be read. Not disks, which hold every file, and not other terminals.
const READABLE_DEVICES: &[&str] = &["/dev/tty", "/dev/shm"];

/// Applies the rules to this process.
pub(crate) fn apply(plan: &HelperPlan) -> Result<(), Failure> {
    let level = if plan.degraded { CompatLevel::BestEffort } else { CompatLevel::HardRequirement };
    let mut rules = Ruleset::default()
        .set_compatibility(level)
        .handle_access(AccessFs::from_write(VERSION) | AccessFs::ReadFile)
        .and_then(|rules| rules.handle_access(AccessNet::from_all(VERSION)))
        .and_then(|rules| rules.scope(Scope::from_all(VERSION)))
        .and_then(Ruleset::create)
        .map_err(|error| {
            Failure::new(format!("this kernel has no Landlock of Linux 6.12 or newer: {error}"))
        })?;
    // Devices would be made by programs with capabilities only, and ioctls are for terminals.
    let inside = (AccessFs::from_write(VERSION) | AccessFs::ReadFile)
        & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev);
    for dir in &plan.writable {
        // Inside the namespaces, so that whatever was mounted is checked too.
        let opened = dir.open()?;
        rules =
            rules.add_rule(PathBeneath::new(opened, inside)).map_err(Failure::of("writable directory"))?;
    }
    let device = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate;
    for path in DEVICES {
        allow(&mut rules, Path::new(path), device);
    }
    for path in READABLE_DEVICES {
        allow(&mut rules, Path::new(path), AccessFs::ReadFile);
    }
    let hidden: Vec<&Path> =
        plan.hidden.iter().map(|path| path.as_path()).chain([Path::new("/dev")]).collect();
    for dir in plan.readable.iter().filter(|dir| dir.id.is_some()) {
        dir.open()?;
    }
    for path in readable_paths::within(&plan.readable, readable_paths::list(&hidden)) {
        match path.dir {
            // In the directory that is meant, whatever its path leads to now.
            Some(dir) if dir.id.is_some() => {
                let below = path.path.strip_prefix(&dir.path).unwrap_or(Path::new(""));
                if let Ok(opened) = find_below(&dir.open()?, below) {
                    let _ = (&mut rules).add_rule(PathBeneath::new(opened, AccessFs::ReadFile));
                }
            }
            _ => allow(&mut rules, &path.path, AccessFs::ReadFile),
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

/// Allows access to a path itself, not to where a link leads. What cannot be opened stays closed.
fn allow(rules: &mut RulesetCreated, path: &Path, access: impl Into<BitFlags<AccessFs>>) {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    if let Ok(opened) = open(path, flags, Mode::empty()) {
        let _ = rules.add_rule(PathBeneath::new(opened, access));
    }
}
