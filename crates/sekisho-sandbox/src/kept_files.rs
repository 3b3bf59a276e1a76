//! Files below a writable directory that stay read-only, or stay where they are.
//!
//! Each becomes a mount of its own. A mount point can be neither renamed nor removed, so nothing else can take its
//! place.

use std::os::fd::OwnedFd;
use std::path::Path;

use crate::failure::Failure;
use crate::mount_copies;
use crate::plan::HelperPlan;
use crate::planned_dir::find_without_links;
use crate::raw_calls;

/// Mounts them. Call it when the writable directories are mounted.
pub(crate) fn mount(plan: &HelperPlan) -> Result<(), Failure> {
    for path in &plan.pinned {
        let (place, copy) = copy_of(path)?;
        mount_copies::put(&copy, &place).map_err(Failure::of("mount of a repository"))?;
    }
    // Copied before the directories around them become read-only.
    let writable = plan.writable_in_read_only();
    let writable = writable.iter().map(|dir| {
        let copy = mount_copies::copy(&dir.open()?).map_err(Failure::of("copy of a mount"))?;
        Ok((*dir, copy))
    });
    let writable = writable.collect::<Result<Vec<_>, Failure>>()?;
    for path in &plan.read_only {
        let (place, copy) = copy_of(path)?;
        raw_calls::make_read_only(&copy, c"").map_err(Failure::of("read-only file"))?;
        mount_copies::put(&copy, &place).map_err(Failure::of("mount of a read-only file"))?;
    }
    for (dir, copy) in writable {
        mount_copies::put(&copy, &dir.open()?).map_err(Failure::of("mount of a writable directory"))?;
    }
    Ok(())
}

/// The file or directory, and a copy of its mount.
fn copy_of(path: &Path) -> Result<(OwnedFd, OwnedFd), Failure> {
    let place = find_without_links(path).map_err(Failure::of("read-only file"))?;
    let copy = mount_copies::copy(&place).map_err(Failure::of("copy of a mount"))?;
    Ok((place, copy))
}
