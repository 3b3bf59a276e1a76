//! Drops every capability, for good.

use rustix::io::Errno;
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_capabilities_secure_bits, set_no_new_privs,
};

use crate::failure::Failure;

/// Drops the ambient, bounding, inheritable, permitted and effective sets, and makes sure that a program
/// started as root does not get them back.
pub(crate) fn drop_all() -> Result<(), Failure> {
    set_no_new_privs(true).map_err(Failure::of("no_new_privs"))?;
    // A process without capabilities gets EPERM here; it has nothing to drop.
    match clear_ambient_capability_set() {
        Ok(()) | Err(Errno::PERM | Errno::INVAL) => {}
        Err(error) => return Err(Failure::of("ambient capabilities")(error)),
    }
    for number in 0..u64::BITS {
        match remove_capability_from_bounding_set(CapabilitySet::from_bits_retain(1 << number)) {
            Ok(()) => {}
            // The kernel has no capability with this number, or this process has none at all.
            Err(Errno::INVAL | Errno::PERM) => break,
            Err(error) => return Err(Failure::of("capability bounding set")(error)),
        }
    }
    let root_is_nobody = CapabilitiesSecureBits::NO_ROOT
        | CapabilitiesSecureBits::NO_ROOT_LOCKED
        | CapabilitiesSecureBits::NO_SETUID_FIXUP
        | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE_LOCKED;
    match set_capabilities_secure_bits(root_is_nobody) {
        Ok(()) | Err(Errno::PERM) => {}
        Err(error) => return Err(Failure::of("secure bits")(error)),
    }
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, none).map_err(Failure::of("capabilities"))?;
    let left = capabilities(None).map_err(Failure::of("capabilities"))?;
    match (left.permitted | left.effective | left.inheritable).is_empty() {
        true => Ok(()),
        false => Err(Failure::new("some capabilities could not be dropped")),
    }
}
