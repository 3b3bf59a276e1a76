//! What a device wants to be notified of.

use jiff::civil::Time;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use sekisho_policy::DangerLevel;
use serde::{Deserialize, Serialize};

use crate::error::ApiError;

/// What a token's holder wants to be notified of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Notifications {
    /// Notifications of the system.
    pub desktop: bool,
    /// With a sound.
    pub sound: bool,
    /// Only questions about calls that want at least this much care.
    pub minimum_danger: DangerLevel,
    /// When to be quiet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet_hours: Option<QuietHours>,
}

/// A part of each day; one that ends before it begins goes over midnight.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QuietHours {
    /// From this time on: `22:00`.
    #[schemars(pattern(r"^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    pub from: String,
    /// Until this time: `07:00`.
    #[schemars(pattern(r"^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    pub to: String,
    /// Where the clock hangs, by its IANA name: `Europe/Vienna`.
    #[schemars(length(min = 1, max = 64))]
    pub time_zone: String,
}

impl Default for Notifications {
    fn default() -> Notifications {
        Notifications { desktop: true, sound: false, minimum_danger: DangerLevel::None, quiet_hours: None }
    }
}

impl Notifications {
    /// What is wrong with it.
    pub(crate) fn check(&self) -> Result<(), ApiError> {
        let Some(quiet) = &self.quiet_hours else { return Ok(()) };
        let from = time("quietHours.from", &quiet.from)?;
        let to = time("quietHours.to", &quiet.to)?;
        if from == to {
            return Err(ApiError::invalid("`quietHours` begin when they end")
                .with_hint("to be told of nothing at all, set `desktop` to false"));
        }
        zone(&quiet.time_zone)
    }
}

fn time(field: &str, text: &str) -> Result<Time, ApiError> {
    let fault = || ApiError::invalid(format!("`{field}` is no time of the day such as `22:00`"));
    let (hour, minute) = text.split_once(':').ok_or_else(fault)?;
    let number = |digits: &str| {
        let two = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse::<i8>().ok().filter(|_| two).ok_or_else(fault)
    };
    Time::new(number(hour)?, number(minute)?, 0, 0).map_err(|_| fault())
}

fn zone(name: &str) -> Result<(), ApiError> {
    let fault = || {
        ApiError::invalid("`quietHours.timeZone` is no time zone that is known here")
            .with_hint("send an IANA name such as `Europe/Vienna` or `UTC`")
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '-');
    let part = |part: &str| !part.is_empty() && part.chars().all(plain);
    if name.len() > 64 || !name.split('/').all(part) {
        return Err(fault());
    }
    // A machine without the list of zones can only look at the form.
    if jiff::tz::db().is_definitively_empty() || TimeZone::get(name).is_ok() { Ok(()) } else { Err(fault()) }
}
