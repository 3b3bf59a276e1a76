//! Groups hourly counts into the bars that fit on a terminal.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use sekisho_gate::audit::HourStats;

/// Consecutive hours or days, including empty ones.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Buckets {
    pub(super) buckets: Vec<HourStats>,
    /// Whether each bucket is a day or longer.
    pub(super) days: bool,
}

/// Maximum number of lines.
const MOST: i64 = 31;
const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

/// Groups by hour, by day, or by enough days to keep the number of lines small. A day begins at midnight in
/// `zone`.
pub(super) fn bucketize(hours: &[HourStats], (from, to): (Timestamp, Timestamp), zone: &TimeZone) -> Buckets {
    let length = to.as_second().saturating_sub(from.as_second());
    let days = length > 2 * DAY;
    let edges = if days { days_of(from, to, length / (DAY * MOST) + 1, zone) } else { hours_of(from, to) };
    let mut buckets: Vec<HourStats> =
        edges.iter().map(|at| HourStats { at: *at, ..HourStats::default() }).collect();
    for hour in hours {
        let after = edges.partition_point(|edge| *edge <= hour.at);
        if let Some(bucket) = buckets.get_mut(after.saturating_sub(1)) {
            bucket.allowed += hour.allowed;
            bucket.asked += hour.asked;
            bucket.denied += hour.denied;
        }
    }
    Buckets { buckets, days }
}

fn hours_of(from: Timestamp, to: Timestamp) -> Vec<Timestamp> {
    let first = from.as_second().div_euclid(HOUR) * HOUR;
    let edges = std::iter::successors(Some(first), |edge| edge.checked_add(HOUR));
    edges.filter_map(|edge| Timestamp::from_second(edge).ok()).take_while(|edge| *edge < to).collect()
}

fn days_of(from: Timestamp, to: Timestamp, step: i64, zone: &TimeZone) -> Vec<Timestamp> {
    let first = from.to_zoned(zone.clone()).start_of_day().ok();
    let edges =
        std::iter::successors(first, |edge| edge.checked_add(jiff::Span::new().try_days(step).ok()?).ok());
    edges.map(|edge| edge.timestamp()).take_while(|edge| *edge < to).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn hour(text: &str, allowed: u64) -> HourStats {
        HourStats { at: at(text), allowed, asked: 1, ..HourStats::default() }
    }

    #[test]
    fn no_hour_is_lost_and_the_page_stays_short() {
        let hours = [
            hour("2026-11-01T10:00:00Z", 3),
            hour("2026-11-01T11:00:00Z", 4),
            hour("2026-11-02T09:00:00Z", 5),
        ];
        for (to, lines, days) in [
            ("2026-11-02T10:00:00Z", 24, false),
            ("2026-11-02T10:30:00Z", 25, false),
            ("2026-11-11T10:00:00Z", 11, true),
            ("2027-11-01T10:00:00Z", 31, true),
        ] {
            let found = bucketize(&hours, (at("2026-11-01T10:00:00Z"), at(to)), &TimeZone::UTC);
            assert_eq!(found.buckets.len(), lines, "{to}");
            assert_eq!(found.days, days, "{to}");
            assert_eq!(found.buckets.iter().map(|bucket| bucket.allowed).sum::<u64>(), 12, "{to}");
        }
    }

    #[test]
    fn hour_that_began_before_the_range_is_included() {
        let hours = [hour("2026-11-01T10:00:00Z", 3)];
        let found =
            bucketize(&hours, (at("2026-11-01T10:30:00Z"), at("2026-11-01T12:00:00Z")), &TimeZone::UTC);
        assert_eq!(found.buckets.iter().map(|bucket| bucket.allowed).collect::<Vec<_>>(), [3, 0]);
    }

    #[test]
    fn days_begin_at_midnight_in_the_zone() {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        let hours = [hour("2026-11-01T21:00:00Z", 3), hour("2026-11-01T22:00:00Z", 4)];
        let found = bucketize(&hours, (at("2026-11-01T10:00:00Z"), at("2026-11-05T10:00:00Z")), &zone);
        let allowed: Vec<u64> = found.buckets.iter().map(|bucket| bucket.allowed).collect();
        assert_eq!(allowed, [3, 4, 0, 0, 0]);
        assert_eq!(found.buckets[1].at, at("2026-11-01T22:00:00Z"));
    }
}
