//! Notification settings of a device.

use jiff::civil::Time;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use sekisho_policy::DangerLevel;
use serde::{Deserialize, Serialize};

use crate::error::ApiError;

/// Notification settings of a token's holder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Notifications {
    /// Whether to show system notifications.
    pub desktop: bool,
    /// Whether to play a sound.
    pub sound: bool,
    /// Notify only of approvals with at least this danger.
    pub minimum_danger: DangerLevel,
    /// When not to notify.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet_hours: Option<QuietHours>,
}

/// A part of each day. If it ends before it begins, it spans midnight.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QuietHours {
    /// Start: `22:00`.
    #[schemars(pattern(r"^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    pub from: String,
    /// End: `07:00`.
    #[schemars(pattern(r"^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    pub to: String,
    /// The IANA time zone: `Europe/Vienna`.
    #[schemars(length(min = 1, max = 64))]
    pub time_zone: String,
}

impl Default for Notifications {
    fn default() -> Notifications {
        Notifications { desktop: true, sound: false, minimum_danger: DangerLevel::None, quiet_hours: None }
    }
}

impl Notifications {
    /// Checks the quiet hours.
    pub(crate) fn check(&self) -> Result<(), ApiError> {
        let Some(quiet) = &self.quiet_hours else { return Ok(()) };
        let from = time("quietHours.from", &quiet.from)?;
        let to = time("quietHours.to", &quiet.to)?;
        if from == to {
            return Err(ApiError::invalid("`quietHours.from` and `quietHours.to` are equal")
                .with_hint("to get no notifications at all, set `desktop` to false"));
        }
        zone(&quiet.time_zone)
    }
}

fn time(field: &str, text: &str) -> Result<Time, ApiError> {
    let error = || ApiError::invalid(format!("`{field}` is not a time of day such as `22:00`"));
    let (hour, minute) = text.split_once(':').ok_or_else(error)?;
    let number = |digits: &str| {
        let two = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse::<i8>().ok().filter(|_| two).ok_or_else(error)
    };
    Time::new(number(hour)?, number(minute)?, 0, 0).map_err(|_| error())
}

fn zone(name: &str) -> Result<(), ApiError> {
    let error = || {
        ApiError::invalid("`quietHours.timeZone` is not a known time zone")
            .with_hint("send an IANA name such as `Europe/Vienna` or `UTC`")
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '-');
    let part = |part: &str| !part.is_empty() && part.chars().all(plain);
    if name.len() > 64 || !name.split('/').all(part) {
        return Err(error());
    }
    // A machine without a time zone database can only check the form.
    if jiff::tz::db().is_definitively_empty() || TimeZone::get(name).is_ok() { Ok(()) } else { Err(error()) }
}
