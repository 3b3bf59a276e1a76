//! The cookie that identifies a browser.
//!
//! Scripts and other sites cannot read it. But browsers do not separate the ports of a host: every server on
//! this machine that a person opens receives the cookie too. So it holds only half of a secret, and the page
//! has the other half. Its name contains the port, because another sekisho server on the host would otherwise
//! overwrite it. Over TLS it has the `__Host-` prefix, which browsers let only this host set.

use axum::http::{HeaderMap, HeaderValue, header};

use crate::settings::Settings;

fn name(settings: &Settings) -> String {
    let port =
        settings.address.rsplit(':').next().filter(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
    let prefix = if settings.secure { "__Host-" } else { "" };
    format!("{prefix}sekisho-{}", port.unwrap_or("0"))
}

/// The value of our cookie, if the request has it.
pub(crate) fn read_cookie(settings: &Settings, headers: &HeaderMap) -> Option<String> {
    let name = name(settings);
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut ours = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    ours.find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
}

/// The header that sets the cookie.
pub(crate) fn set_cookie(settings: &Settings, value: &str) -> Option<HeaderValue> {
    cookie_header(settings, value, settings.limits.device_lifetime.as_secs())
}

/// The header that deletes it.
pub(crate) fn unset_cookie(settings: &Settings) -> Option<HeaderValue> {
    cookie_header(settings, "", 0)
}

fn cookie_header(settings: &Settings, value: &str, seconds: u64) -> Option<HeaderValue> {
    let secure = if settings.secure { "; Secure" } else { "" };
    let name = name(settings);
    let text = format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}");
    HeaderValue::from_str(&text).ok()
}
