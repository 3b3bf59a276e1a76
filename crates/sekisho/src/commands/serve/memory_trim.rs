//! Returns memory of large calls to the system.
//!
//! The allocator of glibc keeps memory: it raises its mmap threshold when a mapped block is freed, every
//! thread uses an arena of its own, and pages between blocks in use stay with the process. So the thresholds
//! and the number of arenas are set once at start. After a large amount was freed, a background thread
//! returns all free pages.

use std::time::Duration;

use sekisho_server::App;

/// Delay after a large amount was freed. What is freed in between is returned with it.
const SOON: Duration = Duration::from_millis(250);
/// Memory is returned at least this often.
const SOMETIMES: Duration = Duration::from_secs(60);

/// Returns memory whenever a large amount was freed.
pub(super) async fn trim_loop(app: App) {
    loop {
        let _in_any_case = tokio::time::timeout(SOMETIMES, app.memory_freed()).await;
        tokio::time::sleep(SOON).await;
        // If the task panics, nothing is returned this time.
        let _given_back = tokio::task::spawn_blocking(glibc::trim).await;
    }
}

/// Sets the mmap threshold, how much free memory an arena keeps at its top, and the number of arenas. Must be
/// called before threads start.
pub(super) fn tune_allocator() {
    glibc::set_sizes();
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "glibc's allocator has no safe interface")]
mod glibc {
    /// The settings, in bytes and in arenas. With one arena per thread, a call is freed in another arena than
    /// it was allocated in, and a call of 4 MB took 20 times its size at its peak; with two arenas, 15 times.
    const SIZES: [(libc::c_int, libc::c_int); 3] =
        [(libc::M_MMAP_THRESHOLD, 128 << 10), (libc::M_TRIM_THRESHOLD, 128 << 10), (libc::M_ARENA_MAX, 2)];

    pub(super) fn set_sizes() {
        for (name, value) in SIZES {
            // SAFETY: takes two integers, and ignores options it does not know.
            let _set = unsafe { libc::mallopt(name, value) };
        }
    }

    pub(super) fn trim() {
        // SAFETY: takes an integer, may be called by any thread at any time, and touches only free memory.
        let _given_back = unsafe { libc::malloc_trim(0) };
    }
}

/// Other allocators return memory by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod glibc {
    pub(super) fn set_sizes() {}

    pub(super) fn trim() {}
}
