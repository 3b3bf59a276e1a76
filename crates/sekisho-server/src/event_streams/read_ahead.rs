//! What a stream has read from the store and its client has not read yet, charged to the memory budget.
//!
//! How large a page is is known once it was read. So few pages are read at a time, and one for which there is no
//! memory is dropped again; the stream then reads nothing until there is memory for as much.

use std::io;
use std::time::Duration;

use serde::Serialize;

use crate::memory_budget::BudgetReservation;

/// How long to wait before asking for memory again.
pub(super) const RETRY_DELAY: Duration = Duration::from_millis(500);

/// Pages up to this many bytes are not charged.
const FREE: usize = 64 << 10;
/// A page is held as it was read, as events and as the text of the events.
const COPIES: usize = 3;

/// The memory of the page that a stream sends.
pub(super) struct ReadAhead {
    reservation: BudgetReservation,
    /// How many bytes the next page needs, if it was read and dropped.
    needed: usize,
}

impl ReadAhead {
    /// Charges to an empty reservation.
    pub(super) fn new(reservation: BudgetReservation) -> ReadAhead {
        ReadAhead { reservation, needed: 0 }
    }

    /// Whether the next page may be read. Nothing is held of the one before.
    pub(super) fn may_read(&mut self) -> bool {
        self.reservation.shrink_to(0);
        self.reservation.try_grow(self.needed)
    }

    /// Charges the page that was read. `false` if there is no memory for it: it must be dropped.
    pub(super) fn keeps<T: Serialize>(&mut self, page: impl Iterator<Item = T>) -> bool {
        let bytes = page.fold(0_usize, |sum, chunk| sum.saturating_add(json_size(&chunk)));
        let charged = if bytes > FREE { bytes.saturating_mul(COPIES) } else { 0 };
        // More than a credential can ever have would be waited for without an end.
        let charged = charged.min(self.reservation.largest());
        if self.reservation.try_grow(charged.saturating_sub(self.needed)) {
            self.reservation.shrink_to(charged);
            self.needed = 0;
            return true;
        }
        self.reservation.shrink_to(0);
        self.needed = charged;
        false
    }

    /// The page was sent.
    pub(super) fn release(&mut self) {
        self.reservation.shrink_to(0);
    }
}

/// The bytes of a value as JSON.
fn json_size(value: &impl Serialize) -> usize {
    let mut count = ByteCount(0);
    match serde_json::to_writer(&mut count, value) {
        Ok(()) => count.0,
        Err(_) => usize::MAX,
    }
}

struct ByteCount(usize);

impl io::Write for ByteCount {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.saturating_add(bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{COPIES, FREE, ReadAhead, json_size};
    use crate::memory_budget::MemoryBudget;

    /// A page of one text with this many bytes as JSON.
    fn page(bytes: usize) -> impl Iterator<Item = String> {
        std::iter::once("x".repeat(bytes - 2))
    }

    #[test]
    fn size_is_that_of_the_text() {
        assert_eq!(json_size(&"a\n"), 5);
        assert_eq!(page(10).map(|text| json_size(&text)).sum::<usize>(), 10);
    }

    #[test]
    fn small_pages_need_no_memory() {
        let budget = MemoryBudget::new(0);
        let mut stream = ReadAhead::new(budget.reservation_for("a"));
        assert!(stream.may_read() && stream.keeps(page(FREE)));
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn page_is_charged_until_it_is_sent() {
        let size = 2 * FREE;
        // A credential may use a fourth: two pages.
        let budget = MemoryBudget::new(4 * 2 * COPIES * size);
        let mut streams: Vec<ReadAhead> =
            (0..3).map(|_| ReadAhead::new(budget.reservation_for("a"))).collect();
        let read: Vec<bool> =
            streams.iter_mut().map(|stream| stream.may_read() && stream.keeps(page(size))).collect();
        assert_eq!(read, [true, true, false]);
        assert_eq!(budget.used(), 2 * COPIES * size);
        // The third reads nothing until there is memory for its page. Others are not affected.
        assert!(!streams[2].may_read());
        let mut other = ReadAhead::new(budget.reservation_for("b"));
        assert!(other.may_read() && other.keeps(page(size)));
        streams[0].release();
        assert!(streams[2].may_read());
        assert!(!streams[0].may_read() || !streams[0].keeps(page(size)));
        assert!(streams[2].keeps(page(size)));
        drop((streams, other));
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn page_larger_than_the_part_of_a_credential_is_sent_alone() {
        let budget = MemoryBudget::new(4 * 2 * FREE);
        let mut streams: Vec<ReadAhead> =
            (0..2).map(|_| ReadAhead::new(budget.reservation_for("a"))).collect();
        assert!(streams[0].may_read() && streams[0].keeps(page(100 * FREE)));
        assert!(streams[1].may_read() && !streams[1].keeps(page(100 * FREE)));
        assert!(!streams[1].may_read());
        streams[0].release();
        assert!(streams[1].may_read() && streams[1].keeps(page(100 * FREE)));
    }
}
