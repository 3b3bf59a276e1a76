//! Parses times as typed, and formats them.

use std::fmt;
use std::io::IsTerminal;
use std::str::FromStr;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, civil};

use crate::failure::Failure;

/// A time as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeArg {
    At(Timestamp),
    /// A time without an offset, in the user's time zone.
    Wall(civil::DateTime),
    Ago(SignedDuration),
}

impl TimeArg {
    /// The point in time. A day begins at midnight in the user's time zone.
    pub(crate) fn resolve(self, now: Timestamp) -> Result<Timestamp, Failure> {
        let outside = || Failure::usage("the time is out of range");
        match self {
            TimeArg::At(at) => Ok(at),
            TimeArg::Wall(wall) => TimeZone::system().to_timestamp(wall).map_err(|_| outside()),
            TimeArg::Ago(age) => now.checked_sub(age).map_err(|_| outside()),
        }
    }
}

impl FromStr for TimeArg {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeArg, String> {
        if let Some(age) = parse_duration(text) {
            return Ok(TimeArg::Ago(age));
        }
        if let Ok(at) = text.parse::<Timestamp>() {
            return Ok(TimeArg::At(at));
        }
        text.parse::<civil::DateTime>().map(TimeArg::Wall).map_err(|_| {
            "expected a time such as `2026-11-03T10:00:00Z`, a day such as `2026-11-03`, or an age such as `2h` or `3d`".into()
        })
    }
}

/// Parses `90s`, `5m`, `2h`, `3d` or `4w`.
pub(crate) fn parse_duration(text: &str) -> Option<SignedDuration> {
    let (last, _) = text.char_indices().next_back()?;
    let (number, unit) = text.split_at_checked(last)?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        "w" => 604_800,
        _ => return None,
    };
    let number: u32 = number.parse().ok()?;
    Some(SignedDuration::from_secs(i64::from(number) * seconds))
}

/// Formats times in the user's time zone on a terminal, and in UTC elsewhere.
pub(crate) struct TimeFormatter {
    zone: Option<TimeZone>,
}

impl TimeFormatter {
    /// The formatter for standard output.
    pub(crate) fn of_stdout() -> TimeFormatter {
        TimeFormatter { zone: std::io::stdout().is_terminal().then(TimeZone::system) }
    }

    pub(crate) fn zone(&self) -> TimeZone {
        self.zone.clone().unwrap_or(TimeZone::UTC)
    }

    /// A time to the microsecond.
    pub(crate) fn exact(&self, at: Timestamp) -> String {
        match &self.zone {
            Some(zone) => at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S%.6f %Z").to_string(),
            None => at.to_string(),
        }
    }

    /// A time for a column.
    pub(crate) fn column(&self, at: Timestamp, narrow: bool) -> String {
        match &self.zone {
            Some(zone) => {
                let format = if narrow { "%m-%d %H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" };
                at.to_zoned(zone.clone()).strftime(format).to_string()
            }
            None => format!("{at:.6}"),
        }
    }

    /// A time to the minute.
    pub(crate) fn minute(&self, at: Timestamp) -> String {
        at.to_zoned(self.zone()).strftime("%Y-%m-%d %H:%M %Z").to_string()
    }

    /// An hour or a day, as the label of a bar.
    pub(crate) fn axis_label(&self, at: Timestamp, days: bool) -> String {
        at.to_zoned(self.zone()).strftime(if days { "%a %m-%d" } else { "%m-%d %H:%M" }).to_string()
    }
}

/// A duration in milliseconds, printed in a suitable unit.
pub(crate) struct HumanDuration(pub(crate) u64);

impl fmt::Display for HumanDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = self.0;
        match ms {
            0..1_000 => write!(f, "{ms} ms"),
            1_000..60_000 => write!(f, "{}.{} s", ms / 1_000, ms % 1_000 / 100),
            60_000..3_600_000 => write!(f, "{} min {} s", ms / 60_000, ms % 60_000 / 1_000),
            _ => write!(f, "{} h {} min", ms / 3_600_000, ms % 3_600_000 / 60_000),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_parsed() {
        let now: Timestamp = "2026-11-03T12:00:00Z".parse().unwrap();
        for (text, expected) in [
            ("2h", "2026-11-03T10:00:00Z"),
            ("90s", "2026-11-03T11:58:30Z"),
            ("3d", "2026-10-31T12:00:00Z"),
            ("1w", "2026-10-27T12:00:00Z"),
            ("2026-11-01T08:00:00+02:00", "2026-11-01T06:00:00Z"),
        ] {
            let at = text.parse::<TimeArg>().unwrap().resolve(now).unwrap();
            assert_eq!(at.to_string(), expected, "{text}");
        }
        assert_eq!("2026-11-01".parse(), Ok(TimeArg::Wall(civil::date(2026, 11, 1).at(0, 0, 0, 0))));
        for text in ["", "soon", "2", "-2h", "h", "2y", "2026-13-01", "9999999999d", "２h"] {
            assert!(text.parse::<TimeArg>().is_err(), "{text}");
        }
    }

    #[test]
    fn durations_use_a_suitable_unit() {
        for (ms, expected) in
            [(7, "7 ms"), (4_260, "4.2 s"), (125_000, "2 min 5 s"), (7_380_000, "2 h 3 min")]
        {
            assert_eq!(HumanDuration(ms).to_string(), expected);
        }
    }
}
