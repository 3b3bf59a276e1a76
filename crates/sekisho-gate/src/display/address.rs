//! The addresses a call would fetch, and where they lead.

use sekisho_policy::{Call, CallTool, PlaceKind};
use serde_json::Value;
use url::{Host, Url};

use super::limit::Limit;
use super::{Address, Form, Layout, visible};
use crate::proposals::is_one_host;

/// How the note on a user name begins.
pub(super) const USER: &str = "what stands before the `@`";

/// How the note on a host begins that is none.
pub(super) const NO_HOST: &str = "no host has a name like";

/// The form of a web call; none where it names no address.
pub(super) fn form(call: &Call, limit: &mut Limit) -> Option<Form> {
    let tool = CallTool::of(call)?;
    let mut addresses = Vec::new();
    for (kind, value) in tool.values(&call.input) {
        match kind {
            PlaceKind::Values => match value {
                Value::String(text) => addresses.push(address(text, limit)),
                Value::Array(values) => {
                    for value in values {
                        addresses.push(address(value.as_str()?, limit));
                    }
                }
                _ => return None,
            },
            PlaceKind::Prose => {
                let prose = value.as_str().unwrap_or("");
                let urls = prose.split_whitespace().filter(|word| word.contains("://"));
                addresses.extend(urls.map(|word| address(word.trim_matches(around), limit)));
            }
            PlaceKind::Glob | PlaceKind::Filter | PlaceKind::Patch => {}
        }
    }
    (!addresses.is_empty()).then_some(Form::Url { addresses })
}

/// What stands around an address in prose.
fn around(c: char) -> bool {
    "<>()\"'`,".contains(c)
}

fn address(text: &str, limit: &mut Limit) -> Address {
    let url = limit.text("of an address", &visible(text, Layout::Line));
    let Ok(parsed) = Url::parse(text.trim()) else {
        let notes = vec!["it is no address that can be read; what the tool makes of it is not known".into()];
        return Address { url, host: None, notes };
    };
    let mut notes = Vec::new();
    if !matches!(parsed.scheme(), "http" | "https") {
        notes.push(format!("it is no web address but `{}:`", parsed.scheme()));
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        let user = visible(parsed.username(), Layout::Line).into_owned();
        notes.push(format!("{USER} (`{user}`) is a user name, not the host"));
    }
    if text.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\') {
        notes.push("it holds a blank or a backslash: readers differ in where it leads".into());
    }
    let host = parsed.host().map(|host| host.to_string().trim_end_matches('.').to_owned());
    if let Some(host) = &host {
        if !host.is_empty() && !is_one_host(host) {
            let host = visible(host, Layout::Line);
            notes.push(format!("{NO_HOST} `{host}`: what the tool makes of it is not known"));
        }
        notes.extend(note_on_host(text, &parsed, host));
    }
    if let Some(port) = parsed.port() {
        notes.push(format!("port {port}"));
    }
    Address { url, host, notes }
}

/// Whether the host reads otherwise than it is written.
fn note_on_host(text: &str, parsed: &Url, host: &str) -> Option<String> {
    let written = text.to_ascii_lowercase().contains(&host.to_ascii_lowercase());
    match parsed.host()? {
        Host::Domain(_) if host.split('.').any(|label| label.starts_with("xn--")) => {
            Some("the host's name holds letters beyond ASCII, which can look like others".into())
        }
        _ if written => None,
        Host::Domain(_) => Some(format!("the host is written in another way than `{host}`")),
        Host::Ipv4(_) | Host::Ipv6(_) => Some(format!("it is another way to write the address `{host}`")),
    }
}
