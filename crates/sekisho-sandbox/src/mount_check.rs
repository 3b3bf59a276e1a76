//! Makes sure, inside the namespaces, that only what was asked for is mounted writable.
//!
//! bubblewrap gets paths. Another program may exchange a directory for a link while bubblewrap resolves them, and back
//! afterwards, so that some other directory becomes writable. Landlock keeps its contents closed, but not modes, times
//! and extended attributes. So the result is checked: the mounts that exist now cannot be changed from outside, and no
//! others appear later.

use std::fs;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, StatxFlags, statx};

use crate::failure::Failure;
use crate::mount_table::Mount;
use crate::plan::{HelperPlan, Isolation};
use crate::planned_dir::find_without_links;

/// Refuses a mount through which something other than the writable directories can be changed, and one below which
/// mounts appear later.
pub(crate) fn check(plan: &HelperPlan) -> Result<(), Failure> {
    let text = fs::read("/proc/self/mountinfo").map_err(Failure::of("list of mounts"))?;
    let mounts = Mount::parse(&text);
    let mut wanted = Vec::new();
    for dir in plan.outermost_writable().into_iter().chain(plan.writable_in_read_only()) {
        let opened = dir.open()?;
        let id = mount_of(&opened, c"", AtFlags::EMPTY_PATH).ok_or_else(|| exchanged(&dir.path))?;
        // Otherwise a directory above it is writable too.
        if !mounts.iter().any(|mount| mount.id == id && mount.point == dir.path) {
            return Err(exchanged(&dir.path));
        }
        wanted.push(id);
    }
    for path in plan.read_only.iter().chain(&plan.pinned) {
        check_kept(path, plan.read_only.contains(path), &mounts)?;
    }
    if let Some(mount) = mounts.iter().find(|mount| mount.propagates) {
        let path = mount.point.display();
        return Err(Failure::new(format!("mounts made later outside would appear below `{path}`")));
    }
    // bubblewrap makes new ones, with nothing of the machine in them but devices, which are read-only.
    let is_fresh = |mount: &Mount| {
        matches!(plan.isolation, Isolation::Bubblewrap(_))
            && (mount.point == Path::new("/dev")
                || mount.point == Path::new("/dev/pts")
                || mount.point.starts_with("/proc"))
    };
    let mut others = mounts.iter().filter(|mount| !mount.is_read_only && !is_fresh(mount));
    match others.find(|mount| !is_below(mount, &wanted, &mounts) && is_reachable(mount)) {
        Some(mount) => Err(exchanged(&mount.point)),
        None => Ok(()),
    }
}

/// Makes sure that a file is a mount of its own.
fn check_kept(path: &Path, is_read_only: bool, mounts: &[Mount]) -> Result<(), Failure> {
    let opened = find_without_links(path).map_err(|_| exchanged(path))?;
    let id = mount_of(&opened, c"", AtFlags::EMPTY_PATH).ok_or_else(|| exchanged(path))?;
    let is_kept =
        |mount: &Mount| mount.id == id && mount.point == path && (mount.is_read_only || !is_read_only);
    if mounts.iter().any(is_kept) { Ok(()) } else { Err(exchanged(path)) }
}

fn exchanged(path: &Path) -> Failure {
    let path = path.display();
    Failure::new(format!("the mounts are not as planned at `{path}`: a directory was exchanged meanwhile"))
}

/// Whether it is one of these mounts, or mounted on one of them.
fn is_below(mount: &Mount, wanted: &[u64], mounts: &[Mount]) -> bool {
    let mut at = Some(mount);
    // No mount is further from a wanted one than there are mounts.
    for _ in 0..=mounts.len() {
        match at {
            Some(found) if wanted.contains(&found.id) => return true,
            Some(found) => at = mounts.iter().find(|mount| mount.id == found.parent && mount.id != found.id),
            None => return false,
        }
    }
    false
}

/// Whether its path leads to it. One that another mount covers, or that this user may not enter, is of no use.
fn is_reachable(mount: &Mount) -> bool {
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
    mount_of(CWD, mount.point.as_path(), flags) == Some(mount.id)
}

fn mount_of(dir: impl rustix::fd::AsFd, path: impl rustix::path::Arg, flags: AtFlags) -> Option<u64> {
    let found = statx(dir, path, flags, StatxFlags::MNT_ID).ok()?;
    (found.stx_mask & StatxFlags::MNT_ID.bits() != 0).then_some(found.stx_mnt_id)
}
