//! Memory that large calls took goes back to the system.
//!
//! The allocator of glibc keeps what it took: it raises the size from which it maps memory of its own as soon as such memory
//! is freed, and pages that lie between pieces in use stay with the process for good. So that size is set once, and
//! whenever much was freed all free pages are given back, by a thread that nobody waits for.

use std::time::Duration;

use sekisho_server::App;

/// How long after much was freed it is given back: what is freed in between goes with it.
const SOON: Duration = Duration::from_millis(100);
/// It is given back this often in any case.
const SOMETIMES: Duration = Duration::from_secs(60);

/// Gives memory back whenever much was freed.
pub(super) async fn give_back(app: App) {
    loop {
        let _in_any_case = tokio::time::timeout(SOMETIMES, app.much_freed()).await;
        tokio::time::sleep(SOON).await;
        // Where it falls over, nothing is given back this time.
        let _given_back = tokio::task::spawn_blocking(glibc::trim).await;
    }
}

/// Sets the size from which each allocation is mapped by itself, and given back when it is freed.
pub(super) fn prepare() {
    glibc::map_large();
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "there is no safe way to tell the allocator")]
mod glibc {
    /// The size, in bytes.
    const MAPPED: libc::c_int = 128 << 10;

    pub(super) fn map_large() {
        // SAFETY: it takes two numbers, may be called at any time, and where it does not know them it does nothing.
        let _set = unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED) };
    }

    pub(super) fn trim() {
        // SAFETY: it takes a number, may be called by any thread at any time, and touches only memory that is free.
        let _given_back = unsafe { libc::malloc_trim(0) };
    }
}

/// Other allocators give back by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod glibc {
    pub(super) fn map_large() {}

    pub(super) fn trim() {}
}
