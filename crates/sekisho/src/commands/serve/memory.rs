//! Memory that large calls took goes back to the system.
//!
//! The allocator of glibc keeps what it took: it raises the size from which it maps memory of its own as soon as such memory
//! is freed, every thread takes from a heap of its own, and pages that lie between pieces in use stay with the process for
//! good. So these sizes and the number of heaps are set once, and whenever much was freed all free pages are given back, by
//! a thread that nobody waits for.

use std::time::Duration;

use sekisho_server::App;

/// How long after much was freed it is given back: what is freed in between goes with it.
const SOON: Duration = Duration::from_millis(250);
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

/// Sets from which size each allocation is mapped by itself and given back when it is freed, how much a heap keeps at its end,
/// and how many heaps there are. To be called before there are threads.
pub(super) fn prepare() {
    glibc::set_sizes();
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "there is no safe way to tell the allocator")]
mod glibc {
    /// What is set, in bytes and in heaps. With a heap for each thread a call is freed in another than it was made in, and one of
    /// 4 MB took 20 times its size at its peak; with two of them 15 times.
    const SIZES: [(libc::c_int, libc::c_int); 3] =
        [(libc::M_MMAP_THRESHOLD, 128 << 10), (libc::M_TRIM_THRESHOLD, 128 << 10), (libc::M_ARENA_MAX, 2)];

    pub(super) fn set_sizes() {
        for (name, value) in SIZES {
            // SAFETY: it takes two numbers, and where it does not know them it does nothing.
            let _set = unsafe { libc::mallopt(name, value) };
        }
    }

    pub(super) fn trim() {
        // SAFETY: it takes a number, may be called by any thread at any time, and touches only memory that is free.
        let _given_back = unsafe { libc::malloc_trim(0) };
    }
}

/// Other allocators give back by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod glibc {
    pub(super) fn set_sizes() {}

    pub(super) fn trim() {}
}
