//! When a request is sent again, and how long to wait before.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hyper::header::HeaderMap;
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use sekisho_gate::clock::{Clock, SystemClock};

use super::failure::Failure;

/// How often and how patiently a client tries again.
#[derive(Clone)]
pub struct RetryPolicy {
    /// The most attempts after the first.
    pub retries: u32,
    /// The wait before the second attempt, where the provider names none. It doubles with each further one.
    pub first_wait: Duration,
    /// The longest such wait.
    pub longest_wait: Duration,
    /// The longest wait that a provider may ask for. If it asks for more, the request fails at once.
    pub longest_asked: Duration,
    /// Sleeps between attempts.
    pub clock: Arc<dyn Clock>,
    /// Gives numbers from 0 to 1. A wait is shortened by up to a quarter, so that many clients do not come back
    /// at the same moment.
    pub jitter: Arc<dyn Fn() -> f64 + Send + Sync>,
}

impl Default for RetryPolicy {
    fn default() -> RetryPolicy {
        RetryPolicy {
            retries: 2,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(8),
            longest_asked: Duration::from_secs(60),
            clock: Arc::new(SystemClock),
            jitter: Arc::new(|| {
                getrandom::u32().map_or(0.5, |number| f64::from(number) / f64::from(u32::MAX))
            }),
        }
    }
}

impl fmt::Debug for RetryPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryPolicy")
            .field("retries", &self.retries)
            .field("first_wait", &self.first_wait)
            .field("longest_wait", &self.longest_wait)
            .field("longest_asked", &self.longest_asked)
            .finish_non_exhaustive()
    }
}

impl RetryPolicy {
    /// How long to wait before the next attempt, after `attempts` of them failed. `None` to give up.
    pub(super) fn wait(&self, attempts: u32, failure: &Failure) -> Option<Duration> {
        if !failure.is_retryable || attempts > self.retries {
            return None;
        }
        if let Some(asked) = failure.error.retry_after {
            return (asked <= self.longest_asked).then_some(asked);
        }
        let doublings = attempts.saturating_sub(1).min(16);
        let wait = self.first_wait.saturating_mul(1 << doublings).min(self.longest_wait);
        Some(wait.mul_f64(1.0 - 0.25 * (self.jitter)().clamp(0.0, 1.0)))
    }

    /// Waits.
    pub(super) async fn sleep(&self, wait: Duration) {
        let now = self.clock.now();
        self.clock.sleep_until(now.checked_add(wait).unwrap_or(now)).await;
    }
}

/// What the headers of a response say about another attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RetryAdvice {
    /// Whether to try again at all.
    pub(super) should_retry: Option<bool>,
    /// How long to wait.
    pub(super) wait: Option<Duration>,
}

impl RetryAdvice {
    /// Reads `x-should-retry`, `retry-after-ms` and `retry-after`.
    pub(super) fn read(headers: &HeaderMap, now: Timestamp) -> RetryAdvice {
        let text = |name: &str| Some(headers.get(name)?.to_str().ok()?.trim());
        let should_retry = match text("x-should-retry") {
            Some("true") => Some(true),
            Some("false") => Some(false),
            _ => None,
        };
        let seconds =
            |text: &str, unit: f64| Duration::try_from_secs_f64(text.parse::<f64>().ok()? * unit).ok();
        let milliseconds = text("retry-after-ms").and_then(|text| seconds(text, 0.001));
        let wait = milliseconds.or_else(|| {
            let text = text("retry-after")?;
            seconds(text, 1.0).or_else(|| {
                let moment = rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
                Some(Duration::try_from(moment.duration_since(now)).unwrap_or_default())
            })
        });
        RetryAdvice { should_retry, wait }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ModelErrorCode;

    fn policy(jitter: f64) -> RetryPolicy {
        RetryPolicy { retries: 9, jitter: Arc::new(move || jitter), ..RetryPolicy::default() }
    }

    #[test]
    fn waits_double_up_to_a_limit_less_jitter() {
        let failure = Failure::retryable(ModelErrorCode::Overloaded, "busy");
        let waits = |jitter| {
            let policy = policy(jitter);
            (1..=10)
                .map(|attempts| policy.wait(attempts, &failure).map(|wait| wait.as_millis()))
                .collect::<Vec<_>>()
        };
        let expected = |waits: [u128; 9]| waits.into_iter().map(Some).chain([None]).collect::<Vec<_>>();
        assert_eq!(waits(0.0), expected([500, 1000, 2000, 4000, 8000, 8000, 8000, 8000, 8000]));
        assert_eq!(waits(1.0), expected([375, 750, 1500, 3000, 6000, 6000, 6000, 6000, 6000]));
    }

    #[test]
    fn asked_waits_count_unless_they_are_too_long() {
        let policy = policy(1.0);
        let mut failure = Failure::retryable(ModelErrorCode::Overloaded, "busy");
        for (asked, expected) in [(0, Some(0)), (60, Some(60)), (61, None)] {
            failure.error.retry_after = Some(Duration::from_secs(asked));
            assert_eq!(policy.wait(1, &failure), expected.map(Duration::from_secs), "{asked}");
        }
        failure.is_retryable = false;
        failure.error.retry_after = Some(Duration::from_secs(1));
        assert_eq!(policy.wait(1, &failure), None);
    }

    #[test]
    fn default_jitter_is_a_fraction() {
        let jitter = RetryPolicy::default().jitter;
        assert!((0..100).all(|_| (0.0..=1.0).contains(&jitter())));
    }

    #[test]
    fn headers_are_read() {
        let now: Timestamp = "2026-11-17T10:00:00Z".parse().unwrap();
        #[track_caller]
        fn check(
            now: Timestamp,
            headers: &[(&'static str, &'static str)],
            should: Option<bool>,
            wait: Option<u64>,
        ) {
            let headers =
                headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
            let advice = RetryAdvice { should_retry: should, wait: wait.map(Duration::from_millis) };
            assert_eq!(RetryAdvice::read(&headers, now), advice, "{headers:?}");
        }
        check(now, &[], None, None);
        check(now, &[("x-should-retry", "true")], Some(true), None);
        check(now, &[("x-should-retry", "false"), ("retry-after", "2")], Some(false), Some(2000));
        check(now, &[("x-should-retry", "perhaps")], None, None);
        check(now, &[("retry-after-ms", "250"), ("retry-after", "9")], None, Some(250));
        check(now, &[("retry-after-ms", "soon"), ("retry-after", "1.5")], None, Some(1500));
        check(now, &[("retry-after", "Tue, 17 Nov 2026 10:00:07 GMT")], None, Some(7000));
        check(now, &[("retry-after", "Tue, 17 Nov 2026 09:00:00 GMT")], None, Some(0));
        for broken in ["-1", "NaN", "1e300", "", "yesterday"] {
            check(now, &[("retry-after", broken)], None, None);
        }
    }
}
