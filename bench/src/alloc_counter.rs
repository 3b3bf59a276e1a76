//! Counts allocations.
//!
//! The counters are plain loads and stores, not atomic additions: engines that allocate a lot must not pay
//! for the measurement. So only one thread may allocate while something is counted, unless
//! [`count_every_thread`] was called before.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

static LIVE: AtomicUsize = AtomicUsize::new(0);
static MADE: AtomicUsize = AtomicUsize::new(0);
static THREADS: AtomicBool = AtomicBool::new(false);

struct Counting;

fn add(counter: &AtomicUsize, by: usize) {
    if THREADS.load(Relaxed) {
        counter.fetch_add(by, Relaxed);
    } else {
        counter.store(counter.load(Relaxed).wrapping_add(by), Relaxed);
    }
}

// SAFETY: every call is passed on unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(&MADE, 1);
        add(&LIVE, layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        add(&LIVE, layout.size().wrapping_neg());
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add(&MADE, 1);
        add(&LIVE, size.wrapping_sub(layout.size()));
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Lets several threads allocate from now on, at the price of atomic additions. Call it before there is a
/// second thread.
pub fn count_every_thread() {
    THREADS.store(true, Relaxed);
}

/// Bytes allocated at this moment.
pub fn live() -> usize {
    LIVE.load(Relaxed)
}

/// Allocations made while `work` ran.
pub fn allocations(work: impl FnOnce()) -> usize {
    let before = MADE.load(Relaxed);
    work();
    MADE.load(Relaxed) - before
}

/// The result of `make`, and the bytes it still holds once all temporary values are gone.
pub fn bytes_held<T>(make: impl FnOnce() -> T) -> (T, usize) {
    let before = live();
    let made = make();
    let after = live();
    (made, after.saturating_sub(before))
}
