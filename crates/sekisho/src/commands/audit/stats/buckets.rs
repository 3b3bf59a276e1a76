//! Hours put together so that they fit on a page.

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::audit::Hour;

/// Some hours in a row, those in which nothing happened included.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Buckets {
    pub(super) buckets: Vec<Hour>,
    /// Each is a day or more.
    pub(super) days: bool,
}

/// More lines than this are not looked at.
const MOST: i64 = 31;
const HOUR: i64 = 3_600;

/// Hours, days or as many days as it takes to fill the span with few lines.
pub(super) fn of(hours: &[Hour], from: Timestamp, to: Timestamp) -> Buckets {
    let length = to.as_second().saturating_sub(from.as_second());
    let step = match length {
        ..=172_800 => HOUR,
        _ => 24 * HOUR * (length / (24 * HOUR * MOST) + 1),
    };
    let start = from.as_second().div_euclid(HOUR) * HOUR;
    let count = usize::try_from((to.as_second() - 1 - start).div_euclid(step) + 1).unwrap_or(0);
    let mut buckets: Vec<Hour> = (0..count)
        .scan(start, |at, _| {
            let this = *at;
            *at = at.saturating_add(step);
            Some(Hour { at: Timestamp::from_second(this).unwrap_or(from), allowed: 0, asked: 0, denied: 0 })
        })
        .collect();
    for hour in hours {
        let place = hour.at.duration_since(Timestamp::from_second(start).unwrap_or(from));
        let place = usize::try_from(place.max(SignedDuration::ZERO).as_secs() / step).unwrap_or(0);
        if let Some(bucket) = buckets.get_mut(place) {
            bucket.allowed += hour.allowed;
            bucket.asked += hour.asked;
            bucket.denied += hour.denied;
        }
    }
    Buckets { buckets, days: step > HOUR }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn hour(text: &str, allowed: u64) -> Hour {
        Hour { at: at(text), allowed, asked: 1, denied: 0 }
    }

    #[test]
    fn nothing_is_lost_and_the_page_stays_short() {
        let hours = [
            hour("2026-11-01T10:00:00Z", 3),
            hour("2026-11-01T11:00:00Z", 4),
            hour("2026-11-02T09:00:00Z", 5),
        ];
        for (to, lines, days) in [
            ("2026-11-02T10:00:00Z", 24, false),
            ("2026-11-02T10:30:00Z", 25, false),
            ("2026-11-11T10:00:00Z", 10, true),
            ("2027-11-01T10:00:00Z", 31, true),
        ] {
            let found = of(&hours, at("2026-11-01T10:00:00Z"), at(to));
            assert!(
                found.buckets.len() <= lines && found.buckets.len() + 2 > lines,
                "{to}: {}",
                found.buckets.len()
            );
            assert_eq!(found.days, days, "{to}");
            assert_eq!(found.buckets.iter().map(|bucket| bucket.allowed).sum::<u64>(), 12, "{to}");
        }
    }

    #[test]
    fn an_hour_that_began_before_the_span_is_in_it() {
        let hours = [hour("2026-11-01T10:00:00Z", 3)];
        let found = of(&hours, at("2026-11-01T10:30:00Z"), at("2026-11-01T12:00:00Z"));
        assert_eq!(found.buckets.iter().map(|bucket| bucket.allowed).collect::<Vec<_>>(), [3, 0]);
    }
}
