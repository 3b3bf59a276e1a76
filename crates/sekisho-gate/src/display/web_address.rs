//! The web addresses of a call, and where they lead.

use sekisho_policy::{Call, CallTool, TargetFieldKind};
use serde_json::Value;
use url::{Host, Url};

use super::size_limit::SizeLimit;
use super::{AddressNote, Form, Layout, LeftOut, WebAddress, visible};
use crate::host_wildcard::is_one_host;

/// The form of a web call. None if it names no address.
pub(super) fn form(call: &Call, limit: &mut SizeLimit) -> Option<Form> {
    let tool = CallTool::of(call)?;
    let mut addresses = Vec::new();
    for (kind, value) in tool.values(&call.input) {
        match kind {
            TargetFieldKind::Values => match value {
                Value::String(text) => addresses.push(address(text, limit)),
                Value::Array(values) => {
                    for value in values {
                        addresses.push(address(value.as_str()?, limit));
                    }
                }
                _ => return None,
            },
            TargetFieldKind::Prose => {
                let prose = value.as_str().unwrap_or("");
                let urls = prose.split_whitespace().filter(|word| word.contains("://"));
                addresses.extend(urls.map(|word| address(word.trim_matches(is_enclosing), limit)));
            }
            TargetFieldKind::Glob | TargetFieldKind::Filter | TargetFieldKind::Patch => {}
        }
    }
    (!addresses.is_empty()).then_some(Form::Url { addresses })
}

/// Punctuation around an address in prose.
fn is_enclosing(c: char) -> bool {
    "<>()\"'`,".contains(c)
}

fn address(text: &str, limit: &mut SizeLimit) -> WebAddress {
    let url = limit.text(&visible(text, Layout::Line), |bytes| LeftOut::Address { bytes });
    let Ok(parsed) = Url::parse(text.trim()) else {
        return noted(url, None, vec![AddressNote::Unreadable]);
    };
    let mut notes = Vec::new();
    if !matches!(parsed.scheme(), "http" | "https") {
        notes.push(AddressNote::NotWeb { scheme: parsed.scheme().into() });
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        let user = visible(parsed.username(), Layout::Line).into_owned();
        notes.push(AddressNote::UserBeforeHost { user });
    }
    if text.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\') {
        notes.push(AddressNote::Blank);
    }
    let host = parsed.host().map(|host| host.to_string().trim_end_matches('.').to_owned());
    if let Some(host) = &host {
        if !host.is_empty() && !is_one_host(host) {
            notes.push(AddressNote::ImpossibleHost { host: visible(host, Layout::Line).into_owned() });
        }
        notes.extend(note_on_host(text, &parsed, host));
    }
    if let Some(port) = parsed.port() {
        notes.push(AddressNote::Port { port });
    }
    noted(url, host, notes)
}

fn noted(url: String, host: Option<String>, note_codes: Vec<AddressNote>) -> WebAddress {
    let notes = note_codes.iter().map(AddressNote::sentence).collect();
    WebAddress { url, host, notes, note_codes }
}

/// Whether the host is parsed differently from how it is spelled.
fn note_on_host(text: &str, parsed: &Url, host: &str) -> Option<AddressNote> {
    let written = text.to_ascii_lowercase().contains(&host.to_ascii_lowercase());
    match parsed.host()? {
        Host::Domain(_) if host.split('.').any(|label| label.starts_with("xn--")) => {
            Some(AddressNote::LettersBeyondAscii)
        }
        _ if written => None,
        Host::Domain(_) => Some(AddressNote::HostWrittenOtherwise { host: host.into() }),
        Host::Ipv4(_) | Host::Ipv6(_) => Some(AddressNote::IpWrittenOtherwise { host: host.into() }),
    }
}
